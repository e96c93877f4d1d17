import { describe, expect, it } from "vitest";
import {
  answered,
  asked,
  called,
  closed,
  graded,
  preferred,
  recalled,
  turnOf,
} from "../../../test/support/sample-turn.ts";
import {
  busJournal,
  envelopesOf,
  SUBJECTS,
  subjectKnown,
  subjectsOf,
  type SubjectMessage,
} from "./subjects.ts";
import { expectLinear } from "../../../test/support/growth.ts";

/** Every subject that LoCAL2 has, as its protocol and its phase 5 name them. */
const LOCAL2 = [
  ...["query.received", "memory.context", "generation.thinking", "generation.token"],
  ...["response.generation", "answer.dialog", "critique.result", "pairwise.result", "critic.skipped"],
  ...["tool.call.<tool>", "tool.result.<tool>", "tool.activity.<tool>", "tool.transition"],
  ...["tool.schema", "tool.schema.request", "agent.transition", "generator.status"],
  ...["user.feedback", "reward.event", "compaction.request", "compaction.result"],
  ...["user.context.request", "user.context", "user.context.updated", "config.reload"],
  ...["library.collection.created", "library.ingest.started", "library.ingest.complete"],
];

const call = {
  ok: true,
  reply: "x",
  finish: "stop",
  model: "openai/other",
  family: null,
  tokens: { in: 12, out: 3, cached: null, reasoning: null },
  cost: { source: "unknown", usd: null },
  latencyMs: 1,
  attempts: 1,
};

const TURN = turnOf("d1", [
  asked("How warm is it?"),
  recalled("A"),
  called("A", "weather", { degrees: 20 }),
  answered("A", "[simulated 0a1b2c] 20 degrees.", { call }),
  answered("B", "Warm."),
  graded("d1/4", 4),
  graded("d1/5", null, { feedback: "", why: "timed-out: nothing came" }),
  preferred(["d1/4", "d1/5"], "A"),
  { type: "feedback-given", data: { thumb: "up" } },
  { type: "feedback-given", data: { of: "d1/5", thumb: "down" } },
  { type: "feedback-given", data: { text: "words alone" } },
]);

const payloadsOf = (messages: readonly SubjectMessage[], subject: string) =>
  messages.filter((one) => one.subject === subject).map(({ payload }) => payload);

describe("LoCAL2's subjects", () => {
  it("have one row each: what they are made from, or why from nothing", () => {
    expect(SUBJECTS.map(({ subject }) => subject).sort()).toEqual([...LOCAL2].sort());
    for (const row of SUBJECTS) {
      if (row.from === null) expect(row.why.length, row.subject).toBeGreaterThan(15);
      else expect(row.from.length, row.subject).toBeGreaterThan(0);
    }
  });

  it("come in the order of the events that they are made from", () => {
    expect(subjectsOf(TURN).map(({ seq, at, subject }) => `${seq} ${at.slice(17, 19)} ${subject}`)).toEqual([
      "1 01 query.received",
      "2 02 memory.context",
      "3 03 tool.call.weather",
      "3 03 tool.result.weather",
      "4 04 response.generation",
      "4 04 answer.dialog",
      "5 05 response.generation",
      "6 06 critique.result",
      "7 07 critique.result",
      "8 08 pairwise.result",
      "9 09 user.feedback",
      "9 09 reward.event",
      "10 00 user.feedback",
      "10 00 reward.event",
    ]);
  });

  it("have all fields of their rows and no others", () => {
    for (const { subject, payload } of subjectsOf(TURN)) {
      const known = subjectKnown(subject);
      expect(known?.ok && [...known.fields].sort(), subject).toEqual(Object.keys(payload).sort());
    }
  });

  it("carry what LoCAL2's payloads do, and null for what is not known", () => {
    const messages = subjectsOf(TURN);
    const capsule = {
      id: "e1",
      content: "Before?\n\nSo.",
      metadata: {
        query: "Before?",
        critic_score: 5,
        critic_feedback: "Right.",
        mark: "good-example",
        similarity: 0.8,
      },
      score: 0.9,
    };
    const question = {
      query: "How warm is it?",
      session_id: "d1",
      query_id: "d1",
      attachments: [],
      user_id: "ada",
      native: false,
    };
    expect(payloadsOf(messages, "query.received")).toEqual([question]);
    expect(payloadsOf(messages, "memory.context")).toEqual([
      { ...question, capsules: [capsule], candidates: null },
    ]);
    expect(payloadsOf(messages, "tool.call.weather")).toEqual([{ tool: "weather", args: { q: "x" } }]);
    expect(payloadsOf(messages, "tool.result.weather")).toEqual([
      { tool: "weather", result: '{"degrees":20}', sources: null },
    ]);
    const first = {
      query: "How warm is it?",
      answer: "20 degrees.",
      thinking: null,
      tool_calls: [{ tool: "weather", args: { q: "x" }, result: '{"degrees":20}' }],
      session_id: "d1",
      query_id: "d1/4",
      prompt_tokens: 12,
      error: false,
      model: "openai/other",
      capsules: [capsule],
      candidates: null,
      pinned_facts: ["Ada is left-handed."],
      user_id: "ada",
      respondent_id: "A",
    };
    expect(payloadsOf(messages, "response.generation")).toEqual([
      first,
      {
        ...first,
        answer: "Warm.",
        tool_calls: [],
        query_id: "d1/5",
        prompt_tokens: null,
        model: "openai/b",
        capsules: [],
        pinned_facts: [],
        respondent_id: "B",
      },
    ]);
    expect(payloadsOf(messages, "answer.dialog")).toEqual([
      { query: "How warm is it?", answer: "20 degrees.", session_id: "d1", query_id: "d1/4", user_id: "ada" },
    ]);
    const critique = {
      score: 4,
      feedback: "Good.",
      query: "How warm is it?",
      answer: "20 degrees.",
      session_id: "d1",
      query_id: "d1/4",
      rubric_name: "answer-quality",
      rubric_text: null,
      respondent_id: "A",
      why: null,
    };
    expect(payloadsOf(messages, "critique.result")).toEqual([
      critique,
      {
        ...critique,
        score: null,
        feedback: "",
        answer: "Warm.",
        query_id: "d1/5",
        respondent_id: "B",
        why: "timed-out: nothing came",
      },
    ]);
    expect(payloadsOf(messages, "pairwise.result")).toEqual([
      {
        original_query_id: "d1",
        query_id_a: "d1/4",
        query_id_b: "d1/5",
        winner: "A",
        score_a: 4,
        score_b: 5,
        session_id: "d1",
      },
    ]);
    const thumbs = [
      { query_id: "d1/4", session_id: "d1", sentiment: "positive" },
      { query_id: "d1/5", session_id: "d1", sentiment: "negative" },
    ];
    expect(payloadsOf(messages, "user.feedback")).toEqual(thumbs);
    expect(payloadsOf(messages, "reward.event")).toEqual(thumbs);
  });

  it("know no ties: the winner of one is null", () => {
    const [message] = subjectsOf(turnOf("d1", [preferred(["a", "b"], "tie")]));
    expect(message?.payload).toMatchObject({ winner: null, original_query_id: "d1" });
  });

  it("say that there was no answer, as LoCAL2 does, unless somebody cancelled or there is one", () => {
    const of = (...more: Parameters<typeof turnOf>[1]) =>
      payloadsOf(subjectsOf(turnOf("d1", [asked("Why?"), ...more])), "response.generation");
    expect(of(closed({ outcome: "failed", why: "refused: no" }))).toMatchObject([
      { error: true, answer: "[generation error: refused: no]", query: "Why?", respondent_id: "A" },
    ]);
    expect(of(closed({ outcome: "cancelled", why: "enough" }))).toEqual([]);
    expect(of(closed({ outcome: "answered", answer: "answer/A", control: null }))).toEqual([]);
    const late = of(answered("A", "So."), closed({ outcome: "failed", why: "late" }));
    expect(late).toMatchObject([{ error: false }]);
    // B's answer is shown to nobody.
    expect(of(answered("B", "So."), closed({ outcome: "failed", why: "x" }))).toHaveLength(2);
  });

  it("are of answers to a person alone: a council's drafts are none, and one without a letter is A's", () => {
    const { data } = answered("A", "x");
    const draft = { type: "answer-given", data: { ...Object(data), kind: "draft" } } as const;
    const alone = { type: "answer-given", data: { ...Object(data), respondent: undefined } } as const;
    const messages = subjectsOf(turnOf("d1", [asked("Why?"), draft, alone]));
    expect(messages.map(({ subject, seq }) => `${seq} ${subject}`)).toEqual([
      "1 query.received",
      "3 response.generation",
      "3 answer.dialog",
    ]);
    expect(messages[1]?.payload["respondent_id"]).toBe("A");
  });

  it("are of the session of the first turn, as far as that is known", () => {
    const session = (more: object, before: ReturnType<typeof turnOf> = []) =>
      subjectsOf([...before, ...turnOf("d2", [asked("And then?", more)])]).at(-1)?.payload["session_id"];
    expect(session({ previous: "d1" }, turnOf("d1", [asked("First?")]))).toBe("d1");
    expect(session({ previous: "d1" })).toBeNull();
    expect(session({ previous: "d1", series: { id: "d0", index: 2 } })).toBe("d0");
    expect(session({ previous: "d2" })).toBeNull(); // nobody follows himself
  });

  it("keep their order and their answers apart over several turns", () => {
    const turns = [
      ...turnOf("d1", [asked("One?"), answered("A", "1")]),
      ...turnOf("d2", [asked("Two?", { previous: "d1" }), called("A", "x.y"), answered("A", "2")]),
    ];
    const dialogs = payloadsOf(subjectsOf(turns), "answer.dialog");
    expect(dialogs).toMatchObject([
      { query: "One?", answer: "1", session_id: "d1" },
      { query: "Two?", answer: "2", session_id: "d1" },
    ]);
    const tools = payloadsOf(subjectsOf(turns), "response.generation").map((one) => one["tool_calls"]);
    expect(tools).toMatchObject([[], [{ tool: "x.y" }]]);
  });

  it.each([
    ["critique.result", true],
    ["tool.call.web_search", true],
    ["tool.call.", undefined],
    ["tool.call", undefined],
    ["tool.schema.request", false],
    ["tool.activity.x", false],
    ["critique.results", undefined],
  ])("are known before they are waited for: %s", (subject, ok) => {
    expect(subjectKnown(subject)?.ok).toBe(ok);
  });

  it("come in the bus's envelope, each from who says it", () => {
    const entries = turnOf("d1", [
      asked("How warm is it?"),
      called("A", "weather", { degrees: 20 }),
      answered("A", "20 degrees"),
      answered("B", "21 degrees"),
    ]);
    const journal = busJournal(entries);
    const envelopes = entries.flatMap((entry) => envelopesOf(entry, journal));
    expect(envelopes.map(({ subject, sender_id }) => `${subject} ${sender_id}`)).toEqual([
      "query.received ui",
      "tool.call.weather generator_agent",
      "tool.result.weather weather",
      "response.generation generator_agent",
      "answer.dialog generator_agent",
      "response.generation respondent_b",
    ]);
    expect(Object.keys(envelopes[0] ?? {})).toEqual([
      ...["message_id", "message_type", "subject", "sender_id", "payload", "correlation_id"],
      ...["recipient_id", "metadata", "timestamp_utc"],
    ]);
    expect(new Set(envelopes.map((one) => one.message_id)).size).toBe(envelopes.length);
    expect(new Set(envelopes.map((one) => one.correlation_id))).toEqual(new Set(["d1"]));
    expect(envelopes[0]?.metadata).toMatchObject({ session_id: "d1" });
  });

  it("are read from one entry after another, however many there are", () => {
    expectLinear((size) => {
      const thumbs = Array.from({ length: size }, () => ({
        ...{ type: "feedback-given" as const, data: { thumb: "up" as const } },
      }));
      const entries = turnOf("d1", [asked("Why?"), answered("A", "So."), ...thumbs]);
      const journal = busJournal([]);
      const messages = entries.flatMap((entry) => {
        journal.add(entry);
        return envelopesOf(entry, journal);
      });
      expect(messages.filter(({ payload }) => payload["query_id"] === "d1/2").length).toBeGreaterThan(
        2 * size,
      );
    }, 1_000);
  });
});
