import { openConfigured } from "../../../../test/support/opened.ts";
import { refusalOf, scratch, type Scratch } from "../../../../test/support/scratch.ts";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AppContext } from "../../../app/context.ts";
import { withReactors } from "../../../app/registry.ts";
import { features } from "../../../features.ts";
import { createEngine } from "../../../engine/index.ts";
import { dialecticRecord } from "./dialectic/record.ts";
import type { Entry, ModelRequest, Models } from "../../../kernel/index.ts";
import { readFenced } from "../../../prompts/material.ts";
import type { DebateRecord } from "../protocol/debate/view/record.ts";
import { sectionOf } from "../protocol/evaluation/view.ts";
import { memoryStore } from "../../../testing/memory-store.ts";
import { type EvaluationRequest, openEvaluation, subjectOf } from "./evaluation.ts";

const GEMINI = "google/gemini-2.5-flash";
const said = (model: string, [agentId, type]: readonly [string, string], content: string) => ({
  agentId,
  agentRole: agentId.replace("agent-", ""),
  type,
  content,
  metadata: { model, tokensUsed: 10, latencyMs: 5 },
});

/** A result as Dialectic writes it. */
const RESULT = {
  id: "deb-20250101-120000-abcd",
  problem: "# Queue\n\n- It must keep every message.\n- It should be cheap to run.\n",
  status: "completed",
  currentRound: 2,
  createdAt: "2025-01-01T12:00:00.000Z",
  updatedAt: "2025-01-01T12:05:00.000Z",
  clarifications: [
    {
      agentId: "agent-architect",
      agentName: "System Architect",
      role: "architect",
      items: [
        { id: "q1", question: "How many a second?", answer: "Ten." },
        { id: "q2", question: "How many sites?", answer: "NA" },
      ],
    },
  ],
  rounds: [
    {
      roundNumber: 1,
      timestamp: "2025-01-01T12:01:00.000Z",
      contributions: [
        said(GEMINI, ["agent-architect", "proposal"], "A log.\n\n## Requirements Coverage\n\nFirst words."),
        said(
          GEMINI,
          ["agent-kiss", "proposal"],
          "A table.\n\n## Requirements Coverage\n\nA table keeps them.",
        ),
        said(
          GEMINI,
          ["agent-architect", "refinement"],
          "A log.\n\n## Requirements Coverage\n\nLast words.\n\n## End\nx",
        ),
      ],
    },
    {
      roundNumber: 2,
      timestamp: "2025-01-01T12:03:00.000Z",
      contributions: [said("mistral-large", ["agent-silent", "proposal"], "Nothing of the kind.")],
    },
  ],
  finalSolution: {
    description: "A log on two disks.",
    tradeoffs: [],
    recommendations: [],
    confidence: 40,
    synthesizedBy: "judge-main",
    unfulfilledMajorRequirements: ["Two sites"],
  },
  promptSources: { agents: [], judge: { id: "judge-main", source: "built-in" } },
};

const recordOf = (result: unknown): DebateRecord => {
  const read = dialecticRecord(result);
  if (!read.ok) throw new Error(read.reason);
  return read.record;
};

const fine = JSON.stringify({
  evaluation: { functional_completeness: { reasoning: "Whole.", score: 8 } },
  overall_summary: { strengths: "", weaknesses: "", overall_score: 8 },
});

type Watched = { readonly parley: AppContext; readonly requests: ModelRequest[] };
/** null: the connection breaks. */
type Answer = (request: ModelRequest) => string | null;

/** Everything over a store in memory, with models that answer as told. */
async function watched(
  place: Scratch,
  { flags = {}, answer = () => fine }: { readonly flags?: object; readonly answer?: Answer } = {},
): Promise<Watched> {
  const { context: whole } = await openConfigured({
    flags: { ...flags, store: ":memory:" },
    env: place.env,
    cwd: place.cwd,
    features,
  });
  const { frames, protocols, world } = whole;
  const requests: ModelRequest[] = [];
  const models: Models = {
    quote: whole.models.quote,
    complete(request) {
      requests.push(request);
      const reply = answer(request);
      const spent = {
        model: request.model,
        family: null,
        tokens: { in: 1, out: 1, cached: null, reasoning: null },
        cost: { source: "free", usd: 0 },
        latencyMs: 1,
        attempts: 1,
      } as const;
      return Promise.resolve(
        reply === null
          ? { ok: false, failure: { code: "network", message: "gone" }, ...spent }
          : { ok: true, reply, finish: "stop", ...spent },
      );
    },
  };
  const store = memoryStore();
  const engine = createEngine({ store, models, frames, world, protocols, reactors: withReactors(features) });
  const { organization } = whole.principal;
  const parley = {
    ...whole,
    ...{ store: store.for(organization), models, engine: engine.for(organization) },
    process: { ...whole.process, store, models, engine },
  };
  return { parley, requests };
}

const NO_FILES = { env: {}, cwd: "/nowhere" };

async function evaluated(
  { parley }: Pick<Watched, "parley">,
  given: Partial<EvaluationRequest> = {},
): Promise<{ readonly state: string; readonly id: string; readonly entries: readonly Entry[] }> {
  const { id, state } = await openEvaluation(parley, {
    record: recordOf(RESULT),
    models: ["sim/eva", "sim/eli"],
    place: NO_FILES,
    again: false,
    ...given,
  });
  await parley.engine.drive(id, { signal: new AbortController().signal });
  return { id, state, entries: await parley.store.read(id) };
}

const statusOf = ({ entries }: { readonly entries: readonly Entry[] }) => sectionOf(entries)?.status;

describe("what of a debate is evaluated", () => {
  it("is its problem and solution, what was cleared up, what it demands, and what is said of that", () => {
    expect(subjectOf(recordOf(RESULT), {})).toEqual({
      texts: {
        problem: RESULT.problem,
        solution: "A log on two disks.",
        clarifications: [
          { question: "How many a second?", answer: "Ten." },
          { question: "How many sites?", answer: "NA" },
        ],
        // The last word of each; nothing of an agent that said nothing.
        coverage: [
          { label: "agent-architect", text: "Last words." },
          { label: "agent-kiss", text: "A table keeps them." },
        ],
      },
      work: {
        debate: { id: RESULT.id, simulated: false },
        debaters: [
          { id: "agent-architect", role: "architect", families: ["google"] },
          { id: "agent-kiss", role: "kiss", families: ["google"] },
          { id: "agent-silent", role: "silent", families: ["mistral"] },
          { id: "judge-main", role: null, families: [] },
        ],
        requirements: { major: ["It must keep every message."], minor: ["It should be cheap to run."] },
        unfulfilled: ["Two sites"],
      },
    });
  });

  it("knows families as they are declared", () => {
    const { work } = subjectOf(recordOf(RESULT), { "any/mistral-large": "ours" });
    expect(work.debaters[2]?.families).toEqual(["ours"]);
  });

  it.each([
    ["a problem", { ...RESULT, problem: " \n" }, /has no problem to evaluate; name a result file/],
    ["a solution", { ...RESULT, finalSolution: undefined }, /has no solution to evaluate; name a debate/],
    ["words in it", { ...RESULT, finalSolution: { description: " " } }, /has no solution/],
  ])("is refused without %s", (_, result, message) => {
    expect(() => subjectOf(recordOf(result), {})).toThrow(message);
  });

  it("is resumed first where it is open", () => {
    const record: DebateRecord = { ...recordOf(RESULT), source: "parley", status: "open", synthesis: null };
    expect(() => subjectOf(record, {})).toThrow(`resume ${RESULT.id} first`);
  });
});

describe("an evaluation", () => {
  it("asks each evaluator once, at a low temperature, and is found again by the same command", async () => {
    using place = scratch();
    const on = await watched(place);
    const first = await evaluated(on);
    expect([first.state, statusOf(first)]).toEqual(["new", "answered"]);
    expect(on.requests.map(({ temperature }) => temperature)).toEqual([0.1, 0.1]);
    const second = await evaluated(on);
    expect([second.state, second.id, on.requests.length]).toEqual(["closed", first.id, 2]);
    const anew = await evaluated(on, { again: true });
    expect([anew.state, anew.id === first.id, on.requests.length]).toEqual(["new", false, 4]);
    const other = recordOf({ ...RESULT, finalSolution: { ...RESULT.finalSolution, description: "A log." } });
    expect((await evaluated(on, { record: other })).id).not.toBe(first.id);
  });

  it("whose calls failed goes on with those alone, from the run that got furthest", async () => {
    using place = scratch();
    const failing = new Map([
      ["sim/eva", 1],
      ["sim/eli", 2],
    ]);
    const on = await watched(place, {
      answer({ model }) {
        const left = failing.get(model) ?? 0;
        failing.set(model, left - 1);
        return left > 0 ? null : fine;
      },
    });
    const states: (string | undefined)[][] = [];
    for (let run = 0; run < 4; run += 1) {
      const ended = await evaluated(on);
      states.push([ended.state, statusOf(ended)]);
    }
    expect(states).toEqual([
      ["new", "failed"],
      ["forked", "answered-degraded"],
      ["forked", "answered"],
      ["closed", "answered"],
    ]);
    const asked = on.requests.map(({ model }) => model);
    expect(asked).toEqual(["sim/eva", "sim/eli", "sim/eva", "sim/eli", "sim/eli"]);
  });

  it("stopped by its budget is shown again under the same, and goes on under a larger one", async () => {
    using place = scratch();
    const on = await watched(place, { flags: { maxCalls: "1" } });
    const some = await evaluated(on);
    expect([some.state, statusOf(some)]).toEqual(["new", "stopped-by-budget"]);
    expect((await evaluated(on)).state).toBe("closed");
    const { settings } = on.parley;
    const richer = { ...on.parley, settings: { ...settings, maxCalls: 5 } };
    const rest = await evaluated({ parley: richer });
    expect([rest.state, statusOf(rest), on.requests.length]).toEqual(["forked", "answered", 2]);
  });

  it("takes evaluators from a file, with their models changed, and pins their own prompts and times", async () => {
    using place = scratch({
      "project/who/eval.json": JSON.stringify({
        agents: [
          {
            id: "eval-1",
            name: "One",
            model: "gpt-5",
            timeout: 30_000,
            systemPromptPath: "system.md",
            userPromptPath: "user.md",
          },
          { id: "eval-2", name: "Two", model: "gpt-5", userPromptPath: "none.md" },
          { id: "eval-3", name: "Three", model: "gpt-5", enabled: false },
        ],
      }),
      "project/who/system.md": "You are strict.",
      "project/who/user.md": "Score this:\n{final_solution}",
    });
    const on = await watched(place);
    const opened = await openEvaluation(on.parley, {
      record: recordOf(RESULT),
      place,
      config: "who/eval.json",
      mapModels: "sim/eva,sim/eli",
      again: false,
    });
    expect(opened.evaluators).toEqual([
      { id: "eval-1", model: "sim/eva" },
      { id: "eval-2", model: "sim/eli" },
    ]);
    expect(opened.notes).toEqual([
      expect.stringContaining("none.md does not exist; the built-in one is used"),
    ]);
    const [entry] = await on.parley.store.read(opened.id);
    expect(entry?.data).toMatchObject({
      settings: { timeoutsMs: { "eval-1": 30_000 } },
      templates: { "evaluation/eval-1": expect.any(String) },
    });
    await on.parley.engine.drive(opened.id, { signal: new AbortController().signal });
    const [own, builtIn] = on.requests.map(({ messages }) => messages);
    expect(own?.[0]?.text).toMatch(/\n\nYou are strict\.$/);
    expect(own?.[1]?.text).toMatch(/^Score this:\n\[BEGIN solution #[0-9a-f]{16}\]\nA log on two disks\.\n/);
    expect(readFenced(builtIn?.[1]?.text ?? "").map(({ kind }) => kind)).toContain("coverage");
  });

  it("names an evaluator of a debater's family; strict-families refuses it before any call", async () => {
    using place = scratch();
    const models = ["sim/eva?family=google"];
    const on = await watched(place);
    const { entries } = await evaluated(on, { models });
    expect(sectionOf(entries)?.warnings).toEqual([
      "eval-1 is of the same family (google) as agent-architect and agent-kiss",
    ]);
    const strict = await watched(place, { flags: { strictFamilies: "true" } });
    expect(await refusalOf(() => evaluated(strict, { models }), place)).toBe(
      "eval-1 is of the same family (google) as agent-architect and agent-kiss; choose an evaluator of another family, or set strict-families: false",
    );
    expect(strict.requests).toEqual([]);
  });

  it.each([
    ["nobody", {}, /no evaluators given; name a configuration file, or models/],
    [
      "a file and models",
      { config: "x.json", models: ["sim/eva"] },
      /named twice: by a configuration file and by their models/,
    ],
    ["what is no model", { models: ["eva"] }, /"eva" is not a model reference/],
    ["too many", { models: Array.from({ length: 27 }, () => "sim/eva") }, /at most 26 evaluators/],
    ["an id that names a step", { config: "taken.json" }, /roster and admitted name steps/],
  ] as const)("of %s is refused", async (_, given, message) => {
    const agents = [{ id: "roster", name: "R", model: "gpt-5" }];
    using place = scratch({ "project/taken.json": JSON.stringify({ agents }) });
    const on = await watched(place);
    const refusal = await refusalOf(
      () => openEvaluation(on.parley, { record: recordOf(RESULT), place, again: false, ...given }),
      place,
    );
    expect(refusal).toMatch(message);
  });

  it("of too much is refused, and of a price that nobody knows under a cap in money", async () => {
    using place = scratch();
    const small = await watched(place, { flags: { maxContextBytes: "100" } });
    expect(await refusalOf(() => evaluated(small), place)).toMatch(
      /^the debate has \d+ bytes to evaluate, more than 100; raise max-context-bytes$/,
    );
    using keyed = scratch({}, { OPENROUTER_API_KEY: "sk-none" });
    const capped = await watched(keyed, { flags: { maxCostUsd: "1" } });
    await expect(evaluated(capped, { models: ["openrouter/nobody/knows"] })).rejects.toMatchObject({
      code: "budget",
    });
    expect([...small.requests, ...capped.requests]).toEqual([]);
  });
});

const folder = "../shared/data/dialectic-debates";
const absent = !existsSync(folder);
if (absent) process.stdout.write(`skipped: the recorded debates are not at ${folder}\n`);

describe.skipIf(absent)("recorded debates", () => {
  const debates = absent
    ? []
    : readdirSync(folder).filter((name) => /architect.*solution.*\.json$/.test(name));

  it.each(debates)("%s can be evaluated", async (name) => {
    using place = scratch();
    const record = recordOf(JSON.parse(readFileSync(join(folder, name), "utf8")));
    const subject = subjectOf(record, {});
    expect(subject.work.requirements.major.length).toBeGreaterThan(0);
    expect(subject.work.debaters.map(({ families }) => families)).toContainEqual(["openai"]);
    const on = await watched(place);
    expect(statusOf(await evaluated(on, { record }))).toBe("answered");
  });
});
