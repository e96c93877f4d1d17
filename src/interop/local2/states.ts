import * as z from "zod";
import { ReactorState, WatchReport } from "../../views/reactor-state.ts";

/**
 * LoCAL2's state for each word of our reactors. Three of its states have no word here: PUBLISHING is the instant of an append, and
 * shown as the last thing said; RETRIEVING and EXECUTING are steps of whoever generates, and events of their own.
 */
export const LOCAL2_STATES: Readonly<Record<string, string>> = {
  idle: "IDLE",
  receiving: "RECEIVING",
  generating: "GENERATING",
  grading: "GRADING",
  "pairwise-grading": "PAIRWISE_GRADING",
  ingesting: "INGESTING",
  "updating-score": "UPDATING_SCORE",
  // A person's feedback is annotated, too; there a service without states does that.
  annotating: "ANNOTATING_PAIRWISE",
  error: "ERROR",
};

/** The state of every reactor, and what LoCAL2 calls it. */
export const Local2WatchReport = z.strictObject({
  ...WatchReport.shape,
  reactors: z.array(
    z.strictObject({
      ...ReactorState.shape,
      /** What LoCAL2 calls the state; null where it has none. */
      local2: z.string().nullable(),
    }),
  ),
});
export type Local2WatchReport = z.infer<typeof Local2WatchReport>;

/** Adds LoCAL2's name for every state. */
export function withLocal2States(report: WatchReport): Local2WatchReport {
  return {
    ...report,
    reactors: report.reactors.map((reactor) => ({
      ...reactor,
      local2: LOCAL2_STATES[reactor.state] ?? null,
    })),
  };
}
