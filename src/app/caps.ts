import { Cap, type Budget } from "../kernel/index.ts";

/** The caps that ended a run: the recorded ones, or all caps that were set if none is recorded. */
export function capsPassed(recorded: readonly Cap[], budget: Budget): readonly Cap[] {
  const set = Cap.options.filter((cap) => budget[cap === "time" ? "timeMs" : cap] !== undefined);
  const passed = set.filter((cap) => recorded.includes(cap));
  return passed.length > 0 ? passed : set;
}
