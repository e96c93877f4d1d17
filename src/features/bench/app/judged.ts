import type { BenchJudged, BenchRow } from "../contract.ts";
import type { AppContext } from "../../../app/context.ts";
import type { Entry } from "../../../kernel/index.ts";
import { headOf, judgedWork, type JudgedWork } from "../../../views/judged-work.ts";
import { estimateShare, holm, mcnemar } from "../../../stats/proportions.ts";
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
export function judgedArms({ work, items }: ArmsJudging, given: Given): BenchJudged {
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
