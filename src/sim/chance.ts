import { createHash } from "node:crypto";
import { canonical } from "../kernel/index.ts";

export type Chance = ReturnType<typeof createChance>;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The first 48 bits of a SHA-256 as a fraction. */
const fraction = (text: string): number => Number.parseInt(sha256(text).slice(0, 12), 16) / 2 ** 48;

/** Repeatable chance: the same material (any JSON) and purpose always give the same outcome, and other purposes independent ones. */
export function createChance(material: unknown) {
  const origin = sha256(canonical(material));
  /** Uniform in [0, 1). */
  const roll = (purpose: string): number => fraction(`${origin} ${purpose}`);
  return {
    roll,
    pick: <const T>(purpose: string, items: readonly [T, ...T[]]): T =>
      items[Math.floor(roll(purpose) * items.length)] ?? items[0],
    /** The items in a random order. */
    shuffled: <T>(purpose: string, items: readonly T[]): T[] =>
      items
        .map((item, index) => ({ item, key: roll(`${purpose} ${index}`) }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item),
  };
}

/** Six hexadecimal digits by which a text can be told from others. */
export const shortHash = (text: string): string => sha256(text).slice(0, 6);
