import { sameAnswer, traceSentences } from "../judging/index.ts";
import type { Said } from "./contribution-grounds.ts";
import { withoutBanner } from "./simulated.ts";

/** How an answer that was written again differs from the one that was given. */
export type Difference = {
  /** Whether the final answer is another one, or gone; null where the given one has none. */
  readonly changed: boolean | null;
  /** The share of the given answer's content that stands no more in what was written again, 0 to 1, by wording. */
  readonly gone: number;
  /** What is measured: 1 or 0 where there is a final answer, else what is gone. */
  readonly effect: number;
};

/** Shares nearer than this are equal: sums of the same fractions in another order differ by less. */
const INDISTINCT = 1e-9;

export function difference(given: Said, again: Said): Difference {
  const { sentences, share } = traceSentences(withoutBanner(given.text), [
    { id: "again", text: withoutBanner(again.text) },
  ]);
  const missing = 1 - (share["again"] ?? 0);
  const gone = sentences.length === 0 || missing < INDISTINCT ? 0 : missing;
  const changed = given.final && !(again.final && sameAnswer(given.final, again.final));
  return { changed, gone, effect: changed === null ? gone : Number(changed) };
}

export type Ablated = Difference & {
  /** No larger than what asking anew with nothing left out changed; null where that was not tried. */
  readonly withinNoise: boolean | null;
  /** 0 to 1; over all members they sum to 1, or are all 0. */
  readonly weight: number;
};

/**
 * Leave-one-out: by member, how the answer differs when the chair writes without it, above what the chair's own variation
 * changes. The noise is the largest effect among the repetitions with nothing left out; what does not exceed it counts 0.
 */
export function ablation(
  without: ReadonlyMap<string, Difference>,
  again: readonly Difference[],
): { readonly noise: number | null; readonly of: ReadonlyMap<string, Ablated> } {
  const noise = again.length === 0 ? null : Math.max(...again.map(({ effect }) => effect));
  const exceeds = ({ effect }: Difference) => effect > (noise ?? 0) + INDISTINCT;
  const above = (one: Difference) => (exceeds(one) ? one.effect - (noise ?? 0) : 0);
  const sum = [...without.values()].reduce((total, one) => total + above(one), 0);
  return {
    noise,
    of: new Map(
      [...without].map(([id, one]) => [
        id,
        {
          ...one,
          withinNoise: noise === null ? null : !exceeds(one),
          weight: sum === 0 ? 0 : above(one) / sum,
        },
      ]),
    ),
  };
}
