import { arithmeticForms } from "./arithmetic.ts";
import { drawFrom } from "./draw.ts";
import type { Form, Posed } from "./form.ts";
import { logicForms } from "./logic.ts";
import type { Task, TaskKind } from "./task.ts";
import { yesNoForms } from "./yes-no.ts";

export { pairsOf } from "./pairs.ts";
export { TASK_KINDS, type TaskKind } from "./task.ts";

const FORMS: { readonly [K in TaskKind]: readonly Form[] } = {
  arithmetic: arithmeticForms,
  logic: logicForms,
  "yes-no": yesNoForms,
};

export type TaskOptions = {
  readonly count: number;
  /** The same seed makes the same tasks. */
  readonly seed: string;
  /** Taken in turn. */
  readonly kinds: readonly TaskKind[];
};

/**
 * Tasks with known answers, kinds, forms and three levels of difficulty in turn; no question comes twice. The answers
 * are computed here, and the simulated models can work every one of them out. The first of a longer list are
 * the shorter list of the same kinds.
 */
export function makeTasks({ count, seed, kinds }: TaskOptions): Task[] {
  const asked = new Set<string>();
  const taken = new Map<TaskKind, number>();
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? "arithmetic";
    const forms = FORMS[kind];
    const nth = taken.get(kind) ?? 0;
    taken.set(kind, nth + 1);
    const form = forms[nth % forms.length];
    if (!form) throw new RangeError(`there is no form of ${kind}`);
    const level = 1 + (Math.floor(nth / forms.length) % 3);
    const posed = fresh(asked, (turn) => form.pose(drawFrom([kind, form.name, seed, nth, turn]), level));
    return { id: `${kind}-${nth + 1}-${form.name}`, kind, ...posed };
  });
}

/** So many can be made of every kind. */
export const MOST_TASKS = 2_000;

/** How often a question that was asked already is drawn again. */
const MOST_TURNS = 1_000;

function fresh(asked: Set<string>, pose: (turn: number) => Posed): Posed {
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const posed = pose(turn);
    if (asked.has(posed.question)) continue;
    asked.add(posed.question);
    return posed;
  }
  throw new RangeError("there are not so many different tasks of this form");
}
