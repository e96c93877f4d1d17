import * as z from "zod";
import type { AppContext } from "../../app/context.ts";
import { OrganizationId, UserId } from "../../kernel/index.ts";
import { ConfigurationStats, MemoryStats } from "../../memory/stats.ts";
import { SIGNIFICANT } from "../../reports/bench-words.ts";
import { holm, mcnemar } from "../../stats/proportions.ts";

// CLAIM-1. Nothing is claimed of fewer than 20 comparisons, whatever they say.
// CLAIM-2. What is claimed holds for all rows of one table together: p-values are corrected for their number.

/** Of fewer comparisons, ties included, nothing is claimed. */
export const MIN_COMPARISONS = 20;

/** What comparisons show of a configuration: it wins more than it loses, the other way round, neither, or they are too few. */
export const ContestReading = z.enum(["ahead", "behind", "not-told-apart", "too-few"]);
export type ContestReading = z.infer<typeof ContestReading>;

export type Contest = { readonly wins: number; readonly losses: number; readonly ties: number };

/**
 * What each row's comparisons show, in their order: the exact two-sided sign test of wins against losses, ties set aside
 * (as McNemar's: twice the smaller binomial tail at ½), with Holm's correction for the rows that are tested.
 */
export function readContests(contests: readonly Contest[]): ContestReading[] {
  const tested = contests.filter(({ wins, losses, ties }) => wins + losses + ties >= MIN_COMPARISONS); // CLAIM-1
  const adjusted = holm(tested.map(({ wins, losses }) => mcnemar(wins, losses))); // CLAIM-2
  return contests.map((contest) => {
    const at = tested.indexOf(contest);
    if (at < 0) return "too-few";
    if ((adjusted[at] ?? 1) >= SIGNIFICANT) return "not-told-apart";
    return contest.wins > contest.losses ? "ahead" : "behind";
  });
}

/** The statistics of a memory as they are printed. Published as `schemas/memory-stats.schema.json`. */
export const MemoryReport = MemoryStats.extend({
  user: UserId,
  configurations: z.array(
    ConfigurationStats.extend({
      /** What its comparisons show; of fewer than 20 nothing. */
      claim: ContestReading,
    }),
  ),
});
export type MemoryReport = z.infer<typeof MemoryReport>;

/** What the settings' user remembers, and which configuration has done better for what. @throws Fault `store-unavailable` */
export async function memoryReport({
  memory,
  settings: { organization, user },
}: Pick<AppContext, "memory" | "settings">): Promise<MemoryReport> {
  const stats = await (await memory()).stats({ organization: OrganizationId.parse(organization), user });
  const claims = readContests(stats.configurations);
  return {
    ...stats,
    user,
    configurations: stats.configurations.map((row, index) => ({ ...row, claim: claims[index] ?? "too-few" })),
  };
}
