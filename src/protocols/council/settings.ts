import * as z from "zod";

/** The lens under which the chair synthesises: its directive is the template `strategy`. */
export const Strategy = z.strictObject({
  name: z.string().min(1),
  goal: z.string().optional(),
  /** What the chair sees beyond drafts and reviews. */
  sees: z.array(z.enum(["standing"])).default([]),
});
export type Strategy = z.infer<typeof Strategy>;

export const CouncilSettings = z.strictObject({
  /** `consensus`: the chair writes one answer under a strategy. `vote`: the winner's draft is the answer. */
  mode: z.enum(["consensus", "vote"]).default("consensus"),
  strategy: Strategy.default({ name: "balanced", sees: [] }),
  /** So many drafts at least; by default more than half of the members. */
  quorum: z.int().positive().optional(),
  maxOutputTokens: z
    .strictObject({
      draft: z.int().positive().default(4_096),
      review: z.int().positive().default(4_096),
      synthesis: z.int().positive().default(8_192),
    })
    .prefault({}),
  /** Bounds every call, retries included. */
  callTimeoutMs: z.int().positive().default(180_000),
  /** How long a phase waits for stragglers once a quorum is in; null waits for their timeouts. */
  patienceMs: z.int().positive().nullable().default(null),
});
export type CouncilSettings = z.infer<typeof CouncilSettings>;
