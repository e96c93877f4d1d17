import { refusal, type EngramId, type MemoryScope } from "../../../kernel/index.ts";
import type { JudgedEngram, LookupResult } from "../../../memory/lookup.ts";
import type { EngramView, MemoryEngram, MemoryFacts, MemorySearch } from "../contract.ts";
import type { AppContext, AppReactor, EffectiveSettings } from "../../../app/context.ts";
import { fileNotes, graderOf } from "../../../app/reaction-plan.ts";
import type { Resources } from "../../../config/resources.ts";
import type { MemorySettings } from "../reactor/index.ts";

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
  const query = words.trim() || null;
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
      .map(({ similarity, words: shared, score, ...one }) => ({
        ...{ ...viewOf(one), similarity, words: shared, score },
      })),
  };
}

/** One entry, with its history. @throws Fault `configuration` as `findEngram` does */
export async function showEngram(context: AppContext, id: string): Promise<MemoryEngram> {
  const { engram, history } = await findEngram(context, id);
  return { ...viewOf(engram), history: history.map(viewOf) };
}

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
  const told = { fact, at: timeOf(context), by: context.settings.user };
  const pinned = await memory.pin(memoryScope(context), told);
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
  const lists = { annotations: [...annotations], embedded: [...embedded] };
  return { engram, cluster, ...lists, forgotten, judged, mark };
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
  if (shown.reason === "missing")
    throw refusal(
      `${scope.user} has no memory entry ${name}`,
      "search the memory, which lists the newest, or list the facts",
    );
  const first = await firstOf(context, shown.ids);
  if (first) return first;
  throw refusal(`several memory entries begin with ${name}`, `more of it: ${shown.ids.join(", ")}`);
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

/** Whose answers are stored, and how. */
export const planMemory: NonNullable<AppReactor["plan"]> = async ({ resources, settings }, { user }) => {
  const pinned = { ...memorySettings(resources, settings), user };
  // With neither memory nor a critic, there is nothing to store or annotate.
  const isUsed = pinned.write || graderOf(resources, settings) !== null;
  return { ...(isUsed ? { pinned } : {}), notes: settings.memory ? fileNotes(resources.memory()) : [] };
};

/** The reactor's settings; with memory off, it writes nothing. @throws Fault `configuration` for an invalid `memory.yaml` */
export function memorySettings(
  resources: Pick<Resources, "memory">,
  settings: Pick<EffectiveSettings, "memory" | "user">,
): MemorySettings {
  const { mergeAt, retireAt, write } = resources.memory().memory;
  return { user: settings.user, write: settings.memory && write, mergeAt, retireAt };
}
