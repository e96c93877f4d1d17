import {
  Cursor,
  Fault,
  admit,
  entryOf,
  eventId,
  isEvent,
  originKey,
  outlivesClosing,
  written,
  type Appended,
  type DeliberationId,
  type Digest,
  type Entry,
  type Origin,
  type Reservation,
  type Store,
  type Written,
} from "../kernel/index.ts";

/**
 * A store that lives and dies with the process: for tests and for trying a protocol out. It keeps the
 * same contract as the durable ones, and the same bytes, but it is one process's own.
 */
export function memoryStore(now: () => number = Date.now): Store {
  const inOrder: Entry[] = [];
  const batches = new Map<string, Entry[]>();
  const byDeliberation = new Map<DeliberationId, Entry[]>();
  const texts = new Map<Digest, string>();
  const cursors = new Map<string, Cursor>();
  const leases = new Map<string, { holder: string; until: number }>();
  const reservations: { id: DeliberationId; origin: string; amount: Reservation }[] = [];
  const waiting = new Set<() => void>();

  const record = (id: DeliberationId, events: readonly Written[], origin: Origin): Entry[] => {
    const key = originKey(origin);
    const log = byDeliberation.get(id) ?? [];
    byDeliberation.set(id, log);
    const entries = events.map((event, index) =>
      entryOf({
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

  return {
    where: "memory",
    // Deferred as a durable store defers, so that nothing comes to rely on an append within the same tick.
    async append(id, events, origin): Promise<Appended> {
      admit(events, origin);
      const rows = events.map(written);
      await Promise.resolve();
      const past = batches.get(`${id}/${originKey(origin)}`);
      if (past) return { ok: true, fresh: false, events: past };
      const log = byDeliberation.get(id);
      if (!log && events[0]?.type !== "deliberation-opened") return { ok: false, reason: "missing" };
      if (log?.some((entry) => isEvent(entry, "deliberation-closed")) && !outlivesClosing(events, origin)) {
        return { ok: false, reason: "closed" };
      }
      return { ok: true, fresh: true, events: record(id, rows, origin) };
    },
    async read(id, after = 0) {
      await Promise.resolve();
      return (byDeliberation.get(id) ?? []).slice(after);
    },
    async *subscribe(after, signal) {
      let at: number = after;
      while (!signal.aborted) {
        const fresh = inOrder.slice(at);
        at += fresh.length;
        if (fresh.length > 0) yield fresh;
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
    },
    async changed(after) {
      await Promise.resolve();
      const heads = [...byDeliberation]
        .filter(([, log]) => (log.at(-1)?.cursor ?? 0) > after)
        .map(([deliberation, log]) => ({ deliberation, seq: log.length }));
      return { cursor: Cursor.parse(inOrder.length), heads };
    },
    end: () => Promise.resolve(Cursor.parse(inOrder.length)),
    async list({ organization, limit, series, before }) {
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
      const newestFirst = summaries.reverse();
      const start = before === undefined ? 0 : newestFirst.findIndex((summary) => summary.id === before) + 1;
      return newestFirst.slice(start, start + limit);
    },
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
    async putText(digest, text) {
      await Promise.resolve();
      if (!texts.has(digest)) texts.set(digest, text);
    },
    async text(digest) {
      await Promise.resolve();
      const text = texts.get(digest);
      if (text === undefined) throw new Fault("text-missing", { digest });
      return text;
    },
    async reserve(id, origin, amount) {
      await Promise.resolve();
      reservations.push({ id, origin, amount });
    },
    async outstanding(id) {
      await Promise.resolve();
      const mine = reservations.filter((one) => one.id === id);
      const lost = mine.filter((one, index) => {
        const last = mine.findLastIndex((other) => other.origin === one.origin) === index;
        return !(last && batches.has(`${id}/${one.origin}`));
      });
      return lost.reduce((sum, { amount }) => add(sum, amount), { calls: 0, tokens: 0, usd: 0 });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

const add = (a: Reservation, b: Reservation): Reservation => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  usd: a.usd + b.usd,
});
