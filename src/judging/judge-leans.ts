import { combinePreference } from "./combine-preference.ts";
import { leanOf, shareOf, type Estimate } from "./estimate.ts";
import type { Preference } from "./preference.ts";

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
  /** The share of verdicts for whichever answer was shown first, less one half; ties do not count. */
  readonly positionLean: Estimate;
  /** The share of pairs of unequal length whose winner is the longer answer, less one half; ties do not count. */
  readonly lengthLean: Estimate;
};

/**
 * What each judge leans on, judges in the order of their first pair. Pairs are taken as independent; the two verdicts on
 * one pair are not, and draw the position lean to zero where they agree, so that its interval is rather too wide.
 */
export const judgeLeans = (pairs: readonly JudgedPair[]): JudgeLeans[] => {
  const judges = [...new Set(pairs.map(({ judge }) => judge))];
  return judges.map((judge) => {
    const own = pairs.filter((pair) => pair.judge === judge);
    const combined = own.map((pair) => ({
      ...combinePreference(pair.first, pair.second),
      lengths: pair.lengths,
    }));
    const readable = combined.filter(({ winner }) => winner !== null);
    const sided = own
      .flatMap(({ first, second }) => [first, second])
      .flatMap((verdict) => (verdict.ok && verdict.winner !== "tie" ? [verdict.winner] : []));
    const longer = combined.flatMap(({ winner, lengths }) =>
      (winner === "A" || winner === "B") && lengths !== undefined && lengths.a !== lengths.b
        ? [(winner === "A") === lengths.a > lengths.b]
        : [],
    );
    return {
      judge,
      pairs: own.length,
      flipRate: shareOf(readable.filter(({ orderSensitive }) => orderSensitive).length, readable.length),
      positionLean: leanOf(sided.filter((winner) => winner === "A").length, sided.length),
      lengthLean: leanOf(longer.filter(Boolean).length, longer.length),
    };
  });
};
