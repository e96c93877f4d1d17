import { expect } from "./contract.ts";
import {
  FIRST_CURSOR,
  MAX_EVENT_BYTES,
  isFault,
  originKey,
  encodeEvent,
  type Entry,
  type Json,
  type NewEvent,
  type Store,
  type UnreadableEvent,
} from "../kernel/index.ts";
import { needed, type AlteredRow, type StoreCase } from "./store-place.ts";
import {
  LOCAL,
  byClient,
  byOpening,
  byReactor,
  byStep,
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
    title: "refuses to read a deliberation that cannot be read, and follows all others",
    run: async (place) => {
      await using store = await place.open();
      const damages: readonly (readonly [string, AlteredRow | null])[] = [
        ["schema-newer", { schema: 99 }],
        ["schema-newer", { schema: 99, type: "star-danced", data: "[1]" }],
        ["journal-damaged", { data: "{" }],
        ["journal-damaged", { data: "" }],
        ["journal-damaged", { data: '{"topic":"contract","reason":"without a body"}' }],
        ["journal-damaged", { data: "[".repeat(2_000) + "]".repeat(2_000) }],
        ["journal-damaged", { type: "answer-given" }],
        ["journal-damaged", { origin: "{" }],
        ["journal-damaged", { origin: '{"by":"nobody"}' }],
        ["journal-damaged", { origin: '{"by":"client","request":"another"}' }],
        ["journal-damaged", { origin: JSON.stringify({ ...byStep("a"), digest: "0" }) }],
      ];
      const holes: readonly (AlteredRow | null)[] = [{ seq: 9 }, null];
      const names = upTo(damages.length + holes.length).map((nth) => deliberation(`d${nth}`));
      for (const name of names) {
        await store.for(LOCAL).append(name, [opening("?")], byOpening);
        await store.for(LOCAL).append(name, [note(1)], byClient("a"));
        await store.for(LOCAL).append(name, [note(2)], byClient("b"));
      }
      const codes = [...damages.map(([code]) => code), ...holes.map(() => "journal-damaged")];
      const rows = [...damages.map(([, row]) => row), ...holes];
      const alter = needed(place.alter?.bind(place), "alter");
      for (const [index, name] of names.entries()) await alter(name, 2, rows[index] ?? null);
      // Where the last event is missing, too.
      const cut = deliberation("cut");
      await store.for(LOCAL).append(cut, [opening("?"), note(1)], byOpening);
      const later = deliberation("later");
      await store.for(LOCAL).append(later, [opening("?")], byOpening);
      await alter(cut, 2, null);

      for (const [index, name] of [...names, cut].entries()) {
        const fault: unknown = await store
          .for(LOCAL)
          .read(name)
          .catch((error: unknown) => error);
        const code = codes[index] ?? "journal-damaged";
        expect([name, isFault(fault) && fault.code]).toEqual([name, code]);
        expect(String(fault)).toContain(name);
      }
      expect(await store.for(LOCAL).read(later)).toHaveLength(1);
      for (const feed of [store, store.for(LOCAL)]) {
        const stop = new AbortController();
        const found: (Entry | UnreadableEvent)[] = [];
        for await (const batch of feed.subscribe(FIRST_CURSOR, stop.signal)) {
          found.push(...batch);
          if (found.some((entry) => entry.deliberation === later)) stop.abort();
        }
        const unreadable = found.filter((entry) => entry.type === "unreadable");
        expect(unreadable.map((entry) => [entry.deliberation, entry.cursor, entry.fault.code])).toEqual(
          damages.map(([code], index) => [names[index], index * 3 + 2, code]),
        );
        const gone = [names.length * 3 - 1, names.length * 3 + 2];
        const all = upTo(names.length * 3 + 3).filter((cursor) => !gone.includes(cursor));
        expect(found.map(({ cursor }) => cursor)).toEqual(all);
      }
    },
  },
];
