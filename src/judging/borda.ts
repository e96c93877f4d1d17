import { refuseBadCounts, type Ballot } from "./ballot.ts";
import { orderByScore } from "./places.ts";

/** Groups of equals, best first, and what each candidate scored. */
export type Tally = { readonly order: string[][]; readonly scores: Record<string, number> };

/**
 * Borda count: among n candidates place p of a ballot is worth n − p points, times its count. Equals share the mean
 * of the points of the places they take; candidates that a ballot does not list (but another does) are equal last
 * on it. Where a ballot repeats a candidate, the first place counts. Equals in `order` stand alphabetically.
 * @throws RangeError for a count that is no finite number from 0
 */
export const borda = (ballots: readonly Ballot[]): Tally => {
  refuseBadCounts(ballots);
  const candidates = [...new Set(ballots.flatMap(({ ranking }) => ranking.flat()))].sort();
  const scores = new Map(candidates.map((id) => [id, 0]));
  for (const { ranking, count } of ballots) {
    const placed = new Set<string>();
    for (const group of [...ranking, candidates]) {
      const equals = [...new Set(group)].filter((id) => !placed.has(id));
      const points = candidates.length - placed.size - (equals.length + 1) / 2;
      for (const id of equals) {
        scores.set(id, (scores.get(id) ?? 0) + points * count);
        placed.add(id);
      }
    }
  }
  return { order: orderByScore([...scores]), scores: Object.fromEntries(scores) };
};
