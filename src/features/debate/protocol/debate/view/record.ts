import * as z from "zod";
import { Assessment } from "../../../../../kernel/index.ts";

const spending = {
  /** In and out together; null where a call that may have been charged for did not report them. */
  tokens: z.number().nullable(),
  /** US dollars; null where unknown. */
  usd: z.number().nullable(),
};

/** Of everything that a text took: its own call, and those of its tools and of what was repaired. */
const Taken = { ...spending, latencyMs: z.number().nullable() };

/** Of all calls of a part of the debate; null where their number is unknown. */
const costs = { calls: z.int().nonnegative().nullable(), ...spending };

const Agent = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** null where it is not recorded. */
  role: z.string().nullable(),
  model: z.string().nullable(),
  family: z.string().nullable(),
  /** null: left to the provider, or not recorded. */
  temperature: z.number().nullable(),
});

export const NO_ASSESSMENT: Assessment = {
  confidence: null,
  tradeoffs: [],
  recommendations: [],
  unfulfilledMajorRequirements: [],
  openQuestions: [],
};

const Contribution = z.strictObject({
  by: z.string(),
  text: z.string(),
  model: z.string().nullable(),
  ...Taken,
});

/** `coverage`: whether it says how it covers the requirements; null where nobody looked. */
const Answer = Contribution.extend({ coverage: z.boolean().nullable() });

const Summary = z.strictObject({
  for: z.string(),
  method: z.string(),
  text: z.string(),
  charactersBefore: z.number(),
  charactersAfter: z.number(),
  model: z.string().nullable(),
  temperature: z.number().nullable(),
  ...Taken,
});

const Round = z.strictObject({
  round: z.int().positive(),
  /** Whether it came to its end. */
  closed: z.boolean(),
  /** The judge's, where it was asked after this round, 0 to 100, and why. */
  confidence: z.number().nullable(),
  confidenceReason: z.string().nullable(),
  summaries: z.array(Summary),
  /** `carried`: what the agent said before stands as its proposal, and nothing was asked. */
  proposals: z.array(Answer.extend({ carried: z.boolean() })),
  critiques: z.array(Contribution.extend({ of: z.string() })),
  refinements: z.array(Answer),
  /** `result`: null where none is recorded. */
  /** `during`: the step whose reply called it, for people; `kind`, `of`: its work, and whose text that is about. Null where nobody knows. */
  tools: z.array(
    z.strictObject({
      by: z.string(),
      during: z.string().nullable(),
      kind: z.string().nullable(),
      of: z.string().nullable(),
      tool: z.string(),
      arguments: z.string(),
      result: z.string().nullable(),
    }),
  ),
  ...costs,
});

/** A debate as people read it, whether it is on the journal or in a result file of Dialectic's (0.7). Agents are named by id. */
export const DebateRecord = z.strictObject({
  id: z.string(),
  source: z.enum(["parley", "dialectic"]),
  problem: z.string(),
  /** A closing's outcome, or `open`; of a file, its own word. */
  status: z.string(),
  simulated: z.boolean(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** null while it is open. */
  endedAt: z.string().nullable(),
  agents: z.array(Agent),
  judge: Agent.nullable(),
  requirements: z.strictObject({ major: z.array(z.string()), minor: z.array(z.string()) }).nullable(),
  clarifications: z.array(
    z.strictObject({ by: z.string(), id: z.string(), question: z.string(), answer: z.string().nullable() }),
  ),
  rounds: z.array(Round),
  judgeSummary: Summary.nullable(),
  synthesis: Contribution.extend({
    ...Assessment.shape,
    /** 0 to 100; null where none could be read. */
    confidence: z.number().nullable(),
  }).nullable(),
  /** What is missing or was cut, and why. */
  degraded: z.array(z.strictObject({ what: z.string(), why: z.string() })),
  /** What was spent before the first round and after the last; with all rounds it makes up the whole. */
  outside: z.strictObject(costs),
  ...costs,
});
export type DebateRecord = z.infer<typeof DebateRecord>;
export type DebateRound = z.infer<typeof Round>;
