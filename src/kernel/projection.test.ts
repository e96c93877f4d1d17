import { expect, it } from "vitest";
import { type Entry, apply, defineProjection, fold } from "./envelope.ts";
import { Cursor, DeliberationId, EventId } from "./ids.ts";
import { decodeEntry, encodeEvent } from "./recording.ts";

// DESIGN section 3, point 4: an unknown event type is skipped by folds.

const entry = (seq: number, type: string, data: string): Entry =>
  decodeEntry({
    id: EventId.parse(`d/client/${seq}#0`),
    deliberation: DeliberationId.parse("d"),
    seq,
    cursor: Cursor.parse(seq),
    at: "2026-01-01T00:00:00.000Z",
    origin: `{"by":"client","request":"${seq}"}`,
    schema: 1,
    type,
    data,
  });

const note = (seq: number, topic: string) =>
  entry(
    seq,
    "note-taken",
    encodeEvent({ type: "note-taken", data: { topic, reason: "r", body: null } }).data,
  );

const topics = defineProjection<readonly string[]>({
  name: "topics",
  initial: [],
  on: { "note-taken": (state, { data }) => [...state, data.topic] },
});

it("folds what it knows, skips what it does not, and leaves its initial state alone", () => {
  const entries = [
    note(1, "a"),
    entry(2, "moon-landed", "{}"),
    entry(3, "feedback-given", '{"thumb":"up"}'),
    note(4, "b"),
  ];
  expect(fold(topics, entries)).toEqual(["a", "b"]);
  expect(topics.initial).toEqual([]);
  expect(fold(topics, entries.slice(1), apply(topics, topics.initial, note(1, "a")))).toEqual(["a", "b"]);
});
