import type {
  Cursor,
  DeliberationId,
  Entry,
  Feed,
  Json,
  Store,
  StoredEvent,
  UnreadableEvent,
} from "../kernel/index.ts";

/** How another process opens a place: the module's export is called with `args` and gives the store, or its promise. */
export type OpenInChild = {
  /** A URL or a package's name, as `import()` takes it. */
  readonly module: string;
  readonly export: string;
  readonly args: readonly Json[];
  /** The path of the contract's worker, where it was built together with the module. */
  readonly worker?: string;
  /** How many at once; 16 unless told, and 4 at least. */
  readonly processes?: number;
};

/** What a test changes in a row. `data` and `origin` are JSON text, or none. */
export type AlteredRow = Partial<Pick<StoredEvent, "type" | "schema" | "data" | "origin" | "seq">>;

/**
 * Where a store lives: a file, a schema, a region of memory. Each test gets one that is empty, and that
 * nobody has opened yet; disposing of it removes all that it held.
 *
 * What a store cannot offer is left out, and the tests that need it are skipped by name with a reason.
 */
export interface StorePlace extends AsyncDisposable {
  /** Opens the place; every call is an opening of its own, closed by its caller. */
  open(): Promise<Store>;
  readonly child?: OpenInChild;
  /** Throws when the database finds itself damaged. */
  integrity?(): Promise<void>;
  /** Takes the lock that writers need, from outside of the store; resolves when it has it. */
  holdWrites?(): Promise<{ release(): Promise<void> }>;
  /** The data of a deliberation's events as the database holds them, in order. */
  dataAtRest?(id: DeliberationId): Promise<readonly string[]>;
  /** Changes a recorded row behind the store's back, as another version or a fault would have left it; null removes it. */
  alter?(id: DeliberationId, seq: number, row: AlteredRow | null): Promise<void>;
}

/** One promise of the contract. */
export type StoreCase = {
  readonly title: string;
  readonly timeoutMs?: number;
  readonly run: (place: StorePlace) => Promise<void>;
};

/** A hook that a case cannot do without. */
export function needed<T>(hook: T | undefined, name: string): T {
  if (hook === undefined)
    throw new Error(`this place has no "${name}"; give it one, or skip this test with a reason`);
  return hook;
}

/** @throws Fault of an entry that cannot be read */
export function readable(entry: Entry | UnreadableEvent): Entry {
  if (entry.type === "unreadable") throw entry.fault;
  return entry;
}

/** Follows a store until `enough`, which sees all that came so far. */
export async function collect(
  store: Feed,
  after: Cursor,
  enough: (entries: readonly Entry[]) => boolean,
): Promise<readonly Entry[]> {
  const stop = new AbortController();
  const entries: Entry[] = [];
  for await (const batch of store.subscribe(after, stop.signal)) {
    entries.push(...batch.map(readable));
    if (enough(entries)) stop.abort();
  }
  return entries;
}
