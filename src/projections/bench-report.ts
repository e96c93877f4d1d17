import * as z from "zod";
import { Estimate, mcnemar, shareOf } from "../judging/index.ts";
import { benchPairs, BenchPair } from "./bench-pairs.ts";
import { BenchRow } from "./bench-row.ts";
import { benchVotes, BenchVotes } from "./bench-votes.ts";

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
});
export type BenchArm = z.infer<typeof BenchArm>;

const perQuestion = z.number().nullable();

const ArmResult = BenchArm.extend({
  /** Questions of the file that it has not finished: they count nowhere. */
  unfinished: z.int(),
  /** Of these, those that failed for want of replies; `--retry-failed` asks them again. */
  failed: z.int(),
  /** Of all questions finished; what has no answer is not right. */
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

/** What `parley bench --json` prints. Published as `schemas/bench.schema.json`. */
export const BenchReport = z.strictObject({
  /** Whether any answer is a simulated model's: then it says nothing of real ones. */
  simulated: z.boolean(),
  /** Whether every arm has finished every question. */
  complete: z.boolean(),
  tasks: z.strictObject({ file: z.string(), count: z.int() }),
  /** As given; null where every deliberation drew its own. */
  seed: z.string().nullable(),
  /** When the first deliberation was opened, ISO 8601; null for none. */
  startedAt: z.string().nullable(),
  spent: z.strictObject({ calls: z.int(), usd: z.number().nullable() }),
  arms: z.array(ArmResult),
  pairs: z.array(BenchPair),
  rows: z.array(BenchRow),
});
export type BenchReport = z.infer<typeof BenchReport>;
export type BenchArmResult = BenchReport["arms"][number];

export type BenchRan = {
  readonly tasks: BenchReport["tasks"];
  readonly seed: string | null;
  readonly arms: readonly BenchArm[];
  /** Of every arm and question that was begun. */
  readonly rows: readonly BenchRow[];
};

/** The table of a bench from its rows. */
export function benchReport({ tasks, seed, arms, rows }: BenchRan): BenchReport {
  const finished = rows.filter((row) => row.finished);
  const results = arms.map((arm) =>
    armResult(
      arm,
      rows.filter((row) => row.arm === arm.name),
      tasks.count,
    ),
  );
  return {
    simulated: rows.some(({ simulated }) => simulated),
    complete: results.every(({ unfinished }) => unfinished === 0),
    tasks,
    seed,
    startedAt: rows.map(({ openedAt }) => openedAt).toSorted()[0] ?? null,
    spent: { calls: rows.reduce((sum, { calls }) => sum + calls, 0), usd: total(rows.map(({ usd }) => usd)) },
    arms: results,
    pairs: benchPairs(
      arms.map(({ name }) => name),
      finished,
    ),
    rows: [...rows],
  };
}

function armResult(arm: BenchArm, begun: readonly BenchRow[], tasks: number): BenchArmResult {
  const rows = begun.filter(({ finished }) => finished);
  const right = rows.filter((row) => row.right).length;
  const noAnswer = rows.filter(({ answer }) => answer === null).length;
  const mean = (values: readonly (number | null)[]) => {
    const sum = total(values);
    return sum === null || rows.length === 0 ? null : sum / rows.length;
  };
  const kinds = [...new Set(rows.flatMap(({ kind }) => kind ?? []))].sort();
  const outcomes = [...new Set(rows.map(({ outcome }) => outcome))].sort();
  return {
    ...arm,
    unfinished: tasks - rows.length,
    failed: begun.filter(({ failed }) => failed !== null).length,
    accuracy: accuracyOf(rows),
    kinds: kinds.map((kind) => ({ kind, accuracy: accuracyOf(rows.filter((row) => row.kind === kind)) })),
    right,
    wrong: rows.length - right - noAnswer,
    noAnswer,
    outcomes: Object.fromEntries(
      outcomes.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length]),
    ),
    perQuestion: {
      calls: mean(rows.map(({ calls }) => calls)),
      tokensIn: mean(rows.map(({ tokens }) => tokens.in)),
      tokensOut: mean(rows.map(({ tokens }) => tokens.out)),
      usd: mean(rows.map(({ usd }) => usd)),
    },
    votes: benchVotes(rows),
    flips: arm.deliberates ? flipsOf(rows) : null,
  };
}

type Scored = { readonly answer: string | null; readonly right: boolean };

const verdictOf = ({ answer, right }: Scored) => (right ? "right" : answer === null ? "none" : "wrong");

function flipsOf(rows: readonly BenchRow[]): BenchArmResult["flips"] {
  const compared = rows.flatMap(({ control, answer, right }) =>
    control ? [`${verdictOf(control)} ${verdictOf({ answer, right })}`] : [],
  );
  const count = (one: string) => compared.filter((other) => other === one).length;
  const [rightToWrong, wrongToRight] = [count("right wrong"), count("wrong right")];
  return {
    n: compared.length,
    controlRight: compared.filter((one) => one.startsWith("right")).length,
    rightToWrong,
    wrongToRight,
    rightToNone: count("right none"),
    noneToRight: count("none right"),
    p: mcnemar(rightToWrong, wrongToRight),
  };
}

const accuracyOf = (rows: readonly BenchRow[]): Estimate =>
  shareOf(rows.filter(({ right }) => right).length, rows.length);

/** Null where any is unknown. */
const total = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
