import type { Origin } from "./origin.ts";
import type { Cursor, DeliberationId, Digest, OrganizationId, SeriesId } from "./ids.ts";
import type { NewEvent } from "./event.ts";
import type { Entry } from "./envelope.ts";

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
  readonly limit: number;
  readonly series?: SeriesId | undefined;
  /** Continue below this id, as the last one of a page names it. */
  readonly before?: DeliberationId | undefined;
};

/** What got events after a cursor, and the cursor up to which this holds. */
export type Changes = { readonly cursor: Cursor; readonly heads: readonly Head[] };

/** Events in the order in which they were committed. */
export interface Feed {
  /** Every event after `cursor` in commit order, then new ones as they commit, until `signal` aborts. Never skips. */
  subscribe(after: Cursor, signal: AbortSignal): AsyncIterable<readonly Entry[]>;
  /** The deliberations that got events after `cursor`, and the cursor up to which this holds: a cheap way to follow a few. */
  changed(after: Cursor): Promise<Changes>;
  /** The place of the last event that the whole store has committed. */
  end(): Promise<Cursor>;
}

/** The append-only, ordered, typed log of an organization's deliberations: the only truth. */
export interface Journal extends Feed {
  /**
   * Records the whole batch in one transaction, or returns the batch that the origin recorded before.
   * A deliberation is created by its `deliberation-opened`, always the first event. After its closing only
   * reactors and `feedback-given` are accepted. Resolves when the events are durable.
   * @throws Fault `event-invalid`, `event-too-large`, `store-unavailable`
   */
  append(id: DeliberationId, events: readonly NewEvent[], origin: Origin): Promise<Appended>;
  /** Events with `seq > after`, in order; none if the deliberation does not exist. */
  read(id: DeliberationId, after?: number): Promise<readonly Entry[]>;
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
  /** @throws Fault `deliberation-missing` */
  reserve(id: DeliberationId, origin: string, amount: Reservation): Promise<void>;
  /** The sum over steps that never recorded. */
  outstanding(id: DeliberationId): Promise<Reservation>;
}

/**
 * What one organization has in a store.
 *
 * STORE-1. No method takes or gives anything of another organization's. Its deliberations do not exist here: they have
 *          no events and no place in a list, `append` calls them missing, nothing can be reserved for them.
 * STORE-2. Texts belong to an organization and a digest: a text is read only where it was put.
 */
export interface OrganizationStore extends Journal, Texts, Reservations {
  readonly organization: OrganizationId;
}

/** Where deliberations live: each organization's own part of it, and what a process needs of all of them together. */
export interface Store extends Feed, Progress, AsyncDisposable {
  /** The file or the server, in words for people, without any password. */
  readonly location: string;
  /** What this organization has here. Costs nothing. */
  for(organization: OrganizationId): OrganizationStore;
  /** Whose deliberation it is; undefined where it does not exist. */
  findOrganization(id: DeliberationId): Promise<OrganizationId | undefined>;
}
