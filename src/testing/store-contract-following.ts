import { expect } from "./contract.ts";
import { FIRST_CURSOR, Cursor, type Entry, type Store } from "../kernel/index.ts";
import { collect, needed, type StoreCase } from "./store-place.ts";
import { LOCAL, byClient, byOpening, byStep, deliberation, note, opening, upTo } from "./store-samples.ts";

const id = deliberation("d1");

const open = (store: Store, name = "d1") =>
  store.for(LOCAL).append(deliberation(name), [opening("?")], byOpening);

const places = (entries: readonly Entry[]) => entries.map((entry) => entry.cursor);

export const followingCases: readonly StoreCase[] = [
  {
    title: "follows from a cursor: what was, then what comes, in one order",
    run: async (place) => {
      await using store = await place.open();
      await open(store);
      await store.for(LOCAL).append(id, [note(1), note(2)], byClient("old"));
      const from = Cursor.parse(1);
      const following = collect(store, from, (entries) => entries.length >= 4);
      await store.for(LOCAL).append(id, [note(3)], byClient("new"));
      await open(store, "d2");
      expect((await following).map((entry) => [entry.cursor, entry.deliberation, entry.seq])).toEqual([
        [2, "d1", 2],
        [3, "d1", 3],
        [4, "d1", 4],
        [5, "d2", 1],
      ]);
    },
  },

  {
    title: "wakes a subscription for what another opening of the store appends",
    run: async (place) => {
      await using here = await place.open();
      await using there = await place.open();
      const following = collect(here, FIRST_CURSOR, (entries) => entries.length >= 2);
      await open(there);
      await there.for(LOCAL).append(id, [note(1)], byClient("a"));
      expect(await following).toEqual(await there.for(LOCAL).read(id));
    },
  },

  {
    title:
      "ends a subscription when it is aborted, though nothing comes, while waiting and while catching up",
    run: async (place) => {
      await using store = await place.open();
      await open(store);
      await Promise.all(
        upTo(50).map((round) => store.for(LOCAL).append(id, [note(round)], byClient(`${round}`))),
      );
      const waiting = new AbortController();
      const quiet = store.subscribe(await store.end(), waiting.signal)[Symbol.asyncIterator]();
      const next = quiet.next();
      waiting.abort();
      expect(await next).toMatchObject({ done: true });
      const busy = new AbortController();
      const catching = store.subscribe(FIRST_CURSOR, busy.signal)[Symbol.asyncIterator]();
      expect((await catching.next()).done).toBe(false);
      busy.abort();
      expect(await catching.next()).toMatchObject({ done: true });
      const never = store.subscribe(FIRST_CURSOR, AbortSignal.abort())[Symbol.asyncIterator]();
      expect(await never.next()).toMatchObject({ done: true });
    },
  },

  {
    title: "never skips, whoever appends and wherever a subscription starts (POLL-1)",
    run: async (place) => {
      await using first = await place.open();
      await using second = await place.open();
      await using third = await place.open();
      const writers = [first, second, third];
      const rounds = 40;
      const total = writers.length * (1 + rounds * 3);
      const early = collect(first, FIRST_CURSOR, (entries) => entries.length >= total);
      const late: Promise<readonly Entry[]>[] = [];
      const write = async (store: Store, writer: number): Promise<void> => {
        const own = `d${writer}`;
        await open(store, own);
        for (const round of upTo(rounds)) {
          const origins = [byClient(`${round}`), byStep(`${round}`)] as const;
          const body = note(`${writer}/${round}`);
          await Promise.all([
            store.for(LOCAL).append(deliberation(own), [body, body], origins[0]),
            store.for(LOCAL).append(deliberation(own), [body], origins[1]),
          ]);
          if (round === 10) {
            const from = await store.end();
            late.push(collect(store, from, (entries) => from + entries.length >= total));
          }
        }
      };
      await Promise.all(writers.map(write));
      expect(places(await early)).toEqual(upTo(total));
      const everything = await early;
      for (const part of await Promise.all(late)) expect(part).toEqual(everything.slice(total - part.length));
      for (const writer of [0, 1, 2]) {
        const own = deliberation(`d${writer}`);
        expect(everything.filter((entry) => entry.deliberation === own)).toEqual(
          await first.for(LOCAL).read(own),
        );
      }
    },
  },

  {
    title: "waits for a held lock without holding the event loop",
    run: async (place) => {
      await using store = await place.open();
      await open(store);
      const lock = await needed(place.holdWrites?.bind(place), "holdWrites")();
      let settled = 0;
      const writes = [
        store.for(LOCAL).append(id, [note(0)], byClient("waits")),
        store.for(LOCAL).reserve(id, "protocol/step", { calls: 1, tokens: 1, usd: 0 }),
        store.lease("critic", "worker", 10),
      ].map(async (write) => {
        await write;
        settled++;
      });
      // A store that blocks for a tenth of a second at a time lets fewer timers than these fire within the test's own limit.
      for (const _ of upTo(250)) await new Promise((resolve) => setTimeout(resolve, 1));
      // Reservations and leases need not wait in every store, but an append must have.
      expect(settled).toBeLessThan(3);
      expect(await store.for(LOCAL).read(id)).toHaveLength(1);
      await lock.release();
      await Promise.all(writes);
    },
  },
];
