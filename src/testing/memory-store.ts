import {
  Cursor,
  FIRST_CURSOR,
  Fault,
  admit,
  complete,
  decodeEntry,
  eventId,
  feedEntry,
  forgettingsOf,
  isEvent,
  originKey,
  outlivesClosing,
  withSent,
  encodeEvent,
  type Appended,
  type CheckedEvent,
  type DeliberationId,
  type Entry,
  type ListQuery,
  type OrganizationId,
  type OrganizationStore,
  type Origin,
  type RequestNames,
  type Reservation,
  type StepReservation,
  type Store,
  type StoredEvent,
  type Summary,
  type Tombstone,
  type UnreadableEvent,
} from "../kernel/index.ts";

/** `places`: where its rows are, by `seq` less 1. */
type StoredHead = Summary & { readonly opened: Cursor; readonly cursor: Cursor; readonly places: number[] };

/**
 * A store that lives and dies with the process: for tests and for trying a protocol out. It keeps the
 * same contract as the durable ones, and the same bytes, but it is one process's own.
 * @param rows its events in order, which a test may damage or remove
 */
export function memoryStore(now: () => number = Date.now, rows: (StoredEvent | undefined)[] = []): Store {
  const decoded = new WeakMap<StoredEvent, Entry>();
  const batches = new Map<string, Entry[]>();
  const heads = new Map<DeliberationId, StoredHead>();
  const texts = new Map<string, string>();
  const cursors = new Map<string, Cursor>();
  const leases = new Map<string, { holder: string; until: number }>();
  const reservations: { id: DeliberationId; origin: string; amount: Reservation & RequestNames }[] = [];
  const tombstones = new Map<DeliberationId, Tombstone>();
  const waiting = new Set<() => void>();

  const entryOf = (row: StoredEvent): Entry => {
    const entry = decoded.get(row) ?? decodeEntry(row);
    if (!row.id.startsWith(`${row.deliberation}/${originKey(entry.origin)}#`)) {
      const why = "is not under the origin that it was recorded under";
      throw new Fault("journal-damaged", { id: row.deliberation, seq: row.seq, why });
    }
    decoded.set(row, entry);
    return entry;
  };

  const record = (id: DeliberationId, events: readonly CheckedEvent[], origin: Origin): Entry[] => {
    const key = originKey(origin);
    const head = heads.get(id);
    const fresh = events.map(({ type, schema, data }, index) => ({
      ...{ type, schema, data },
      id: eventId(id, key, index),
      deliberation: id,
      seq: (head?.seq ?? 0) + index + 1,
      cursor: Cursor.parse(rows.length + index + 1),
      at: new Date(now()).toISOString(),
      origin: JSON.stringify(origin),
    }));
    rows.push(...fresh);
    const entries = fresh.map(entryOf);
    batches.set(`${id}/${key}`, entries);
    for (const entry of entries) {
      const next = moved(heads.get(id), entry);
      next.places.push(entry.cursor - 1);
      heads.set(id, next);
    }
    for (const wake of waiting) wake();
    return entries;
  };

  const isOf = (id: DeliberationId, organization: OrganizationId | undefined): boolean =>
    organization === undefined || heads.get(id)?.organization === organization;

  const stepsOf = (id: DeliberationId): StepReservation[] => {
    const steps = new Map<string, StepReservation>();
    for (const { origin, amount } of reservations.filter((one) => one.id === id)) {
      const recorded = batches.get(`${id}/${origin}`)?.[0]?.seq ?? null;
      const known = steps.get(origin);
      const { model = known?.model ?? null, speaker = known?.speaker ?? null } = amount;
      const sum = add(known ?? { calls: 0, tokens: 0, usd: 0 }, amount);
      steps.set(origin, { ...sum, origin, model, speaker, recorded });
    }
    return [...steps.values()];
  };

  /** Every organization's events, or one's. */
  async function* follow(
    after: Cursor,
    signal: AbortSignal,
    organization?: OrganizationId,
  ): AsyncIterable<readonly (Entry | UnreadableEvent)[]> {
    let at: number = after;
    while (!signal.aborted) {
      const fresh = rows.slice(at);
      at += fresh.length;
      const own = fresh.flatMap((row) =>
        row && isOf(row.deliberation, organization) ? [feedEntry(() => entryOf(row), row)] : [],
      );
      if (own.length > 0) yield own;
      else {
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            signal.removeEventListener("abort", wake);
            resolve();
          };
          waiting.add(wake);
          signal.addEventListener("abort", wake);
        });
      }
    }
  }
  const changed = async (after: Cursor, organization?: OrganizationId) => {
    await Promise.resolve();
    const later = [...heads.values()]
      .filter(({ id, cursor }) => isOf(id, organization) && cursor > after && !tombstones.has(id))
      .map(({ id: deliberation, seq }) => ({ deliberation, seq }));
    return { cursor: Cursor.parse(rows.length), heads: later };
  };
  const end = () => Promise.resolve(Cursor.parse(rows.length));

  const list = async (
    organization: OrganizationId | undefined,
    {
      limit,
      series,
      open = false,
      before,
      after = FIRST_CURSOR,
      prefix = "",
      protocol,
      status,
      since = "",
      until = "~",
      requests,
      opening = [],
      unkept = false,
    }: ListQuery,
  ) => {
    await Promise.resolve();
    const below =
      before === undefined ? Infinity : isOf(before, organization) ? (heads.get(before)?.opened ?? 0) : 0;
    return [...heads.values()]
      .reverse()
      .filter((head) => isOf(head.id, organization) && (series === undefined || head.series === series))
      .filter(({ opened, status: now }) => opened < below && (!open || now === "open"))
      .filter(({ cursor }) => cursor > after)
      .filter(({ id }) => tombstones.has(id) === (!open && status === "forgotten"))
      .filter(
        (head) => (protocol ?? head.protocol) === head.protocol && (status ?? head.status) === head.status,
      )
      .filter(({ id, openedAt }) => id.startsWith(prefix) && openedAt >= since && openedAt < until)
      .filter(({ places: [first] }) => requests === undefined || isNamed(rows[first ?? -1], requests))
      .filter(({ places: [first = -1] }) =>
        [...opening, ...(unkept ? ['"store":false'] : [])].every((text) => rows[first]?.data.includes(text)),
      )
      .slice(0, limit)
      .map(({ opened: _opened, cursor: _cursor, places: _places, ...summary }) => summary);
  };

  const partOf = (organization: OrganizationId): OrganizationStore => ({
    organization,
    // Deferred as a durable store defers, so that nothing comes to rely on an append within the same tick.
    async append(id, events, origin): Promise<Appended> {
      admit(events, origin);
      const [first] = events;
      if (first?.type === "deliberation-opened" && first.data.organization !== organization) {
        const why = `it is of the organization ${first.data.organization}, and this part of the store is ${organization}'s`;
        throw new Fault("event-invalid", { type: first.type, why });
      }
      const checked = events.map(encodeEvent);
      await Promise.resolve();
      const head = heads.get(id);
      if (head && (!isOf(id, organization) || tombstones.has(id))) return { ok: false, reason: "missing" };
      const past = batches.get(`${id}/${originKey(origin)}`);
      if (past) return { ok: true, fresh: false, events: past };
      if (!head && first?.type !== "deliberation-opened") return { ok: false, reason: "missing" };
      if (head && head.status !== "open" && !outlivesClosing(events, origin)) {
        return { ok: false, reason: "closed" };
      }
      return { ok: true, fresh: true, events: record(id, checked, origin) };
    },
    async read(id, after = 0, limit = Infinity) {
      await Promise.resolve();
      const head = heads.get(id);
      if (!head || !isOf(id, organization)) return [];
      const gone = tombstones.get(id);
      if (gone) throw new Fault("deliberation-forgotten", { id, at: gone.forgottenAt });
      const own = head.places.slice(after, after + limit).flatMap((place) => rows[place] ?? []);
      const entries = complete(own.map(entryOf), { id, after, head: Math.min(head.seq, after + limit) });
      return after > 0 ? entries : withSent(entries, stepsOf(id));
    },
    subscribe: (after, signal) => follow(after, signal, organization),
    changed: (after) => changed(after, organization),
    end,
    list: (query) => list(organization, query),
    async putTexts(given) {
      await Promise.resolve();
      for (const [digest, text] of given) {
        const key = `${organization} ${digest}`;
        if (!texts.has(key)) texts.set(key, text);
      }
    },
    async forget(id, { tombstone, seq }) {
      await Promise.resolve();
      const head = heads.get(id);
      if (!head || !isOf(id, organization)) return "missing";
      if (tombstones.has(id)) return "forgotten";
      if (head.seq !== seq) return "changed";
      const openingOf = ({ places: [first = -1] }: StoredHead) => rows[first]?.data ?? "";
      const others = [...heads.values()].filter((one) => one.id !== id && isOf(one.id, organization));
      for (const [digest] of openingOf(head).matchAll(/[0-9a-f]{64}/g))
        if (!others.some((one) => openingOf(one).includes(digest))) texts.delete(`${organization} ${digest}`);
      for (const place of head.places) rows[place] = undefined;
      for (const key of batches.keys()) if (key.startsWith(`${id}/`)) batches.delete(key);
      reservations.splice(0, reservations.length, ...reservations.filter((one) => one.id !== id));
      heads.set(id, { ...head, question: "", series: null, status: "forgotten", seq: 0, places: [] });
      tombstones.set(id, tombstone);
      const count = forgettingsOf(organization);
      cursors.set(count, Cursor.parse((cursors.get(count) ?? 0) + 1));
      return "forgotten";
    },
    async tombstones(since = "") {
      await Promise.resolve();
      return [...tombstones.values()].filter((one) => isOf(one.id, organization) && one.openedAt >= since);
    },
    async text(digest) {
      await Promise.resolve();
      const text = texts.get(`${organization} ${digest}`);
      if (text === undefined) throw new Fault("text-missing", { digest });
      return text;
    },
    async reserve(id, origin, amount) {
      await Promise.resolve();
      if (!isOf(id, organization) || tombstones.has(id)) throw new Fault("deliberation-missing", { id });
      reservations.push({ id, origin, amount });
    },
    async reservations(id) {
      await Promise.resolve();
      return isOf(id, organization) ? stepsOf(id) : [];
    },
  });
  return {
    location: "memory",
    for: partOf,
    findOrganization: (id) => Promise.resolve(tombstones.has(id) ? undefined : heads.get(id)?.organization),
    listAll: (query) => list(undefined, query),
    subscribe: (after, signal) => follow(after, signal),
    changed: (after) => changed(after),
    end,
    cursor: (reactor) => Promise.resolve(cursors.get(reactor)),
    async advance(reactor, from, to) {
      await Promise.resolve();
      if (cursors.get(reactor) !== from) return false;
      cursors.set(reactor, to);
      return true;
    },
    async lease(name, holder, ttlMs) {
      await Promise.resolve();
      const held = leases.get(name);
      if (held && held.holder !== holder && held.until > now()) return false;
      leases.set(name, { holder, until: now() + ttlMs });
      return true;
    },
    async release(name, holder) {
      await Promise.resolve();
      if (leases.get(name)?.holder === holder) leases.delete(name);
    },
    async leases(prefix) {
      await Promise.resolve();
      return [...leases]
        .filter(([name, { until }]) => name.startsWith(prefix) && until > now())
        .map(([name, { holder }]) => ({ name, holder }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** True for an opening whose request a list shows. */
function isNamed(opening: StoredEvent | undefined, { prefixes, hidden }: NonNullable<ListQuery["requests"]>) {
  const origin = opening === undefined ? undefined : decodeEntry(opening).origin;
  const request = origin?.by === "open" ? origin.request : "";
  return prefixes.some((one) => request.startsWith(one)) !== hidden;
}

const add = (a: Reservation, b: Reservation): Reservation => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  usd: a.usd + b.usd,
});

/** A head after an entry; the first one is the opening, as `append` has checked. */
function moved(head: StoredHead | undefined, entry: Entry): StoredHead {
  const { seq, cursor } = entry;
  if (head)
    return {
      ...head,
      seq,
      cursor,
      ...(isEvent(entry, "deliberation-closed") && { status: entry.data.outcome }),
    };
  if (!isEvent(entry, "deliberation-opened")) throw new Error("a deliberation begins with its opening");
  const { organization, series, protocol, question } = entry.data;
  return {
    ...{ id: entry.deliberation, organization, series: series?.id ?? null, protocol: protocol.name },
    question: question.slice(0, 200),
    openedAt: entry.at,
    status: "open",
    opened: cursor,
    seq,
    cursor,
    places: [],
  };
}
