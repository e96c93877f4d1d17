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
  type Call,
  type Entry,
  type Json,
  type NewEvent,
  type Origin,
} from "../../../../../kernel/index.ts";
import { DebateRecord } from "./record.ts";
import { debateRecord, isDebate } from "./debated.ts";

const id = DeliberationId.parse("d1");
const digest = Digest.parse("0".repeat(64));
const key = (step: string) => StepKey.parse(step);
const by = (name: string) => ParticipantId.parse(name);

type Recorded = readonly [NewEvent, Origin];

const call = (changes: Partial<Extract<Call, { ok: true }>> = {}): Call => ({
  ok: true,
  reply: "reply",
  finish: "stop",
  model: ModelRef.parse("lab/one"),
  family: "lab",
  tokens: { in: 10, out: 5, cached: null, reasoning: null },
  cost: { source: "table", usd: 0.5 },
  latencyMs: 100,
  attempts: 1,
  ...changes,
});

const step = (name: string): Origin => ({ by: "protocol", step: key(name), digest, after: [] });

function entriesOf(settings: Record<string, Json>, ...events: readonly Recorded[]): Entry[] {
  const seats = [
    { id: "ada", seat: "agent" },
    { id: "bob", seat: "agent" },
    { id: "eve", seat: "judge" },
    { id: "fay", seat: "judge" },
  ];
  const opening: Recorded = [
    {
      type: "deliberation-opened",
      data: {
        question: "# How?\nIt must work.",
        context: [],
        protocol: { name: "debate", version: 1 },
        settings,
        participants: seats.map(({ id: name, seat }) => ({
          id: by(name),
          seat,
          persona: { name: name.toUpperCase(), instructions: digest },
          model: ModelRef.parse(`lab/of-${name}`),
          family: null,
          ...(name === "ada" ? { temperature: 0.5 } : {}),
        })),
        templates: {},
        seed: "s",
        budget: {},
        organization: OrganizationId.parse("local"),
      },
    },
    { by: "open", request: "r" },
  ];
  return [opening, ...events].map(([event, origin], index) =>
    decodeEntry({
      ...encodeEvent(event),
      schema: 1, // as older versions recorded: what its steps are about is read from their keys
      id: eventId(id, originKey(origin), 0),
      deliberation: id,
      seq: index + 1,
      cursor: Cursor.parse(index + 1),
      at: new Date(Date.UTC(2026, 0, 2) + index * 1_000).toISOString(),
      origin: JSON.stringify(origin),
    }),
  );
}

type More = {
  readonly text?: string;
  readonly at?: string;
  readonly call?: Call;
  readonly coverage?: boolean;
};

const answer =
  (kind: "proposal" | "refinement") =>
  (round: number, name: string, more: More = {}): Recorded => [
    {
      type: "answer-given",
      data: {
        by: by(name),
        kind,
        round,
        text: more.text ?? `${kind} ${round} of ${name}`,
        final: null,
        call: more.call ?? call(),
        ...(more.coverage === undefined ? {} : { coverage: more.coverage }),
      },
    },
    step(more.at ?? `round-${round}/${kind}/${name}`),
  ];
const proposal = answer("proposal");
const refinement = answer("refinement");

const critique = (name: string, of: string, at: string): Recorded => [
  { type: "critique-given", data: { by: by(name), of: key(of), text: `critique by ${name}`, call: call() } },
  step(at),
];

const note = (topic: string, body: Json, at: string): Recorded => [
  {
    type: "note-taken",
    data: { topic, reason: "r", body, ...(topic === "confidence" ? { call: call() } : {}) },
  },
  step(at),
];

const closedRound = (round: number): Recorded => [
  { type: "round-closed", data: { round, in: [], culled: [], revised: [], proceeded: [], agreement: null } },
  step(`round-${round}/closed`),
];

const roster = (phase: string, ...ids: readonly string[]): Recorded => [
  { type: "roster-fixed", data: { phase, in: [...ids], out: [] } },
  step(`${phase}/roster`),
];

const lost = (what: string, at: string): Recorded => [
  {
    type: "degradation-noted",
    data: { what, why: "network: gone", weakens: "much", participant: by("bob"), call: call() },
  },
  step(at),
];

const summary = (name: string, at: string, more: object = {}): Recorded => [
  {
    type: "summary-made",
    data: {
      for: by(name),
      method: "length-based",
      charactersBefore: 900,
      charactersAfter: 7,
      text: "in short",
      temperature: 0.2,
      call: call(),
      ...more,
    },
  },
  step(at),
];

const synthesis: Recorded = [
  {
    type: "synthesis-given",
    data: {
      by: by("fay"),
      text: "so it is",
      final: null,
      strategy: null,
      dissent: [],
      insights: [],
      vetoed: [],
      claims: { ok: false, reason: "none" },
      assessment: {
        confidence: 40,
        tradeoffs: ["t"],
        recommendations: ["r"],
        unfulfilledMajorRequirements: ["u"],
        openQuestions: ["o"],
      },
      call: call(),
    },
  },
  step("synthesis/fay"),
];

const closing: Recorded = [
  {
    type: "deliberation-closed",
    data: { outcome: "answered-degraded", answer: key("synthesis/fay"), control: null },
  },
  { by: "close", after: [] },
];

/** As recorded in a race: bob before ada. */
const whole = () =>
  entriesOf(
    { roles: { ada: "architect" } },
    note("requirements", { major: ["It must work."], minor: [] }, "requirements"),
    [
      {
        type: "clarification-asked",
        data: {
          by: by("bob"),
          questions: [
            { id: "1-bob-1", text: "For whom?" },
            { id: "1-bob-2", text: "By when?" },
          ],
          call: call(),
        },
      },
      step("clarify-1/bob"),
    ],
    [
      { type: "clarification-answered", data: { answers: [{ id: "1-bob-1", text: "For us." }] } },
      { by: "client", request: "clarification-1" },
    ],
    proposal(1, "bob", { coverage: false }),
    proposal(1, "ada", { coverage: true, at: "round-1/proposal/ada/turn-2" }),
    [
      { type: "reply-received", data: { by: by("ada"), why: "it calls tools", call: call() } },
      step("round-1/proposal/ada"),
    ],
    [
      {
        type: "tool-called",
        data: { by: by("ada"), tool: "file_read", arguments: { path: "a.md" }, result: "text" },
      },
      step("round-1/proposal/ada/tool-1"),
    ],
    critique("bob", "round-1/proposal/ada/turn-2", "round-1/critique/bob/of/ada"),
    critique("ada", "round-1/proposal/bob", "round-1/critique/ada/of/bob"),
    refinement(1, "ada", { coverage: true }),
    lost("the refinement of BOB in round 1", "round-1/refinement/bob"),
    note("confidence", { confidence: 60, reason: "thin" }, "round-1/confidence"),
    closedRound(1),
    summary("ada", "round-2/summary/ada"),
    summary("ada", "round-2/summary/ada/part-1", { part: { level: "round", of: "1" } }),
    critique("bob", "round-1/refinement/ada", "round-2/critique/bob/of/ada"),
    refinement(2, "ada", { call: call({ cost: { source: "unknown", usd: null } }) }),
    closedRound(2),
    summary("eve", "judge/summary"),
    synthesis,
    closing,
  );

describe("a debate's record", () => {
  it("tells all that was said, by seats, and what every text took", () => {
    const record = debateRecord(whole());
    expect(DebateRecord.parse(record)).toEqual(record);
    expect(record).toMatchSnapshot();
  });

  it("adds up: the rounds and what is around them are the whole", () => {
    const { rounds, outside, ...all } = debateRecord(whole());
    const parts = [...rounds, outside];
    const sum = (figure: "calls" | "tokens") => parts.reduce((total, one) => total + (one[figure] ?? 0), 0);
    expect([sum("calls"), sum("tokens")]).toEqual([all.calls, all.tokens]);
    expect(parts.map(({ usd }) => usd)).toEqual([4, null, 1.5]);
    expect(all.usd).toBeNull();
  });

  it("is there at every moment, from the opening on", () => {
    const entries = whole();
    const statuses = entries.map((_, index) => {
      const record = debateRecord(entries.slice(0, index + 1));
      return `${DebateRecord.parse(record).status} ${record.rounds.length}`;
    });
    expect([...new Set(statuses)]).toEqual(["open 0", "open 1", "open 2", "answered-degraded 2"]);
    const { rounds, endedAt, synthesis: none, judge } = debateRecord(entries.slice(0, 6));
    expect([rounds[0]?.closed, endedAt, none, judge?.id]).toEqual([false, null, null, "eve"]);
  });

  it("is of debates only", () => {
    const [, ...rest] = whole();
    expect([isDebate(whole()), isDebate(rest), isDebate([])]).toEqual([true, false, false]);
    expect(() => debateRecord(rest)).toThrow(RangeError);
  });
});

describe("what is carried", () => {
  const proposals = (entries: readonly Entry[], round: number) =>
    debateRecord(entries)
      .rounds.find((one) => one.round === round)
      ?.proposals.map(({ text, carried, tokens }) => [text, carried, tokens]);

  it("is the last refinement, or what stood before it, and costs nothing", () => {
    const entries = entriesOf(
      {},
      proposal(1, "ada"),
      proposal(1, "bob"),
      refinement(1, "bob"),
      closedRound(1),
      closedRound(2),
      proposal(3, "bob"),
      closedRound(3),
    );
    const ada = ["proposal 1 of ada", true, 0];
    expect(proposals(entries, 2)).toEqual([ada, ["refinement 1 of bob", true, 0]]);
    expect(proposals(entries, 3)).toEqual([ada, ["proposal 3 of bob", false, 15]]);
  });

  it("is of fresh proposals only what stands once all are in", () => {
    const before = [proposal(1, "ada"), proposal(1, "bob"), refinement(1, "bob"), proposal(2, "ada")];
    const ada = ["proposal 2 of ada", false, 15];
    expect(proposals(entriesOf({ proposals: "fresh" }, ...before), 2)).toEqual([ada]);
    expect(
      proposals(entriesOf({ proposals: "fresh" }, ...before, roster("round-2/proposal", "ada")), 2),
    ).toEqual([ada, ["refinement 1 of bob", true, 0]]);
  });

  it("is nothing that came after its phase had gone on", () => {
    const entries = entriesOf(
      {},
      proposal(1, "ada"),
      proposal(1, "bob"),
      roster("round-1/proposal", "ada"),
      refinement(1, "ada"),
      roster("round-1/refinement"),
      closedRound(2),
    );
    expect(proposals(entries, 2)).toEqual([["proposal 1 of ada", true, 0]]);
  });

  it("is nothing of who never spoke", () => {
    expect(proposals(entriesOf({}, proposal(1, "ada"), closedRound(2)), 2)).toEqual([
      ["proposal 1 of ada", true, 0],
    ]);
  });
});

describe("what is odd", () => {
  it("is left out: bodies of no known form, rounds of no number, answers to another asking", () => {
    const asked: NewEvent = {
      type: "clarification-asked",
      data: { by: by("ada"), questions: [{ id: "q1", text: "?" }] },
    };
    const record = debateRecord(
      entriesOf(
        { roles: ["architect"] },
        note("requirements", { major: "all" }, "requirements"),
        note("confidence", { confidence: 900, reason: "sure" }, "round-1/confidence"),
        note("confidence", 7, "round-99999999999/confidence"),
        [asked, step("clarify-1/ada")],
        [asked, step("clarify-2/ada")],
        [
          { type: "clarification-answered", data: { answers: [{ id: "q1", text: "second" }] } },
          { by: "client", request: "clarification-2" },
        ],
      ),
    );
    expect(record.requirements).toBeNull();
    expect(record.rounds.map(({ round, confidence }) => [round, confidence])).toEqual([[1, null]]);
    expect(record.clarifications.map(({ answer }) => answer)).toEqual([null, "second"]);
    expect(record.agents.map(({ role }) => role)).toEqual([null, null]);
  });

  it("takes no role from what every object has", () => {
    const [first, ...rest] = entriesOf({ roles: {} });
    if (first?.type !== "deliberation-opened") throw new Error("no opening");
    const participants = first.data.participants.map((one) =>
      one.id === "ada" ? { ...one, id: by("constructor") } : one,
    );
    const { agents } = debateRecord([{ ...first, data: { ...first.data, participants } }, ...rest]);
    expect(agents.map(({ id: name, role }) => [name, role])).toEqual([
      ["constructor", null],
      ["bob", null],
    ]);
  });

  it("names whom a critique is of, though what it criticises is not there", () => {
    const { rounds } = debateRecord(
      entriesOf({}, critique("ada", "round-1/proposal/bob", "round-1/critique/ada/of/bob")),
    );
    expect(rounds[0]?.critiques.map(({ of }) => of)).toEqual(["bob"]);
    const nobody = debateRecord(entriesOf({}, critique("ada", "elsewhere", "round-1/critique/ada/of/bob")));
    expect(nobody.rounds[0]?.critiques.map(({ of }) => of)).toEqual(["bob"]);
  });

  it("says what was cut off at its limit", () => {
    const cut = call({ finish: "length" });
    const { degraded } = debateRecord(
      entriesOf({}, proposal(1, "ada", { call: cut }), [
        {
          type: "critique-given",
          data: { by: by("bob"), of: key("round-1/proposal/ada"), text: "c", call: cut },
        },
        step("round-1/critique/bob/of/ada"),
      ]),
    );
    expect(degraded).toEqual([
      { what: "the text by ada", why: "cut off at its limit of 5 tokens" },
      { what: "the critique by bob", why: "cut off at its limit of 5 tokens" },
    ]);
  });

  it("counts no call that a fork took over", () => {
    const from = DeliberationId.parse("parent");
    const [event] = proposal(1, "ada");
    const adopted: Origin = { by: "adopted", step: key("round-1/proposal/ada"), digest, after: [], from };
    const { rounds, calls, tokens } = debateRecord(entriesOf({}, [event, adopted]));
    expect([calls, tokens, rounds[0]?.calls, rounds[0]?.proposals[0]?.tokens]).toEqual([0, 0, 0, 0]);
    expect(rounds[0]?.proposals[0]?.model).toBe("lab/one");
  });
});
