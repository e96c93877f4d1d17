import { createHash } from "node:crypto";
import { canonical } from "../kernel/index.ts";

/** Repeatable chance: the same material and purpose always give the same outcome, and other purposes independent ones. */
export type Chance = {
  /** Uniform in [0, 1). */
  readonly roll: (purpose: string) => number;
  readonly pick: <const T>(purpose: string, items: readonly [T, ...T[]]) => T;
  /** The items in a random order. */
  readonly shuffled: <T>(purpose: string, items: readonly T[]) => T[];
};

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The first 48 bits of a SHA-256 as a fraction. */
const fraction = (text: string): number => Number.parseInt(sha256(text).slice(0, 12), 16) / 2 ** 48;

/** Chance that depends on the canonical form of `material` (any JSON) and on nothing else. */
export function createChance(material: unknown): Chance {
  const origin = sha256(canonical(material));
  const roll = (purpose: string): number => fraction(`${origin} ${purpose}`);
  return {
    roll,
    pick: (purpose, items) => items[Math.floor(roll(purpose) * items.length)] ?? items[0],
    shuffled: (purpose, items) =>
      items
        .map((item, index) => ({ item, key: roll(`${purpose} ${index}`) }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item),
  };
}

/** Six hexadecimal digits by which a text can be told from others. */
export const shortHash = (text: string): string => sha256(text).slice(0, 6);
