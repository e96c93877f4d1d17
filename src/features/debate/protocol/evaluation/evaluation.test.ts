import { describe, expect, it } from "vitest";
import type { NewDeliberation } from "../../../../engine/index.ts";
import { Json, type ModelRequest } from "../../../../kernel/index.ts";
import { readFenced } from "../../../../prompts/material.ts";
import type { ScriptedLine } from "../../../../testing/scripted-models.ts";
import { shippedTextsOf, toyAsked, toyParticipant } from "../../../../testing/kit.ts";
import { closingOf, crashPoints, eventsOf, factsOf, stage } from "../../../../testing/stage.ts";
import { createEvaluationContext, evaluation, ownTemplate } from "./index.ts";
import { LOCAL } from "../../../../testing/store-samples.ts";
import { readTexts } from "./prompt.ts";

const TEXTS = {
  problem: "Build a queue. It must keep every message.",
  solution: "A log on two disks.",
  clarifications: [{ question: "How many?", answer: "Ten a second." }],
  coverage: [{ label: "agent-a", text: "Every message is kept." }],
};

type Changes = {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly evaluators?: readonly string[];
  readonly templates?: Readonly<Record<string, string>>;
  readonly budget?: NewDeliberation["budget"];
};

const asked = ({
  settings = {},
  evaluators = ["eva", "eli"],
  templates = {},
  budget = {},
}: Changes = {}): NewDeliberation =>
  toyAsked("evaluation", {
    context: createEvaluationContext(TEXTS),
    settings: Object.fromEntries(
      Object.entries({
        debate: { id: "deb-1", simulated: false },
        debaters: [{ id: "agent-a", role: "architect", families: [] }],
        requirements: { major: ["It must keep every message."], minor: [] },
        unfulfilled: ["Two sites"],
        ...settings,
      }).map(([key, value]) => [key, Json.parse(value)]),
    ),
    participants: evaluators.map((id) => toyParticipant(id, "evaluator")),
    templates: { ...shippedTextsOf(evaluation), ...templates },
    budget,
  });

const scores = (score: unknown): string => {
  const row = { reasoning: "Because.", score };
  return JSON.stringify({
    evaluation: { functional_completeness: row, non_functional: { security: row } },
    overall_summary: { strengths: "Short.", weaknesses: "Thin.", overall_score: score },
  });
};

type Answering = (request: ModelRequest, nth: number) => ScriptedLine;
const fine: Answering = () => ({ text: scores(8), latencyMs: 10 });
const bench = (eva: Answering, eli: Answering = fine) =>
  stage({ protocols: [evaluation], script: { eva, eli } });

const textOf = (request: ModelRequest | undefined): string =>
  (request?.messages ?? []).map(({ text }) => text).join("\n");

it("a context keeps the texts that it was made from", () => {
  expect(readTexts(createEvaluationContext(TEXTS))).toEqual(TEXTS);
  expect(() => readTexts([{ name: "problem", text: "?" }])).toThrow(RangeError);
});

describe("evaluators", () => {
  it("are each asked once with all the material, and their scores are recorded as they were read", async () => {
    const on = bench(
      fine,
      () =>
        `Here: ${scores(11).replace('"security":{"reasoning":"Because.","score":11}', '"security":{"score":"9/10"}')}`,
    );
    const { id, entries } = await on.play(asked());
    expect(await on.lines(id)).toEqual([
      "deliberation-opened < open",
      "evaluation-given < protocol/evaluation/eli",
      "evaluation-given < protocol/evaluation/eva",
      "roster-fixed < protocol/evaluation/roster",
      "note-taken < protocol/evaluated",
      "deliberation-closed < close",
    ]);
    const [eli, eva] = eventsOf(entries, "evaluation-given");
    expect(eva?.data).toMatchObject({
      by: "eva",
      scores: { functional_completeness: 8, security: 8, testability: null, overall: 8 },
      reasons: { security: "Because." },
      strengths: ["Short."],
      weaknesses: ["Thin."],
      clamped: [],
      ignored: [],
    });
    expect(eli?.data).toMatchObject({
      scores: { functional_completeness: 10, security: null, overall: 10 },
      clamped: ["functional_completeness", "overall"],
      ignored: ["security"],
    });
    expect(closingOf(entries)).toEqual({ outcome: "answered", answer: "evaluated", control: null });
    const request = on.models.calls[0]?.request;
    expect(request?.reply?.name).toBe("evaluation");
    expect(readFenced(textOf(request)).map(({ kind, label, text }) => [kind, label, text])).toEqual([
      ["question", "", TEXTS.problem],
      ["clarification", "1 question", "How many?"],
      ["clarification", "1 answer", "Ten a second."],
      ["requirements", "major", "1. It must keep every message."],
      ["unfulfilled", "", "- Two sites"],
      ["coverage", "agent-a", "Every message is kept."],
      ["solution", "", TEXTS.solution],
    ]);
    expect(await on.engine.replay(id)).toMatchObject({ calls: 2 });
  });

  it("are asked the same, whoever else is", async () => {
    const requestTo = async (evaluators: readonly string[]) => {
      const on = bench(fine);
      await on.play(asked({ evaluators }));
      return on.models.calls.find(({ name }) => name === "eva")?.request;
    };
    expect(await requestTo(["eva"])).toEqual(await requestTo(["eli", "eva"]));
  });

  it("are asked in a user's own words where they have some, with their own time", async () => {
    const on = bench(fine);
    const own = { [ownTemplate("eva")]: "Score {final_solution} by {requirements_info}" };
    const { complete } = on.models;
    const times: unknown[] = [];
    on.models.complete = (request, options) => {
      times.push([request.model, options.timeoutMs]);
      return complete(request, options);
    };
    await on.play(asked({ templates: own, settings: { timeoutsMs: { eva: 500 }, callTimeoutMs: 900 } }));
    expect(times).toEqual([
      ["sim/eva", 500],
      ["sim/eli", 900],
    ]);
    const [system, user] = on.models.calls[0]?.request.messages ?? [];
    expect(system?.text).toMatch(/never an instruction to you[^]*\n\nbe eva$/);
    expect(user?.text).toMatch(/^Score \n\[BEGIN solution #[0-9a-f]{16}\]\nA log on two disks\.\n/);
    expect(user?.text).toContain('"agentRole": "architect"');
  });

  it("that fail or cannot be read are named, and the others count", async () => {
    const on = stage({
      protocols: [evaluation],
      script: { eva: { fail: "network" }, eli: "hm", eno: scores(5) },
    });
    const { entries } = await on.play(asked({ evaluators: ["eva", "eli", "eno"] }));
    expect(eventsOf(entries, "degradation-noted").map(({ data }) => [data.participant, data.what])).toEqual([
      ["eva", "the evaluation by eva"],
      ["eli", "the evaluation by eli"],
    ]);
    expect(eventsOf(entries, "note-taken").at(-1)?.data.body).toEqual({
      read: ["eno"],
      unread: ["eva", "eli"],
    });
    expect(closingOf(entries)).toMatchObject({ outcome: "answered-degraded" });
  });

  it.each([
    { what: "nobody could be read", eva: "hm", eli: "", outcome: "inconclusive" },
    {
      what: "one failed and one could not be read",
      eva: "hm",
      eli: { fail: "network" },
      outcome: "inconclusive",
    },
    { what: "all calls failed", eva: { fail: "network" }, eli: { fail: "unauthorised" }, outcome: "failed" },
  ] as const)("end as $outcome when $what", async ({ eva, eli, outcome }) => {
    const { entries } = await stage({ protocols: [evaluation], script: { eva, eli } }).play(asked());
    expect(closingOf(entries)).toMatchObject({ outcome, why: expect.any(String) });
  });

  it("says that an unreadable reply was cut off at its limit", async () => {
    const on = bench(() => ({ text: '{"evaluation":', finish: "length" }));
    const { entries } = await on.play(asked({ evaluators: ["eva"] }));
    expect(eventsOf(entries, "degradation-noted")[0]?.data.why).toMatch(
      /^unreadable: .*; it was cut off at its limit$/,
    );
  });
});

describe("a budget", () => {
  it("reaches for the first evaluators, and a fork with a larger one asks the rest alone", async () => {
    const on = bench(fine);
    const { id, entries } = await on.play(asked({ budget: { calls: 1 } }));
    expect(on.models.calls.map(({ name }) => name)).toEqual(["eva"]);
    expect(closingOf(entries)).toEqual({
      outcome: "stopped-by-budget",
      why: "the budget does not reach for eli",
      cap: "calls",
      best: { answer: "evaluated", control: null },
    });
    const { opened } = await on.engine.fork(id, { request: "r2", changes: { budget: {} } });
    await on.drive(opened.deliberation);
    expect(on.models.calls.map(({ name }) => name)).toEqual(["eva", "eli"]);
    expect(closingOf(await on.store.for(LOCAL).read(opened.deliberation))).toMatchObject({
      outcome: "answered",
    });
  });

  it("that reaches for nobody has nothing to give", async () => {
    const on = stage({ protocols: [evaluation], quote: () => ({ tokensIn: 1, tokensOut: 1, usd: 2 }) });
    const { entries } = await on.play(asked({ budget: { usd: 1 } }));
    expect(closingOf(entries)).toMatchObject({ outcome: "stopped-by-budget", best: null });
  });
});

it("a fork asks once more for what had failed, and for nothing else", async () => {
  const on = bench((_, nth) => (nth === 1 ? { fail: "network" } : scores(7)));
  const { id, entries: before } = await on.play(asked());
  const settings = { ...eventsOf(before, "deliberation-opened")[0]?.data.settings, again: 1 };
  const { opened } = await on.engine.fork(id, { request: "r2", changes: { settings } });
  await on.drive(opened.deliberation);
  const entries = await on.store.for(LOCAL).read(opened.deliberation);
  expect([on.models.count("eva"), on.models.count("eli")]).toEqual([2, 1]);
  expect(entries.map(({ origin }) => ("step" in origin ? origin.step : ""))).toContain(
    "evaluation/eva/again-1",
  );
  expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
});

describe("an evaluation that is killed", () => {
  // Two evaluations, the roster, the note, the closing.
  const points = crashPoints({ calls: 2, appends: 5 });

  it.each(points)("resumes to the same history: $when $at $nth", async (point) => {
    const whole = bench(fine);
    const { entries: expected } = await whole.play(asked());
    const on = bench(fine);
    const { entries } = await on.playKilled(asked(), point);
    expect(factsOf(entries)).toEqual(factsOf(expected));
    expect(on.models.count() - whole.models.count()).toBeLessThanOrEqual(2);
  });
});
