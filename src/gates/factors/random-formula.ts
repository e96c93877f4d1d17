import type { Formula, Vocabulary } from "./formula.ts";

/** How deep a random formula is at most; at least 1. */
export type RandomShape = { readonly depth: number };

/**
 * A random formula of a vocabulary, decided by `next` (uniform in [0, 1)) alone: operators at every depth up to the given one,
 * then fields; one argument at least goes all the way, so that the depth is the given one.
 */
export function randomFormula(vocabulary: Vocabulary, { depth }: RandomShape, next: () => number): Formula {
  const pick = <T>(items: readonly T[]): T =>
    items[Math.min(items.length - 1, Math.floor(next() * items.length))] as T;
  const operators = Object.entries(vocabulary.operators);
  const grow = (left: number): Formula => {
    if (left <= 0) return { kind: "field", name: pick(vocabulary.fields) };
    const [op, { arity, windows }] = pick(operators);
    const series = windows ? arity - 1 : arity;
    const deep = Math.floor(next() * series);
    const args = Array.from({ length: series }, (_, at): Formula =>
      grow(at === deep ? left - 1 : Math.floor(next() * left)),
    );
    return { kind: "call", op, args: windows ? [...args, { kind: "integer", value: pick(windows) }] : args };
  };
  return grow(depth);
}
