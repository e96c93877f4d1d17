import {
  needsReaction,
  tryReactorSettings,
  workOn,
  type AnyReactor,
  type PinnedSettings,
} from "../engine/reactor.ts";
import { linkAbort, loadReactors, type Reactors } from "../engine/index.ts";
import { systemWorld } from "../engine/world.ts";
import { LRUCache } from "lru-cache";
import {
  isEvent,
  isUnreadable,
  readReactorLease,
  type Cursor,
  type DeliberationId,
  type Entry,
  type Fault,
  type OrganizationId,
  type Store,
  type Texts,
  type World,
} from "../kernel/index.ts";
import {
  isChanged,
  reactorsView,
  type ReactorMoment,
  type ReactorState,
  type WatchReport,
} from "../views/reactor-state.ts";
import { veilEntries, veiledEntry } from "../views/veil.ts";

// Every event after the start is processed once, in the journal's order. Other organizations' events are not reported.
// Leases and cursors are used only when the journal has been read up to its end at the time they were read, so that no event looks skipped
// because the cursor was read before it.
// A deliberation that cannot be read is reported once, with the reason. Its readable events are still reported, but no state is read from
// them.

export type Watching = {
  readonly store: Pick<Store, "cursor" | "end" | "findOrganization" | "for" | "leases" | "subscribe">;
  readonly organization: OrganizationId;
  readonly reactors: Reactors;
  readonly world?: World;
};

export type WatchOptions = {
  /** Maximum number of the newest deliberations to start with. */
  readonly most: number;
  /** Excludes deliberations opened before this time, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly signal: AbortSignal;
  /** Reports the current state and ends. */
  readonly once?: boolean;
  /** Receives the first state and the latest entries before it, oldest first. */
  onBegin(watched: WatchReport, recent: readonly Entry[]): void | Promise<void>;
  onEntry(entry: Entry): void | Promise<void>;
  /** Receives each deliberation that cannot be read, once; also before `onBegin`. */
  onUnreadable?(id: DeliberationId, fault: Fault): void | Promise<void>;
  /** Receives the state at every event and periodically. `changed`: the reactors that differ, not counting time. */
  onState(watched: WatchReport, changed: readonly ReactorState[]): void | Promise<void>;
};

/** How often leases and cursors are read. */
const WORKER_POLL_MS = 500;
/** Maximum number of entries for `onBegin`. */
const MAX_RECENT = 50;
const MAX_JOURNALS = 64;
/** Maximum number of cached owners. */
const MAX_OWNERS = 10_000;
const PAGE_SIZE = 200;

type WatchSnapshot = Pick<ReactorMoment, "leases" | "cursors"> & { readonly end: Cursor };

/** Reports the reactors' states until `signal` aborts. @throws Fault of the store */
export async function watch(watching: Watching, options: WatchOptions): Promise<void> {
  const { store, organization, world = systemWorld } = watching;
  const reactors = await loadReactors(watching.reactors);
  const { onBegin, onEntry, onState } = options;
  const ownPart = store.for(organization);
  const pinned = pinnedSettings(ownPart, reactors);
  const view = reactorsView(
    reactors.map((reactor) => ({
      name: reactor.name,
      workOn: (type) => workOn(reactor, type),
      needsReaction: (entry, before) =>
        needsReaction(reactor, entry, { before, settings: pinned.of(reactor, before[0]) }),
    })),
  );
  const journals = new LRUCache<DeliberationId, Entry[]>({ max: MAX_JOURNALS });
  const ours = new LRUCache<DeliberationId, boolean>({ max: MAX_OWNERS });
  let deliberations = 0;
  let seen = await store.end();

  const isOurs = async (id: DeliberationId): Promise<boolean> => {
    const known = ours.get(id);
    if (known !== undefined) return known;
    const owner = journals.has(id) ? organization : await store.findOrganization(id);
    if (owner !== undefined) ours.set(id, owner === organization); // a missing deliberation may be opened later
    return owner === organization;
  };
  const unreadable = new Set<DeliberationId>();
  const passOver = async (id: DeliberationId, fault: Fault): Promise<void> => {
    if (unreadable.has(id)) return;
    unreadable.add(id);
    journals.delete(id);
    await options.onUnreadable?.(id, fault);
  };
  /** Reads a journal; none if it cannot be read. */
  const tryRead = async (id: DeliberationId, last: number, counted: boolean): Promise<Entry[]> => {
    try {
      return await readUntil(id, last, counted);
    } catch (fault) {
      if (!isUnreadable(fault)) throw fault;
      await passOver(id, fault);
      return [];
    }
  };
  const see = async (entry: Entry): Promise<boolean> => {
    const { deliberation: id, cursor } = entry;
    const opens = isEvent(entry, "deliberation-opened");
    if (opens) ours.set(id, isOpeningOf(organization, entry));
    if (!(await isOurs(id))) return false;
    if (opens) deliberations += 1;
    const journal = journals.get(id) ?? (opens ? [] : await tryRead(id, cursor - 1, false));
    if (unreadable.has(id)) return true;
    journals.set(id, journal);
    journal.push(entry);
    await pinned.load(entry);
    view.event(entry, journal);
    return true;
  };
  /** Reads a journal up to `last`, at the start or because it was evicted; its events are counted once. */
  const readUntil = async (id: DeliberationId, last: number, counted: boolean): Promise<Entry[]> => {
    const journal: Entry[] = [];
    for (const entry of await ownPart.read(id)) {
      if (entry.cursor > last) break;
      journal.push(entry);
      await pinned.load(entry);
      view.event(entry, journal, { counted });
    }
    return journal;
  };
  const begin = async (): Promise<readonly Entry[]> => {
    const ids = await newest(watching, options);
    const recent: Entry[] = [];
    for (const id of ids.reverse()) {
      if (options.signal.aborted) break;
      const journal = await tryRead(id, seen, true); // what is later, `follow` reports
      if (journal.length === 0) continue; // opened since
      ours.set(id, true);
      journals.set(id, journal);
      deliberations += 1;
      recent.push(...veilEntries(journal).slice(-MAX_RECENT));
      recent.sort((a, b) => a.cursor - b.cursor).splice(0, Math.max(0, recent.length - MAX_RECENT));
    }
    return recent;
  };
  const look = async (): Promise<WatchSnapshot> => {
    const leases = await store.leases("reactor/");
    const names = reactors.map(({ name }) => name);
    const found = await Promise.all(names.map(async (name) => [name, await store.cursor(name)] as const));
    const cursors = new Map(
      found.flatMap(([name, cursor]) => (cursor === undefined ? [] : [[name, cursor]])),
    );
    const ownLeases: WatchSnapshot["leases"][number][] = [];
    for (const lease of leases) {
      const id = readReactorLease(lease.name)?.deliberation;
      if (id === undefined || (await isOurs(id))) ownLeases.push(lease);
    }
    return { leases: ownLeases, cursors, end: await store.end() };
  };

  const recent = await begin();
  let moment = await look();
  let next: WatchSnapshot | undefined;
  let told: readonly ReactorState[] = [];
  const read = (): WatchReport => {
    const now = world.now();
    const states = [...view.read({ now, ...moment })];
    const end = Math.max(moment.end, seen) as Cursor; // both are cursors of the store
    return { at: new Date(now).toISOString(), end, deliberations, reactors: states };
  };
  const tell = async (): Promise<void> => {
    if (next && next.end <= seen) {
      moment = next;
      next = undefined;
    }
    const watched = read();
    const changed = watched.reactors.filter((one, index) => {
      const before = told[index];
      return before === undefined || isChanged(before, one);
    });
    told = watched.reactors;
    await onState(watched, changed);
  };

  const first = read();
  told = first.reactors;
  await onBegin(first, recent);
  if (options.once === true) return;

  const link = linkAbort(options.signal);
  const { signal } = link;
  let telling: Promise<void> = Promise.resolve();
  /** Runs callbacks one at a time and in order. */
  const inTurn = (work: () => Promise<void>): Promise<void> => (telling = telling.then(work));
  const follow = async (): Promise<void> => {
    for await (const batch of store.subscribe(seen, signal))
      await inTurn(async () => {
        for (const entry of batch) {
          if (signal.aborted) return;
          seen = entry.cursor;
          if (entry.type === "unreadable") {
            if (await isOurs(entry.deliberation)) await passOver(entry.deliberation, entry.fault);
            continue;
          }
          if (!(await see(entry))) continue;
          for (const shown of veiledEntry(entry, journals.get(entry.deliberation) ?? []))
            await onEntry(shown);
          await tell();
        }
      });
  };
  const lookOften = async (): Promise<void> => {
    while (!signal.aborted) {
      await world.sleep(WORKER_POLL_MS, signal);
      if (signal.aborted) return;
      await inTurn(async () => {
        next ??= await look();
        await tell();
      });
    }
  };
  // When one ends, it stops the other; wait for both before the store is closed.
  const ends = await Promise.allSettled(
    [follow(), lookOften()].map((work) => work.finally(() => link.abort())),
  );
  link.release();
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** The reactors' settings that openings pin, each text read once. */
function pinnedSettings(store: Pick<Texts, "text">, reactors: readonly AnyReactor[]) {
  const read = new Map<string, PinnedSettings>();
  const keyOf = ({ name }: AnyReactor, opened: Entry | undefined): string =>
    `${name}/${opened && isEvent(opened, "deliberation-opened") ? opened.data.reactions?.[name] : ""}`;
  return {
    /** Has to be called with every entry before the journal is shown to a reactor. */
    async load(entry: Entry): Promise<void> {
      if (!isEvent(entry, "deliberation-opened")) return;
      for (const reactor of reactors) {
        const key = keyOf(reactor, entry);
        if (!read.has(key)) read.set(key, await tryReactorSettings(store, reactor, entry.data));
      }
    },
    of: (reactor: AnyReactor, opened: Entry | undefined): PinnedSettings =>
      read.get(keyOf(reactor, opened)) ?? { ok: false },
  };
}

const isOpeningOf = (organization: OrganizationId, entry: Entry): boolean =>
  isEvent(entry, "deliberation-opened") && entry.data.organization === organization;

/** The deliberations to start with, newest first. */
/** So many of the newest runs are read at the start; more where a time is given. */
export const mostWatched = (since: number | undefined): number => (since === undefined ? 200 : 10_000);

/** The reactors' states at one moment, and the deliberations that cannot be read. */
export type WatchMoment = { readonly report: WatchReport; readonly unreadable: readonly DeliberationId[] };

/** Reads the reactors' states once, over the newest deliberations or those since a time. @throws Fault of the store */
export async function watchOnce(
  watching: Watching,
  { since, signal }: Pick<WatchOptions, "since" | "signal">,
): Promise<WatchMoment> {
  const unreadable: DeliberationId[] = [];
  return new Promise((resolve, reject) => {
    watch(watching, {
      ...{ since, signal, most: mostWatched(since), once: true },
      onBegin: (report) => resolve({ report, unreadable }),
      onUnreadable: (id) => void unreadable.push(id),
      onEntry: () => undefined,
      onState: () => undefined,
    }).catch(reject);
  });
}

async function newest(
  { store, organization }: Watching,
  { most, since }: WatchOptions,
): Promise<DeliberationId[]> {
  const ids: DeliberationId[] = [];
  for (let before: DeliberationId | undefined; ids.length < most;) {
    const limit = Math.min(PAGE_SIZE, most - ids.length);
    const page = await store.for(organization).list({ limit, ...(before === undefined ? {} : { before }) });
    // Parsing a recorded time reads no clock.
    const fitting = page.filter(({ openedAt }) => since === undefined || Date.parse(openedAt) >= since);
    ids.push(...fitting.map(({ id }) => id));
    before = page.at(-1)?.id;
    if (page.length < limit || fitting.length < page.length) break;
  }
  return ids;
}
