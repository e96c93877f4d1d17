import type { Estimate } from "../contract/figures.ts";
import type { Preference, Winner } from "../replies/preference.ts";
import { estimateLean, estimateShare } from "./proportions.ts";
import { normalQuantile, sum } from "./numbers.ts";

/** What one judge says of a pair that it was shown in both orders. */
export type CombinedPreference =
  | { readonly winner: Winner; readonly orderSensitive: boolean }
  | { readonly winner: null; readonly orderSensitive: null; readonly why: string };

/** A winner of the order (B, A) in the names of the order (A, B). */
function swapWinner(winner: Winner): Winner {
  return winner === "tie" ? "tie" : winner === "A" ? "B" : "A";
}

/**
 * Adds up what a judge said when asked with (A, B), `first`, and with (B, A), `second`, each as `parsePreference` read it,
 * by the order shown. An answer wins if it wins in both orders; every disagreement is a tie that depended on the order,
 * also that of a winner with a tie, since a win has to be won twice (Zheng et al. 2023, arXiv 2306.05685, 3.4). With an
 * unreadable side nothing is told.
 */
export function combinePreference(first: Preference, second: Preference): CombinedPreference {
  const unread = [first, second].flatMap((one, index) =>
    one.ok ? [] : [`the ${index === 0 ? "first" : "second"} order: ${one.reason}`],
  );
  if (!first.ok || !second.ok) return { winner: null, orderSensitive: null, why: unread.join("; ") };
  const agreed = first.winner === swapWinner(second.winner);
  return { winner: agreed ? first.winner : "tie", orderSensitive: !agreed };
}

/** One judge's two verdicts on a pair: asked with (A, B), and with (B, A). */
export type JudgedPair = {
  readonly judge: string;
  readonly first: Preference;
  readonly second: Preference;
  /** How long the answers A and B are, in any one unit. */
  readonly lengths?: { readonly a: number; readonly b: number } | undefined;
};

/** What a judge leans on besides the answers' worth. */
export type JudgeLeans = {
  readonly judge: string;
  readonly pairs: number;
  /** The share of pairs, readable in both orders, on which the verdict changed with the order. */
  readonly flipRate: Estimate;
  /** The share of verdicts for whichever answer was shown first, less one half, of `n` verdicts; ties do not count. */
  readonly positionLean: Estimate;
  /** The share of pairs of unequal length whose winner is the longer answer, less one half; ties do not count. */
  readonly lengthLean: Estimate;
};

/**
 * What each judge leans on, judges in the order of their first pair. Pairs are taken as independent; the two verdicts on
 * one pair are not, so that the interval of the position lean is that of its pairs.
 */
export function judgeLeans(pairs: readonly JudgedPair[]): JudgeLeans[] {
  const judges = [...new Set(pairs.map(({ judge }) => judge))];
  return judges.map((judge) => {
    const own = pairs.filter((pair) => pair.judge === judge);
    const combined = own.map((pair) => ({
      ...combinePreference(pair.first, pair.second),
      lengths: pair.lengths,
    }));
    const readable = combined.filter(({ winner }) => winner !== null);
    const longer = combined.flatMap(({ winner, lengths }) =>
      (winner === "A" || winner === "B") && lengths !== undefined && lengths.a !== lengths.b
        ? [(winner === "A") === lengths.a > lengths.b]
        : [],
    );
    return {
      judge,
      pairs: own.length,
      flipRate: estimateShare(
        readable.filter(({ orderSensitive }) => orderSensitive).length,
        readable.length,
      ),
      positionLean: estimatePositionLean(own),
      lengthLean: estimateLean(longer.filter(Boolean).length, longer.length),
    };
  });
}

/** Verdicts of one pair that name a winner, and those of them for the answer shown first. */
type Sided = { readonly verdicts: number; readonly first: number };

/** One pair of each pattern of verdicts, half of which every judge is taken to have given besides. */
const PATTERNS: readonly Sided[] = [2, 1, 1, 0].map((first) => ({ verdicts: 2, first }));

/**
 * The share of verdicts as a ratio over pairs, with its 95 % interval from the variance between pairs (Cochran, Sampling
 * Techniques, 1977, 6.4). As a judge whose pairs are all alike would seem to leave no doubt, half a pair of each
 * pattern is added before (Agresti & Min 2005, Statistics in Medicine 24:729, for matched proportions).
 */
function estimatePositionLean(pairs: readonly JudgedPair[]): Estimate {
  const sided = pairs.map(({ first, second }): Sided => {
    const winners = [first, second].flatMap((verdict) =>
      verdict.ok && verdict.winner !== "tie" ? [verdict.winner] : [],
    );
    return { verdicts: winners.length, first: winners.filter((winner) => winner === "A").length };
  });
  const padded = (of: (pair: Sided) => number) => sum(sided.map(of)) + sum(PATTERNS.map(of)) / 2;
  const verdicts = padded((pair) => pair.verdicts);
  const share = padded((pair) => pair.first) / verdicts;
  const variance = padded((pair) => (pair.first - share * pair.verdicts) ** 2) / verdicts ** 2;
  const half = normalQuantile(0.975) * Math.sqrt(variance);
  const { value, n } = estimateLean(
    sum(sided.map((pair) => pair.first)),
    sum(sided.map((pair) => pair.verdicts)),
  );
  if (value === null) return { value, n, low: null, high: null };
  return { value, n, low: Math.max(-0.5, share - half - 0.5), high: Math.min(0.5, share + half - 0.5) };
}
