import { describe, expect, it } from "vitest";
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
  encodeEvent,
  type Closing,
  type Entry,
  type NewEvent,
  type Origin,
} from "../kernel/index.ts";
import { stepOrigin } from "../../test/support/step-work.ts";
import { groundsOf, synthesisIn, withheldIn, writtenBy } from "./contribution-grounds.ts";

const digest = Digest.parse("0".repeat(64));
const by = (name: string) => ParticipantId.parse(name);
const key = (name: string) => StepKey.parse(name);
const protocol = (step: string, type?: string): Origin => stepOrigin(step, type);

const opening: NewEvent = {
  type: "deliberation-opened",
  data: {
    question: "why?",
    context: [],
    protocol: { name: "council", version: 2 },
    settings: {},
    participants: ["ada", "bob", "cyd", "chair"].map((name) => ({
      id: by(name),
      seat: name === "chair" ? name : "member",
      persona: { name, instructions: digest },
      model: ModelRef.parse("sim/ada"),
      family: null,
    })),
    templates: {},
    seed: "seed",
    budget: {},
    organization: OrganizationId.parse("local"),
  },
};

type Recorded = readonly [NewEvent, Origin];

const entriesOf = (...events: readonly Recorded[]): Entry[] =>
  [[opening, { by: "open", request: "r" }] as const, ...events].map(([event, origin], index) =>
    decodeEntry({
      ...encodeEvent(event),
      id: eventId(DeliberationId.parse("d1"), originKey(origin), 0),
      deliberation: DeliberationId.parse("d1"),
      seq: index + 1,
      cursor: Cursor.parse(index + 1),
      at: "2026-01-02T03:04:05.000Z",
      origin: JSON.stringify(origin),
    }),
  );

const answer = (name: string, text: string, step = `draft/${name}`): Recorded => [
  { type: "answer-given", data: { by: by(name), kind: "draft", round: 1, text, final: null } },
  protocol(step),
];

const roster = (phase: string, ...ids: readonly string[]): Recorded => [
  { type: "roster-fixed", data: { phase, in: [...ids], out: [] } },
  protocol(`${phase}/roster`, "roster-fixed"),
];

const review = (name: string, ...steps: readonly string[]): Recorded => [
  {
    type: "review-given",
    data: { by: by(name), shown: [], remarks: [], ranking: { ok: true, steps: steps.map(key) } },
  },
  protocol(`review/${name}`),
];

const closed = (data: Closing): Recorded => [
  { type: "deliberation-closed", data },
  { by: "close", after: [] },
];
const answered = (step: string) => closed({ outcome: "answered", answer: key(step), control: null });

const found = (entries: readonly Entry[]) => {
  const read = groundsOf(entries);
  if (!read.ok) throw new Error(read.why);
  return read.grounds;
};

describe("the grounds of a measuring", () => {
  it("are who drafted, first and last, in seat order, and who ranked whom", () => {
    const grounds = found(
      entriesOf(
        answer("bob", "b1"),
        answer("ada", "a1"),
        roster("draft", "ada", "bob"),
        answer("bob", "b2", "round-2/revision/bob"),
        roster("round-2/revision", "bob"),
        review("ada", "round-2/revision/bob", "draft/bob"),
        answered("draft/ada"),
      ),
    );
    expect(grounds.drafters).toEqual([
      { id: "ada", first: { text: "a1", final: null }, last: { text: "a1", final: null } },
      { id: "bob", first: { text: "b1", final: null }, last: { text: "b2", final: null } },
    ]);
    expect(grounds.ballots).toEqual([{ reviewer: "ada", ranking: ["bob", "bob"] }]);
    expect(writtenBy(grounds)).toBeUndefined();
  });

  it("leave out what came after its phase had gone on", () => {
    const grounds = found(
      entriesOf(
        answer("ada", "a1"),
        answer("bob", "b1"),
        roster("draft/admitted", "ada", "bob", "cyd"),
        roster("draft", "ada", "bob"),
        answer("cyd", "late"),
        answer("bob", "late", "round-2/revision/bob"),
        roster("round-2/revision", "ada"),
        review("ada", "draft/bob"),
        review("bob", "draft/ada"),
        roster("review", "bob"),
        answered("draft/ada"),
      ),
    );
    expect(grounds.drafters.map(({ id, last }) => [id, last.text])).toEqual([
      ["ada", "a1"],
      ["bob", "b1"],
    ]);
    expect(grounds.ballots.map(({ reviewer }) => reviewer)).toEqual(["bob"]);
  });

  it("are the best so far where a budget ended it", () => {
    const best = { answer: key("draft/ada"), control: null };
    const grounds = found(
      entriesOf(answer("ada", "a1"), closed({ outcome: "stopped-by-budget", why: "money", best })),
    );
    expect(grounds.given.data.text).toBe("a1");
  });

  it.each([
    ["is open", entriesOf(answer("ada", "a1")), "it is open"],
    [
      "has no answer",
      entriesOf(closed({ outcome: "failed", why: "nobody" })),
      "it was closed without an answer (failed)",
    ],
    [
      "has nothing so far",
      entriesOf(closed({ outcome: "stopped-by-budget", why: "money", best: null })),
      "it was closed without an answer (stopped-by-budget)",
    ],
    ["does not exist", [], "it is open"],
  ])("are none of what %s", (_, entries, why) => {
    expect(groundsOf(entries)).toEqual({ ok: false, why });
    expect(synthesisIn(entries)).toBeUndefined();
  });

  it("tell a fork that withholds somebody", () => {
    const rewriting = { by: "chair", withheld: ["ada"], nth: 0 };
    expect(withheldIn({ settings: { rewriting } })).toEqual(["ada"]);
    expect(withheldIn({ settings: { mode: "vote" } })).toBeUndefined();
  });
});
