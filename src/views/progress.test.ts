import { expect, it } from "vitest";
import {
  Cursor,
  DeliberationId,
  Digest,
  ModelRef,
  OrganizationId,
  ParticipantId,
  StepKey,
  decodeEntry,
  eventId,
  originKey,
  workOf,
  encodeEvent,
  type Call,
  type Entry,
  type Frame,
  type NewEvent,
  type Origin,
} from "../kernel/index.ts";
import { stepOrigin } from "../../test/support/step-work.ts";
import { progressView } from "./progress.ts";

const id = DeliberationId.parse("d1");
const digest = Digest.parse("0".repeat(64));
const model = ModelRef.parse("sim/ada");
const participants = ["bob", "alice"].map((name) => ({
  id: ParticipantId.parse(name),
  seat: "member",
  persona: { name, instructions: digest },
  model,
  family: null,
}));

const call: Call = {
  ok: true,
  reply: "the reply",
  finish: "stop",
  model,
  family: null,
  tokens: { in: 10, out: 5, cached: null, reasoning: null },
  cost: { source: "free", usd: 0 },
  latencyMs: 40,
  attempts: 1,
};

let seq = 0;
function entry(event: NewEvent, origin: Origin): Entry {
  seq += 1;
  return decodeEntry({
    ...encodeEvent(event),
    id: eventId(id, originKey(origin), 0),
    deliberation: id,
    seq,
    cursor: Cursor.parse(seq),
    at: "2026-01-02T03:04:05.000Z",
    origin: JSON.stringify(origin),
  });
}

const step = (key: string): Origin => stepOrigin(key);
const named = (key: string): Pick<Frame, "step" | "work"> => ({
  step: StepKey.parse(key),
  work: workOf({ origin: stepOrigin(key) }),
});
const text = (key: string, piece: string, { offset = 0, attempt = 1 } = {}): Frame => ({
  deliberation: id,
  ...named(key),
  kind: "text",
  delta: { attempt, offset, text: piece },
});
const opening = entry(
  {
    type: "deliberation-opened",
    data: {
      question: "Why?",
      context: [],
      protocol: { name: "council", version: 1 },
      settings: {},
      participants,
      templates: {},
      seed: "s",
      budget: {},
      organization: OrganizationId.parse("local"),
    },
  },
  { by: "open", request: "r" },
);

const stepsOf = (view: ReturnType<typeof progressView>, name: string) =>
  view.read().rows.find((row) => row.id === name)?.steps ?? [];

it("joins pieces by their offsets, and starts anew with a later attempt", () => {
  const view = progressView();
  view.event(opening);
  view.frame({ deliberation: id, ...named("draft/bob"), kind: "started" });
  expect(stepsOf(view, "bob")).toMatchObject([{ work: "draft", state: "calling", text: "" }]);
  view.frame(text("draft/bob", "one "));
  view.frame(text("draft/bob", "two", { offset: 4 }));
  expect(stepsOf(view, "bob")).toMatchObject([{ state: "writing", text: "one two" }]);
  view.frame(text("draft/bob", "anew", { attempt: 2 }));
  expect(stepsOf(view, "bob")).toMatchObject([{ text: "anew", attempt: 2 }]);
  // The beginning of a third attempt was lost: nothing of the second one takes its place.
  view.frame(text("draft/bob", "tail", { attempt: 3, offset: 2 }));
  expect(stepsOf(view, "bob")).toMatchObject([{ text: "tail", attempt: 3 }]);
});

it("takes what was recorded, with what it took, over any frame that comes late", () => {
  const view = progressView();
  view.event(opening);
  const data = {
    by: ParticipantId.parse("bob"),
    kind: "draft",
    round: 1,
    text: "x",
    final: null,
    call,
  } as const;
  view.event(entry({ type: "answer-given", data }, step("draft/bob")));
  view.frame(text("draft/bob", "late"));
  expect(stepsOf(view, "bob")).toMatchObject([
    { state: "done", text: "the reply", tokensOut: 5, latencyMs: 40 },
  ]);
});

it("takes a reply that nobody repairs for what was asked for, as a judge's is", () => {
  const view = progressView();
  view.event(opening);
  const bob = ParticipantId.parse("bob");
  const data = { by: bob, why: "item-1, b shown before a", call };
  view.event(entry({ type: "reply-received", data }, step("verdict/item-1/ba")));
  expect(stepsOf(view, "bob")).toMatchObject([{ state: "done", why: null }]);
});

it("tells why a step failed: a call, an unreadable ranking, a reply that has to be repaired", () => {
  const view = progressView();
  view.event(opening);
  const bob = ParticipantId.parse("bob");
  const lost = { what: "the draft of bob", why: "network: reset", weakens: "", participant: bob, call };
  view.event(entry({ type: "degradation-noted", data: lost }, step("draft/bob")));
  view.event(
    entry({ type: "reply-received", data: { by: bob, why: "no ranking", call } }, step("review/bob")),
  );
  const ranking = { ok: false, reason: "two labels" } as const;
  const review = { by: bob, shown: [], remarks: [], ranking, call };
  view.event(entry({ type: "review-given", data: review }, step("review/bob/repair")));
  expect(stepsOf(view, "bob").map(({ work, state, why }) => ({ work, state, why }))).toEqual([
    { work: "draft", state: "failed", why: "network: reset" },
    { work: "review", state: "failed", why: "no ranking" },
    { work: "review", state: "failed", why: "unreadable: two labels" },
  ]);
});

it.each([
  ["draft/bob", { work: "draft", again: false }],
  ["review/bob/repair", { work: "review", again: true }],
  ["round-2/critique/bob/of/alice", { work: "critique", again: false }],
])("shows the work of the step %s in its participant's row", (key, shown) => {
  const view = progressView();
  view.event(opening);
  view.frame({ deliberation: id, ...named(key), kind: "started" });
  expect(stepsOf(view, "bob")).toMatchObject([shown]);
});

it("reads nothing out of a step's key: work that nobody named is in nobody's row", () => {
  const view = progressView();
  view.event(opening);
  view.frame({ deliberation: id, step: StepKey.parse("draft/bob"), kind: "started" });
  expect(stepsOf(view, "bob")).toEqual([]);
});

it("tells what a step was before it was recorded again, and nothing of a frame that came later", () => {
  const view = progressView();
  view.event(opening);
  view.frame(text("draft/bob", "half"));
  view.frame(text("draft/bob", " of it", { offset: 4 }));
  const bob = ParticipantId.parse("bob");
  const lost = { what: "the draft of bob", why: "network: reset", weakens: "", participant: bob, call };
  view.event(entry({ type: "degradation-noted", data: lost }, step("draft/bob")));
  const data = { by: bob, kind: "draft", round: 1, text: "x", final: null, call } as const;
  view.event(entry({ type: "answer-given", data }, step("draft/bob")));
  const at = (events: number) =>
    view.read(events).rows.flatMap(({ steps }) => steps.map(({ state }) => state));
  expect([at(0), at(1), at(2), at(3)]).toEqual([[], [], ["failed"], ["done"]]);
});
