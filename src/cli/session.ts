import type { Configured } from "../app/configured.ts";
import type { AppContext, EffectiveSettings } from "../app/context.ts";
import { resolveId } from "../app/lookup.ts";
import { loadSettings } from "../config/sources.ts";
import type { Entry, OrganizationStore, Store } from "../kernel/index.ts";
import { openStore } from "../stores/index.ts";
import type { Showing } from "./showing.ts";
import type { Io } from "./command.ts";

/** An organization's part of a store, the store itself, and the settings that named them. */
export type Stored = {
  readonly store: OrganizationStore;
  readonly whole: Store;
  readonly settings: EffectiveSettings;
};

/** Runs a command over everything, and closes it whatever happens. */
export async function withParley(
  io: Io,
  flags: Readonly<Record<string, unknown>>,
  command: (context: AppContext, configured: Configured) => Promise<number>,
): Promise<number> {
  const { openConfigured } = await import("../app/configured.ts");
  const { rubric } = flags;
  const files = typeof rubric === "string" ? [rubric] : [];
  const configured = await openConfigured({ flags, flagPrefix: "--", files, env: io.env, cwd: io.cwd });
  try {
    return await command(configured.context, configured);
  } finally {
    await configured.parley.close();
  }
}

/** As `withParley`, for a command that only reads: no models are made. */
export async function withStore(io: Io, command: (stored: Stored) => Promise<number>): Promise<number> {
  const { settings } = loadSettings({ flags: {}, env: io.env, cwd: io.cwd });
  await using whole = await openStore(settings.store);
  return await command({ store: whole.for(settings.organization), whole, settings });
}

/** The events of the deliberation that an id, or the beginning of one, names. @throws Fault as `resolveId` does */
export async function entriesOf(reading: Pick<Stored, "store">, id: string): Promise<readonly Entry[]> {
  return reading.store.read(await resolveId(reading, id));
}

/** How the flags want a deliberation shown. */
export const showingOf = (
  flags: Readonly<Record<string, unknown>>,
  { onDegraded }: Pick<EffectiveSettings, "onDegraded">,
): Showing => ({
  json: flags["json"] === true,
  events: flags["events"] === true,
  quiet: flags["quiet"] === true,
  onDegraded,
});
