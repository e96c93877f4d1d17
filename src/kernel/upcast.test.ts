import { describe, expect, it } from "vitest";
import { Cursor, DeliberationId, Digest, EventId, StepKey } from "./ids.ts";
import type { Entry } from "./envelope.ts";
import { workOf, type Origin } from "./origin.ts";
import { decodeEntry, type StoredEvent } from "./recording.ts";

// UPCAST-2, UPCAST-3: how a journal of schema 1 is read. test/old-store.test.ts replays a whole store of them.

const digest = Digest.parse("0".repeat(64));
const step = (key: string): Origin => ({ by: "protocol", step: StepKey.parse(key), digest, after: [] });
const reacted = (key: string): Origin => ({
  ...{ by: "reactor", reactor: "memory", event: EventId.parse("e") },
  ...{ step: StepKey.parse(key), digest, after: [] },
});

const read = (type: string, data: unknown, origin: Origin): Entry => decodeEntry(rowOf(type, data, origin));
const rowOf = (type: string, data: unknown, origin: Origin): StoredEvent => ({
  id: EventId.parse("e"),
  deliberation: DeliberationId.parse("d"),
  seq: 1,
  cursor: Cursor.parse(1),
  at: "2026-01-01T00:00:00.000Z",
  origin: JSON.stringify(origin),
  type,
  schema: 1,
  data: JSON.stringify(data),
});

const note = (topic: string, { call: made, ...body }: { readonly [part: string]: unknown }, origin: Origin) =>
  read("note-taken", { topic, reason: "why", body, ...(made ? { call: made } : {}) }, origin);
const reply = (key: string) => read("reply-received", { by: "x", why: "w" }, step(key));

const call = (message: string) => ({
  ok: false,
  failure: { code: "over-budget", message },
  model: "sim/ada",
  family: null,
  tokens: { in: null, out: null, cached: null, reasoning: null },
  cost: { source: "unknown", usd: null },
  latencyMs: 0,
  attempts: 0,
});

describe("a step's work", () => {
  it.each([
    ["draft/bob", { kind: "draft", by: "bob" }],
    ["draft/roster", { kind: "draft", by: "roster" }],
    ["review/bob/repair", { kind: "review", by: "bob", nth: 2 }],
    ["synthesis/chair/again-2", { kind: "synthesis", by: "chair", nth: 3 }],
    ["round-2/critique/bob/of/alice", { kind: "critique", round: 2, by: "bob", of: "alice" }],
    ["round-2/critique/bob/of/alice/turn-2", { kind: "critique", round: 2, by: "bob", of: "alice" }],
    ["round-1/proposal/bob/tool-3", { kind: "proposal", round: 1, by: "bob", nth: 3 }],
    ["round-1/proposal/bob/summary", { kind: "summary", round: 1, by: "bob", of: "proposal" }],
    ["round-3/summary/bob/contribution/round-1/critique/al", { kind: "summary", round: 3, by: "bob" }],
    ["round-3/closed", { kind: "round", round: 3 }],
    ["clarify-2/bob", { kind: "clarification", nth: 2, by: "bob" }],
    ["ladder/revision-2", { kind: "decision", of: "revision" }],
    ["evaluation/eva/again-1", { kind: "evaluation", by: "eva", nth: 2 }],
    ["item-7/order-2/repeat-3/again-1", { kind: "order-2", of: "item-7", nth: 3 }],
    ["item-7/grade", { kind: "grade", of: "item-7" }],
    ["answer/A/turn-2", { kind: "answer", by: "A" }],
    ["judge/summary", { kind: "summary" }],
    ["standing", { kind: "standing" }],
    ["something/of/another", undefined],
    ["round-0/closed", undefined],
  ])("is read from its key: %s", (key, work) => {
    expect(workOf(reply(key))).toEqual(work);
  });

  it.each([
    ["draft/roster", { kind: "roster", of: "draft" }],
    ["round-2/revision/roster", { kind: "roster", of: "revision", round: 2 }],
    ["clarify-1/roster", { kind: "roster", of: "clarification", nth: 1 }],
    ["round-1/critique/admitted", { kind: "admission", of: "critique", round: 1 }],
    ["round-2/reached", { kind: "affordability", of: "revision", round: 2 }],
    ["synthesis/reached", { kind: "affordability", of: "synthesis" }],
  ])("of a roster says what it is of: %s", (key, work) => {
    expect(workOf(read("roster-fixed", { phase: "p", in: [], out: [] }, step(key)))).toEqual(work);
  });

  it("is by whom a summary was for, where the key does not name anybody", () => {
    const made = { for: "eve", method: "m", charactersBefore: 1, charactersAfter: 1, text: "t" };
    expect(workOf(read("summary-made", made, step("judge/summary")))).toEqual({ kind: "summary", by: "eve" });
  });

  it("is not read from the keys of today's journals", () => {
    const row = rowOf("reply-received", { by: "x", why: "w" }, step("draft/bob"));
    expect(workOf(decodeEntry({ ...row, schema: 2 }))).toBeUndefined();
  });
});

describe("a note that became an event", () => {
  it.each([
    ["ladder", { rung: "draft", next: null }, step("ladder/draft"), "rung-decided"],
    ["requirements", { major: ["m"], minor: [] }, step("requirements"), "requirements-read"],
    ["confidence", { confidence: 60, reason: "thin" }, step("round-1/confidence"), "confidence-given"],
    ["not-remembered", { of: "e1" }, reacted("engram"), "reaction-failed"],
  ])("is that event: %s", (...[topic, body, origin, type]) => {
    expect(note(topic, body, origin).type).toBe(type);
  });

  it("is what was chosen, where it was a list", () => {
    const own = { topic: "own-turns", reason: "r", body: ["e1"] };
    expect(read("note-taken", own, reacted("turns"))).toMatchObject({
      ...{ type: "turns-chosen", data: { answers: ["e1"] } },
    });
  });

  it("keeps its parts, and its call", () => {
    expect(note("ladder", { rung: "draft", next: "review" }, step("ladder/draft")).data).toEqual({
      ...{ rung: "draft", next: "review", reason: "why" },
    });
    expect(note("no-second-answer", { by: "B", call: call("no") }, reacted("answer/B")).data).toEqual({
      ...{ code: "no-second-answer", why: "why", detail: { by: "B" }, call: call("no") },
    });
    const scores = { scores: { overall: 7 }, reasons: {}, strengths: [], weaknesses: [] };
    const body = { ...scores, clamped: [], ignored: [] };
    expect(note("evaluation", { ...body, call: call("no") }, step("evaluation/eva"))).toMatchObject({
      ...{ type: "evaluation-given", data: { by: "eva", ...body, call: call("no") } },
    });
  });

  it.each([
    ["of another form", note("ladder", { rung: 7 }, step("ladder/draft"))],
    ["of another step", note("requirements", { major: [], minor: [] }, step("mine"))],
    ["of a protocol that calls a failure so", note("reaction-failed", {}, step("mine"))],
    ["of another topic", note("convergence", { agree: true }, step("round-1/convergence"))],
  ])("stays what it was: %s", (_, entry) => {
    expect(entry.type).toBe("note-taken");
  });
});

describe("the cap that ended something", () => {
  it.each([
    ["it could pass the cap of $0.5", "usd"],
    ["its price is unknown and money is capped", "usd"],
    ["it could pass the cap of 900 tokens", "tokens"],
    ["it would pass the cap of 4 calls", "calls"],
    ["the time of 9 ms is up", "time"],
    ["the time is up", "time"],
    ["the budget does not reach for a round of revision", undefined],
    ["Ada: the time is up; Bob: it could pass the cap of $1", "time"],
  ])("is read from the words of a call's failure and of a closing: %s", (words, cap) => {
    const lost = { what: "w", why: "y", weakens: "z", call: call(words) };
    const noted = read("degradation-noted", lost, step("draft/bob"));
    expect(noted.data).toEqual({
      ...lost,
      call: { ...lost.call, failure: { ...lost.call.failure, ...(cap ? { cap } : {}) } },
    });
    const closing = { outcome: "stopped-by-budget", why: words, best: null };
    expect(read("deliberation-closed", closing, { by: "close", after: [] }).data).toEqual({
      ...closing,
      ...(cap ? { cap } : {}),
    });
  });

  it("is nothing of another failure, or of another outcome", () => {
    const refused = { ...call(""), failure: { code: "refused", message: "the cap of $5" } };
    const lost = { what: "w", why: "y", weakens: "z", call: refused };
    expect(read("degradation-noted", lost, step("draft/bob")).data).toEqual(lost);
    const failed = { outcome: "failed", why: "the cap of $5" };
    expect(read("deliberation-closed", failed, { by: "close", after: [] }).data).toEqual(failed);
  });
});

it("claims that a debate's judge was never asked for are none", () => {
  const synthesis = { by: "j", text: "t", final: null, strategy: null };
  const rest = { ...synthesis, dissent: [], insights: [], vetoed: [] };
  const of = (reason: string) =>
    read("synthesis-given", { ...rest, claims: { ok: false, reason } }, step("synthesis/j")).data;
  expect(of("the judge of a debate is not asked who contributed")).toEqual(rest);
  expect(of("two claims")).toEqual({ ...rest, claims: { ok: false, reason: "two claims" } });
});
