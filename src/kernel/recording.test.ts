import { describe, expect, it } from "vitest";
import {
  admit,
  outlivesClosing,
  decodeEntry,
  MAX_EVENT_BYTES,
  encodeEvent,
  type StoredEvent,
} from "./recording.ts";
import type { NewEvent } from "./event.ts";
import { EVENT_SCHEMA } from "./event.ts";
import { Cursor, DeliberationId, EventId } from "./ids.ts";
import { originKey, Origin } from "./origin.ts";

// DESIGN section 3, points 4 and 5.

const note = (body: unknown, topic = "t"): NewEvent =>
  // Bodies that are no JSON are what is tested.
  ({ type: "note-taken", data: { topic, reason: "r", body } }) as NewEvent;

const row = (changes: Partial<StoredEvent>): StoredEvent => ({
  id: EventId.parse("d/client/r#0"),
  deliberation: DeliberationId.parse("d"),
  seq: 1,
  cursor: Cursor.parse(1),
  at: "2026-01-01T00:00:00.000Z",
  origin: '{"by":"client","request":"r"}',
  ...encodeEvent(note(null)),
  ...changes,
});

describe("the door into a store", () => {
  it("writes the data canonically, so that it reads back as the same bytes", () => {
    for (const body of [null, "\0", -0, 1e21, { b: 1, a: ["\u2028", { "": 0 }] }, "\ud83d\ude00"] as const) {
      const text = encodeEvent(note(body)).data;
      const entry = decodeEntry(row({ data: text }));
      expect(encodeEvent({ type: "note-taken", data: entry.data } as NewEvent).data).toBe(text);
    }
    expect(encodeEvent(note(-0)).data).toBe('{"body":0,"reason":"r","topic":"t"}');
    expect(encodeEvent(note("\ud800", "\udc00")).data).toBe(
      '{"body":"\ufffd","reason":"r","topic":"\ufffd"}',
    );
  });

  it.each([
    ["NaN", NaN],
    ["undefined", undefined],
    ["deep undefined", { a: [undefined] }],
    ["a date", new Date(0)],
    ["a bigint", 1n],
  ])("refuses %s", (_what, body) => {
    expect(() => encodeEvent(note(body))).toThrowError(expect.objectContaining({ code: "event-invalid" }));
  });

  it("refuses an event of another shape, and one that is nested too deep to be read back", () => {
    expect(() =>
      encodeEvent({ type: "note-taken", data: { topic: "t" } } as unknown as NewEvent),
    ).toThrowError(expect.objectContaining({ code: "event-invalid" }));
    const deep: unknown = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`);
    expect(() => encodeEvent(note(deep))).toThrowError(expect.objectContaining({ code: "event-invalid" }));
  });

  it("takes four megabytes of UTF-8 and not a byte more", () => {
    const frame = encodeEvent(note("")).data.length;
    const fits = "x".repeat(MAX_EVENT_BYTES - frame);
    expect(encodeEvent(note(fits)).data).toHaveLength(MAX_EVENT_BYTES);
    expect(() => encodeEvent(note(`${fits}x`))).toThrowError(
      expect.objectContaining({ code: "event-too-large" }),
    );
    // Three bytes each: far under the limit in characters, over it in bytes.
    const euros = "€".repeat((MAX_EVENT_BYTES - frame) / 3 + 1);
    expect(() => encodeEvent(note(euros))).toThrowError(expect.objectContaining({ code: "event-too-large" }));
    expect(encodeEvent(note("€".repeat((MAX_EVENT_BYTES - frame) / 3))).data.length).toBeLessThan(
      MAX_EVENT_BYTES / 2,
    );
    expect(() => encodeEvent(note("\ud83d\ude00".repeat(MAX_EVENT_BYTES / 4)))).toThrowError(
      expect.objectContaining({ code: "event-too-large" }),
    );
  });
});

describe("an event on its way in", () => {
  it("is given out as a reader will find it, lone surrogates and members that were undefined included", () => {
    const given: NewEvent[] = [
      {
        type: "note-taken",
        data: { topic: "\ud800t", reason: "r\udfff", body: { "\ud800": [-0, "\udc00"] } },
      },
      { type: "feedback-given", data: { thumb: "up", text: undefined } },
      { type: "deliberation-closed", data: { outcome: "failed", why: "\ud800" } },
    ];
    for (const event of given) {
      const { event: found, data } = encodeEvent(event);
      const { type, data: read } = decodeEntry(row({ type: event.type, data }));
      expect(found).toStrictEqual({ type, data: read });
    }
  });
});

describe("the door out of a store", () => {
  it("keeps an event of an unknown type as it is", () => {
    const entry = decodeEntry(row({ type: "moon-landed", data: '{"on":["the","moon"]}' }));
    expect(entry).toMatchObject({
      type: "unknown",
      data: { type: "moon-landed", data: { on: ["the", "moon"] } },
    });
  });

  it("refuses a newer schema, and says what to do", () => {
    const read = () => decodeEntry(row({ schema: EVENT_SCHEMA + 1 }));
    expect(read).toThrowError(expect.objectContaining({ code: "schema-newer" }));
    expect(read).toThrow("install a newer Parley");
  });

  it.each([
    ["data of another shape", { data: '{"topic":"t"}' }],
    ["data that is no JSON", { data: "{" }],
    ["an origin that is none", { origin: '{"by":"nobody"}' }],
    ["an origin that is no JSON", { origin: "" }],
  ])("calls %s damaged, by a fault that names the run", (_what, changes) => {
    const read = () => decodeEntry(row(changes));
    expect(read).toThrowError(expect.objectContaining({ code: "journal-damaged" }));
    expect(read).toThrow(/^run d cannot be read: event 1 \("note-taken"\) is damaged: /);
  });
});

describe("admission", () => {
  const closing: NewEvent = { type: "deliberation-closed", data: { outcome: "cancelled", why: "w" } };
  const feedback: NewEvent = { type: "feedback-given", data: { thumb: "up" } };
  const step = { step: "s", digest: "0".repeat(64), after: [] };
  const client = Origin.parse({ by: "client", request: "r" });
  const close = Origin.parse({ by: "close", after: [] });
  const protocol = Origin.parse({ by: "protocol", ...step });
  const reactor = Origin.parse({ by: "reactor", reactor: "critic", event: "d/open#0", ...step });

  it("wants a closing last and under the origin `close`, and nothing else there", () => {
    expect(() => admit([note(null), closing], close)).not.toThrow();
    for (const [events, origin] of [
      [[closing], client],
      [[closing, note(null)], close],
      [[note(null)], close],
      [[], client],
      [[note(null)], Origin.parse({ by: "open", request: "r" })],
    ] as const) {
      expect(() => admit(events, origin)).toThrowError(expect.objectContaining({ code: "event-invalid" }));
    }
  });

  it("lets reactions and a person's feedback outlive the closing, and nothing else", () => {
    expect(outlivesClosing([note(null)], reactor)).toBe(true);
    expect(outlivesClosing([feedback], client)).toBe(true);
    expect(outlivesClosing([feedback, note(null)], client)).toBe(false);
    expect(outlivesClosing([feedback], protocol)).toBe(false);
    expect(outlivesClosing([feedback], Origin.parse({ by: "adopted", ...step, from: "p" }))).toBe(false);
  });

  it("knows a step and its adoption, all openings and all closings as one origin each", () => {
    expect(originKey(Origin.parse({ by: "adopted", ...step, from: "p" }))).toBe(originKey(protocol));
    expect(originKey(Origin.parse({ by: "open", request: "a" }))).toBe(
      originKey(Origin.parse({ by: "open", request: "b" })),
    );
    expect(originKey(Origin.parse({ by: "close", after: ["s"] }))).toBe(originKey(close));
    expect(originKey(Origin.parse({ by: "client", request: "close" }))).not.toBe(originKey(close));
  });
});
