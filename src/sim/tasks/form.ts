import { createChance } from "../chance.ts";

/** The kinds of task. `yes-no` has two possible answers, for which Condorcet's formula is exact. */
export const TASK_KINDS = ["arithmetic", "logic", "yes-no"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** A question and its one right answer. */
export type Posed = { readonly question: string; readonly answer: string };

export type Task = Posed & { readonly id: string; readonly kind: TaskKind };

/** Chance for one task: what is drawn under a name is always the same for the same material. */
export type Draw = {
  /** From `min` to `max`, both included. */
  readonly integer: (name: string, min: number, max: number) => number;
  readonly pick: <const T>(name: string, items: readonly [T, ...T[]]) => T;
  /** This many of the items, each at most once, in a random order. */
  readonly some: <T>(name: string, items: readonly T[], count: number) => T[];
  readonly flip: (name: string) => boolean;
  /** Chance of its own for one of several tries. */
  readonly within: (turn: number) => Draw;
};

export function createDraw(material: unknown): Draw {
  const chance = createChance(material);
  return {
    integer: (name, min, max) => min + Math.floor(chance.roll(name) * (max - min + 1)),
    pick: (name, items) => chance.pick(name, items),
    some: (name, items, count) => chance.shuffled(name, items).slice(0, count),
    flip: (name) => chance.roll(name) < 0.5,
    within: (turn) => createDraw([material, turn]),
  };
}

/** One way to ask: `level` 1 to 3, harder as it grows. Its name is in the ids of its tasks. */
export type Form = { readonly name: string; readonly pose: (draw: Draw, level: number) => Posed };

/** `a, b and c`. */
export const joinWords = (items: readonly (number | string)[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

export const yesNo = (yes: boolean): string => (yes ? "yes" : "no");

export const listForms = (poses: { readonly [name: string]: Form["pose"] }): Form[] =>
  Object.entries(poses).map(([name, pose]) => ({ name, pose }));
