import type { AppContext, EffectiveSettings } from "../app/context.ts";
import { resolveId } from "../app/lookup.ts";
import type { Parley } from "../app/parley.ts";
import { loadSettings } from "../config/sources.ts";
import { type Entry, isFault, type OrganizationStore, refusal } from "../kernel/index.ts";
import { openStore } from "../stores/index.ts";
import type { RunProjection } from "../stores/projection.ts";
import type { OpenedOrganizationStore, OpenedStore } from "../stores/store.ts";
import type { ProjectionReading } from "../app/projection.ts";
import { formatNumber } from "../text/format.ts";
import { quoteValue } from "../text/words.ts";
import type { WriteForm } from "./answer-part.ts";
import type { Io } from "./command.ts";
import { EXIT } from "./exits.ts";

/** An organization's part of a store, the store itself, and the settings that named them. */
export type Stored = {
  readonly store: OpenedOrganizationStore;
  /** What is known over its deliberations. */
  readonly projection: RunProjection;
  readonly whole: OpenedStore;
  readonly settings: EffectiveSettings;
};

/** Runs a command over everything, as the settings' user (`me`), and closes it whatever happens. */
export async function withParley<T>(
  io: Io,
  flags: Readonly<Record<string, unknown>>,
  command: (context: AppContext, me: Parley) => Promise<T>,
): Promise<T> {
  const { openConfigured } = await import("../app/configured.ts");
  const { rubric, model } = flags;
  if (typeof model === "string" && model.includes(",")) {
    const [first = ""] = model.split(",");
    const why = `--model takes one model (got ${quoteValue(model)})`;
    const next = `--model ${first.trim()}; parley council --models ${model.replaceAll(/\s/g, "")} asks several`;
    throw refusal(why, next);
  }
  const configured = openConfigured({
    ...{ env: io.env, cwd: io.cwd, protocols: io.protocols, features: io.features, flagPrefix: "--" },
    files: typeof rubric === "string" ? [rubric] : [],
    // One model, where a command asks one: the setting is a list.
    flags: typeof model === "string" ? { ...flags, models: model } : flags,
  });
  const { context, me, renamed } = await configured.catch((error: unknown) => {
    throw typeof model === "string" ? namingModel(error) : error;
  });
  for (const note of renamed) io.output.note(note);
  try {
    return await command(context, me);
  } finally {
    await me.close();
  }
}

/** The same refusal of the flag that was given, where it is called as the setting is. */
function namingModel(error: unknown): unknown {
  if (!isFault(error, "configuration")) return error;
  const { why, next } = error.details;
  return refusal(why.replace(/^--models\b/, "--model"), next.replace(/--models\b/, "--model"));
}

/** As `withParley`, for a command that only reads: no models are made. */
export async function withStore<T>(io: Io, command: (stored: Stored) => Promise<T>): Promise<T> {
  const { settings, renamed } = loadSettings({ flags: {}, env: io.env, cwd: io.cwd });
  for (const note of renamed) io.output.note(note);
  await using whole = await openStore(settings.store, { connections: settings.storeConnections });
  const store = whole.for(settings.organization);
  return await command({ store, projection: store.projection, whole, settings });
}

/** The events of the deliberation that an id, or the beginning of one, names. @throws Fault as `resolveId` does */
export async function readEntries(
  reading: { readonly store: OrganizationStore },
  id: string,
): Promise<readonly Entry[]> {
  return reading.store.read(await resolveId(reading, id));
}

/** How a run is shown while it runs and when it has ended. */
export type Showing = {
  readonly json: boolean;
  readonly events: boolean;
  readonly quiet: boolean;
  readonly onDegraded: "accept" | "refuse";
  /** Whether a file gets the result, so that stdout gets nothing of it but what `json` or `events` ask for. */
  readonly isWritten?: boolean;
  /** Whether the answer's first code block is shown alone. */
  readonly code?: boolean | undefined;
  /** Writes the answer in the form that is shown in its place. */
  readonly form?: WriteForm | undefined;
};

type ShowingOptions = Pick<Showing, "json" | "events" | "quiet" | "code"> & {
  readonly output?: string | undefined;
  readonly schema?: string | undefined;
};

export async function showingIn(
  io: Io,
  { json, events, quiet, output, code, schema }: ShowingOptions,
  { settings: { onDegraded }, me }: { readonly settings: EffectiveSettings; readonly me?: Parley },
): Promise<Showing> {
  const form = schema !== undefined && me && (await import("./answer-part.ts")).formIn(io, me, schema);
  return { json, events, quiet, onDegraded, isWritten: output !== undefined, code, form: form || undefined };
}

/** A terminal and npm may both deliver one Ctrl-C: within this time two are one. */
const SAME_INTERRUPT_MS = 1_000;

/**
 * Runs with a signal that aborts at the first Ctrl-C (or SIGTERM); another one, later, ends the process at once. What is
 * recorded stays recorded either way.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let sinceMs = 0;
  const stop = () => {
    if (!controller.signal.aborted) {
      sinceMs = performance.now();
      controller.abort();
    } else if (performance.now() - sinceMs > SAME_INTERRUPT_MS) process.exit(EXIT.interrupted);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

const PROGRESS_MS = 2_000;

/** Says what cannot be read, and how far the first reading of many runs has come. */
export function projecting(io: Io, isQuiet = false): ProjectionReading {
  let next = Date.now() + PROGRESS_MS;
  return {
    onUnreadable: (id) => io.output.note(`Left out: ${id}, which cannot be read`),
    onProgress(done, of) {
      if (isQuiet || Date.now() < next) return;
      next = Date.now() + PROGRESS_MS;
      io.output.note(`Reading runs: ${formatNumber(done)} of ${formatNumber(of)}`);
    },
  };
}
