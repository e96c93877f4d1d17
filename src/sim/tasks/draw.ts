import { chanceOf } from "../chance.ts";

/** Chance for one task: what is drawn under a name is always the same for the same material. */
export type Draw = {
  /** From `least` to `most`, both included. */
  readonly integer: (name: string, least: number, most: number) => number;
  readonly pick: <const T>(name: string, items: readonly [T, ...T[]]) => T;
  /** So many of the items, each at most once, in a random order. */
  readonly some: <T>(name: string, items: readonly T[], count: number) => T[];
  readonly flip: (name: string) => boolean;
  /** Chance of its own for one of several tries. */
  readonly within: (turn: number) => Draw;
};

export function drawFrom(material: unknown): Draw {
  const chance = chanceOf(material);
  return {
    integer: (name, least, most) => least + Math.floor(chance.roll(name) * (most - least + 1)),
    pick: (name, items) => chance.pick(name, items),
    some: (name, items, count) => chance.shuffled(name, items).slice(0, count),
    flip: (name) => chance.roll(name) < 0.5,
    within: (turn) => drawFrom([material, turn]),
  };
}
