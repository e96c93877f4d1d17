import {
  OrganizationId,
  type OrganizationStore,
  type Store,
  Cursor,
  DeliberationId,
  Fault,
  type Appended,
  type Lease,
  type ListQuery,
  type StepReservation,
  Tombstone,
  canonical,
  complete,
  withSent,
  type Digest,
} from "../kernel/index.ts";
import { type EngramStore, engramsFor } from "../memory/engram-store.ts";
import {
  prepareBatch,
  EVENT_COLUMNS,
  MAX_SEQ,
  toEntry,
  toFeedEntry,
  escapeText,
  originColumn,
  originOf,
  toSummary,
  unescapeText,
  type EventRow,
  type SummaryRow,
} from "./batch.ts";
import { createCredentials, type Credentials } from "./credentials.ts";
import { createProjection, type RunProjection } from "./projection.ts";
import type { Database } from "./database.ts";
import { SUBSCRIPTION_EVENTS, follow, poller } from "./poller.ts";
import { IS_UNKEPT } from "./schema.ts";
import { LRUCache } from "lru-cache";

/** A store, and the engrams in the same place. Closed together. */
export type OpenedStore = Omit<Store, "for"> & {
  readonly engrams: EngramStore;
  readonly credentials: Credentials;
  for(organization: OrganizationId): OpenedOrganizationStore;
};

/** What one organization has in a store, with its engrams and what is known over its deliberations. */
export type OpenedOrganizationStore = OrganizationStore & {
  readonly engrams: EngramStore;
  readonly projection: RunProjection;
};

/** Events after one seq, up to another. */
type SeqRange = { readonly after: number; readonly upTo: number };

const COLUMNS = EVENT_COLUMNS.map((column) => `e.${column}`).join(", ");
const EVENTS = `select ${COLUMNS} from @event e`;
/** One row without an event where there is none, so that a missing last event is noticed. `sent`: what comes with the opening. */
const READ = (
  sent: string,
) => `select d.seq as head, case when e.seq = 1 then (${sent}) end as sent, ${COLUMNS} from @deliberation d left join @event e on e.deliberation = d.id and e.seq > $3 and e.seq <= $4
  where d.id = $1 and d.organization = $2 order by e.seq`;
const IS_OWN =
  "exists (select 1 from @deliberation where id = $1 and organization = $2 and status <> 'forgotten')";
const RECORDED = `${EVENTS} where e.deliberation = $1 and e.origin_key = $2 order by e.place`;
const IN_ORDER = `order by e.cursor limit ${SUBSCRIPTION_EVENTS}`;
const AFTER = `${EVENTS} where e.cursor > $1 ${IN_ORDER}`;
const OWN_AFTER = `${EVENTS} join @deliberation d on d.id = e.deliberation
  where e.cursor > $1 and d.organization = $2 ${IN_ORDER}`;
const END = "select coalesce(max(cursor), 0) as last from @deliberation";
const OWNER = "select organization from @deliberation where id = $1 and status <> 'forgotten'";

/** A list of one or every organization's as a statement and its values. The first event of a deliberation is its opening. */
function listHeads(
  organization: OrganizationId | undefined,
  {
    series,
    open = false,
    before,
    after,
    prefix,
    protocol,
    status,
    since,
    until,
    opening = [],
    requests,
    unkept = false,
    limit,
  }: ListQuery,
): readonly [statement: string, ...values: (string | number)[]] {
  const values: (string | number)[] = [limit];
  const put = (value: string | number) => `$${values.push(value)}`;
  const begins = (text: string, start: string) => {
    const place = put(start);
    return `substr(${text}, 1, length(${place})) = ${place}`;
  };
  const ORIGIN = "(select e.origin from @event e where e.deliberation = d.id and e.seq = 1)";
  const OPENING = "(select cast(e.data as text) from @event e where e.deliberation = d.id and e.seq = 1)";
  const named = requests?.prefixes.map((one) =>
    begins(ORIGIN, canonical({ by: "open", request: one }).slice(0, -2)),
  );
  const own = organization === undefined ? [] : [`organization = ${put(organization)}`];
  const conditions = [
    own,
    // A place that is another organization's is none.
    before === undefined
      ? []
      : `opened < coalesce((select opened from @deliberation where ${[`id = ${put(before)}`, ...own].join(" and ")}), 0)`,
    series === undefined ? [] : `series = ${put(series)}`,
    open ? "status = 'open'" : status === "forgotten" ? [] : "status <> 'forgotten'",
    unkept ? `id in (select deliberation from @event where ${IS_UNKEPT})` : [],
    after === undefined ? [] : `cursor > ${put(after)}`,
    prefix === undefined ? [] : begins("id", prefix),
    protocol === undefined ? [] : `protocol = ${put(escapeText(protocol))}`,
    status === undefined ? [] : `status = ${put(status)}`,
    since === undefined ? [] : `opened_at >= ${put(since)}`,
    until === undefined ? [] : `opened_at < ${put(until)}`,
    opening.map((text) => `length(replace(${OPENING}, ${put(text)}, '')) < length(${OPENING})`),
    named === undefined ? [] : `${requests?.hidden === true ? "not " : ""}(${named.join(" or ")})`,
  ].flat();
  const which = conditions.map((one) => ` and ${one}`).join("");
  // The sign keeps SQLite from walking through all deliberations in this order, where few have changed.
  const order = after === undefined ? "opened" : "+opened";
  return [`select * from @deliberation d where 1 = 1${which} order by ${order} desc limit $1`, ...values];
}
const CURSOR = "select cursor from @reactor where name = $1";
const FIRST_CURSOR = "insert into @reactor (name, cursor) values ($1, $2) on conflict do nothing";
const NEXT_CURSOR = "update @reactor set cursor = $2 where name = $1 and cursor = $3";
const RELEASE = "delete from @lease where name = $1 and holder = $2";
const TEXT = "select content from @pinned_text where organization = $1 and digest = $2";
const PUT_TEXT =
  "insert into @pinned_text (organization, digest, content) values ($1, $2, $3) on conflict do nothing";
const RESERVE = `insert into @reservation (deliberation, origin_key, calls, tokens, usd, model, speaker)
  select $1, $3, $4, $5, $6, $7, $8 where ${IS_OWN}`;

const RESERVATIONS = `
  select r.origin_key as origin, min(e.seq) as recorded, cast(sum(r.calls) as float8) as calls, sum(r.tokens) as tokens,
    sum(r.usd) as usd, max(r.model) as model, max(r.speaker) as speaker
  from @reservation r left join @event e
    on e.deliberation = r.deliberation and e.origin_key = r.origin_key and e.place = 0
  where r.deliberation = $1 and ${IS_OWN}
  group by r.origin_key`;

/** What `READ` says of the requests of each step. */
const toSent = (rows: string): Parameters<typeof withSent>[1] =>
  // The select makes them.
  (JSON.parse(rows) as string[]).map((row) => {
    const [recorded, calls, model, speaker, origin = ""] = row.split("\n");
    return {
      ...{ origin: originOf(origin), calls: Number(calls), recorded: Number(recorded) || null },
      ...{ model: model || null, speaker: speaker || null },
    };
  });

/** The store on an open database, which it closes when it is disposed of. `now`: this machine's clock, milliseconds. */
export function createStore(opened: Database, now: () => number): OpenedStore {
  const { location, dialect } = opened;
  let closed = false;
  const unavailable = (): Fault => new Fault("store-unavailable", { where: location, why: "it was closed" });
  const guarded =
    <Args extends readonly unknown[], Result>(action: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (closed) throw unavailable();
      try {
        return await action(...args);
      } catch (error) {
        throw opened.fault(error);
      }
    };
  const database = {
    ...opened,
    all: guarded(opened.all),
    first: guarded(opened.first),
    run: guarded(opened.run),
    transaction: guarded(opened.transaction),
    erase: guarded(opened.erase),
    append: guarded(opened.append),
  };

  // As one row: a process that drives many deliberations asks for all of them five times a second.
  const CHANGED = `select max(cursor) as cursor, ${dialect.list("id || ' ' || seq", "cursor", "seq > 0")} as heads
    from @deliberation where cursor > $1`;
  const OWN_CHANGED = `select max(cursor) as cursor,
      ${dialect.list("id || ' ' || seq", "cursor", "organization = $2 and seq > 0")} as heads
    from @deliberation where cursor > $1`;
  const READ_ALL = READ(
    // A name has no line break.
    `select ${dialect.list("coalesce(recorded, 0) || '\n' || calls || '\n' || coalesce(model, '') || '\n' || coalesce(speaker, '') || '\n' || origin", "origin")}
     from (${RESERVATIONS}) step`,
  );
  const LEASE = `insert into @lease as held (name, holder, until) values ($1, $2, ${dialect.until("$3", "$4")})
    on conflict (name) do update set holder = excluded.holder, until = excluded.until
    where held.holder = excluded.holder or held.until <= ${dialect.now("$5")}`;
  const LEASES = `select name, holder from @lease
    where substr(name, 1, length($1)) = $1 and until > ${dialect.now("$2")}`;

  const STORED_TEXTS = `select digest from @pinned_text where organization = $1 and ${dialect.among("digest", "$2", "text")}`;

  const changed = async (after: Cursor, organization?: OrganizationId) => {
    type Found = { readonly cursor: number | null; readonly heads: string };
    const row =
      organization === undefined
        ? await database.first<Found>(CHANGED, after)
        : await database.first<Found>(OWN_CHANGED, after, organization);
    // The select above makes them.
    const heads = (JSON.parse(row?.heads ?? "[]") as string[]).map((head) => {
      const [id, seq] = head.split(" ");
      return { deliberation: DeliberationId.parse(id), seq: Number(seq) };
    });
    return { cursor: Cursor.parse(row?.cursor ?? after), heads };
  };
  const end = async () => Cursor.parse((await database.first<{ last: number }>(END))?.last ?? 0);
  const subscribers = poller(end, opened.pollMs);
  const list = async (organization: OrganizationId | undefined, query: ListQuery) =>
    (await database.all<SummaryRow>(...listHeads(organization, query))).map(toSummary);
  const fed = async (...query: Parameters<Database["all"]>) =>
    (await database.all<EventRow>(...query)).map(toFeedEntry);
  const tombstonesOf = async (which: string, ...values: string[]) => {
    const sql = `select forgotten from @deliberation where organization = $1 and status = 'forgotten' and ${which}`;
    const rows = await database.all<{ forgotten: string }>(sql, ...values);
    return rows.map(({ forgotten }) => Tombstone.parse(JSON.parse(forgotten)));
  };
  const read = async (id: DeliberationId, organization: OrganizationId, range: SeqRange) => {
    type Row = (EventRow | { readonly cursor: null }) & {
      readonly head: number;
      readonly sent: string | null;
    };
    const { after, upTo } = range;
    const rows = await database.all<Row>(READ_ALL, id, organization, after, upTo);
    if (rows[0]?.head === 0) {
      const [gone] = await tombstonesOf("id = $2", organization, id);
      throw new Fault("deliberation-forgotten", { id, at: gone?.forgottenAt ?? "" });
    }
    const entries = rows.flatMap((row) => (row.cursor === null ? [] : [toEntry(row)]));
    const whole = complete(entries, { id, after, head: Math.min(rows[0]?.head ?? 0, upTo) });
    return withSent(whole, toSent(rows[0]?.sent ?? "[]"));
  };
  const texts = cacheTexts(async (organization, digest) => {
    const row = await database.first<{ content: string }>(TEXT, organization, digest);
    if (!row) throw new Fault("text-missing", { digest });
    return unescapeText(row.content);
  });
  let engrams: Promise<EngramStore> | undefined;
  const loadEngrams = () =>
    (engrams ??= import("./engrams.ts").then(({ createEngrams }) => createEngrams(database)));

  return {
    location,
    subscribe: (after, signal) =>
      follow(after, signal, { readAfter: (cursor) => fed(AFTER, cursor), poller: subscribers }),
    changed: (after) => changed(after),
    end,
    for: (organization) => ({
      organization,
      async append(id, newEvents, origin) {
        const batch = prepareBatch({ id, organization }, newEvents, origin);
        const decision = await database.append(batch);
        const appended: Appended =
          decision === "recorded"
            ? {
                ok: true,
                fresh: false,
                events: (await database.all<EventRow>(RECORDED, id, batch.key)).map(toEntry),
              }
            : decision;
        const last = appended.ok ? appended.events.at(-1) : undefined;
        if (last) subscribers.reached(last.cursor);
        return appended;
      },
      read: (id, after = 0, limit) =>
        read(id, organization, { after, upTo: limit === undefined ? MAX_SEQ : after + limit }),
      subscribe: (after, signal) =>
        follow(after, signal, {
          readAfter: (cursor) => fed(OWN_AFTER, cursor, organization),
          poller: subscribers,
        }),
      changed: (after) => changed(after, organization),
      end,
      list: (query) => list(organization, query),
      async putTexts(given) {
        const rows = await database.all<{ digest: string }>(STORED_TEXTS, organization, [...given.keys()]);
        const stored = new Set(rows.map(({ digest }) => digest));
        const put = ([digest, text]: readonly [string, string]) =>
          database.run(PUT_TEXT, organization, digest, escapeText(text));
        await Promise.all([...given].filter(([digest]) => !stored.has(digest)).map(put));
      },
      async forget(id, of) {
        const { forgetRun } = await import("./forget.ts");
        return forgetRun(database, { organization, id, ...of }).finally(texts.clear);
      },
      tombstones: (since = "") => tombstonesOf("opened_at >= $2", organization, since),
      text: (digest) => texts.get(organization, digest),
      async reserve(id, origin, { calls, tokens, usd, model = null, speaker = null }) {
        const values = [id, organization, originColumn(origin), calls, tokens, usd, model, speaker];
        if ((await database.run(RESERVE, ...values)) === 0) throw new Fault("deliberation-missing", { id });
      },
      reservations: async (id) =>
        (await database.all<StepReservation>(RESERVATIONS, id, organization)).map((step) => ({
          ...step,
          origin: originOf(step.origin),
        })),
      engrams: engramsFor(organization, loadEngrams),
      projection: createProjection(database, organization),
    }),
    async findOrganization(id) {
      const row = await database.first<{ organization: string }>(OWNER, id);
      return row && OrganizationId.parse(row.organization);
    },
    listAll: (query) => list(undefined, query),
    async cursor(reactor) {
      const row = await database.first<{ cursor: number }>(CURSOR, reactor);
      return row && Cursor.parse(row.cursor);
    },
    async advance(reactor, from, to) {
      const values = [reactor, to];
      const rows =
        from === undefined
          ? await database.run(FIRST_CURSOR, ...values)
          : await database.run(NEXT_CURSOR, ...values, from);
      return rows === 1;
    },
    async lease(name, holder, ttlMs) {
      const nowMs = now();
      return (await database.run(LEASE, name, holder, ttlMs / 1_000, nowMs + ttlMs, nowMs)) === 1;
    },
    release: async (name, holder) => void (await database.run(RELEASE, name, holder)),
    leases: async (prefix) =>
      (await database.all<Lease>(LEASES, prefix, now())).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    engrams: engramsFor(undefined, loadEngrams),
    credentials: createCredentials(database),
    async [Symbol.asyncDispose]() {
      await engrams; // What was asked of them before has begun.
      if (closed) return;
      closed = true;
      subscribers.stop(unavailable());
      await opened.close();
    },
  };
}

/** UTF-16 units of text that are kept, at most a quarter of them for one text. */
const MAX_TEXT_LENGTH = 4 * 1024 * 1024;

/** Reads one of all organizations' texts. */
type ReadText = (organization: OrganizationId, digest: Digest) => Promise<string>;

/**
 * Texts that were read. Deliberations share their templates and personas; under one digest the first text stays, whoever put it,
 * until the last deliberation that pins it is forgotten.
 */
export function cacheTexts(get: ReadText): { readonly get: ReadText; readonly clear: () => void } {
  const known = new LRUCache<string, { readonly content: string }>({
    maxSize: MAX_TEXT_LENGTH,
    maxEntrySize: MAX_TEXT_LENGTH / 4,
    sizeCalculation: ({ content }) => Math.max(1, content.length),
  });
  return {
    clear: () => known.clear(),
    async get(organization, digest) {
      const key = `${organization} ${digest}`;
      const cached = known.get(key);
      if (cached) return cached.content;
      const content = await get(organization, digest);
      known.set(key, { content });
      return content;
    },
  };
}
