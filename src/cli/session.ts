import { openParley, openPlaceStore, type Parley, type Settings } from "../compose/index.ts";
import { DeliberationId, Fault, OrganizationId, type Entry, type Store } from "../kernel/index.ts";
import type { Showing } from "./showing.ts";
import type { Io } from "./command.ts";

type Stored = { readonly store: Store; readonly settings: Settings };

/** Runs a command over everything, and closes it whatever happens. */
export async function withParley(
  io: Io,
  flags: Readonly<Record<string, unknown>>,
  command: (parley: Parley) => Promise<number>,
): Promise<number> {
  const parley = await openParley({ flags, env: io.env, cwd: io.cwd });
  try {
    return await command(parley);
  } finally {
    await parley.close();
  }
}

/** As `withParley`, for a command that only reads: no models are made. */
export async function withStore(io: Io, command: (stored: Stored) => Promise<number>): Promise<number> {
  const stored = await openPlaceStore({ flags: {}, env: io.env, cwd: io.cwd });
  try {
    return await command(stored);
  } finally {
    await stored.store[Symbol.asyncDispose]();
  }
}

/** How many deliberations a beginning of an id is looked for in. */
const LOOK_BACK = 1_000;

/** The deliberation that an id, or the beginning of one, names. @throws Fault `deliberation-missing`, `configuration` when several fit */
export async function idOf(
  store: Store,
  { id, settings }: { readonly id: string; readonly settings: Settings },
): Promise<DeliberationId> {
  const parsed = DeliberationId.safeParse(id);
  if (!parsed.success) throw new Fault("deliberation-missing", { id: id.slice(0, 40) });
  const organization = OrganizationId.parse(settings.organization);
  const [opened] = await store.read(parsed.data);
  if (opened?.type === "deliberation-opened" && opened.data.organization === organization) return parsed.data;
  const recent = await store.list({ organization, limit: LOOK_BACK });
  const fitting = recent.filter((one) => one.id.startsWith(id));
  const [only] = fitting;
  if (!only) throw new Fault("deliberation-missing", { id });
  if (fitting.length === 1) return only.id;
  const why = `${fitting.length} deliberations begin with "${id}"`;
  throw new Fault("configuration", {
    why,
    next: `give more of it: ${fitting
      .slice(0, 5)
      .map((one) => one.id)
      .join(", ")}`,
  });
}

export async function entriesOf(
  store: Store,
  named: { readonly id: string; readonly settings: Settings },
): Promise<readonly Entry[]> {
  return store.read(await idOf(store, named));
}

/** How the flags want a deliberation shown. */
export const showingOf = (flags: Readonly<Record<string, unknown>>, settings: Settings): Showing => ({
  json: flags["json"] === true,
  events: flags["events"] === true,
  quiet: flags["quiet"] === true,
  onDegraded: settings.onDegraded,
});
