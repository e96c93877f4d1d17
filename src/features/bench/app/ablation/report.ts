import * as z from "zod";
import { BenchPair, BenchRow } from "../../contract.ts";
import { Estimate } from "../../../../contract/figures.ts";
import { type Entry, isEvent, Recalled, UserId } from "../../../../kernel/index.ts";
import { headOf, JUDGE_HEAD, type JudgedWork } from "../../../../views/judged-work.ts";
import { bootstrap } from "../../../../stats/bootstrap.ts";
import { sumKnown } from "../../../../stats/numbers.ts";
import { estimateShare } from "../../../../stats/proportions.ts";
import { answerEvent } from "../../../../views/answer-event.ts";
import { compareArms, meanOf } from "../report.ts";
import type { BenchTask } from "../../../../app/tasks.ts";

// An answer is right or wrong only where the question's answer is known, and graded only where the judge's reply could be read. What is not
// known is null and counts nowhere.
// Where nothing was retrieved, both sides got the same prompt and differ by chance: the metrics are also given without those pairs.

export const SIDES = ["with", "without"] as const;
export type Side = (typeof SIDES)[number];

const SideRun = BenchRow.pick({
  deliberations: true,
  outcome: true,
  finished: true,
  failed: true,
  answer: true,
  calls: true,
  tokens: true,
  usd: true,
});
const RecalledRow = Recalled.pick({ id: true, mark: true, similarity: true, words: true, score: true });

/** What one side answered to a question. */
const SideRow = SideRun.extend({
  /** The whole answer; null where there is none. */
  text: z.string().nullable(),
  /** null where the right answer is not known. */
  right: z.boolean().nullable(),
  /** The judge's grade, 1 to 5; null where there is none. */
  grade: z.number().min(1).max(5).nullable(),
});
type SideRow = z.infer<typeof SideRow>;

/** One question, answered with memory and without. */
export const AblationRow = z.strictObject({
  task: z.string(),
  kind: z.string().nullable(),
  question: z.string(),
  /** What memory gave; null before it was searched. */
  recalled: z.strictObject({ engrams: z.array(RecalledRow), facts: z.int(), how: z.string() }).nullable(),
  /** null where this side has not begun. */
  with: SideRow.nullable(),
  without: SideRow.nullable(),
});
export type AblationRow = z.infer<typeof AblationRow>;

/** On how many questions both sides, one, or neither was right. */
const RightPairs = z.strictObject({
  n: z.int(),
  both: z.int(),
  onlyWith: z.int(),
  onlyWithout: z.int(),
  neither: z.int(),
  /** The accuracy with memory minus that without, −1 to 1, with its 95 % interval; null without pairs. */
  difference: BenchPair.shape.difference,
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
  /** How often the side with memory has the higher, an equal, a lower grade. */
  higher: z.int(),
  alike: z.int(),
  lower: z.int(),
  /** The mean of the paired differences with its 95 % percentile interval of the bootstrap; null without pairs. */
  difference: BenchPair.shape.difference,
});
export type GradePairs = z.infer<typeof GradePairs>;

const SideTotal = z.strictObject({
  finished: z.int(),
  failed: z.int(),
  accuracy: Estimate,
  grade: z.strictObject({ mean: z.number().nullable(), n: z.int() }),
  /** Usage of the models that answer; the judge's is in `judge`. */
  calls: SideRow.shape.calls,
  tokens: SideRow.shape.tokens,
  usd: SideRow.shape.usd,
});
export type SideTotal = z.infer<typeof SideTotal>;

/** A memory ablation as it is printed. Published as `schemas/memory-ablation.schema.json`. */
export const MemoryAblation = z.strictObject({
  /** Whether any model is simulated: then the results say nothing about real models. */
  simulated: z.boolean(),
  /** Whether both sides have finished every question. */
  complete: z.boolean(),
  tasks: z.strictObject({ file: z.string(), count: z.int(), known: z.int() }),
  user: UserId,
  model: z.string(),
  /** The seed of the settings; null where every question drew its own. */
  seed: z.string().nullable(),
  /** When the first deliberation was opened, ISO 8601; null for none. */
  startedAt: z.string().nullable(),
  /** Questions for which memory was searched; those with an entry, with a pinned fact, with either; and each search method, once. */
  recalled: z.strictObject({
    n: z.int(),
    engrams: z.int(),
    facts: z.int(),
    any: z.int(),
    how: z.array(z.string()),
  }),
  with: SideTotal,
  without: SideTotal,
  /** `recalled` has only the questions for which anything was retrieved. */
  right: z.strictObject({ all: RightPairs, recalled: RightPairs }),
  grades: z.strictObject({ all: GradePairs, recalled: GradePairs }),
  /** null where no judge graded. */
  judge: z
    .strictObject({ ...JUDGE_HEAD, answers: z.int(), read: z.int(), why: z.string().nullable() })
    .nullable(),
  rows: z.array(AblationRow),
});
export type MemoryAblation = z.infer<typeof MemoryAblation>;

/** A bench row of one side, and the journal of the deliberation that counts. */
type SideJournal = { readonly row: BenchRow; readonly entries: readonly Entry[] };

/** A question's row before grading; a side is undefined where it has not begun. */
export function ablationRow(
  task: BenchTask,
  runs: { readonly [S in Side]: SideJournal | undefined },
): AblationRow {
  const recalled = runs.with?.entries.find((entry) => isEvent(entry, "engrams-recalled"))?.data;
  return {
    task: task.id,
    kind: task.kind ?? null,
    question: task.question,
    recalled: recalled
      ? {
          engrams: z.array(RecalledRow.strip()).parse(recalled.engrams),
          facts: recalled.facts.length,
          how: recalled.how,
        }
      : null,
    with: sideRow(task, runs.with),
    without: sideRow(task, runs.without),
  };
}

function sideRow(task: BenchTask, run: SideJournal | undefined): SideRow | null {
  if (!run) return null;
  const text = answerEvent(run.entries)?.data.text ?? null;
  const answer = run.row.right === null ? null : run.row.answer;
  return { ...SideRun.strip().parse(run.row), answer, text, right: run.row.right, grade: null };
}

type AblationInput = Pick<MemoryAblation, "simulated" | "user" | "model" | "seed" | "startedAt"> & {
  readonly file: string;
  readonly tasks: readonly BenchTask[];
  /** One for each task that has begun, in the order of the tasks. */
  readonly rows: readonly AblationRow[];
  readonly judge: Extract<JudgedWork, { kind: "grade" }> | undefined;
};

/** Computes the comparison from its rows. */
export function memoryAblation({ file, tasks, rows, judge, ...head }: AblationInput): MemoryAblation {
  const pairs = rows.flatMap((row): FinishedPair[] =>
    row.with?.finished && row.without?.finished ? [{ ...row, with: row.with, without: row.without }] : [],
  );
  const withResults = pairs.filter(({ recalled }) => hasResults(recalled));
  const searched = rows.flatMap(({ recalled }) => recalled ?? []);
  const ungraded = judge?.items.filter(({ score }) => score === null) ?? [];
  return {
    ...head,
    simulated: head.simulated || judge?.simulated === true,
    complete: pairs.length === tasks.length,
    tasks: { file, count: tasks.length, known: tasks.filter(({ answer }) => answer !== undefined).length },
    recalled: {
      n: searched.length,
      engrams: searched.filter(({ engrams }) => engrams.length > 0).length,
      facts: searched.filter(({ facts }) => facts > 0).length,
      any: searched.filter(hasResults).length,
      how: [...new Set(searched.map(({ how }) => how))].sort(),
    },
    with: sumSides(rows.flatMap((row) => row.with ?? [])),
    without: sumSides(rows.flatMap((row) => row.without ?? [])),
    right: { all: rightPairs(pairs), recalled: rightPairs(withResults) },
    grades: { all: gradePairs(pairs), recalled: gradePairs(withResults) },
    judge: judge
      ? {
          ...headOf(judge),
          answers: judge.items.length,
          read: judge.items.length - ungraded.length,
          why: ungraded[0]?.why ?? judge.why,
        }
      : null,
    rows: [...rows],
  };
}

type FinishedPair = Omit<AblationRow, Side> & { readonly [S in Side]: SideRow };

const hasResults = (recalled: AblationRow["recalled"]): boolean =>
  recalled !== null && (recalled.engrams.length > 0 || recalled.facts > 0);

function sumSides(sides: readonly SideRow[]): SideTotal {
  const finished = sides.filter((side) => side.finished);
  const known = finished.filter(({ right }) => right !== null);
  const grades = finished.flatMap(({ grade }) => grade ?? []);
  return {
    finished: finished.length,
    failed: sides.filter(({ failed }) => failed !== null).length,
    accuracy: estimateShare(known.filter(({ right }) => right).length, known.length),
    grade: { mean: meanOf(grades), n: grades.length },
    calls: sides.reduce((sum, { calls }) => sum + calls, 0),
    tokens: {
      in: sumKnown(sides.map(({ tokens }) => tokens.in)),
      out: sumKnown(sides.map(({ tokens }) => tokens.out)),
    },
    usd: sumKnown(sides.map(({ usd }) => usd)),
  };
}

function rightPairs(pairs: readonly FinishedPair[]): RightPairs {
  const known = pairs.flatMap(({ with: one, without: other }) =>
    one.right === null || other.right === null ? [] : [[one.right, other.right] as const],
  );
  const { onlyFirst: onlyWith, onlySecond: onlyWithout, ...same } = compareArms(known);
  return { ...same, onlyWith, onlyWithout };
}

function gradePairs(all: readonly FinishedPair[]): GradePairs {
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
