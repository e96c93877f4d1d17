import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isFault, type Store, type World } from "../kernel/index.ts";

// Whether a server is ready is known before anybody asks: one look after the other, which writes nothing. An answer waits for no store and
// no disk; what a look waits for too long for is what is wrong.
// Of a rush of requests one begins at a time, once all who have come are heard: whoever asks whether the server is well waits for none of
// them.

/** Between the end of a look and the next. */
const LOOK_EVERY_MS = 1_000;
/** What takes longer is told as not answering. */
const MAX_LOOK_MS = 1_000;
const MIN_FREE_BYTES = 256_000_000;
const MAX_LAG_MS = 1_000;

type Watched = {
  readonly store: Pick<Store, "end" | "location">;
  readonly world: Pick<World, "sleep">;
  readonly stopped: AbortSignal;
};

/** Looks at the store and its disk again and again, until `stopped` aborts; resolves after the first look. */
export async function watchHealth({ store, world, stopped }: Watched) {
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  let seen: Readonly<Record<string, string>> = {};
  /** What is asked, which a store that hangs answers later than this resolves. */
  const look = async () => {
    const asked = Promise.all([store.end(), problemsOfFile(store.location)]).then(
      ([, problems]) => problems,
      (error: unknown) => ({
        store: isFault(error, "store-unavailable") ? error.details.why : String(error),
      }),
    );
    const late = new AbortController();
    const slow = world.sleep(MAX_LOOK_MS, late.signal).then(() => ({ store: "it does not answer" }));
    const found = await Promise.race([asked, slow]);
    late.abort();
    const lagMs = lag.percentile(99) / 1e6;
    lag.reset();
    seen = lagMs > MAX_LAG_MS ? { ...found, load: `it answers ${Math.round(lagMs)} ms late` } : found;
    return { asked };
  };
  const keep = async ({ asked }: Awaited<ReturnType<typeof look>>): Promise<void> => {
    for (let answered = asked; ; answered = (await look()).asked) {
      await answered; // never two at a time of a store that hangs
      await world.sleep(LOOK_EVERY_MS, stopped);
      if (!stopped.aborted) continue;
      lag.disable();
      return;
    }
  };
  void keep(await look());
  return {
    /** What keeps the server from being ready, by what it concerns; nothing where it is. */
    problems: () => (stopped.aborted ? { ...seen, server: "it is stopping" } : seen),
    lagSeconds: () => lag.percentile(99) / 1e9,
  };
}

/** What is wrong with a store's file and its disk; nothing for another store. Never rejects. */
async function problemsOfFile(location: string): Promise<Readonly<Record<string, string>>> {
  if (location === ":memory:" || location.includes("://")) return {};
  const [writable, disk] = await Promise.allSettled([
    access(location, constants.W_OK),
    statfs(dirname(location)),
  ]);
  const free = disk.status === "fulfilled" ? disk.value.bavail * disk.value.bsize : Infinity;
  return {
    ...(writable.status === "rejected" ? { store: "it cannot be written" } : {}),
    ...(free < MIN_FREE_BYTES ? { disk: `${Math.round(free / 1e6)} MB are free` } : {}),
  };
}

/** How many connections are taken at most between two requests. */
const MAX_TAKEN = 1_000;

/**
 * `turn` resolves for one caller in a turn of the event loop, in the order in which they come, and in no turn in which another
 * connection came: the loop takes one a turn, so that a short request would wait for all that came before it.
 */
export function createTurns() {
  const waiting: (() => void)[] = [];
  let hasCome = false;
  let taken = 0;
  const next = (): void => {
    taken = hasCome ? taken + 1 : MAX_TAKEN;
    hasCome = false;
    if (taken >= MAX_TAKEN) {
      taken = 0;
      waiting.shift()?.();
    }
    if (waiting.length > 0) setImmediate(next);
  };
  return {
    came: (): void => void (hasCome = true),
    turn: (): Promise<void> =>
      new Promise((resolve) => {
        if (waiting.push(resolve) === 1) setImmediate(next);
      }),
  };
}
