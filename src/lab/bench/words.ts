import type { JudgedArm } from "./judged.ts";
import { formatNumber, formatUsd } from "../../text/format.ts";
import type { BenchArmResult, BenchFlips, BenchPair, BenchReport } from "./report.ts";

/** A share as a percentage with one decimal: so few questions do not support more. */
export const formatShare = (share: number | null): string =>
  share === null ? "–" : (share * 100).toFixed(1);

/** `70.0 % (57.5–80.1)`; a dash where nothing is measured. */
export const formatEstimate = ({ value, low, high }: BenchArmResult["accuracy"]): string =>
  value === null ? "–" : `${formatShare(value)} % (${formatShare(low)}–${formatShare(high)})`;

/** A p-value with three decimals; a dash without observations. */
export const formatPValue = ({ n, p }: { readonly n: number; readonly p: number }): string =>
  n === 0 ? "–" : p <= 0.001 ? "≤0.001" : p.toFixed(3);

/** A difference with its sign and interval, by default in percentage points: `+3.3 (−6.2 to +12.7)`. */
export function formatDifference(
  difference: BenchPair["difference"],
  { decimals, scale }: { readonly decimals: number; readonly scale: number } = { decimals: 1, scale: 100 },
): string {
  if (difference === null) return "–";
  const signed = (value: number): string => {
    const text = (value * scale).toFixed(decimals);
    if (Number(text) === 0) return (0).toFixed(decimals);
    return text.startsWith("-") ? `−${text.slice(1)}` : `+${text}`;
  };
  return `${signed(difference.value)} (${signed(difference.low)} to ${signed(difference.high)})`;
}

/** With fewer discordant questions, McNemar's test cannot reach 0.05. */
export const MIN_DISCORDANT = 6;
const SIGNIFICANT = 0.05;

/** Which of two arms is better, or why the test does not show it. */
export function describePair({ first, second, n, onlyFirst, onlySecond, adjusted }: BenchPair): string {
  if (n === 0) return "no common questions yet";
  if (adjusted < SIGNIFICANT) return `${onlyFirst > onlySecond ? first : second} is better`;
  return onlyFirst + onlySecond < MIN_DISCORDANT ? "underpowered" : "no significant difference";
}

/** Which of two arms a judge prefers, or why the test does not show it. */
export function describePreference({
  arm,
  against,
  n,
  won,
  lost,
  adjusted,
}: Pick<JudgedArm, "arm" | "n" | "won" | "lost" | "adjusted"> & { readonly against: string }): string {
  if (n === 0) return "no common answers yet";
  if (adjusted < SIGNIFICANT) return `${won > lost ? arm : against} is preferred`;
  return won + lost < MIN_DISCORDANT ? "underpowered" : "no significant preference";
}

/** Whether deliberation helped, or why the test does not show it. */
export function describeFlips({ n, rightToWrong, wrongToRight, p }: BenchFlips): string {
  const flips = rightToWrong + wrongToRight;
  if (n === 0) return "no majority of drafts to compare with";
  if (p < SIGNIFICANT) return wrongToRight > rightToWrong ? "deliberation helped" : "deliberation harmed";
  if (flips < MIN_DISCORDANT) return `underpowered: ${flips} changed`;
  return "no significant effect";
}

/** The cost per question, in a unit that all arms have. */
export type BenchCostAxis = {
  readonly label: string;
  readonly of: (arm: BenchArmResult) => number | null;
  readonly words: (value: number) => string;
};

/** US dollars where every arm's cost is known and any is not zero, else tokens, else calls. */
export function costAxis({ arms }: BenchReport): BenchCostAxis {
  const all = (of: BenchCostAxis["of"]) => arms.every((arm) => arm.accuracy.n === 0 || of(arm) !== null);
  const usd: BenchCostAxis["of"] = ({ perQuestion }) => perQuestion.usd;
  const tokens: BenchCostAxis["of"] = ({ perQuestion: { tokensIn, tokensOut } }) =>
    tokensIn === null || tokensOut === null ? null : tokensIn + tokensOut;
  const count = (value: number) => formatNumber(Math.round(value));
  if (all(usd) && arms.some((arm) => (usd(arm) ?? 0) > 0))
    return { label: "US dollars per question", of: usd, words: formatUsd };
  if (all(tokens)) return { label: "tokens per question", of: tokens, words: count };
  return {
    label: "model calls per question",
    of: ({ perQuestion }) => perQuestion.calls,
    words: (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1)),
  };
}
