import type { AppContext } from "../../app/context.ts";
import { Fault, type EngramId, type MemoryScope } from "../../kernel/index.ts";
import { memoryReport } from "../../lab/ablation/memory-stats.ts";
import { memoryStatsText } from "../memory-stats-text.ts";
import type { JudgedEngram, LookupResult } from "../../memory/lookup.ts";
import { memoryEngramText, memoryFactsText, memorySearchText } from "../memory-text.ts";
import { oneLine } from "../../reports/printable.ts";
import type { EngramView, MemoryEngram, MemoryFacts, MemorySearch } from "../../views/memory-view.ts";
import { print, type Io, type Values } from "../command.ts";
import { isConfirmed, readStandardInput } from "../input.ts";
import type { OF_USER, SEARCH, USER, YES } from "../options.ts";
import { withParley } from "../session.ts";

/** Whose memory the settings speak of. */
export const memoryScope = ({
  settings: { organization, user },
}: Pick<AppContext, "settings">): MemoryScope => ({ organization, user });

export const search = (io: Io, options: Values<typeof SEARCH>, words: readonly string[]): Promise<void> =>
  withParley(io, options, async (context) => {
    const { answeredBy: respondent, limit, retired } = options;
    const text = words.join(" ").trim();
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
    const value: MemorySearch = {
      ...{ user: context.settings.user, query, how },
      more: engrams.length > limit,
      engrams: engrams.slice(0, limit).map((one) => ({
        ...viewOf(one),
        ...{ similarity: one.similarity, words: one.words, score: one.score },
      })),
    };
    const narrowed = respondent !== undefined || retired;
    await print(io, options, { value, words: (face) => memorySearchText(value, { ...face, narrowed }) });
  });

export const show = (io: Io, options: Values<typeof OF_USER>, id: string): Promise<void> =>
  withParley(io, options, async (context) => {
    const { engram, history } = await findEngram(context, id);
    const value: MemoryEngram = { ...viewOf(engram), history: history.map(viewOf) };
    await print(io, options, { value, words: (face) => memoryEngramText(value, face) });
  });

export const facts = (io: Io, options: Values<typeof OF_USER>): Promise<void> =>
  withParley(io, options, async (context) => {
    const scope = memoryScope(context);
    const pinned = await (await context.memory()).facts(scope);
    const value: MemoryFacts = { user: scope.user, facts: [...pinned] };
    await print(io, options, { value, words: (face) => memoryFactsText(value, face) });
  });

export const pin = (io: Io, options: Values<typeof USER>, words: readonly string[]): Promise<void> =>
  withParley(io, options, async (context) => {
    const { user } = context.settings;
    const text = words.join(" ");
    const fact = text.trim() === "" ? ((await readStandardInput(io.output)) ?? "") : text;
    const pinned = await (
      await context.memory()
    ).pin(memoryScope(context), { fact, at: timeOf(context), by: user });
    if (!pinned.ok) {
      const next = 'parley memory pin "We deploy on Fridays.", one fact at a time';
      throw new Fault("configuration", { why: pinned.reason, next });
    }
    io.output.note(
      pinned.fresh
        ? `Pinned for ${user}; respond and chat always see it. To undo: parley memory forget ${pinned.engram.id}`
        : "Already pinned",
    );
    await io.output.result(`${pinned.engram.id}\n`);
  });

export const forget = (
  io: Io,
  options: Values<{ yes: typeof YES } & typeof USER>,
  given: string,
): Promise<void> =>
  withParley(io, options, async (context) => {
    const { engram: shown } = await findEngram(context, given);
    const { id, deliberation, question, summary } = shown.engram;
    const note = (line: string) => io.output.note(line);
    if (shown.forgotten) return note("Already deleted");
    const asked = `Delete “${oneLine(question || summary, 200)}”? This cannot be undone.`;
    if (!options.yes && !(await isConfirmed(asked, NO_TERMINAL))) return note("Nothing is deleted");
    const memory = await context.memory();
    const by = context.settings.user;
    const isDone = await memory.forget(memoryScope(context), { id, by, at: timeOf(context) });
    if (!isDone) return note("Already deleted");
    const kept = deliberation === null ? "" : `; run history is kept: parley show ${deliberation}`;
    return note(`Deleted${kept}`);
  });

const NO_TERMINAL = {
  why: "deletion cannot be undone, and there is no terminal to confirm it on",
  next: "add --yes",
};

export const stats = (io: Io, options: Values<typeof OF_USER>): Promise<void> =>
  withParley(io, options, async (context) => {
    const value = await memoryReport(context);
    await print(io, options, { value, words: (face) => memoryStatsText(value, face) });
  });

const timeOf = ({ world }: Pick<AppContext, "world">): string => new Date(world.now()).toISOString();

/** An entry as `--json` prints it. */
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
async function findEngram(
  context: Pick<AppContext, "memory" | "settings">,
  given: string,
): Promise<ShownEngram> {
  const scope = memoryScope(context);
  const shown = await (await context.memory()).show(scope, given);
  if (shown.ok) return shown;
  const name = `"${given.slice(0, 100)}"`;
  if (shown.reason === "missing")
    throw new Fault("configuration", {
      why: `${scope.user} has no memory entry ${name}`,
      next: "parley memory search, which lists the newest, or parley memory facts",
    });
  const first = await firstOf(context, shown.ids);
  if (first) return first;
  throw new Fault("configuration", {
    why: `several memory entries begin with ${name}`,
    next: `more of it: ${shown.ids.join(", ")}`,
  });
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
