import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DebateRecord } from "../../protocol/debate/view/record.ts";
import { workOf, type Entry } from "../../../../kernel/index.ts";
import { debateRecord } from "../../protocol/debate/view/debated.ts";
import { sampleDebate } from "../../../../../test/support/sample-debate.ts";
import { dialecticRecord } from "./record.ts";
import { dialecticState } from "./state.ts";

const said = (
  agentId: string,
  [type, content]: readonly [type: string, content: string],
  { target, ...metadata }: { target?: string; [more: string]: unknown } = {},
) => ({
  agentId,
  agentRole: `role of ${agentId}`,
  type,
  content,
  ...(target === undefined ? {} : { targetAgentId: target }),
  metadata: { tokensUsed: 100, latencyMs: 1_000, model: "lab/gpt-4", ...metadata },
});

const summary = (agentId: string) => ({
  agentId,
  agentRole: `role of ${agentId}`,
  summary: `summary for ${agentId}`,
  metadata: { beforeChars: 900, afterChars: 20, method: "length-based", timestamp: "x", tokensUsed: 7 },
});

/** Two agents over two rounds, in the order in which replies came: b before a. */
const state = () => ({
  id: "deb-1",
  problem: "How?\nIt must work.",
  status: "completed",
  currentRound: 2,
  createdAt: "2025-10-29T20:32:56.382Z",
  updatedAt: "2025-10-29T20:38:29.807Z",
  rounds: [
    {
      roundNumber: 2,
      timestamp: "x",
      contributions: [
        said("a", ["proposal", "refinement of a"], { tokensUsed: 0, latencyMs: 0 }),
        said("b", ["proposal", "anew"], { tokensUsed: 0 }),
        said("a", ["refinement", "last of a"], { model: "lab/other" }),
      ],
      summaries: { b: summary("b"), a: summary("a") },
    },
    {
      roundNumber: 1,
      timestamp: "x",
      contributions: [
        said("b", ["proposal", "proposal of b"]),
        said("a", ["proposal", "proposal of a"], { tokensUsed: 0, latencyMs: 0 }),
        said("b", ["critique", "b on a"], { target: "a" }),
        said("a", ["critique", "a on b"], { target: "b" }),
        said("a", ["refinement", "refinement of a"], {
          toolCalls: [
            { id: "1", name: "file_read", arguments: '{"path":"x"}' },
            { id: "2", name: "list_files", arguments: "{" },
          ],
          toolResults: [{ tool_call_id: "1", role: "tool", content: "text" }],
        }),
      ],
    },
  ],
  clarifications: [
    {
      agentId: "b",
      agentName: "Bee",
      role: "b's role",
      items: [
        { id: "q1", question: "For whom?", answer: "NA" },
        { id: "q2", question: "Why?" },
      ],
    },
  ],
  judgeSummary: summary("judge"),
  finalSolution: {
    description: "so it is",
    tradeoffs: ["t"],
    recommendations: [],
    confidence: 75,
    synthesizedBy: "judge",
    unfulfilledMajorRequirements: ["u"],
  },
  promptSources: {
    agents: [{ agentId: "a", role: "architect", source: "built-in" }],
    judge: { id: "judge", source: "built-in" },
  },
});

const recordOf = (json: unknown): DebateRecord => {
  const read = dialecticRecord(json);
  if (!read.ok) throw new Error(read.reason);
  return DebateRecord.parse(read.record);
};

describe("a result file of Dialectic's", () => {
  it("is a debate, whatever order its rounds and replies stand in", () => {
    expect(recordOf(state())).toMatchSnapshot();
  });

  it("says little where little was written: nothing is made up", () => {
    const { id, problem, createdAt } = state();
    const record = recordOf({ id, problem, status: "running", createdAt, rounds: [], more: { x: [1] } });
    expect(record).toEqual({
      id,
      source: "dialectic",
      problem,
      status: "running",
      simulated: false,
      startedAt: createdAt,
      endedAt: null,
      agents: [],
      judge: null,
      requirements: null,
      clarifications: [],
      rounds: [],
      judgeSummary: null,
      synthesis: null,
      degraded: [],
      outside: { calls: null, tokens: 0, usd: null },
      calls: null,
      tokens: 0,
      usd: null,
    });
  });

  it("has unknown figures where metadata is gone", () => {
    const bare = { agentId: "a", type: "proposal", content: "p" };
    const { rounds, agents } = recordOf({
      ...state(),
      rounds: [{ roundNumber: 1, contributions: [bare] }],
      promptSources: null,
      clarifications: null,
    });
    expect(agents).toEqual([
      { id: "a", name: "a", role: null, model: null, family: null, temperature: null },
    ]);
    expect(rounds).toMatchObject([
      { tokens: null, proposals: [{ model: null, tokens: null, latencyMs: null, carried: false }] },
    ]);
  });

  it("names the critiques that were dropped from a round that ended, a few of many", () => {
    const names = ["a", "b", "c", "d"];
    const contributions = names.map((name) => said(name, ["proposal", name]));
    const rounds = [1, 2].map((roundNumber) => ({ roundNumber, contributions }));
    const { finalSolution: _, ...open } = state();
    expect(recordOf({ ...open, rounds }).degraded).toEqual([
      {
        what: "critiques in round 1",
        why: "12 of 12 are not in the file, which does not say why: a of b, a of c, a of d, b of a, b of c and 7 more",
      },
    ]);
  });

  it.each([
    [
      "a model's name",
      { rounds: [{ roundNumber: 1, contributions: [said("a", ["proposal", "p"], { model: "sim/a" })] }] },
    ],
    ["the mark of a text", { finalSolution: { description: "[simulated 0a1b2c] so" } }],
    ["the mark of a summary", { judgeSummary: { ...summary("judge"), summary: "[simulated 0a1b2c] so" } }],
  ])("is simulated by %s", (_, changes) => {
    expect([recordOf(state()).simulated, recordOf({ ...state(), ...changes }).simulated]).toEqual([
      false,
      true,
    ]);
  });
});

describe("what is no such file", () => {
  const changed = (changes: object) => ({ ...state(), ...changes });
  const round = (...contributions: readonly unknown[]) => ({ rounds: [{ roundNumber: 1, contributions }] });
  const most = "x".repeat(2_000);
  it.each([
    ["nothing", undefined, /^Invalid input: expected object/],
    ["a list", [], /^Invalid input: expected object/],
    ["a configuration", { agents: [], judge: {} }, /^id: /],
    ["without an id", changed({ id: "" }), /^id: /],
    ["a time that is none", changed({ createdAt: "yesterday" }), /^createdAt: /],
    [
      "a text that is a number",
      changed(round({ agentId: "a", type: "proposal", content: 7 })),
      /^rounds\.0\.contributions\.0\.content: /,
    ],
    [
      "a kind that there is not",
      changed(round(said("a", ["vote", "x"]))),
      /^rounds\.0\.contributions\.0\.type: /,
    ],
    [
      "a critique of nobody",
      changed(round(said("a", ["critique", "x"]))),
      /^rounds\.0\.contributions\.0\.targetAgentId: a critique names whom it criticizes$/,
    ],
    ["negative tokens", changed(round(said("a", ["proposal", "x"], { tokensUsed: -1 }))), /tokensUsed: /],
    [
      "endless tokens",
      changed(round(said("a", ["proposal", "x"], { tokensUsed: Infinity }))),
      /tokensUsed: /,
    ],
    [
      "a confidence of 900",
      changed({ finalSolution: { description: "d", confidence: 900 } }),
      /^finalSolution\.confidence: /,
    ],
    [
      "two rounds of one number",
      changed({ rounds: [1, 1].map((roundNumber) => ({ roundNumber, contributions: [] })) }),
      /^rounds: two rounds have one number$/,
    ],
    [
      "too many rounds",
      changed({
        rounds: Array.from({ length: 101 }, (_, index) => ({ roundNumber: index + 1, contributions: [] })),
      }),
      /^rounds: /,
    ],
    [
      "too many agents",
      changed(round(...Array.from({ length: 101 }, (_, index) => said(`n${index}`, ["proposal", "x"])))),
      /^it has 103 agents, more than 100$/,
    ],
    [
      "a long key",
      changed({ rounds: [{ roundNumber: 1, contributions: [], summaries: { [most]: 1 } }] }),
      /^rounds\.0\.summaries\.x{300}/,
    ],
  ])("%s is refused, and where", (_, json, reason) => {
    const read = dialecticRecord(json);
    expect(read.ok ? "read" : read.reason).toMatch(reason);
    expect(read.ok ? 0 : read.reason.length).toBeLessThanOrEqual(400);
  });

  it("is bounded in what it costs to read", () => {
    const names = Array.from({ length: 99 }, (_, index) => `n${index}`);
    const contributions = names.map((name) => said(name, ["proposal", ""]));
    const rounds = Array.from({ length: 60 }, (_, index) => ({ roundNumber: index + 1, contributions }));
    const record = recordOf({ ...state(), rounds, clarifications: null });
    expect(record.degraded).toHaveLength(60);
    expect(JSON.stringify(record.degraded).length).toBeLessThan(20_000);
  });
});

/** What a file of Dialectic's has of a debate: no prices, no numbers of calls, no requirements, no confidence of a round. */
function portable({ source: _, requirements: _r, ...record }: DebateRecord, names: readonly string[] = []) {
  const taken = <T extends { usd: number | null }>({ usd: _usd, ...one }: T) => one;
  return {
    ...taken(record),
    ...{ degraded: null, outside: null, calls: null, tokens: null },
    agents: record.agents.map(({ id, name, role, model }) => ({
      id,
      role,
      model,
      name: names.includes(id) ? name : id,
    })),
    judge: record.judge?.id,
    clarifications: record.clarifications.map((one) => ({ ...one, answer: one.answer ?? "NA" })),
    rounds: record.rounds.map(({ calls: _calls, confidence: _c, confidenceReason: _w, ...round }) => ({
      ...taken(round),
      tokens: null,
      proposals: round.proposals.map(({ coverage: _coverage, ...one }) => taken(one)),
      critiques: round.critiques.map(taken),
      refinements: round.refinements.map(({ coverage: _coverage, ...one }) => taken(one)),
      summaries: round.summaries.map(taken),
      tools: round.tools.map(({ during: _during, ...tool }) => tool),
    })),
    judgeSummary: record.judgeSummary && taken(record.judgeSummary),
    synthesis: record.synthesis && {
      text: record.synthesis.text,
      confidence: record.synthesis.confidence,
      capped: record.synthesis.capped,
      lists: [
        record.synthesis.tradeoffs,
        record.synthesis.recommendations,
        record.synthesis.unfulfilledMajorRequirements,
        record.synthesis.openQuestions,
      ],
    },
    status: record.status.startsWith("answered")
      ? "completed"
      : record.status === "open" || record.status === "waiting"
        ? "running"
        : record.status,
  };
}

describe("a debate written as Dialectic's", () => {
  const whole = sampleDebate().entries;
  it.each<[string, readonly Entry[]]>([
    ["whole", whole],
    ["under way", whole.slice(0, 11)],
    ["before its first text", whole.slice(0, 1)],
    ["with questions that wait", whole.slice(0, 3)],
    [
      "of hostile texts",
      sampleDebate({ text: "```\n# A\u202e\u0000", problem: "__proto__", tool: "\ud800" }).entries,
    ],
  ])("is read again as the same: %s", (_, entries) => {
    const record = debateRecord(entries);
    const json: unknown = JSON.parse(JSON.stringify(dialecticState(entries)));
    const asked = record.clarifications.map(({ by }) => by);
    const again = portable(
      recordOf(json),
      record.agents.map(({ id }) => id),
    );
    const expected = portable(record, asked);
    expect({ ...again, endedAt: null }).toEqual({
      ...expected,
      endedAt: null,
      // The file names models where somebody spoke.
      agents: expected.agents.map((one, index) => ({ ...one, model: again.agents[index]?.model })),
      clarifications: expected.clarifications.map((one) => ({
        ...one,
        answer: record.status === "waiting" && one.answer === "NA" ? "" : one.answer,
      })),
    });
  });

  it("has the form that Dialectic's tools read", () => {
    const written = dialecticState(whole, [{ name: "notes.md", text: "The budget is 7 EUR." }]);
    const { rounds, ...head } = JSON.parse(JSON.stringify(written)) as ReturnType<typeof dialecticState>;
    expect(head).toMatchObject({
      context: "notes.md:\n\nThe budget is 7 EUR.",
      status: "completed",
      currentRound: 2,
      finalSolution: {
        confidence: 85,
        synthesizedBy: "judge",
        recommendations: [expect.any(String), "measure it"],
      },
      clarifications: [
        {
          agentId: "architect",
          agentName: "System Architect",
          items: [{ id: "1-architect-1" }, { answer: "NA" }],
        },
      ],
      promptSources: {
        agents: [{ agentId: "architect", role: "architect", source: "built-in" }, {}],
        judge: { id: "judge" },
      },
    });
    expect(Date.parse(head.updatedAt)).toBeGreaterThan(Date.parse(head.createdAt));
    expect(rounds.map(({ roundNumber, contributions }) => [roundNumber, contributions.length])).toEqual([
      [1, 4],
      [2, 6],
    ]);
    expect(rounds[1]?.summaries).toMatchObject({
      tester: {
        agentId: "tester",
        agentRole: "testing",
        metadata: {
          beforeChars: 12_000,
          method: "length-based",
          temperature: 0.5,
          provider: expect.any(String),
          timestamp: expect.any(String),
        },
      },
    });
    expect(rounds[0]?.contributions.find(({ metadata }) => metadata.toolCalls)).toMatchObject({
      agentId: "tester",
      type: "proposal",
      metadata: { toolCalls: [{ name: "file_read" }], toolResults: [{ role: "tool" }] },
    });
  });

  it.each(["proposal", "refinement", "critique"])(
    "gives a tool's call to the %s that it was made for, whatever steps are called",
    (kind) => {
      const entries = sampleDebate().entries.map((entry): Entry => {
        if (entry.type === "unknown") return entry;
        const step = "step" in entry.origin ? { step: `${entry.seq}` } : {};
        const work = workOf(entry);
        const isOfTool = entry.type === "tool-called" || entry.type === "reply-received";
        const made = kind === "critique" ? { of: "architect", round: 2 } : {};
        const moved = isOfTool && work?.round === 1 ? { work: { ...work, kind, ...made } } : {};
        return { ...entry, origin: { ...entry.origin, ...step, ...moved } } as Entry; // the same origin but for these
      });
      const all = dialecticState(entries).rounds.flatMap(({ contributions }) => contributions);
      const called = all.filter(({ metadata }) => "toolCalls" in metadata);
      expect(called).toEqual([expect.objectContaining({ agentId: "tester", type: kind })]);
    },
  );
});

const folder = new URL("../../../../../../shared/data/dialectic-debates/", import.meta.url);

describe("recorded debates", () => {
  it("are read whole", (test) => {
    test.skip(!existsSync(folder), "the recorded debates are not on this machine");
    const read = (name: string) => recordOf(JSON.parse(readFileSync(new URL(name, folder), "utf8")));
    const facts = ({ agents, rounds, degraded, synthesis, judge }: DebateRecord) => ({
      agents: agents.map(({ id, role, model, family }) => [id, role, model, family]),
      critiques: rounds.map(({ critiques }) => critiques.length),
      carried: rounds.map(({ proposals }) => proposals.filter(({ carried }) => carried).length),
      tokens: rounds.map(({ tokens }) => tokens),
      summaries: rounds.map(({ summaries }) => summaries.length),
      degraded,
      confidence: synthesis?.confidence,
      judge: judge?.model,
    });
    expect(facts(read("kata1__architect-perf-solution_2-rounds.json"))).toMatchInlineSnapshot(`
      {
        "agents": [
          [
            "agent-architect",
            "architect",
            "openai/gpt-oss-120b:exacto",
            "openai",
          ],
          [
            "agent-performance",
            "performance",
            "openai/gpt-oss-120b:exacto",
            "openai",
          ],
        ],
        "carried": [
          0,
          2,
        ],
        "confidence": 75,
        "critiques": [
          2,
          2,
        ],
        "degraded": [],
        "judge": "anthropic/claude-sonnet-4.5",
        "summaries": [
          0,
          2,
        ],
        "tokens": [
          39833,
          54788,
        ],
      }
    `);
    expect(facts(read("kata1__architect-only-solution_2-rounds.json"))).toMatchInlineSnapshot(`
      {
        "agents": [
          [
            "agent-architect",
            "architect",
            "openai/gpt-oss-120b:exacto",
            "openai",
          ],
        ],
        "carried": [
          0,
          1,
        ],
        "confidence": 75,
        "critiques": [
          0,
          0,
        ],
        "degraded": [],
        "judge": "anthropic/claude-sonnet-4.5",
        "summaries": [
          0,
          1,
        ],
        "tokens": [
          3825,
          7536,
        ],
      }
    `);
  });
});
