import type { BenchArmResult, BenchPair, BenchReport } from "../projections/index.ts";
import { numberWords, usdWords } from "./words.ts";

/** A share as a percentage with one decimal; more would say more than such numbers of questions can. */
export const shareWords = (share: number | null): string => (share === null ? "–" : (share * 100).toFixed(1));

/** `70.0 % (57.5–80.1)`; a dash for nothing measured. */
export const estimateWords = ({ value, low, high }: BenchArmResult["accuracy"]): string =>
  value === null ? "–" : `${shareWords(value)} % (${shareWords(low)}–${shareWords(high)})`;

/** A p-value as far as it matters; a dash for a test of nothing. */
export const pWords = ({ n, p }: { readonly n: number; readonly p: number }): string =>
  n === 0 ? "–" : p <= 0.001 ? "≤0.001" : p.toFixed(3);

/** Percentage points with their sign: `+3.3 (−6.2 to +12.7)`. */
export const differenceWords = (difference: BenchPair["difference"]): string =>
  difference === null
    ? "–"
    : `${signed(difference.value)} (${signed(difference.low)} to ${signed(difference.high)})`;

const signed = (share: number): string => {
  const points = (share * 100).toFixed(1);
  return Number(points) === 0 ? "0.0" : points.startsWith("-") ? `−${points.slice(1)}` : `+${points}`;
};

/** Below this many questions on which two arms differ, McNemar's test cannot reach 0.05, whichever way they fall. */
export const FEWEST_DISCORDANT = 6;
const SIGNIFICANT = 0.05;

/** What a pair of arms shows: which is better, or why that cannot be told. */
export function pairWords({ first, second, n, onlyFirst, onlySecond, adjusted }: BenchPair): string {
  if (n === 0) return "nothing in common yet";
  if (adjusted < SIGNIFICANT) return `${onlyFirst > onlySecond ? first : second} is better`;
  return onlyFirst + onlySecond < FEWEST_DISCORDANT ? "too few to tell" : "not told apart";
}

/** What flips show, or why they show nothing. */
export function flipWords({
  n,
  rightToWrong,
  wrongToRight,
  p,
}: NonNullable<BenchArmResult["flips"]>): string {
  const flips = rightToWrong + wrongToRight;
  if (n === 0) return "no control to compare with";
  if (p < SIGNIFICANT) return wrongToRight > rightToWrong ? "deliberating helped" : "deliberating harmed";
  if (flips < FEWEST_DISCORDANT) return `too few to tell: ${flips} changed`;
  return "no effect to be told";
}

/** What a question costs in an arm, in the unit that the report can compare all arms in. */
export type CostAxis = {
  readonly label: string;
  readonly of: (arm: BenchArmResult) => number | null;
  readonly words: (value: number) => string;
};

/** Money where every arm's is known and any was paid, else tokens, else calls. */
export function costAxis({ arms }: BenchReport): CostAxis {
  const all = (of: CostAxis["of"]) => arms.every((arm) => arm.accuracy.n === 0 || of(arm) !== null);
  const usd: CostAxis["of"] = ({ perQuestion }) => perQuestion.usd;
  const tokens: CostAxis["of"] = ({ perQuestion: { tokensIn, tokensOut } }) =>
    tokensIn === null || tokensOut === null ? null : tokensIn + tokensOut;
  const count = (value: number) => numberWords(Math.round(value));
  if (all(usd) && arms.some((arm) => (usd(arm) ?? 0) > 0))
    return { label: "US dollars per question", of: usd, words: usdWords };
  if (all(tokens)) return { label: "tokens per question", of: tokens, words: count };
  return {
    label: "model calls per question",
    of: ({ perQuestion }) => perQuestion.calls,
    words: (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1)),
  };
}
