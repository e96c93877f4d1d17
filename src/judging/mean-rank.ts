import { mean } from "./mean.ts";

/** One reviewer's strict order of the answers shown to it, best first; its own is not among them. */
export type ReviewerBallot = { readonly reviewer: string; readonly ranking: readonly string[] };

/** `score` from 0 (last with every reviewer) to 1 (first with every one), over `votes` reviewers. */
export type MeanRank = { readonly score: number; readonly votes: number };

/**
 * The mean normalised rank of each answer that was ranked, turned so that higher is better: place p of m is worth
 * 1 − (p − 1) / (m − 1), and the only one of a ballot of one 0.5, since it was compared with nothing. Ballots
 * of different lengths count alike, and nobody loses by the place that its own ballot does not give it.
 */
export const meanRank = (ballots: readonly ReviewerBallot[]): Map<string, MeanRank> => {
  const worths = new Map<string, number[]>();
  for (const { ranking } of ballots) {
    for (const [index, id] of ranking.entries()) {
      const worth = ranking.length === 1 ? 0.5 : 1 - index / (ranking.length - 1);
      worths.set(id, [...(worths.get(id) ?? []), worth]);
    }
  }
  return new Map([...worths].map(([id, values]) => [id, { score: mean(values), votes: values.length }]));
};
