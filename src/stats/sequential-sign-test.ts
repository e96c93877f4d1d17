/** What is tested: that of two, one is preferred more often than by chance. */
export type SignTest = {
  /** The share of wins by chance, and the least that is worth finding: 0.5 and 0.65. */
  readonly chance: number;
  readonly better: number;
  /** The probability of calling chance better. */
  readonly alpha: number;
  /** The probability of missing one whose share is `better`. */
  readonly beta: number;
  /** The most pairs; without a decision by then there is none. */
  readonly most: number;
};

/** How each pair went. A tie says nothing, but counts among the pairs. */
export type Sign = "win" | "loss" | "tie";

export type SignTally = {
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** `open`: more pairs would tell; `undecided`: there are no more. */
  readonly decision: "better" | "no-better" | "open" | "undecided";
};

/**
 * The sequential probability ratio test of Wald (1945, Ann. Math. Stat. 16:117) on the signs of paired comparisons, cut off
 * after `most` pairs: `better` where the ratio of the likelihoods reaches (1 - beta) / alpha, `no-better` at beta / (1 - alpha).
 */
export function decideSigns(signs: readonly Sign[], test: SignTest): SignTally {
  const { lower, upper } = signBounds(test);
  const ratios = signRatios(signs, test);
  const counted = signs.slice(0, ratios.length);
  const last = ratios.at(-1) ?? 0;
  const count = (sign: Sign) => counted.filter((one) => one === sign).length;
  const end = signs.length >= test.most ? "undecided" : "open";
  return {
    ...{ wins: count("win"), losses: count("loss"), ties: count("tie") },
    decision: last >= upper ? "better" : last <= lower ? "no-better" : end,
  };
}

/** The logarithms of the likelihood ratios at which a test decides. */
export const signBounds = ({
  alpha,
  beta,
}: Pick<SignTest, "alpha" | "beta">): { readonly lower: number; readonly upper: number } => ({
  lower: Math.log(beta / (1 - alpha)),
  upper: Math.log((1 - beta) / alpha),
});

/** The logarithm of the likelihood ratio after each pair, the one that decides being the last. */
export function signRatios(signs: readonly Sign[], test: SignTest): readonly number[] {
  const { chance, better, most } = test;
  const { lower, upper } = signBounds(test);
  const steps = { win: Math.log(better / chance), loss: Math.log((1 - better) / (1 - chance)), tie: 0 };
  const ratios: number[] = [];
  let ratio = 0;
  for (const sign of signs.slice(0, most)) {
    ratio += steps[sign];
    ratios.push(ratio);
    if (ratio >= upper || ratio <= lower) break;
  }
  return ratios;
}

/** With fewer pairs than these even wins alone decide nothing. */
export const leastPairs = ({ chance, better, alpha, beta }: SignTest): number =>
  Math.ceil(Math.log((1 - beta) / alpha) / Math.log(better / chance));

/** What the nth sibling may risk, so that all of them together risk no more than alpha: the sum over n is alpha. */
export const siblingAlpha = (alpha: number, nth: number): number => alpha / (nth * (nth + 1));

/** How a child is tried: once against its parent and once against no persona. */
export const TRIAL_TEST: SignTest = { chance: 0.5, better: 0.65, alpha: 0.05, beta: 0.1, most: 150 };
