import type { ContestReading, MemoryReport } from "../contract.ts";
import type { AppContext } from "../../../app/context.ts";
import { canonical, type Engram, type Intent, type ModelRef } from "../../../kernel/index.ts";
import { isJudged, preferenceResult, sortByTime, summarizeAnnotations } from "../../../memory/annotate.ts";
import type { StoredEngram } from "../../../memory/engram-store.ts";
import { estimateShare, holm, mcnemar, SIGNIFICANT } from "../../../stats/proportions.ts";
import { memoryScope } from "./memory.ts";

type ConfigurationTally = {
  readonly models: ModelRef[];
  readonly temperature: number | null;
  readonly intent: Intent | null;
  engrams: number;
  readonly results: { won: number; lost: number; tied: number };
  readonly grades: number[];
};

/** What the settings' user remembers, and which configuration has done better for what. @throws Fault `store-unavailable` */
export async function memoryReport(context: Pick<AppContext, "memory" | "settings">): Promise<MemoryReport> {
  const engrams = (await context.memory()).all(memoryScope(context));
  return { ...(await computeStats(engrams)), user: context.settings.user };
}

/** What these engrams are, and how their answers have done. Retired engrams count, forgotten ones only as such. */
export async function computeStats(
  engrams: AsyncIterable<StoredEngram>,
): Promise<Omit<MemoryReport, "user">> {
  const counts = { episodic: 0, pinned: 0, retired: 0, judged: 0, forgotten: 0 };
  const clusters = new Set<string>();
  const tallies = new Map<string, ConfigurationTally>();
  for await (const stored of engrams) {
    const { engram, annotations, forgotten, cluster } = stored;
    if (forgotten !== null) {
      counts.forgotten += 1;
      continue;
    }
    counts[engram.type] += 1;
    const judged = summarizeAnnotations(annotations);
    if (judged.retired !== null) counts.retired += 1;
    if (isJudged(judged)) counts.judged += 1;
    if (engram.type === "pinned") continue;
    clusters.add(cluster);
    for (const intent of [engram.intent, null]) add(tallyOf(tallies, engram, intent), stored);
  }
  const rows = [...tallies].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, tally]) => rowOf(tally));
  const claims = readContests(rows);
  return {
    ...{ ...counts, clusters: clusters.size },
    configurations: rows.map((row, index) => ({ ...row, claim: claims[index] ?? "too-few" })),
  };
}

function tallyOf(
  tallies: Map<string, ConfigurationTally>,
  { models, temperature }: Engram,
  intent: Intent | null,
): ConfigurationTally {
  const together = [...new Set(models)].sort();
  const key = canonical([together, temperature, intent === null ? 1 : 0, intent]);
  const results = { won: 0, lost: 0, tied: 0 };
  const tally = tallies.get(key) ?? {
    models: together,
    temperature,
    intent,
    engrams: 0,
    results,
    grades: [],
  };
  tallies.set(key, tally);
  return tally;
}

/** What one judge said of one pair counts once: the last. */
function add(tally: ConfigurationTally, { annotations }: StoredEngram): void {
  tally.engrams += 1;
  const { grade } = summarizeAnnotations(annotations);
  if (grade !== null) tally.grades.push(grade);
  const results = new Map<string, "won" | "lost" | "tied">();
  for (const { by, what } of sortByTime(annotations))
    if (what.kind === "preference") results.set(JSON.stringify([by, what.against]), preferenceResult(what));
  for (const result of results.values()) tally.results[result] += 1;
}

function rowOf({ results: { won, lost, tied }, grades, ...tally }: ConfigurationTally) {
  const n = won + lost + tied;
  const sum = grades.reduce((all, grade) => all + grade, 0);
  return {
    ...tally,
    ...{ wins: won, losses: lost, ties: tied },
    ...{ won: estimateShare(won, n), lost: estimateShare(lost, n), tied: estimateShare(tied, n) },
    grade: { mean: grades.length === 0 ? null : sum / grades.length, n: grades.length },
  };
}

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
