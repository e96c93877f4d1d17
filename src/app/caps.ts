import { Cap, type Budget } from "../kernel/index.ts";

/** The caps that ended something early: those that are recorded as passed; where none is, all that were set. */
export function capsPassed(recorded: readonly Cap[], budget: Budget): readonly Cap[] {
  const set = Cap.options.filter((cap) => budget[cap === "time" ? "timeMs" : cap] !== undefined);
  const passed = set.filter((cap) => recorded.includes(cap));
  return passed.length > 0 ? passed : set;
}
