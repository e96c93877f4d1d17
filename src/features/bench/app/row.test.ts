import { stepOrigin } from "../../../../test/support/step-work.ts";
import { describe, expect, it } from "vitest";
import {
  DeliberationId,
  Digest,
  ModelRef,
  OrganizationId,
  ParticipantId,
  StepKey,
  type Closing,
  type Control,
  type Entry,
  type NewEvent,
} from "../../../kernel/index.ts";
import { memoryStore } from "../../../testing/memory-store.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { sameAnswer } from "../../../replies/answer.ts";
import { extractAnswer } from "../../../replies/extract-answer.ts";
import { BenchLine, expectedAnswer } from "../../../app/tasks.ts";
import { benchRow, isCut } from "./row.ts";

const digest = Digest.parse("0".repeat(64));
const by = (name: string) => ParticipantId.parse(name);
const spent = {
  model: ModelRef.parse("openai/x"),
  family: null,
  tokens: { in: 10, out: 5, cached: null, reasoning: null },
  cost: { source: "table", usd: 0.01 },
  latencyMs: 1,
  attempts: 1,
} as const;

const draft = (name: string, value: string | null, reply = "x"): NewEvent => ({
  type: "answer-given",
  data: {
    by: by(name),
    kind: "draft",
    round: 1,
    text: "x",
    final: value === null ? null : { kind: "number", value },
    call: { ok: true, reply, finish: "stop", ...spent },
  },
});

type Step = { readonly step: string; readonly event: NewEvent };

/** A deliberation of two members with these steps and this closing. */
async function entriesOf(name: string, steps: readonly Step[], closing?: Closing): Promise<readonly Entry[]> {
  const store = memoryStore(() => 0);
  const id = DeliberationId.parse(name);
  const participants = ["ada", "ben"].map((one) => ({
    id: by(one),
    seat: "member",
    persona: { name: one, instructions: digest },
    model: ModelRef.parse("openai/x"),
    family: null,
  }));
  const opening: NewEvent = {
    type: "deliberation-opened",
    data: {
      question: "?",
      context: [],
      protocol: { name: "council", version: 1 },
      settings: {},
      participants,
      templates: {},
      seed: "s",
      budget: {},
      organization: OrganizationId.parse("local"),
    },
  };
  await store.for(LOCAL).append(id, [opening], { by: "open", request: name });
  for (const { step, event } of steps) {
    const origin = stepOrigin(step, event.type);
    await store.for(LOCAL).append(id, [event], origin);
  }
  if (closing)
    await store
      .for(LOCAL)
      .append(id, [{ type: "deliberation-closed", data: closing }], { by: "close", after: [] });
  return store.for(LOCAL).read(id);
}

const place = { arm: "a", task: { id: "t", question: "?", answer: "42" } };
const drafts: Step[] = [
  { step: "draft/ada", event: draft("ada", "42") },
  { step: "draft/ben", event: draft("ben", "41") },
];
const answered = (step: string, control: Control | null): Closing => ({
  outcome: "answered",
  answer: StepKey.parse(step),
  control,
});
const majority = (value: string) =>
  ({
    kind: "draft-majority",
    step: StepKey.parse("draft/ada"),
    answer: { kind: "number", value },
    agrees: null,
  }) as const;

describe("a row", () => {
  it("scores the answer, the control and the drafts by value", async () => {
    const row = benchRow(place, [await entriesOf("one", drafts, answered("draft/ada", majority("41.0")))]);
    expect(row).toMatchObject({
      deliberations: ["one"],
      outcome: "answered",
      finished: true,
      answer: "42",
      right: true,
      control: { answer: "41.0", right: false },
      drafts: [
        { by: "ada", answer: "42", right: true },
        { by: "ben", answer: "41", right: false },
      ],
      calls: 2,
      tokens: { in: 20, out: 10 },
      usd: 0.02,
      simulated: false,
    });
  });
  it("has no answer where it is inconclusive, whatever would have been best; the control stands", async () => {
    const best = { answer: StepKey.parse("draft/ada"), control: majority("42") };
    const row = benchRow(place, [
      await entriesOf("one", drafts, { outcome: "inconclusive", why: "level", best }),
    ]);
    expect(row).toMatchObject({ finished: true, answer: null, right: false, control: { right: true } });
  });
  it("that failed is an outage: not finished, and says why", async () => {
    const failed = benchRow(place, [await entriesOf("one", [], { outcome: "failed", why: "no" })]);
    expect(failed).toMatchObject({
      finished: false,
      failed: "no",
      outcome: "failed",
      answer: null,
      right: false,
      drafts: [],
    });
    expect(benchRow(place, [await entriesOf("one", drafts)])?.failed).toBeNull();
  });
  it("has a control without an answer where no answer is ahead among the drafts, as the arm that votes has", async () => {
    const level = { ...majority("42"), kind: "best-draft" } as const;
    const row = benchRow(place, [await entriesOf("one", drafts, answered("draft/ada", level))]);
    expect(row).toMatchObject({ right: true, control: { answer: null, right: false } });
  });
  it("has no answer where nothing could be extracted", async () => {
    const prose: Step[] = [{ step: "draft/ada", event: draft("ada", null) }];
    const silent = benchRow(place, [await entriesOf("one", prose, answered("draft/ada", null))]);
    expect(silent).toMatchObject({ finished: true, answer: null, right: false, drafts: [{ answer: null }] });
  });
  it("is not finished while it is open, after it was cancelled, and where a cap had a say", async () => {
    const open = await entriesOf("one", drafts);
    const cancelled = await entriesOf("one", drafts, { outcome: "cancelled", why: "enough" });
    const stopped = await entriesOf("one", drafts, { outcome: "stopped-by-budget", why: "cap", best: null });
    const left: Step = {
      step: "draft/admitted",
      event: {
        type: "roster-fixed",
        data: { phase: "draft/admitted", in: ["ada"], out: [{ id: "ben", why: "cap" }] },
      },
    };
    const narrowed = await entriesOf("one", [left, ...drafts], answered("draft/ada", null));
    const lost: Step = {
      step: "synthesis",
      event: {
        type: "degradation-noted",
        data: {
          what: "x",
          why: "y",
          weakens: "z",
          call: { ok: false, failure: { code: "over-budget", message: "cap" }, ...spent },
        },
      },
    };
    const refused = await entriesOf("one", [...drafts, lost], answered("draft/ada", null));
    const spentUp = await entriesOf("one", [...drafts, lost], { outcome: "failed", why: "too few" });
    const rows = [open, cancelled, stopped, narrowed, refused, spentUp].map((entries) =>
      benchRow(place, [entries]),
    );
    expect(rows.map((row) => row?.finished)).toEqual([false, false, false, false, false, false]);
    expect(rows.map((row) => row?.failed)).toEqual([null, null, null, null, null, null]);
    expect([stopped, narrowed, refused].map(isCut)).toEqual([true, true, true]);
    expect(isCut(await entriesOf("one", drafts, answered("draft/ada", null)))).toBe(false);
  });
  it("takes the last of its deliberations, and the cost of all", async () => {
    const first = await entriesOf("one", drafts, { outcome: "stopped-by-budget", why: "cap", best: null });
    const second = await entriesOf("two", drafts.slice(0, 1), answered("draft/ada", null));
    expect(benchRow(place, [first, second])).toMatchObject({
      deliberations: ["one", "two"],
      finished: true,
      right: true,
      calls: 3,
    });
    expect(benchRow(place, [])).toBeNull();
  });
  it("says when a simulated model spoke, also behind a server", async () => {
    const spoken: Step[] = [{ step: "draft/ada", event: draft("ada", "42", "[simulated 0a1b2c]\nhi") }];
    expect(benchRow(place, [await entriesOf("one", spoken)])?.simulated).toBe(true);
  });
});

describe("a line of a file of tasks", () => {
  const read = (line: unknown) => BenchLine.safeParse(line);
  it("has a question and an answer that can be compared", () => {
    expect(read({ question: "What is 6*7?", answer: 42 }).data).toEqual({
      question: "What is 6*7?",
      answer: "42",
    });
    expect(read({ question: "?", answer: "B", id: "x", kind: "y", context: "z" }).success).toBe(true);
    for (const bad of [
      {},
      { question: " ", answer: "1" },
      { question: "?", answer: "" },
      { question: "?", answer: "1", more: 1 },
    ])
      expect(read(bad).success).toBe(false);
  });
  it("may have an answer of several lines, or of many short tokens, which is right as a whole only", () => {
    const right = (answer: string, reply: string) => {
      const [truth, given] = [expectedAnswer(answer), extractAnswer(reply)];
      return truth !== null && given !== null && sameAnswer(truth, given);
    };
    expect(read({ question: "?", answer: "1 2\n3 4" }).success).toBe(true);
    expect(read({ question: "?", answer: "3 2 4 2 7 1 1 4 5 6 7" }).success).toBe(true);
    expect(
      read({ question: "?", answer: "It depends on what you would like to have of it all." }).success,
    ).toBe(false);
    expect(right("1 2\n3 4", "Final answer:\n```\n1 2\n3 4\n```")).toBe(true);
    expect(right("1 2\n3 4", "<answer>\n1 2\n3 5\n</answer>")).toBe(false);
    expect(right("1 2\n3 4", "Final answer: 1 2")).toBe(false);
  });
});
