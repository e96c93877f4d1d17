import type { Preference } from "./preference.ts";
import type { Winner } from "./verdict-sentence.ts";

/** What one judge says of a pair that it was shown in both orders. */
export type CombinedPreference =
  | { readonly winner: Winner; readonly orderSensitive: boolean }
  | { readonly winner: null; readonly orderSensitive: null; readonly why: string };

/** A winner of the order (B, A) in the names of the order (A, B). */
const swapped = (winner: Winner): Winner => (winner === "tie" ? "tie" : winner === "A" ? "B" : "A");

/**
 * Adds up what a judge said when asked with (A, B), `first`, and with (B, A), `second`, each as `parsePreference` read it,
 * by the order shown. An answer wins if it wins in both orders; every disagreement is a tie that depended on the order,
 * also that of a winner with a tie, since a win has to be won twice (Zheng et al. 2023, arXiv 2306.05685, 3.4). With an
 * unreadable side nothing is told.
 */
export const combinePreference = (first: Preference, second: Preference): CombinedPreference => {
  const unread = [first, second].flatMap((one, index) =>
    one.ok ? [] : [`the ${index === 0 ? "first" : "second"} order: ${one.reason}`],
  );
  if (!first.ok || !second.ok) return { winner: null, orderSensitive: null, why: unread.join("; ") };
  const agreed = first.winner === swapped(second.winner);
  return { winner: agreed ? first.winner : "tie", orderSensitive: !agreed };
};
