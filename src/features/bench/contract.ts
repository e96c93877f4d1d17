import * as z from "zod";
import { DeliberationId } from "../../kernel/index.ts";
import { Estimate, SPENT } from "../../contract/figures.ts";

/** A way to answer questions, as it was run. */
export const BenchArm = z.strictObject({
  name: z.string(),
  /** In words. */
  what: z.string(),
  /** As `name@version`. */
  protocol: z.string(),
  /** Models by seat, in the order of the seats. */
  seats: z.array(z.strictObject({ seat: z.string(), model: z.string() })),
  /** Whether anything is called beyond the drafts. */
  deliberates: z.boolean(),
  /** The arm whose deliberations these are too, where it only counts the same drafts another way. */
  drafted: z.string().optional(),
});
export type BenchArm = z.infer<typeof BenchArm>;

/** Of an open question the whole text of the answer, which is neither right nor wrong. */
const BenchScore = z.strictObject({ answer: z.string().nullable(), right: z.boolean().nullable() });

/** What one arm came to on one question. */
export const BenchRow = z.strictObject({
  arm: z.string(),
  task: z.string(),
  kind: z.string().nullable(),
  /** The deliberation that counts, last, behind those that it went on from. */
  deliberations: z.array(z.string()).min(1),
  /** When the first of them was opened, ISO 8601. */
  openedAt: z.string(),
  /** The closing's outcome, or `open`. */
  outcome: z.string(),
  /** Whether it counts: it has come to its end, and neither a cap of the bench nor an outage had a say in it. */
  finished: z.boolean(),
  /** Why it came to nothing for want of replies: an outage says nothing of the arm. Null where it did not. */
  failed: z.string().nullable(),
  ...BenchScore.shape,
  /** What the drafts alone elect, no answer where none of theirs is ahead; null where that cannot be told. */
  control: BenchScore.nullable(),
  /** Of the members that gave one, in the order of their seats. */
  drafts: z.array(z.strictObject({ by: z.string(), model: z.string(), ...BenchScore.shape })),
  /** Model calls in all deliberations of the row. */
  calls: z.int(),
  tokens: z.strictObject({ in: z.number().nullable(), out: z.number().nullable() }),
  /** What a person waited for, in milliseconds: the longest chain of calls, over all deliberations of the row. */
  latencyMs: z.int(),
  /** The calls by kind of step, such as `draft` and `review`. */
  steps: z.array(
    z.strictObject({
      kind: z.string(),
      calls: z.int(),
      tokens: z.strictObject({ in: z.number().nullable(), out: z.number().nullable() }),
    }),
  ),
  /** US dollars; null when the price of any call is unknown. */
  usd: z.number().nullable(),
  simulated: z.boolean(),
});
export type BenchRow = z.infer<typeof BenchRow>;

/** Two arms on the questions that both finished. */
export const BenchPair = z.strictObject({
  first: z.string(),
  second: z.string(),
  n: z.int(),
  both: z.int(),
  onlyFirst: z.int(),
  onlySecond: z.int(),
  neither: z.int(),
  /** The first's accuracy minus the second's with its 95 % interval; null without questions. */
  difference: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** McNemar's exact test, two-sided. */
  p: z.number(),
  /** The same after Holm's correction for all pairs of the table. */
  adjusted: z.number(),
});
export type BenchPair = z.infer<typeof BenchPair>;

/** What the members' blind drafts say of the panel, whatever became of them. */
export const BenchVotes = z.strictObject({
  members: z.array(z.strictObject({ id: z.string(), model: z.string(), accuracy: Estimate })),
  /**
   * How many independent voters the members are worth, from the correlations of their being right (phi, over the
   * questions that both drafted); null for one member, and where somebody was right, or wrong, throughout.
   */
  effective: z.number().nullable(),
  /**
   * The accuracy of a majority of independent members of their mean accuracy by Condorcet's formula, exact for questions
   * with two possible answers; null for an even number of members.
   */
  condorcet: z.number().nullable(),
});
export type BenchVotes = z.infer<typeof BenchVotes>;

const perQuestion = z.number().nullable();

const ArmResult = BenchArm.extend({
  /** Questions of the file that it has not finished: they count nowhere. */
  unfinished: z.int(),
  /** Of these, those that failed for lack of replies; they can be retried. */
  failed: z.int(),
  /** Of the finished questions that have a right answer; what has no answer is not right. */
  accuracy: Estimate,
  kinds: z.array(z.strictObject({ kind: z.string(), accuracy: Estimate })),
  right: z.int(),
  wrong: z.int(),
  /** Of the finished ones that are not right, those without an answer that can be compared. */
  noAnswer: z.int(),
  /** By a closing's outcome, how often it ended so. */
  outcomes: z.record(z.string(), z.int()),
  /** Means over the questions finished; null where a call did not report it. */
  perQuestion: z.strictObject({
    calls: perQuestion,
    tokensIn: perQuestion,
    tokensOut: perQuestion,
    /** The longest chain of calls. */
    latencyMs: perQuestion,
    usd: perQuestion,
  }),
  votes: BenchVotes,
  /** What deliberating changed, against the drafts' control, where there is one; null where nothing is deliberated. */
  flips: z
    .strictObject({
      n: z.int(),
      controlRight: z.int(),
      /** Where the drafts elected one answer, and another was given. */
      rightToWrong: z.int(),
      wrongToRight: z.int(),
      /** No flips: where no answer was given in the end, and where the drafts elected none. */
      rightToNone: z.int(),
      noneToRight: z.int(),
      /** McNemar's exact test of the flips, two-sided. */
      p: z.number(),
    })
    .nullable(),
});

/** How often an arm's answers were preferred to those of the first arm. */
const JudgedArm = z.strictObject({
  arm: z.string(),
  /** Pairs with a verdict. */
  n: z.int(),
  won: z.int(),
  tied: z.int(),
  lost: z.int(),
  /** Of the ties, those where the judge preferred what it saw first, or last, in both orders. */
  orderSensitive: z.int(),
  /** Questions without a verdict: an arm has no answer, or a reply of the judge could not be read. */
  missing: z.int(),
  /** Won and half of the tied pairs, with Wilson's 95 % interval. */
  preferred: Estimate,
  /** The exact two-sided sign test of won against lost. */
  p: z.number(),
  /** The same after Holm's correction for all arms. */
  adjusted: z.number(),
});
export type JudgedArm = z.infer<typeof JudgedArm>;

/** What a judge preferred on the open questions. */
export const BenchJudged = z.strictObject({
  id: z.string(),
  /** A closing's outcome, or `open`. */
  status: z.string(),
  simulated: z.boolean(),
  model: z.string(),
  family: z.string().nullable(),
  form: z.string(),
  rubric: z.string(),
  ...SPENT,
  /** The arm that all others are compared with. */
  against: z.string(),
  arms: z.array(JudgedArm),
});
export type BenchJudged = z.infer<typeof BenchJudged>;

/** A benchmark as it is printed. Published as `schemas/bench.schema.json`. */
export const BenchReport = z.strictObject({
  /** Whether any answer is a simulated model's: then it says nothing of real ones. */
  simulated: z.boolean(),
  /** Whether every arm has finished every question. */
  complete: z.boolean(),
  /** `open`: those without a right answer, which a judge compares. */
  tasks: z.strictObject({ file: z.string(), count: z.int(), open: z.int() }),
  /** As given; null where every deliberation drew its own. */
  seed: z.string().nullable(),
  /** When the first deliberation was opened, ISO 8601; null for none. */
  startedAt: z.string().nullable(),
  spent: z.strictObject({ calls: z.int(), usd: z.number().nullable() }),
  arms: z.array(ArmResult),
  pairs: z.array(BenchPair),
  /** The open questions, as a judge compares the arms on them; null where none did. */
  judged: BenchJudged.nullable(),
  rows: z.array(BenchRow),
});
export type BenchReport = z.infer<typeof BenchReport>;
export type BenchArmResult = BenchReport["arms"][number];

/** Benches on record, newest first. */
export const BenchList = z.strictObject({
  data: z.array(
    z.strictObject({
      ...{ id: DeliberationId, file: z.string() },
      /** ISO 8601 in UTC. */
      openedAt: z.string(),
      ...{ arms: z.array(z.string()), tasks: z.int() },
      /** Of every arm and task (`total`), those that have come to their end. */
      ...{ finished: z.int(), total: z.int() },
      /** Whether a model that takes part is simulated. */
      simulated: z.boolean(),
    }),
  ),
  /** What `after` takes for the next page; null after the last. */
  next: z.string().nullable(),
});
export type BenchList = z.infer<typeof BenchList>;
export type ListedBench = BenchList["data"][number];

/** A bench as its deliberations stand now. */
export const Bench = z.strictObject({ id: DeliberationId, openedAt: z.string(), report: BenchReport });
export type Bench = z.infer<typeof Bench>;
