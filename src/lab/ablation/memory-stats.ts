import type { AppContext } from "../../app/context.ts";
import type { ContestReading, MemoryReport } from "../../contract/knowledge.ts";
import { OrganizationId } from "../../kernel/index.ts";
import { SIGNIFICANT } from "../../reports/bench-words.ts";
import { holm, mcnemar } from "../../stats/proportions.ts";

// What is claimed holds for all rows of one table together: p-values are corrected for their number.

/** Of fewer comparisons, ties included, nothing is claimed. */
export const MIN_COMPARISONS = 20;

export type Contest = { readonly wins: number; readonly losses: number; readonly ties: number };

/**
 * What each row's comparisons show, in their order: the exact two-sided sign test of wins against losses, ties set aside
 * (as McNemar's: twice the smaller binomial tail at ½), with Holm's correction for the rows that are tested.
 */
export function readContests(contests: readonly Contest[]): ContestReading[] {
  const tested = contests.filter(({ wins, losses, ties }) => wins + losses + ties >= MIN_COMPARISONS);
  const adjusted = holm(tested.map(({ wins, losses }) => mcnemar(wins, losses)));
  return contests.map((contest) => {
    const at = tested.indexOf(contest);
    if (at < 0) return "too-few";
    if ((adjusted[at] ?? 1) >= SIGNIFICANT) return "not-told-apart";
    return contest.wins > contest.losses ? "ahead" : "behind";
  });
}

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
