import * as z from "zod";
import type { ProtocolContext } from "../../../engine/index.ts";
import type { Answer } from "../../../kernel/index.ts";
import { PanelSettings } from "../../../protocols/phases/panel/settings.ts";
import type { RevisionRound } from "../../../protocols/phases/revise.ts";

/**
 * How far `ask` may go:
 *
 * | effort | where final answers can be extracted | an open question |
 * | --- | --- | --- |
 * | 1 | drafts, and their vote | drafts, the central one |
 * | 2 | a round of critique and revision, and the vote | the drafts' claims compared |
 * | 3 | the same | a synthesis, whether or not they contradict each other |
 * | 4 | the same | contradictions go through the council's review first |
 * | 5 | a second round where no answer has most of all votes | contradictions go through a round of revision before the review |
 */
const Effort = z.int().min(1).max(5);

export const AskSettings = PanelSettings.extend({
  effort: Effort.default(4).meta({
    flag: "--effort <n>",
    description:
      "depth: 1 drafts, 2 +critique round, 3 +synthesis, 4 +peer review, 5 +second round (default: 4)",
  }),
});
export type AskSettings = z.infer<typeof AskSettings>;

// While the drafts' final answers agree, nothing beyond the drafts is called.
// The outcome of a rung, and the next rung, are recorded before the next one's first call.
// No rung is above `effort`, and none is begun that the budget does not reach for.
// Wherever the run ends, the best answer so far is the answer, beside the baseline.

/** A kind of work, as step keys name it. */
export type Rung = "draft" | "comparison" | "revision" | "review" | "synthesis";

export type RungOutcome = {
  readonly rung: Rung;
  /** Tells the rounds of one rung apart. */
  readonly round?: number;
  /** Null where the run ends here. */
  readonly next: Rung | null;
  /** The reason, for the readers of the result. */
  readonly reason: string;
};

/** Records the outcome of a rung, under `ladder/<rung>`. */
export async function recordRung(
  { run }: ProtocolContext,
  { rung, round, next, reason }: RungOutcome,
): Promise<void> {
  const body = { rung, next };
  await run.derive(
    {
      key: `ladder/${rung}${round === undefined ? "" : `-${round}`}`,
      outcomes: ["rung-decided"],
      work: { kind: "decision", of: rung },
      input: { ...body, reason },
    },
    () => ({ type: "rung-decided", data: { ...body, reason } }),
  );
}

/** A longer text is prose, which is compared claim by claim. */
const MAX_SHORT_ANSWER_WORDS = 4;

/** Whether a final answer can be compared by itself. */
export const isShortAnswer = (final: Answer | null): boolean =>
  final !== null && (final.kind !== "text" || final.value.split(/\s+/).length <= MAX_SHORT_ANSWER_WORDS);

/** A round of revision within the limits of the settings. */
export const createRevisionRound = (
  { settings }: ProtocolContext<AskSettings>,
  round: Pick<RevisionRound, "round" | "table" | "differ">,
): RevisionRound => ({
  ...round,
  maxOutputTokens: settings.maxOutputTokens.draft,
  timeoutMs: settings.callTimeoutMs,
  patienceMs: settings.patienceMs,
  tools: settings,
});
