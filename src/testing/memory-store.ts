import {
  Cursor,
  Fault,
  admit,
  decodeEntry,
  eventId,
  isEvent,
  originKey,
  outlivesClosing,
  encodeEvent,
  type Appended,
  type DeliberationId,
  type Entry,
  type OrganizationId,
  type OrganizationStore,
  type Origin,
  type Reservation,
  type StepReservation,
  type Store,
  type EncodedEvent,
} from "../kernel/index.ts";

/**
 * A store that lives and dies with the process: for tests and for trying a protocol out. It keeps the
 * same contract as the durable ones, and the same bytes, but it is one process's own.
 */
export function memoryStore(now: () => number = Date.now): Store {
  const inOrder: Entry[] = [];
  const batches = new Map<string, Entry[]>();
  const byDeliberation = new Map<DeliberationId, Entry[]>();
  const owners = new Map<DeliberationId, OrganizationId>();
  const texts = new Map<string, string>();
  const cursors = new Map<string, Cursor>();
  const leases = new Map<string, { holder: string; until: number }>();
  const reservations: { id: DeliberationId; origin: string; amount: Reservation }[] = [];
  const waiting = new Set<() => void>();

  const record = (id: DeliberationId, events: readonly EncodedEvent[], origin: Origin): Entry[] => {
    const key = originKey(origin);
    const log = byDeliberation.get(id) ?? [];
    byDeliberation.set(id, log);
    const entries = events.map((event, index) =>
      decodeEntry({
        ...event,
        id: eventId(id, key, index),
        deliberation: id,
        seq: log.length + index + 1,
        cursor: Cursor.parse(inOrder.length + index + 1),
        at: new Date(now()).toISOString(),
        origin: JSON.stringify(origin),
      }),
    );
    inOrder.push(...entries);
    log.push(...entries);
    batches.set(`${id}/${key}`, entries);
    for (const wake of waiting) wake();
    return entries;
  };

  const isOf = (id: DeliberationId, organization: OrganizationId | undefined): boolean =>
    organization === undefined || owners.get(id) === organization;

  /** Every organization's events, or one's. */
  async function* follow(
    after: Cursor,
    signal: AbortSignal,
    organization?: OrganizationId,
  ): AsyncIterable<readonly Entry[]> {
    let at: number = after;
    while (!signal.aborted) {
      const fresh = inOrder.slice(at);
      at += fresh.length;
      const own = fresh.filter(({ deliberation }) => isOf(deliberation, organization));
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
    const heads = [...byDeliberation]
      .filter(([id, log]) => isOf(id, organization) && (log.at(-1)?.cursor ?? 0) > after)
      .map(([deliberation, log]) => ({ deliberation, seq: log.length }));
    return { cursor: Cursor.parse(inOrder.length), heads };
  };
  const end = () => Promise.resolve(Cursor.parse(inOrder.length));

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
      const rows = events.map(encodeEvent);
      await Promise.resolve();
      const log = byDeliberation.get(id);
      if (log && !isOf(id, organization)) return { ok: false, reason: "missing" };
      const past = batches.get(`${id}/${originKey(origin)}`);
      if (past) return { ok: true, fresh: false, events: past };
      if (!log && first?.type !== "deliberation-opened") return { ok: false, reason: "missing" };
      if (log?.some((entry) => isEvent(entry, "deliberation-closed")) && !outlivesClosing(events, origin)) {
        return { ok: false, reason: "closed" };
      }
      owners.set(id, organization);
      return { ok: true, fresh: true, events: record(id, rows, origin) };
    },
    async read(id, after = 0) {
      await Promise.resolve();
      return isOf(id, organization) ? (byDeliberation.get(id) ?? []).slice(after) : [];
    },
    subscribe: (after, signal) => follow(after, signal, organization),
    changed: (after) => changed(after, organization),
    end,
    async list({ limit, series, before }) {
      await Promise.resolve();
      const summaries = [...byDeliberation.values()].flatMap((log) => {
        const [opened] = log;
        if (!opened || !isEvent(opened, "deliberation-opened")) return [];
        const { data } = opened;
        if (data.organization !== organization || (series !== undefined && data.series?.id !== series))
          return [];
        const closed = log.find((entry) => isEvent(entry, "deliberation-closed"));
        return [
          {
            id: opened.deliberation,
            organization: data.organization,
            series: data.series?.id ?? null,
            protocol: data.protocol.name,
            question: data.question.slice(0, 200),
            openedAt: opened.at,
            status: closed && isEvent(closed, "deliberation-closed") ? closed.data.outcome : "open",
            seq: log.length,
          },
        ];
      });
      const below = before === undefined ? Infinity : (openedAt(before, organization) ?? 0);
      return summaries
        .reverse()
        .filter(({ id }) => (openedAt(id, organization) ?? 0) < below)
        .slice(0, limit);
    },
    async putText(digest, text) {
      await Promise.resolve();
      const key = `${organization} ${digest}`;
      if (!texts.has(key)) texts.set(key, text);
    },
    async text(digest) {
      await Promise.resolve();
      const text = texts.get(`${organization} ${digest}`);
      if (text === undefined) throw new Fault("text-missing", { digest });
      return text;
    },
    async reserve(id, origin, amount) {
      await Promise.resolve();
      if (owners.get(id) !== organization) throw new Fault("deliberation-missing", { id });
      reservations.push({ id, origin, amount });
    },
    async reservations(id) {
      await Promise.resolve();
      const steps = new Map<string, StepReservation>();
      for (const { origin, amount } of reservations.filter(
        (one) => one.id === id && isOf(id, organization),
      )) {
        const recorded = batches.get(`${id}/${origin}`)?.[0]?.seq ?? null;
        steps.set(origin, { ...add(steps.get(origin) ?? { calls: 0, tokens: 0, usd: 0 }, amount), recorded });
      }
      return [...steps.values()];
    },
  });
  /** The cursor of an opening. */
  const openedAt = (id: DeliberationId, organization: OrganizationId): number | undefined =>
    isOf(id, organization) ? byDeliberation.get(id)?.[0]?.cursor : undefined;

  return {
    location: "memory",
    for: partOf,
    findOrganization: (id) => Promise.resolve(owners.get(id)),
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

const add = (a: Reservation, b: Reservation): Reservation => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  usd: a.usd + b.usd,
});
