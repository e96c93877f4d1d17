import * as z from "zod";
import { bootstrap } from "../../stats/bootstrap.ts";
import { Estimate, estimateShare } from "../../stats/proportions.ts";
import { isEvent, Recalled, UserId, type Entry } from "../../kernel/index.ts";
import { benchPairs, total } from "../bench/report.ts";
import { BenchLine, type BenchRow } from "../bench/row.ts";
import { givenAnswer } from "../../views/given-answer.ts";
import { headOf, JUDGE_HEAD, type JudgedWork } from "../../protocols/judge/view.ts";

// ABLATION-5. A pair counts only where both of its sides have finished.
// ABLATION-6. An answer is right or wrong where the question's answer is known, and graded where a judge's reply could be
//     read: what is not known is null and counts nowhere.
// ABLATION-7. Where nothing was retrieved, both sides were asked the same and differ by chance: the metrics are also given
//     without those pairs.

/** A question, with its one right answer where that is known: a line of a file of tasks. */
export const AblationLine = z.strictObject({
  ...BenchLine.shape,
  answer: BenchLine.shape.answer.optional(),
});
/** A line with its id. */
export type AblationTask = z.infer<typeof AblationLine> & { readonly id: string };

export const SIDES = ["with", "without"] as const;
export type Side = (typeof SIDES)[number];

const grade = z.number().min(1).max(5);
const tokens = z.strictObject({ in: z.number().nullable(), out: z.number().nullable() });

/** What one side answered to a question. */
const SideRow = z.strictObject({
  /** The deliberation that counts, last, behind those that it went on from. */
  deliberations: z.array(z.string()).min(1),
  /** The closing's outcome, or `open`. */
  outcome: z.string(),
  finished: z.boolean(),
  /** Why no reply came; null where one did. */
  failed: z.string().nullable(),
  /** The whole answer; null where there is none. */
  text: z.string().nullable(),
  /** As it was extracted for comparison; null where nothing could be. */
  answer: z.string().nullable(),
  /** null where the right answer is not known. */
  right: z.boolean().nullable(),
  /** The judge's; null where there is none. */
  grade: grade.nullable(),
  calls: z.int(),
  tokens,
  /** US dollars; null when the price of any call is unknown. */
  usd: z.number().nullable(),
});

/** One question, answered with memory and without. */
export const AblationRow = z.strictObject({
  task: z.string(),
  kind: z.string().nullable(),
  question: z.string(),
  /** What memory gave; null before it was asked. */
  recalled: z
    .strictObject({
      engrams: z.array(Recalled.pick({ id: true, mark: true, similarity: true, words: true, score: true })),
      facts: z.int(),
      how: z.string(),
    })
    .nullable(),
  /** null: not begun. */
  with: SideRow.nullable(),
  without: SideRow.nullable(),
});
export type AblationRow = z.infer<typeof AblationRow>;

const difference = z.strictObject({ value: z.number(), low: z.number(), high: z.number() }).nullable();

/** On how many questions both sides, one, or neither was right. */
const RightPairs = z.strictObject({
  n: z.int(),
  both: z.int(),
  onlyWith: z.int(),
  onlyWithout: z.int(),
  neither: z.int(),
  /** The accuracy with memory minus that without, −1 to 1, with its 95 % interval; null without pairs. */
  difference,
  /** McNemar's exact test, two-sided. */
  p: z.number(),
});
export type RightPairs = z.infer<typeof RightPairs>;

/** How grades compare, question by question. */
const GradePairs = z.strictObject({
  n: z.int(),
  /** Means; null without pairs. */
  with: z.number().nullable(),
  without: z.number().nullable(),
  /** How often the side with memory was graded higher, alike, lower. */
  higher: z.int(),
  alike: z.int(),
  lower: z.int(),
  /** The mean of the paired differences with its 95 % percentile interval of the bootstrap; null without pairs. */
  difference,
});
export type GradePairs = z.infer<typeof GradePairs>;

const SideTotal = z.strictObject({
  finished: z.int(),
  failed: z.int(),
  accuracy: Estimate,
  grade: z.strictObject({ mean: z.number().nullable(), n: z.int() }),
  /** Of all that was asked of the models that answer; what the judge took stands with the judge. */
  calls: z.int(),
  tokens,
  usd: z.number().nullable(),
});
export type SideTotal = z.infer<typeof SideTotal>;

/** What `parley memory ablate --json` prints. Published as `schemas/memory-ablation.schema.json`. */
export const MemoryAblation = z.strictObject({
  /** Whether any answer is a simulated model's: then it says nothing of real ones. */
  simulated: z.boolean(),
  /** Whether both sides have finished every question. */
  complete: z.boolean(),
  tasks: z.strictObject({ file: z.string(), count: z.int(), known: z.int() }),
  user: UserId,
  model: z.string(),
  /** As given; null where every question drew its own. */
  seed: z.string().nullable(),
  /** When the first deliberation was opened, ISO 8601; null for none. */
  startedAt: z.string().nullable(),
  recalled: z.strictObject({
    /** Questions for which memory was asked; with an engram; with a pinned fact; with either. */
    n: z.int(),
    engrams: z.int(),
    facts: z.int(),
    any: z.int(),
    /** Each way in which it was searched, once. */
    how: z.array(z.string()),
  }),
  with: SideTotal,
  without: SideTotal,
  /** `recalled`: of the questions alone for which anything was recalled. */
  right: z.strictObject({ all: RightPairs, recalled: RightPairs }),
  grades: z.strictObject({ all: GradePairs, recalled: GradePairs }),
  /** null: nobody graded. */
  judge: z
    .strictObject({ ...JUDGE_HEAD, answers: z.int(), read: z.int(), why: z.string().nullable() })
    .nullable(),
  rows: z.array(AblationRow),
});
export type MemoryAblation = z.infer<typeof MemoryAblation>;

/** A side's work on a question: its row, and the journal of the deliberation that counts. */
export type SideRan = { readonly row: BenchRow; readonly entries: readonly Entry[] };

/** What was made of one question, before anybody graded it; `ran` is undefined where it was not begun. */
export function ablationRow(
  task: AblationTask,
  ran: { readonly [S in Side]: SideRan | undefined },
): AblationRow {
  const recalled = ran.with?.entries.find((entry) => isEvent(entry, "engrams-recalled"));
  const data = recalled && isEvent(recalled, "engrams-recalled") ? recalled.data : undefined;
  return {
    task: task.id,
    kind: task.kind ?? null,
    question: task.question,
    recalled: data
      ? {
          engrams: data.engrams.map(({ id, mark, similarity, words, score }) => ({
            id,
            mark,
            similarity,
            words,
            score,
          })),
          facts: data.facts.length,
          how: data.how,
        }
      : null,
    with: sideRow(task, ran.with),
    without: sideRow(task, ran.without),
  };
}

function sideRow({ answer: known }: AblationTask, ran: SideRan | undefined): AblationRow[Side] {
  if (!ran) return null;
  const { deliberations, outcome, finished, failed, answer, right, calls, usd } = ran.row;
  return {
    deliberations,
    outcome,
    finished,
    failed,
    text: givenAnswer(ran.entries)?.data.text ?? null,
    answer,
    right: known === undefined ? null : right, // ABLATION-6
    grade: null,
    calls,
    tokens: ran.row.tokens,
    usd,
  };
}

/** The rows with the grades of their finished answers; `gradeOf` gives null for what could not be graded. */
export const gradedRows = (
  rows: readonly AblationRow[],
  gradeOf: (row: AblationRow, side: Side) => number | null,
): AblationRow[] =>
  rows.map((row) => ({
    ...row,
    with: row.with && { ...row.with, grade: gradeOf(row, "with") },
    without: row.without && { ...row.without, grade: gradeOf(row, "without") },
  }));

export type Ablated = Pick<MemoryAblation, "simulated" | "user" | "model" | "seed" | "startedAt"> & {
  readonly file: string;
  readonly tasks: readonly AblationTask[];
  /** One for each task that was begun, in the order of the tasks. */
  readonly rows: readonly AblationRow[];
  readonly judge: Extract<JudgedWork, { kind: "grade" }> | undefined;
};

/** The comparison from its rows. */
export function memoryAblation({ file, tasks, rows, judge, ...head }: Ablated): MemoryAblation {
  const pairs = rows.flatMap((row): Pair[] =>
    row.with?.finished === true && row.without?.finished === true // ABLATION-5
      ? [{ ...row, with: row.with, without: row.without }]
      : [],
  );
  const recalling = pairs.filter(({ recalled }) => isRecalled(recalled)); // ABLATION-7
  const asked = rows.flatMap(({ recalled }) => recalled ?? []);
  const graded = judge?.items.filter(({ score }) => score !== null).length ?? 0;
  return {
    ...head,
    simulated: head.simulated || judge?.simulated === true,
    complete: pairs.length === tasks.length,
    tasks: { file, count: tasks.length, known: tasks.filter(({ answer }) => answer !== undefined).length },
    recalled: {
      n: asked.length,
      engrams: asked.filter(({ engrams }) => engrams.length > 0).length,
      facts: asked.filter(({ facts }) => facts > 0).length,
      any: asked.filter(isRecalled).length,
      how: [...new Set(asked.map(({ how }) => how))].sort(),
    },
    with: totalOf(rows.flatMap((row) => row.with ?? [])),
    without: totalOf(rows.flatMap((row) => row.without ?? [])),
    right: { all: rightPairs(pairs), recalled: rightPairs(recalling) },
    grades: { all: gradePairs(pairs), recalled: gradePairs(recalling) },
    judge: judge
      ? {
          ...headOf(judge),
          answers: judge.items.length,
          read: graded,
          why: judge.items.find(({ score }) => score === null)?.why ?? judge.why,
        }
      : null,
    rows: [...rows],
  };
}

type SideOf = NonNullable<AblationRow[Side]>;
type Pair = Omit<AblationRow, Side> & { readonly [S in Side]: SideOf };

const isRecalled = (recalled: AblationRow["recalled"]): boolean =>
  recalled !== null && (recalled.engrams.length > 0 || recalled.facts > 0);

function totalOf(sides: readonly SideOf[]): SideTotal {
  const finished = sides.filter((side) => side.finished);
  const known = finished.filter(({ right }) => right !== null);
  const grades = finished.flatMap((side) => side.grade ?? []);
  return {
    finished: finished.length,
    failed: sides.filter(({ failed }) => failed !== null).length,
    accuracy: estimateShare(known.filter(({ right }) => right === true).length, known.length),
    grade: { mean: meanOf(grades), n: grades.length },
    calls: sides.reduce((sum, { calls }) => sum + calls, 0),
    tokens: {
      in: total(sides.map((side) => side.tokens.in)),
      out: total(sides.map((side) => side.tokens.out)),
    },
    usd: total(sides.map(({ usd }) => usd)),
  };
}

function rightPairs(all: readonly Pair[]): RightPairs {
  const known = all.filter((pair) => SIDES.every((side) => pair[side].right !== null));
  const rows = known.flatMap((pair) =>
    SIDES.map((arm) => ({ arm, task: pair.task, right: pair[arm].right === true })),
  );
  const [pair] = benchPairs(SIDES, rows);
  if (!pair) throw new RangeError("two arms are one pair");
  const { n, both, onlyFirst: onlyWith, onlySecond: onlyWithout, neither, difference, p } = pair;
  return { n, both, onlyWith, onlyWithout, neither, difference, p };
}

function gradePairs(all: readonly Pair[]): GradePairs {
  const pairs = all.flatMap(({ with: one, without: other }) =>
    one.grade === null || other.grade === null ? [] : [{ one: one.grade, other: other.grade }],
  );
  const differences = pairs.map(({ one, other }) => one - other);
  const interval = bootstrap(differences, (sample) => meanOf(sample) ?? 0);
  return {
    n: pairs.length,
    with: meanOf(pairs.map(({ one }) => one)),
    without: meanOf(pairs.map(({ other }) => other)),
    higher: differences.filter((one) => one > 0).length,
    alike: differences.filter((one) => one === 0).length,
    lower: differences.filter((one) => one < 0).length,
    difference: interval && { value: interval.estimate, low: interval.low, high: interval.high },
  };
}

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
