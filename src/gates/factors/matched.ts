import { random } from "../../stats/numbers.ts";
import { createEvaluator, vocabularyOf } from "./evaluate.ts";
import { complexityOf, type Formula, type Vocabulary } from "./formula.ts";
import { earningsIn, sharpeRatio } from "./portfolio.ts";
import type { FactorSoil } from "./soil.ts";

// A random candidate passes with a probability of at most 1 - percentile: it is as likely as each of the random formulas to be the best of
// them all, whatever the soil is like.

/** Where a bar comes from. */
export type MatchedProvenance = {
  readonly count: number;
  readonly percentile: number;
  readonly seed: string;
  readonly soil: string;
  readonly universe: { readonly days: number; readonly instruments: number };
  readonly tier: "simple" | "medium" | "complex";
  readonly depth: number;
  /** How many formulas had to be drawn: some have no Sharpe ratio. */
  readonly drawn: number;
};

/** What random formulas of the same depth, vocabulary and soil come to out of sample. */
export type MatchedBar = {
  readonly threshold: number;
  /** Ascending. */
  readonly sharpes: Float64Array;
  readonly provenance: MatchedProvenance;
};

export type MatchedRequest = {
  readonly soil: FactorSoil;
  readonly depth: number;
  readonly seed: string;
  /** How many random formulas. */
  readonly count: number;
  /** Between 0 and 100. */
  readonly percentile: number;
};

const MAX_DRAWS_EACH = 20;

/** A bar takes 8 bytes for each formula. */
const MAX_BARS = 200;
const bars = new Map<string, MatchedBar | undefined>();

/**
 * The bar of a candidate of that depth; undefined where the soil gives too few random formulas a Sharpe ratio.
 * @throws RangeError for fewer formulas than the percentile takes
 */
export function matchedBar(request: MatchedRequest): MatchedBar | undefined {
  const { soil, depth, seed, count, percentile } = request;
  const key = JSON.stringify([soil.digest, soil.outOfSample.from, depth, seed, count, percentile]);
  if (bars.has(key)) return bars.get(key);
  const bar = computeBar(request);
  const [oldest] = bars.keys();
  if (bars.size >= MAX_BARS && oldest !== undefined) bars.delete(oldest);
  bars.set(key, bar);
  return bar;
}

function computeBar({ soil, depth, seed, count, percentile }: MatchedRequest): MatchedBar | undefined {
  const place = placeOf(percentile, count);
  const { panel, returns, outOfSample } = soil;
  const { days, instruments } = panel;
  const words = vocabularyOf(panel);
  const evaluateFrom = createEvaluator(panel);
  const next = random(`matched ${depth} ${seed}`);
  const sharpes = new Float64Array(count);
  let tier: MatchedProvenance["tier"] = "simple";
  let [valid, drawn] = [0, 0];
  while (valid < count) {
    if (drawn >= count * MAX_DRAWS_EACH) return undefined;
    drawn += 1;
    const formula = randomFormula(words, { depth }, next);
    const values = evaluateFrom(formula, outOfSample.from);
    const sharpe = sharpeRatio(earningsIn(values, { instruments, returns }, outOfSample));
    if (sharpe === null) continue;
    tier = complexityOf(formula);
    sharpes[valid] = sharpe;
    valid += 1;
  }
  sharpes.sort();
  const universe = { days, instruments };
  const provenance = { count, percentile, seed, soil: soil.digest, universe, tier, depth, drawn };
  return { threshold: sharpes[place - 1] as number, sharpes, provenance };
}

/**
 * Which of `count` values in order is the bar. A candidate that is one more such value is above the k-th of them with a
 * probability of (count + 1 - k) / (count + 1) at most, and so k is the least for which that is 1 - percentile.
 */
function placeOf(percentile: number, count: number): number {
  const place = Math.ceil(((count + 1) * percentile) / 100 - 1e-9);
  if (!(percentile > 0 && percentile < 100) || !Number.isInteger(count) || place > count)
    throw new RangeError(
      `percentile ${percentile} of ${count} random formulas is not defined; percentile 99 takes at least 99 of them`,
    );
  return place;
}

/** Which share of the random formulas are below a value. */
export function shareBelow({ sharpes }: MatchedBar, value: number): number {
  let below = 0;
  while (below < sharpes.length && (sharpes[below] as number) < value) below += 1;
  return below / sharpes.length;
}

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
