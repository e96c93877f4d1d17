import * as z from "zod";
import { SPENT } from "../../contract/figures.ts";

const text = z.string();
const figure = z.number().nullable();

export const ContributionsBody = z.strictObject({
  /** Whether models may be called to measure what is not recorded yet. */
  calls: z.boolean().optional(),
  repeats: z.int().min(1).max(20).optional(),
});

/** `not-applicable`: there is nothing to measure; `not-asked`: it needs calls that were not allowed; `over-budget`, `failed`: calls were not made, or failed. */
const Status = z.enum(["measured", "not-applicable", "not-asked", "over-budget", "failed"]);

const method = { status: Status, why: text.nullable() };

const differing = {
  /** The fork in which the chair was re-run. */
  fork: text,
  /** Whether the final answer changed or disappeared; null where the original has none. */
  changed: z.boolean().nullable(),
  /** The share of the original's content, 0 to 1, that the re-run's text does not have, by wording. */
  gone: z.number(),
  /** 1 or 0 for a final answer that changed or not; without one, `gone`. */
  effect: z.number(),
};

/** Contributions as they are printed. Published as `schemas/contributions.schema.json`. */
export const Contributions = z.strictObject({
  id: text,
  protocol: text,
  status: text,
  simulated: z.boolean(),
  question: text,
  answer: text,
  finalAnswer: text.nullable(),
  /** What decided the answer: the chair's synthesis, the peer ranking, the vote, or its similarity to the other drafts. */
  decidedBy: z.enum(["chair", "standing", "vote", "nearness"]),
  /** Members in seat order, then judges. */
  members: z.array(
    z.strictObject({
      id: text,
      name: text,
      model: text,
      seat: text,
      /** Whether it has a draft; a member without one counts in the peer ranking only. */
      drafted: z.boolean(),
      /** Reported by the chair, 0 to 1, not measured. */
      claimed: figure,
      /** `weight`: 0 to 1; all members' sum to 1 or are all 0; null until every member was left out once. */
      leaveOneOut: z
        .strictObject({ weight: figure, withinNoise: z.boolean().nullable(), ...differing })
        .nullable(),
      /** Shapley values; negative for a member that voted, or ranked, against the outcome. */
      vote: figure,
      standing: figure,
      /** The share of the answer's content, 0 to 1, that is in its draft, by wording. */
      overlap: figure,
      /** The share of its draft's sentences, 0 to 1, that the answer retains. */
      kept: figure,
      lost: z.array(text),
    }),
  ),
  /**
   * The chair re-run without one member each; `noise` is the largest effect of a re-run with all, and `chance` the probability
   * that a member without effect exceeds it.
   */
  leaveOneOut: z.strictObject({
    ...method,
    chair: text.nullable(),
    noise: figure,
    chance: figure,
    again: z.array(z.strictObject(differing)),
  }),
  /** `total` is the sum of all values. */
  vote: z.strictObject({ ...method, total: figure }),
  /** `first` was ranked first; the values are the reviewers' parts in that. */
  standing: z.strictObject({ ...method, first: text.nullable(), total: figure }),
  /** `unsupported` is the share of the answer's content, 0 to 1, that is in no draft. */
  overlap: z.strictObject({ ...method, unsupported: figure }),
  /** The calls of this measurement; a later one reuses them and makes none. */
  ...SPENT,
});
export type Contributions = z.infer<typeof Contributions>;
