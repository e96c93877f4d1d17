import type { AppContext } from "../../app/context.ts";
import { Fault, OrganizationId, type EngramId, type MemoryScope } from "../../kernel/index.ts";
import type { JudgedEngram, LookupResult } from "../../memory/lookup.ts";
import type { EngramView } from "../../views/memory-view.ts";

type Flags = Readonly<Record<string, unknown>>;

/** Whose memory the settings speak of. */
export const scopeOf = ({ settings }: Pick<AppContext, "settings">): MemoryScope => ({
  organization: OrganizationId.parse(settings.organization),
  user: settings.user,
});

/** A whole number that a flag gives; `fallback` where it does not. @throws Fault `configuration` for anything but 1 to 1000 */
export function wholeFlag(flags: Flags, name: string, fallback: number): number {
  const given = flags[name];
  if (given === undefined) return fallback;
  const number = Number(given);
  if (Number.isInteger(number) && number >= 1 && number <= 1_000) return number;
  throw new Fault("configuration", {
    why: `--${name} ${JSON.stringify(given)} is no number of them`,
    next: "give a whole number from 1 to 1000",
  });
}

/** An engram as `--json` prints it. */
export const viewOf = ({
  engram,
  cluster,
  annotations,
  embedded,
  forgotten,
  judged,
  mark,
}: JudgedEngram): EngramView => ({
  engram,
  cluster,
  annotations: [...annotations],
  embedded: [...embedded],
  forgotten,
  judged,
  mark,
});

type ShownEngram = Extract<LookupResult, { ok: true }>;

/**
 * The engram that an id names: its own, its beginning, or its deliberation's; of a deliberation with two respondents the first
 * one's. @throws Fault `configuration` where there is none, or where several fit
 */
export async function engramNamed(
  parley: Pick<AppContext, "memory" | "settings">,
  given: string,
): Promise<ShownEngram> {
  const scope = scopeOf(parley);
  const shown = await (await parley.memory()).show(scope, given);
  if (shown.ok) return shown;
  if (shown.reason === "missing")
    throw new Fault("configuration", {
      why: `${scope.user} remembers nothing under "${given.slice(0, 100)}"`,
      next: "parley memory search lists the newest, parley memory facts what is pinned",
    });
  const first = await firstOf(parley, shown.ids);
  if (first) return first;
  throw new Fault("configuration", {
    why: `several begin with "${given.slice(0, 100)}"`,
    next: `give more of it: ${shown.ids.join(", ")}`,
  });
}

/** Of the answers of one deliberation the one that is not the second respondent's; undefined where that is not one. */
async function firstOf(
  { memory, settings }: Pick<AppContext, "memory" | "settings">,
  ids: readonly EngramId[],
): Promise<ShownEngram | undefined> {
  const scope = scopeOf({ settings });
  const own = await memory();
  const found = await Promise.all(ids.map((id) => own.show(scope, id)));
  const all = found.flatMap((one) => (one.ok ? [one] : []));
  if (new Set(ids.map((id) => id.split("/")[0])).size > 1) return undefined;
  const [first, other] = all.filter(({ engram }) => engram.engram.respondent !== "B");
  return other ? undefined : first;
}
