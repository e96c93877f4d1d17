import type {
  BenchArm,
  BenchArmResult,
  BenchPair,
  BenchReport,
  BenchRow,
  BenchVotes,
  BenchJudged,
} from "../contract.ts";
import type { Estimate } from "../../../contract/figures.ts";
import { condorcet } from "../../../stats/ballot-rules.ts";
import { mean, sumKnown } from "../../../stats/numbers.ts";
import { effectiveMembers, holm, mcnemar, estimateShare, wilson } from "../../../stats/proportions.ts";
import { changeOf, type BenchChange } from "../protocol/report-words.ts";
import type { AppContext } from "../../../app/context.ts";
import type { Entry } from "../../../kernel/index.ts";
import { headOf, judgedWork, type JudgedWork } from "../../../views/judged-work.ts";
import {
  findJudging,
  judgeWithin,
  takeTexts,
  type ItemWithTexts,
  type JudgeOutcome,
  type JudgePins,
  type JudgeWithin,
} from "../../../app/judge.ts";
import { wholeQuestion, type BenchTask } from "../../../app/tasks.ts";

/** Compares two arms from whether each was right, question by question. */
export function compareArms(
  pairs: readonly (readonly [first: boolean, second: boolean])[],
): Omit<BenchPair, "first" | "second" | "adjusted"> {
  const count = (a: boolean, b: boolean) => pairs.filter(([one, other]) => one === a && other === b).length;
  const cells = {
    both: count(true, true),
    onlyFirst: count(true, false),
    onlySecond: count(false, true),
    neither: count(false, false),
  };
  const p = mcnemar(cells.onlyFirst, cells.onlySecond);
  return { n: pairs.length, ...cells, difference: pairedDifference(cells), p };
}

/** Compares every two arms, in the order of `arms`, from finished rows. */
export function benchPairs(
  arms: readonly string[],
  rows: readonly Pick<BenchRow, "arm" | "task" | "right">[],
): BenchPair[] {
  const right = new Map(arms.map((arm) => [arm, new Map<string, boolean>()]));
  for (const row of rows) if (row.right !== null) right.get(row.arm)?.set(row.task, row.right);
  const pairs = arms.flatMap((first, index) =>
    arms.slice(index + 1).map((second) => {
      const common = [...(right.get(first) ?? [])].flatMap(([task, one]) => {
        const other = right.get(second)?.get(task);
        return other === undefined ? [] : [[one, other] as const];
      });
      return { first, second, ...compareArms(common) };
    }),
  );
  const adjusted = holm(pairs.map(({ p }) => p));
  return pairs.map((pair, index) => ({ ...pair, adjusted: adjusted[index] ?? 1 }));
}

/** Over the rows of one arm whose questions have a right answer. */
export function benchVotes(all: readonly BenchRow[]): BenchVotes {
  const rows = all.filter(({ right }) => right !== null);
  const drafts = rows.flatMap((row) => row.drafts);
  const seats = new Map(drafts.map(({ by, model }) => [by, model]));
  const members = [...seats].map(([id, model]) => ({
    ...{ id, model },
    accuracy: accuracyOf(drafts.filter(({ by }) => by === id)),
  }));
  const mean = members.reduce((sum, { accuracy }) => sum + (accuracy.value ?? 0), 0) / members.length;
  return {
    members,
    effective: effectiveMembers([...seats.keys()], (one, other) => correlation(rows, one, other)),
    condorcet: members.length % 2 === 1 && members.length > 1 ? condorcet(mean, members.length) : null,
  };
}

/** The correlation (phi, −1 to 1) of two members' being right; null where one of them does not vary. */
function correlation(rows: readonly BenchRow[], one: string, other: string): number | null {
  const pairs = rows.flatMap(({ drafts }) => {
    const [first, second] = [one, other].map((id) => drafts.find(({ by }) => by === id));
    return first && second ? [[Number(first.right), Number(second.right)] as const] : [];
  });
  const p = meanOf(pairs.map(([first]) => first)) ?? 0;
  const q = meanOf(pairs.map(([, second]) => second)) ?? 0;
  const spread = Math.sqrt(p * (1 - p) * q * (1 - q));
  return spread > 0 ? ((meanOf(pairs.map(([first, second]) => first * second)) ?? 0) - p * q) / spread : null;
}

export type BenchInput = {
  /** `open`, by default none: how many have no right answer. */
  readonly tasks: Omit<BenchReport["tasks"], "open"> & { readonly open?: number };
  readonly seed: string | null;
  readonly arms: readonly BenchArm[];
  /** Of every arm and question that was begun. */
  readonly rows: readonly BenchRow[];
  readonly judging?: ArmsJudging | null;
};

export function benchReport({ tasks, seed, arms, rows, judging = null }: BenchInput): BenchReport {
  const finished = rows.filter((row) => row.finished);
  const results = arms.map((arm) =>
    armResult(
      arm,
      rows.filter((row) => row.arm === arm.name),
      tasks.count,
    ),
  );
  return {
    simulated: rows.some(({ simulated }) => simulated) || judging?.work.simulated === true,
    complete: results.every(({ unfinished }) => unfinished === 0),
    tasks: { open: 0, ...tasks },
    seed,
    startedAt: rows.map(({ openedAt }) => openedAt).toSorted()[0] ?? null,
    spent: {
      calls: rows.reduce((sum, { calls }) => sum + calls, judging?.work.calls ?? 0),
      usd: sumKnown([...rows.map(({ usd }) => usd), ...(judging ? [judging.work.cost.usd] : [])]),
    },
    arms: results,
    pairs: benchPairs(
      arms.map(({ name }) => name),
      finished,
    ),
    judged: judging && judgedArms(judging, { arms: arms.map(({ name }) => name), rows }),
    rows: [...rows],
  };
}

function armResult(arm: BenchArm, begun: readonly BenchRow[], tasks: number): BenchArmResult {
  const rows = begun.filter(({ finished }) => finished);
  const known = rows.filter((row) => row.right !== null);
  const right = known.filter((row) => row.right).length;
  const noAnswer = known.filter(({ answer }) => answer === null).length;
  const average = (read: (row: BenchRow) => number | null) => {
    const values = rows.flatMap((row) => read(row) ?? []);
    return values.length < rows.length ? null : meanOf(values);
  };
  const kinds = [...new Set(known.flatMap(({ kind }) => kind ?? []))].sort();
  const outcomes = [...new Set(rows.map(({ outcome }) => outcome))].sort();
  return {
    ...arm,
    unfinished: tasks - rows.length,
    failed: begun.filter(({ failed }) => failed !== null).length,
    accuracy: accuracyOf(rows),
    kinds: kinds.map((kind) => ({ kind, accuracy: accuracyOf(rows.filter((row) => row.kind === kind)) })),
    right,
    wrong: known.length - right - noAnswer,
    noAnswer,
    outcomes: Object.fromEntries(
      outcomes.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length]),
    ),
    perQuestion: {
      calls: average(({ calls }) => calls),
      tokensIn: average(({ tokens }) => tokens.in),
      tokensOut: average(({ tokens }) => tokens.out),
      latencyMs: average(({ latencyMs }) => latencyMs),
      usd: average(({ usd }) => usd),
    },
    votes: benchVotes(rows),
    flips: arm.deliberates ? flipsOf(rows) : null,
  };
}

function flipsOf(rows: readonly BenchRow[]): BenchArmResult["flips"] {
  const compared = rows.filter(({ control }) => control !== null);
  const count = (change: BenchChange) => compared.filter((row) => changeOf(row) === change).length;
  const [rightToWrong, wrongToRight] = [count("right-wrong"), count("wrong-right")];
  return {
    n: compared.length,
    controlRight: compared.filter(({ control }) => control?.right).length,
    ...{ rightToWrong, wrongToRight, rightToNone: count("right-none"), noneToRight: count("none-right") },
    p: mcnemar(rightToWrong, wrongToRight),
  };
}

/** Of answers that are right or wrong. */
function accuracyOf(rows: readonly Pick<BenchRow, "right">[]): Estimate {
  const known = rows.filter(({ right }) => right !== null);
  return estimateShare(known.filter(({ right }) => right).length, known.length);
}

export const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : mean(values);

// The answers of every arm are compared with those of the first, in both orders; what changes with the order is a tie.
// A question counts for an arm only where both arms have finished with an answer and the judge's replies could be read.

/** The judge's work, and under which item each arm's answer to a question is. */
export type ArmsJudging = {
  readonly work: Extract<JudgedWork, { kind: "preference" }>;
  readonly items: ReadonlyMap<string, string>;
};

type Given = { readonly arms: readonly string[]; readonly rows: readonly BenchRow[] };

const keyOf = (arm: string, task: string) => JSON.stringify([arm, task]);

/** The finished open answers of the first arm and of each other one, question by question. */
function pairsOf({ arms: [first = "", ...others], rows }: Given) {
  const answers = new Map(
    rows
      .filter(({ right, finished }) => right === null && finished)
      .map((row) => [keyOf(row.arm, row.task), row.answer]),
  );
  const tasks = [...new Set(rows.filter(({ right }) => right === null).map(({ task }) => task))];
  return others.flatMap((arm) =>
    tasks.map((task) => ({
      ...{ arm, task },
      a: answers.get(keyOf(first, task)) ?? null,
      b: answers.get(keyOf(arm, task)) ?? null,
    })),
  );
}

type JudgingOptions = Omit<JudgeWithin, "onStart"> & {
  /** Called with the number of pairs before the judge starts or continues; what it returns gets the judge's events. */
  readonly onJudging?: ((pairs: number) => (entry: Entry) => void) | undefined;
};

type OpenAnswers = Given & { readonly file: string; readonly tasks: readonly BenchTask[] };

/** What a judge is to compare; null where there is nothing. */
function comparisonTask({ file, tasks, ...given }: OpenAnswers) {
  const items = new Map<
    string,
    ItemWithTexts & { readonly lengths: { readonly a: number; readonly b: number } }
  >();
  for (const { arm, task: id, a, b } of pairsOf(given)) {
    const task = tasks.find((one) => one.id === id);
    if (!task || a === null || b === null || a === b) continue;
    items.set(keyOf(arm, id), {
      name: `item-${items.size + 1}`,
      texts: { question: wholeQuestion(task), a, b },
      lengths: { a: a.length, b: b.length },
    });
  }
  if (items.size === 0) return null;
  return {
    names: new Map([...items].map(([key, item]) => [key, item.name])),
    task: {
      question: `Compare ${items.size === 1 ? "a pair" : `${items.size} pairs`} of answers to ${file}`,
      ...{ kind: "preference" as const, ...takeTexts([...items.values()]) },
    },
  };
}

/** Has a judge compare the answers to open questions; null where there is nothing to compare. */
export async function judgeArms(
  context: AppContext,
  answers: OpenAnswers,
  { onJudging, ...options }: JudgingOptions,
): Promise<JudgeOutcome | "budget" | null> {
  const compared = comparisonTask(answers);
  if (!compared) return null;
  const { task, names } = compared;
  return judgeWithin(context, task, { ...options, onStart: onJudging && (() => onJudging(names.size)) });
}

/** What a judge that is asked like this has said of these answers; null where it was not asked. */
export async function readJudging(
  store: Parameters<typeof findJudging>[0],
  pins: JudgePins,
  answers: OpenAnswers,
): Promise<ArmsJudging | null> {
  const compared = comparisonTask(answers);
  if (!compared) return null;
  const run = await findJudging(store, pins, compared.task);
  const work = run && judgedWork(run.entries);
  return work?.kind === "preference" ? { work, items: compared.names } : null;
}

/** The judge's verdicts by arm. */
function judgedArms({ work, items }: ArmsJudging, given: Given): BenchJudged {
  const [against = "", ...others] = given.arms;
  const verdicts = new Map(work.items.map((item) => [item.name, item]));
  const pairs = pairsOf(given);
  const counted = others.map((arm) => {
    const own = pairs.filter((pair) => pair.arm === arm);
    const seen = own.flatMap(({ task, a, b }): { winner: string; orderSensitive: boolean }[] => {
      if (a !== null && a === b) return [{ winner: "tie", orderSensitive: false }];
      const item = verdicts.get(items.get(keyOf(arm, task)) ?? "");
      return item?.winner ? [{ winner: item.winner, orderSensitive: item.orderSensitive === true }] : [];
    });
    const count = (winner: string) => seen.filter((one) => one.winner === winner).length;
    const [won, tied, lost] = [count("B"), count("tie"), count("A")];
    return {
      ...{ arm, n: seen.length, won, tied, lost, missing: own.length - seen.length },
      orderSensitive: seen.filter((one) => one.winner === "tie" && one.orderSensitive).length,
      preferred: estimateShare(won + tied / 2, seen.length),
      p: mcnemar(won, lost),
    };
  });
  const adjusted = holm(counted.map(({ p }) => p));
  return {
    ...headOf(work),
    against,
    arms: counted.map((arm, index) => ({ ...arm, adjusted: adjusted[index] ?? 1 })),
  };
}

/** On how many items both, only the first, only the second, and neither of two arms were right. */
export type PairedCounts = {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
};

/**
 * The first arm's share minus the second's on the same items, −1 to 1, with its 95 % interval from the two Wilson
 * intervals and the correlation between the arms (Newcombe 1998, Statistics in Medicine 17:2635, method 10). Null for no
 * items.
 */
export function pairedDifference(
  counts: PairedCounts,
): { readonly value: number; readonly low: number; readonly high: number } | null {
  const { both, onlyFirst, onlySecond, neither } = counts;
  const n = both + onlyFirst + onlySecond + neither;
  const one = wilson(both + onlyFirst, n);
  const other = wilson(both + onlySecond, n);
  if (!one || !other) return null;
  const [p, q] = [(both + onlyFirst) / n, (both + onlySecond) / n];
  const phi = correctedPhi(counts);
  const reach = (near: number, far: number) =>
    Math.sqrt(Math.max(0, near ** 2 - 2 * phi * near * far + far ** 2));
  return {
    value: p - q,
    low: p - q - reach(p - one.low, other.high - q),
    high: p - q + reach(one.high - p, q - other.low),
  };
}

/** Phi, with the continuity correction of the same paper where it is positive; 0 where a margin is empty. */
function correctedPhi({ both, onlyFirst, onlySecond, neither }: PairedCounts): number {
  const margins = (both + onlyFirst) * (onlySecond + neither) * (both + onlySecond) * (onlyFirst + neither);
  if (margins === 0) return 0;
  const cross = both * neither - onlyFirst * onlySecond;
  const n = both + onlyFirst + onlySecond + neither;
  return (cross > 0 ? Math.max(0, cross - n / 2) : cross) / Math.sqrt(margins);
}
