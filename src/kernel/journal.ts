import type { Entry } from "./envelope.ts";
import type { NewEvent } from "./event.ts";
import type { Cursor, DeliberationId, Digest, OrganizationId, SeriesId } from "./ids.ts";
import type { Origin } from "./origin.ts";

/**
 * `fresh: false`: the origin had recorded before and `events` is what it recorded then.
 * `closed`: the deliberation takes no more of this kind. `missing`: nothing has opened it.
 */
export type Appended =
  | { readonly ok: true; readonly fresh: boolean; readonly events: readonly Entry[] }
  | { readonly ok: false; readonly reason: "closed" | "missing" };

/** Where a deliberation stands, from its head row. */
export type Head = { readonly deliberation: DeliberationId; readonly seq: number };

/** One line of a list. */
export type Summary = {
  readonly id: DeliberationId;
  readonly organization: OrganizationId;
  readonly series: SeriesId | null;
  readonly protocol: string;
  /** The first 200 characters. */
  readonly question: string;
  readonly openedAt: string;
  /** A closing's outcome, or `open`. */
  readonly status: string;
  readonly seq: number;
};

export type ListQuery = {
  readonly organization: OrganizationId;
  readonly limit: number;
  readonly series?: SeriesId | undefined;
  /** Continue below this id, as the last one of a page names it. */
  readonly before?: DeliberationId | undefined;
};

/** The append-only, ordered, typed log of every deliberation: the only truth. */
export interface Journal {
  /**
   * Records the whole batch in one transaction, or returns the batch that the origin recorded before.
   * A deliberation is created by its `deliberation-opened`, always the first event. After its closing only
   * reactors and `feedback-given` are accepted. Resolves when the events are durable.
   * @throws Fault `event-invalid`, `event-too-large`, `store-unavailable`
   */
  append(id: DeliberationId, events: readonly NewEvent[], origin: Origin): Promise<Appended>;
  /** Events with `seq > after`, in order; none if the deliberation does not exist. */
  read(id: DeliberationId, after?: number): Promise<readonly Entry[]>;
  /** Every event of the store after `cursor` in commit order, then new ones as they commit, until `signal` aborts. Never skips. */
  subscribe(after: Cursor, signal: AbortSignal): AsyncIterable<readonly Entry[]>;
  /** The deliberations that got events after `cursor`, and the cursor up to which this holds: a cheap way to follow a few. */
  changed(after: Cursor): Promise<{ readonly cursor: Cursor; readonly heads: readonly Head[] }>;
  /** The place of the last committed event. */
  end(): Promise<Cursor>;
  /** Newest opening first. */
  list(query: ListQuery): Promise<readonly Summary[]>;
}

export type Lease = { readonly name: string; readonly holder: string };

/** Where each reactor has got to, and which worker runs it. */
export interface Progress {
  cursor(reactor: string): Promise<Cursor | undefined>;
  /** Moves the cursor only if it is still at `from`; false: another worker moved it. */
  advance(reactor: string, from: Cursor | undefined, to: Cursor): Promise<boolean>;
  /** Takes or renews the lease called `name` for `holder`; false while another's has not run out. */
  lease(name: string, holder: string, ttlMs: number): Promise<boolean>;
  release(name: string, holder: string): Promise<void>;
  /** Leases that have not run out, whose names begin like this, in the order of their names. */
  leases(prefix: string): Promise<readonly Lease[]>;
}

/** Long texts by content: written once, never changed. */
export interface Texts {
  putText(digest: Digest, text: string): Promise<void>;
  /** @throws Fault `text-missing` */
  text(digest: Digest): Promise<string>;
}

/** The worst case of a call that is about to be made. */
export type Reservation = { readonly calls: number; readonly tokens: number; readonly usd: number };

/**
 * Calls that were started under a budget. A reservation of a step that has recorded counts no more; one
 * whose process died before recording stays, because the provider may have charged for it.
 */
export interface Reservations {
  reserve(id: DeliberationId, origin: string, amount: Reservation): Promise<void>;
  /** The sum over steps that never recorded. */
  outstanding(id: DeliberationId): Promise<Reservation>;
}

export interface Store extends Journal, Progress, Texts, Reservations, AsyncDisposable {
  /** Words for people: the file or the server, without any password. */
  readonly where: string;
}
