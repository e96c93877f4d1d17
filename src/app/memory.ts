import { refusal, OrganizationId, type EngramId, type MemoryScope } from "../kernel/index.ts";
import type { JudgedEngram, LookupResult } from "../memory/lookup.ts";
import type { EngramView, MemoryEngram, MemoryFacts, MemorySearch } from "../views/memory-view.ts";
import type { AppContext } from "./context.ts";
import type { ContestReading, MemoryReport } from "../contract/knowledge.ts";
import { holm, mcnemar, SIGNIFICANT } from "../stats/proportions.ts";

/** Whose memory the settings speak of. */
export const memoryScope = ({
  settings: { organization, user },
}: Pick<AppContext, "settings">): MemoryScope => ({ organization, user });

type MemoryQuery = {
  /** Empty: the newest. */
  readonly words: string;
  readonly limit: number;
  readonly respondent?: "A" | "B" | undefined;
  /** The retired ones alone. */
  readonly retired: boolean;
};

/** Entries by meaning and words, or the newest. */
export async function searchMemory(
  context: AppContext,
  { words, limit, respondent, retired }: MemoryQuery,
): Promise<MemorySearch> {
  const text = words.trim();
  const query = text === "" ? null : text;
  const memory = await context.memory();
  const { engrams, how } = await memory.search(
    memoryScope(context),
    {
      ...(query === null ? {} : { query }),
      limit: limit + 1,
      ...(respondent === undefined ? {} : { respondent }),
      retired,
      rules: context.resources.memory().memory.recall,
    },
    new AbortController().signal,
  );
  return {
    ...{ user: context.settings.user, query, how },
    more: engrams.length > limit,
    engrams: engrams
      .slice(0, limit)
      .map((one) => ({
        ...viewOf(one),
        ...{ similarity: one.similarity, words: one.words, score: one.score },
      })),
  };
}

/** One entry, with its history. @throws Fault `configuration` as `findEngram` does */
export async function showEngram(context: AppContext, id: string): Promise<MemoryEngram> {
  const { engram, history } = await findEngram(context, id);
  return { ...viewOf(engram), history: history.map(viewOf) };
}

/** The pinned facts. */
export async function listFacts(context: AppContext): Promise<MemoryFacts> {
  const scope = memoryScope(context);
  return { user: scope.user, facts: [...(await (await context.memory()).facts(scope))] };
}

/** Pins a fact; `fresh`: it was not pinned before. @throws Fault `configuration` for what is no fact */
export async function pinFact(
  context: AppContext,
  fact: string,
): Promise<{ readonly id: EngramId; readonly fresh: boolean }> {
  const memory = await context.memory();
  const pinned = await memory.pin(memoryScope(context), {
    ...{ fact, at: timeOf(context), by: context.settings.user },
  });
  if (!pinned.ok) throw refusal(pinned.reason, "pin one fact at a time");
  return { id: pinned.engram.id, fresh: pinned.fresh };
}

/** Deletes an entry or a fact for good; false if it was deleted already. */
export async function forgetEngram(context: AppContext, id: EngramId): Promise<boolean> {
  const memory = await context.memory();
  return memory.forget(memoryScope(context), { id, by: context.settings.user, at: timeOf(context) });
}

const timeOf = ({ world }: Pick<AppContext, "world">): string => new Date(world.now()).toISOString();

/** An entry as it is printed. */
function viewOf(shown: JudgedEngram): EngramView {
  const { engram, cluster, annotations, embedded, forgotten, judged, mark } = shown;
  return {
    ...{ engram, cluster, annotations: [...annotations] },
    ...{ embedded: [...embedded], forgotten, judged, mark },
  };
}

type ShownEngram = Extract<LookupResult, { ok: true }>;

/**
 * The entry that an id names: its own, its beginning, or its run's; of a run with two models the first one's.
 * @throws Fault `configuration` where there is none, or where several fit
 */
export async function findEngram(
  context: Pick<AppContext, "memory" | "settings">,
  given: string,
): Promise<ShownEngram> {
  const scope = memoryScope(context);
  const shown = await (await context.memory()).show(scope, given);
  if (shown.ok) return shown;
  const name = `"${given.slice(0, 100)}"`;
  if (shown.reason === "missing") {
    const next = "search the memory, which lists the newest, or list the facts";
    throw refusal(`${scope.user} has no memory entry ${name}`, next);
  }
  const first = await firstOf(context, shown.ids);
  if (first) return first;
  const next = `more of it: ${shown.ids.join(", ")}`;
  throw refusal(`several memory entries begin with ${name}`, next);
}

/** Of the answers of one run the one that is not the second model's; undefined where that is not one. */
async function firstOf(
  context: Pick<AppContext, "memory" | "settings">,
  ids: readonly EngramId[],
): Promise<ShownEngram | undefined> {
  if (new Set(ids.map((id) => id.split("/")[0])).size > 1) return undefined;
  const memory = await context.memory();
  const all = await Promise.all(ids.map((id) => memory.show(memoryScope(context), id)));
  const [first, other] = all.flatMap((one) => (one.ok && one.engram.engram.respondent !== "B" ? [one] : []));
  return other ? undefined : first;
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
