import type { MemoryReport } from "../contract/knowledge.ts";
import { estimateShare } from "../stats/proportions.ts";
import { canonical, type Engram, type Intent, type MemoryScope, type ModelRef } from "../kernel/index.ts";
import type { EngramStore, StoredEngram } from "./engram-store.ts";
import { sortByTime, isJudged, summarizeAnnotations, preferenceResult } from "./annotation-summary.ts";
import { listEngrams } from "./lookup.ts";

type ConfigurationStats = Omit<MemoryReport["configurations"][number], "claim">;
/** What a scope remembers, and how its answers have done. Retired engrams count, forgotten ones only as such. */
type MemoryStats = Omit<MemoryReport, "user" | "configurations"> & {
  readonly configurations: readonly ConfigurationStats[];
};

type ConfigurationTally = {
  readonly models: readonly ModelRef[];
  readonly temperature: number | null;
  readonly intent: Intent | null;
  engrams: number;
  readonly results: { won: number; lost: number; tied: number };
  grades: number;
  graded: number;
};

/** Reads every engram of the scope. @throws Fault `store-unavailable` */
export async function computeStats(store: EngramStore, scope: MemoryScope): Promise<MemoryStats> {
  const counts = { episodic: 0, pinned: 0, retired: 0, judged: 0, forgotten: 0 };
  const clusters = new Set<string>();
  const tallies = new Map<string, ConfigurationTally>();
  for await (const stored of listEngrams(store, scope, {})) {
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
  return { ...counts, clusters: clusters.size, configurations: rows };
}

function tallyOf(
  tallies: Map<string, ConfigurationTally>,
  { models, temperature }: Engram,
  intent: Intent | null,
): ConfigurationTally {
  const together = [...new Set(models)].sort();
  const key = canonical([together, temperature, intent === null ? 1 : 0, intent]);
  const known = tallies.get(key);
  if (known) return known;
  const results = { won: 0, lost: 0, tied: 0 };
  const tally = { models: together, temperature, intent, engrams: 0, results, grades: 0, graded: 0 };
  tallies.set(key, tally);
  return tally;
}

/** What one judge said of one pair counts once: the last. */
function add(tally: ConfigurationTally, { annotations }: StoredEngram): void {
  tally.engrams += 1;
  const { grade } = summarizeAnnotations(annotations);
  if (grade !== null) {
    tally.grades += grade;
    tally.graded += 1;
  }
  const results = new Map<string, "won" | "lost" | "tied">();
  for (const { by, what } of sortByTime(annotations))
    if (what.kind === "preference") results.set(JSON.stringify([by, what.against]), preferenceResult(what));
  for (const result of results.values()) tally.results[result] += 1;
}

function rowOf({
  models,
  temperature,
  intent,
  engrams,
  results,
  grades,
  graded,
}: ConfigurationTally): ConfigurationStats {
  const { won, lost, tied } = results;
  const n = won + lost + tied;
  return {
    models: [...models],
    temperature,
    intent,
    engrams,
    wins: won,
    losses: lost,
    ties: tied,
    won: estimateShare(won, n),
    lost: estimateShare(lost, n),
    tied: estimateShare(tied, n),
    grade: { mean: graded === 0 ? null : grades / graded, n: graded },
  };
}
