import * as z from "zod";
import { condorcet, effectiveVotes, Estimate, shareOf } from "../judging/index.ts";
import type { BenchRow } from "./bench-row.ts";

/** What the members' blind drafts say of the panel, whatever became of them. */
export const BenchVotes = z.strictObject({
  members: z.array(z.strictObject({ id: z.string(), model: z.string(), accuracy: Estimate })),
  /**
   * How many independent voters the members are worth, from the correlations of their being right (phi, over the
   * questions that both drafted); null for one member, and where somebody was right, or wrong, throughout.
   */
  effective: z.number().nullable(),
  /**
   * The accuracy of a majority of independent members of their mean accuracy by Condorcet's formula, exact for questions
   * with two possible answers; null for an even number of members.
   */
  condorcet: z.number().nullable(),
});
export type BenchVotes = z.infer<typeof BenchVotes>;

/** Over the rows of one arm. */
export function benchVotes(rows: readonly BenchRow[]): BenchVotes {
  const seats = new Map(rows.flatMap(({ drafts }) => drafts.map(({ by, model }) => [by, model] as const)));
  const members = [...seats].map(([id, model]) => {
    const given = rows.flatMap(({ drafts }) => drafts.filter(({ by }) => by === id));
    return { id, model, accuracy: shareOf(given.filter(({ right }) => right).length, given.length) };
  });
  const mean = members.reduce((sum, { accuracy }) => sum + (accuracy.value ?? 0), 0) / members.length;
  return {
    members,
    effective: effectiveMembers(rows, [...seats.keys()]),
    condorcet: members.length % 2 === 1 && members.length > 1 ? condorcet(mean, members.length) : null,
  };
}

function effectiveMembers(rows: readonly BenchRow[], ids: readonly string[]): number | null {
  if (ids.length < 2) return null;
  const matrix = ids.map((one) => ids.map((other) => (one === other ? 1 : phi(rows, one, other))));
  const known = matrix.map((row) => row.filter((entry) => entry !== null));
  return known.some((row) => row.length < ids.length) ? null : effectiveVotes(known);
}

/** The correlation, −1 to 1, of two members' being right; null where one of them does not vary. */
function phi(rows: readonly BenchRow[], one: string, other: string): number | null {
  const pairs = rows.flatMap(({ drafts }) => {
    const [first, second] = [one, other].map((id) => drafts.find(({ by }) => by === id));
    return first && second ? [[Number(first.right), Number(second.right)] as const] : [];
  });
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [p, q] = [mean(pairs.map(([first]) => first)), mean(pairs.map(([, second]) => second))];
  const spread = Math.sqrt(p * (1 - p) * q * (1 - q));
  return spread > 0 ? (mean(pairs.map(([first, second]) => first * second)) - p * q) / spread : null;
}
