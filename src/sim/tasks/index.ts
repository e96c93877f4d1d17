import { solve } from "../solver/index.ts";
import { createDraw, FORMS } from "./forms.ts";

export type TaskKind = keyof typeof FORMS;
export const TASK_KINDS: readonly TaskKind[] = ["arithmetic", "logic", "yes-no"];

/** A question and its one right answer. */
export type Task = {
  readonly id: string;
  readonly kind: TaskKind;
  readonly question: string;
  readonly answer: string;
};

export type TaskOptions = {
  readonly count: number;
  /** The same seed makes the same tasks. */
  readonly seed: string;
  /** The kinds take turns. */
  readonly kinds: readonly TaskKind[];
};

/**
 * Tasks with known answers, kinds, forms and three levels of difficulty in turn; no question comes twice. The answers are
 * those that the simulated models work out. A shorter list is the beginning of a longer one of the same kinds.
 */
export function makeTasks({ count, seed, kinds }: TaskOptions): Task[] {
  const questions = new Set<string>();
  const counts = new Map<TaskKind, number>();
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? "arithmetic";
    const forms = Object.entries(FORMS[kind]);
    const nth = counts.get(kind) ?? 0;
    counts.set(kind, nth + 1);
    const [form, pose] = forms[nth % forms.length] ?? [];
    if (!form || !pose) throw new RangeError(`no form of task for ${kind}`);
    const level = 1 + (Math.floor(nth / forms.length) % 3);
    const question = poseNew(questions, (turn) => pose(createDraw([kind, form, seed, nth, turn]), level));
    const answer = solve(question, () => null)?.answer;
    if (answer === undefined) throw new RangeError(`no answer to "${question.slice(0, 80)}"`);
    return { id: `${kind}-${nth + 1}-${form}`, kind, question, answer };
  });
}

/** The most tasks that can be made of every kind. */
export const MAX_TASKS = 2_000;
/** How often another question is drawn where one was asked already. */
const MAX_DRAWS = 1_000;

function poseNew(questions: Set<string>, pose: (turn: number) => string): string {
  for (let turn = 0; turn < MAX_DRAWS; turn += 1) {
    const question = pose(turn);
    if (questions.has(question)) continue;
    questions.add(question);
    return question;
  }
  throw new RangeError("this form has too few different tasks");
}

/** Two answers with their working to one question, and which of them is right: what a judge is measured on. */
export type AnswerPair = {
  readonly question: string;
  readonly a: string;
  readonly b: string;
  readonly label: "A" | "B";
};

const ASIDES = [
  "I have gone through it step by step and kept an eye on the units and the signs.",
  "Going over it once more from the other end leads to the same place as before.",
  "A rough estimate beforehand gave about what one would expect for a question like this one.",
] as const;

/**
 * A right and a wrong answer to every task. The right one is A and B equally often, and within each the longer and the
 * shorter one equally often, so that neither place nor length tells which is right; the order is drawn.
 */
export function makePairs(tasks: readonly Task[], seed: string): AnswerPair[] {
  const places = createDraw(["pairs", seed]).some("places", [...tasks.keys()], tasks.length);
  return tasks.map(({ question, answer }, index): AnswerPair => {
    const solution = solve(question, () => null);
    const draw = createDraw(["pair", seed, question]);
    const [mistake, ...others] = solution?.wrong ?? [];
    if (!solution || mistake === undefined)
      throw new RangeError(`no mistake can be made in "${question.slice(0, 80)}"`);
    const place = places[index] ?? 0;
    const isLonger = place % 4 < 2;
    const write = (result: string, long: boolean): string => {
      const aside = long ? [draw.pick("aside", ASIDES)] : [];
      return [solution.working(result), ...aside, `Final answer: ${result}`].join("\n");
    };
    const right = write(answer, isLonger);
    const wrong = write(draw.pick("mistake", [mistake, ...others]), !isLonger);
    return place % 2 === 0
      ? { question, a: right, b: wrong, label: "A" }
      : { question, a: wrong, b: right, label: "B" };
  });
}
