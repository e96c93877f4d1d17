import * as z from "zod";
import type { Origin } from "./origin.ts";
import { DeliberationId, type Cursor, type Digest, type OrganizationId, type SeriesId } from "./ids.ts";
import { UserId } from "./engram.ts";
import type { NewEvent } from "./event.ts";
import type { Entry, SentRequests, UnreadableEvent } from "./envelope.ts";

/**
 * `fresh: false`: the origin had recorded before; `events` is that earlier batch.
 * `closed`: the deliberation no longer accepts such events. `missing`: the deliberation does not exist.
 */
export type Appended =
  | { readonly ok: true; readonly fresh: boolean; readonly events: readonly Entry[] }
  | { readonly ok: false; readonly reason: "closed" | "missing" };

/** The last recorded `seq` of a deliberation. */
export type Head = { readonly deliberation: DeliberationId; readonly seq: number };

/** One row of a list of deliberations. */
export type Summary = {
  readonly id: DeliberationId;
  readonly organization: OrganizationId;
  readonly series: SeriesId | null;
  readonly protocol: string;
  /** The first 200 characters of the question. */
  readonly question: string;
  readonly openedAt: string;
  /** The closing's outcome, or `open`; `forgotten` of what only a list of that status shows. */
  readonly status: string;
  readonly seq: number;
};

export type ListQuery = {
  readonly limit: number;
  readonly series?: SeriesId | undefined;
  /** Only those that are not closed. */
  readonly open?: boolean | undefined;
  /** The last id of the previous page. */
  readonly before?: DeliberationId | undefined;
  /** Only those with events after this one. */
  readonly after?: Cursor | undefined;
  /** What the id begins with. */
  readonly prefix?: string | undefined;
  readonly protocol?: string | undefined;
  /** As in `Summary`. */
  readonly status?: string | undefined;
  /** Only those that were opened at this time or later, as ISO 8601 in UTC with milliseconds. */
  readonly since?: string | undefined;
  /** Only those that were opened before this time, in the same form. */
  readonly until?: string | undefined;
  /** Only those whose opening, as canonical JSON, has all of these texts. */
  readonly opening?: readonly string[] | undefined;
  /** Only those whose opening's request begins with one of these, or, `hidden`, only the others. */
  readonly requests?: { readonly prefixes: readonly string[]; readonly hidden: boolean } | undefined;
  /** Only those that may be ones whose client wants them forgotten once they have answered. */
  readonly unkept?: boolean | undefined;
};

/** The deliberations with events after one cursor, complete up to `cursor`. */
export type Changes = { readonly cursor: Cursor; readonly heads: readonly Head[] };

/** Events in commit order. */
export interface Feed {
  /**
   * Yields every event after `cursor`, then new ones as they commit, until `signal` aborts. It never skips one: in place of an
   * event that is damaged or of a newer schema it gives the reason, and goes on.
   */
  subscribe(after: Cursor, signal: AbortSignal): AsyncIterable<readonly (Entry | UnreadableEvent)[]>;
  /** Returns the deliberations with events after `cursor`: a cheap way to follow a few of them. */
  changed(after: Cursor): Promise<Changes>;
  /** Returns the cursor of the last committed event of the whole store. */
  end(): Promise<Cursor>;
}

/** The append-only, ordered, typed log of an organization's deliberations: the single source of truth. */
export interface Journal extends Feed {
  /**
   * Records the batch in one transaction, or returns the batch that the origin recorded before. The first event of a
   * deliberation is `deliberation-opened`, which creates it. After its closing, only events of reactors and
   * `feedback-given` are accepted. Resolves when the events are durable.
   * @throws Fault `event-invalid`, `event-too-large`, `store-unavailable`
   */
  append(id: DeliberationId, events: readonly NewEvent[], origin: Origin): Promise<Appended>;
  /**
   * Returns the events with `seq > after` in order, the first `limit` of them if it is given; none if the deliberation does
   * not exist. An opening names the requests that no event read with it accounts for (`withSent`).
   * @throws Fault `schema-newer`, `journal-damaged` if one of them is missing or cannot be read, `deliberation-forgotten`
   */
  read(id: DeliberationId, after?: number, limit?: number): Promise<readonly Entry[]>;
  /** Newest opening first. */
  list(query: ListQuery): Promise<readonly Summary[]>;
}

export type Lease = { readonly name: string; readonly holder: string };

/** The cursor of each reactor, and the leases of the workers that run them. */
export interface Progress {
  cursor(reactor: string): Promise<Cursor | undefined>;
  /** Moves the cursor if it is still at `from`; otherwise another worker moved it, and the result is false. */
  advance(reactor: string, from: Cursor | undefined, to: Cursor): Promise<boolean>;
  /** Takes or renews the lease `name` for `holder`; false while another holder's lease is valid. */
  lease(name: string, holder: string, ttlMs: number): Promise<boolean>;
  release(name: string, holder: string): Promise<void>;
  /** Returns the valid leases whose names start with `prefix`, sorted by name. */
  leases(prefix: string): Promise<readonly Lease[]>;
}

/** Long texts, addressed by content and immutable. */
export interface Texts {
  /** Stores those that are not there: a text goes with the last deliberation that pins it. */
  putTexts(texts: ReadonlyMap<Digest, string>): Promise<void>;
  /** @throws Fault `text-missing` */
  text(digest: Digest): Promise<string>;
}

/** Sums as the views of costs make and read them. */
const Sums = z.array(z.looseObject({ key: z.string() }));

/** What stays of a deliberation that was forgotten: no word of it, and what sums and caps go on counting. Times are ISO 8601 in UTC. */
export const Tombstone = z.strictObject({
  id: DeliberationId,
  protocol: z.string(),
  ...{ openedAt: z.string(), closedAt: z.string(), forgottenAt: z.string() },
  /** The owner of the conversation; null if it belonged to the whole organization. */
  user: UserId.nullable(),
  /** The credential of the server's client that asked; null without one. */
  key: z.string().nullable(),
  /** What its own calls took: by model, and by quarter of an hour (its begin in ms), because days of all zones begin with one. */
  spent: z.strictObject({ model: Sums, day: Sums }),
});
export type Tombstone = z.infer<typeof Tombstone>;

/** `seq`: of the last event that the tombstone counts. */
export type Forgetting = { readonly tombstone: Tombstone; readonly seq: number };

/**
 * FORGET-1. A deliberation is forgotten whole, in one transaction: its events, reservations and question, the texts that no other one pins,
 *     what memory took from it, and its part of what is known over all. Else: a part of what was to be forgotten stays readable.
 * FORGET-2. What stays is its tombstone. Its id is never given to another one, and nothing is recorded under it again. Else: an old link or
 *     a late writer brings a forgotten run back.
 * FORGET-3. No file of the store has a word of it once this has resolved or, after a kill, once the store was opened again. Else: whoever
 *     has the store's files reads what was forgotten.
 * Each forgetting moves the cursor `forgettingsOf` in its transaction: what is made of all runs, and kept, is made anew.
 */
export interface Forgets {
  /** `changed`: more was recorded than the tombstone counts. Of one that was forgotten before, the first tombstone stays. */
  forget(id: DeliberationId, of: Forgetting): Promise<"forgotten" | "changed" | "missing">;
  /** Of what was opened at this time or later, ISO 8601 in UTC; in any order. */
  tombstones(since?: string): Promise<readonly Tombstone[]>;
}

/** The cursor that counts what an organization has forgotten: no event says it. */
export const forgettingsOf = (organization: OrganizationId): string => `forgotten/${organization}`;

/** The worst case of a request that is about to be sent; without a budget only that it is one. */
export type Reservation = { readonly calls: number; readonly tokens: number; readonly usd: number };

/** Whom a request asks, and for whom; absent where nobody said. */
export type RequestNames = { readonly model?: string; readonly speaker?: string };

/** The sum of a step's reservations by all processes, and the `seq` of the first event that it recorded, if it did. */
export type StepReservation = Reservation & SentRequests & { readonly recorded: number | null };

/**
 * Requests that were sent. A reservation is kept: beside a record it says what a request may have cost, and without one that
 * the process died or gave up, and the provider may have charged for it.
 */
export interface Reservations {
  /** @throws Fault `deliberation-missing` */
  reserve(id: DeliberationId, origin: string, request: Reservation & RequestNames): Promise<void>;
  /** Returns what each step has reserved, in any order. */
  reservations(id: DeliberationId): Promise<readonly StepReservation[]>;
}

/**
 * One organization's view of a store.
 *
 * STORE-1. No method accepts or returns data of another organization. Another organization's deliberations do not exist here: they have no
 *     events, no list lists them, `append` reports them as missing, `reserve` rejects them. Else: one organization reads another one's
 *     runs.
 * STORE-2. Texts are keyed by organization and digest: only the organization that stored a text can read it. Else: one organization reads
 *     another one's files by their digests.
 */
export interface OrganizationStore extends Journal, Texts, Reservations, Forgets {
  readonly organization: OrganizationId;
}

/** A store of deliberations: a view per organization, and the operations that span all organizations. */
export interface Store extends Feed, Progress, AsyncDisposable {
  /** The file or the server as text for people, without a password. */
  readonly location: string;
  /** Returns the organization's view, without I/O. */
  for(organization: OrganizationId): OrganizationStore;
  /** Returns the deliberation's organization; undefined if the deliberation does not exist, or was forgotten. */
  findOrganization(id: DeliberationId): Promise<OrganizationId | undefined>;
  /** Every organization's deliberations, newest opening first. */
  listAll(query: ListQuery): Promise<readonly Summary[]>;
}
