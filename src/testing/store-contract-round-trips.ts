import { expect } from "vitest";
import {
  FIRST_CURSOR,
  MAX_EVENT_BYTES,
  isFault,
  originKey,
  encodeEvent,
  type Json,
  type NewEvent,
  type Store,
} from "../kernel/index.ts";
import { needed, type StoreCase } from "./store-place.ts";
import {
  LOCAL,
  byClient,
  byOpening,
  byReactor,
  deliberation,
  eventsOf,
  note,
  opening,
  upTo,
} from "./store-samples.ts";

const id = deliberation("d1");

const bodyOf = async (store: Store, seq: number): Promise<unknown> => {
  const [entry] = await store.for(LOCAL).read(id, seq - 1);
  return entry?.type === "note-taken" ? entry.data.body : entry;
};

const nested = (depth: number): Json => {
  let body: Json = "core";
  for (let level = 0; level < depth; level++) body = level % 2 ? [body] : { in: body };
  return body;
};

/** What goes in, and what comes out where that differs. */
const bodies: readonly (readonly [json: Json, readBack?: Json])[] = [
  ["nul \0 inside"],
  ["lone \ud800 and \udc00 alone", "lone \ufffd and \ufffd alone"],
  ["pair \ud83d\ude00, \u2028, \u00e9, e\u0301, \ufeff"],
  [-0, 0],
  [1e21],
  [5e-324],
  [Number.MAX_SAFE_INTEGER],
  [0.1],
  [
    { "\ud800": 1, a: { z: null, "": [], "\0": false } },
    { "\ufffd": 1, a: { z: null, "": [], "\0": false } },
  ],
  [{ constructor: "plain", toString: 1 }],
  [nested(200)],
  ["'; drop table event; --"],
  [null],
];

/** A note whose data has exactly this many bytes at rest. */
function noteOf(bytes: number, filler: string): NewEvent {
  const width = new TextEncoder().encode(filler).length;
  const empty = encodeEvent(note("")).data.length;
  const count = Math.floor((bytes - empty) / width);
  return note(filler.repeat(count) + "x".repeat(bytes - empty - count * width));
}

export const roundTripCases: readonly StoreCase[] = [
  {
    title: "gives back every JSON value as it was, but for what JSON itself cannot carry",
    run: async (place) => {
      await using store = await place.open();
      await store.for(LOCAL).append(id, [opening("?")], byOpening);
      for (const [index, [body, readBack = body]] of bodies.entries()) {
        await store.for(LOCAL).append(id, [note(body)], byClient(`${index}`));
        const found = await bodyOf(store, index + 2);
        expect(found).toEqual(readBack);
        expect(Object.is(found, -0)).toBe(false);
      }
    },
  },

  {
    title: "keeps apart origins that a database might take for one",
    run: async (place) => {
      await using store = await place.open();
      await store.for(LOCAL).append(id, [opening("?")], byOpening);
      const emoji = "\u{1f600}".repeat(190);
      const event = "e".repeat(1_500);
      const origins = [
        ...[
          "a",
          "a\0",
          "a\0b",
          "a\\u0000",
          "\ud800",
          "\udfff",
          "\ufffd",
          "A",
          "a ",
          `${emoji}1`,
          `${emoji}2`,
        ].map(byClient),
        ...[`${event}1`, `${event}2`].map((long) => byReactor(long, "grade")),
      ];
      for (const [index, origin] of origins.entries()) {
        const appended = await store.for(LOCAL).append(id, [note(index)], origin);
        expect(appended).toMatchObject({ ok: true, fresh: true });
        expect(await store.for(LOCAL).append(id, [note("again")], origin)).toEqual({
          ...appended,
          fresh: false,
        });
      }
      const ids = (await store.for(LOCAL).read(id)).slice(1).map((entry) => entry.id);
      expect(ids).toEqual(origins.map((origin) => `d1/${originKey(origin)}#0`));
      expect(new Set(ids).size).toBe(origins.length);
    },
  },

  {
    title: "takes an event of 4 MB, and none that is a byte larger",
    run: async (place) => {
      await using store = await place.open();
      await store.for(LOCAL).append(id, [opening("?")], byOpening);
      for (const filler of ["x", "\u20ac"]) {
        const largest = eventsOf(
          await store.for(LOCAL).append(id, [noteOf(MAX_EVENT_BYTES, filler)], byClient(`fits ${filler}`)),
        );
        expect((await store.for(LOCAL).read(id, (largest[0]?.seq ?? 0) - 1))[0]).toEqual(largest[0]);
        const fault: unknown = await store
          .for(LOCAL)
          .append(id, [noteOf(MAX_EVENT_BYTES + 1, filler)], byClient(`too large ${filler}`))
          .catch((error: unknown) => error);
        expect(isFault(fault, "event-too-large")).toBe(true);
      }
      expect(await store.for(LOCAL).read(id)).toHaveLength(3);
    },
  },

  {
    title: "refuses nesting deeper than it could read back",
    run: async (place) => {
      await using store = await place.open();
      await store.for(LOCAL).append(id, [opening("?")], byOpening);
      const fault: unknown = await store
        .for(LOCAL)
        .append(id, [note(nested(200_000))], byClient("deep"))
        .catch((e: unknown) => e);
      expect(isFault(fault, "event-invalid")).toBe(true);
      expect(await store.for(LOCAL).append(id, [note(1)], byClient("after"))).toMatchObject({ ok: true });
    },
  },

  {
    title: "keeps data at rest as canonical JSON",
    run: async (place) => {
      await using store = await place.open();
      const events = [opening("\ud800 \0"), ...bodies.map(([body]) => note(body))];
      for (const [index, event] of events.entries()) {
        await store.for(LOCAL).append(id, [event], index === 0 ? byOpening : byClient(`${index}`));
      }
      const atRest = await needed(place.dataAtRest?.bind(place), "dataAtRest")(id);
      expect(atRest).toEqual(events.map((event) => encodeEvent(event).data));
    },
  },

  {
    title: "keeps an event of a type that it does not know",
    run: async (place) => {
      await using store = await place.open();
      await store.for(LOCAL).append(id, [opening("?"), note({ b: 1, a: [2] })], byOpening);
      await needed(place.alter?.bind(place), "alter")(id, 2, { type: "star-danced" });
      const [, unknown] = await store.for(LOCAL).read(id);
      expect(unknown).toMatchObject({
        type: "unknown",
        data: { type: "star-danced", data: { topic: "contract", body: { a: [2], b: 1 } } },
        seq: 2,
        id: "d1/open#1",
      });
      expect(await store.for(LOCAL).append(id, [note("next")], byClient("next"))).toMatchObject({ ok: true });
      expect((await store.for(LOCAL).read(id)).map((entry) => entry.seq)).toEqual(upTo(3));
    },
  },

  {
    title: "refuses to read an event of a newer schema",
    run: async (place) => {
      await using store = await place.open();
      await store.for(LOCAL).append(id, [opening("?"), note(1)], byOpening);
      await needed(place.alter?.bind(place), "alter")(id, 2, { schema: 99 });
      const read: unknown = await store
        .for(LOCAL)
        .read(id)
        .catch((error: unknown) => error);
      const next = store.subscribe(FIRST_CURSOR, new AbortController().signal)[Symbol.asyncIterator]().next();
      const followed: unknown = await next.catch((error: unknown) => error);
      expect([isFault(read, "schema-newer"), isFault(followed, "schema-newer")]).toEqual([true, true]);
    },
  },
];
