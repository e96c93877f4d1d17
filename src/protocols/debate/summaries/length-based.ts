import type { SummaryMethod } from "./method.ts";
import { condense, contributionsOf, headed, nothingSaid, writtenAll } from "./summary.ts";

const name = "length-based";

/** The whole text in one call. */
export const lengthBased: SummaryMethod = {
  name,
  summarise(run, task) {
    const contributions = contributionsOf(task);
    if (contributions.length === 0) return nothingSaid(run, task);
    return condense(run, task, { method: name, text: writtenAll(contributions.map(headed)) });
  },
};
