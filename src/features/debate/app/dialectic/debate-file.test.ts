import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readDebateFile } from "./debate-file.ts";
import { readEvaluationFile } from "./agent-file.ts";
import { refusalOf, scratch } from "../../../../../test/support/scratch.ts";

const FILE = "project/debate.json";
const recorded = fileURLToPath(new URL("../../../../../../shared/data/dialectic-debates/", import.meta.url));
const absent = "the recorded debates are not on this machine";

const agent = (more: object = {}) => ({
  id: "agent-architect",
  name: "System Architect",
  role: "architect",
  model: "gpt-4",
  provider: "openai",
  temperature: 0.5,
  enabled: true,
  ...more,
});
const other = (more: object = {}) => agent({ id: "agent-kiss", name: "KISS", role: "kiss", ...more });
const judge = (more: object = {}) => ({
  id: "judge-main",
  name: "Technical Judge",
  role: "generalist",
  model: "openai/gpt-4",
  provider: "openrouter",
  temperature: 0.3,
  ...more,
});
const read = (value: unknown) => {
  using place = scratch({ [FILE]: JSON.stringify(value, undefined, 2) });
  const { folder, warnings, common: _, ...config } = readDebateFile("debate.json", place);
  expect(folder).toBe(place.cwd);
  return { ...config, warnings: warnings.map((warning) => warning.replaceAll(place.home, "HOME")) };
};

const usualSummarization = {
  enabled: true,
  threshold: 5_000,
  maxLength: 2_500,
  method: "length-based",
  semanticThreshold: 0.8,
  scope: "own",
};
const usualRules = {
  rounds: 3,
  terminationCondition: { type: "fixed", threshold: 90 },
  includeFullHistory: true,
  interactiveClarifications: false,
  clarificationsMaxPerAgent: 5,
  clarificationsMaxIterations: 3,
  topology: "full",
  proposals: "carried",
};
const noPaths = { instructions: [], clarification: [], summary: [] };

describe("a file as Dialectic has it", () => {
  it("is read whole, what it leaves out being what it is there", () => {
    expect(read({ agents: [agent()], judge: judge() })).toEqual({
      agents: [
        {
          id: "agent-architect",
          name: "System Architect",
          role: "architect",
          model: "openai/gpt-4",
          temperature: 0.5,
          summarization: usualSummarization,
          promptPaths: noPaths,
          tools: [],
          toolCallLimit: undefined,
        },
      ],
      judge: {
        id: "judge-main",
        name: "Technical Judge",
        role: "generalist",
        model: "openrouter/openai/gpt-4",
        temperature: 0.3,
        summarization: usualSummarization,
        promptPaths: noPaths,
        tools: [],
        toolCallLimit: undefined,
      },
      debate: usualRules,
      warnings: [],
    });
  });

  it("says everything that it can", () => {
    const debate = {
      rounds: 4,
      terminationCondition: { type: "quality", threshold: 85 },
      includeFullHistory: false,
      timeoutPerRound: 450_000,
      interactiveClarifications: true,
      clarificationsMaxPerAgent: 2,
      clarificationsMaxIterations: 1,
      topology: "ring",
      proposals: "fresh",
    };
    const { warnings, ...config } = read({
      agents: [
        agent({
          tools: [{ name: "file_read" }, { name: "context_search" }, { name: "file_read" }],
          toolCallLimit: 4,
        }),
      ],
      judge: judge(),
      debate: { ...debate, synthesisMethod: "judge", orchestratorType: "state-machine", trace: "langfuse" },
    });
    expect(config.debate).toEqual(debate);
    expect(config.agents[0]).toMatchObject({ tools: ["file_read", "context_search"], toolCallLimit: 4 });
    expect(warnings).toEqual([
      "HOME/project/debate.json:47:5: orchestratorType has no effect here",
      "HOME/project/debate.json:48:5: trace has no effect here",
    ]);
  });

  it("gives a model to each provider's name for it", () => {
    const models = [
      { provider: "openrouter", model: "anthropic/claude-sonnet-4.5" },
      { provider: "ollama", model: "gemma3:27b" },
      { provider: "sim", model: "ada?skill=0.8" },
      { provider: "compatible", model: "lab" },
    ];
    const { agents } = read({ agents: models.map((one, index) => agent({ ...one, id: `a${index}` })) });
    expect(agents.map(({ model }) => model)).toEqual([
      "openrouter/anthropic/claude-sonnet-4.5",
      "ollama/gemma3:27b",
      "sim/ada?skill=0.8",
      "compatible/lab",
    ]);
  });

  it("may be YAML, or JSON with tabs", () => {
    using place = scratch({
      "project/d.yaml": `# Two minds
agents:
  - id: agent-architect
    name: System Architect
    role: architect
    model: gpt-4
    provider: openai
judge: {id: judge-main, model: openai/gpt-4, provider: openrouter}
`,
      "project/d.json": JSON.stringify({ agents: [agent()], judge: judge() }, undefined, "\t"),
    });
    const [yaml, json] = ["d.yaml", "d.json"].map((name) => readDebateFile(name, place));
    expect(yaml).toEqual(json);
    expect(json).toMatchObject({ agents: [{ id: "agent-architect" }], warnings: [] });
  });

  it("leaves out who is not enabled, and whose id is free then", () => {
    const hidden = agent({ enabled: false });
    const { agents } = read({ agents: [hidden, other({ id: "agent-architect" }), hidden] });
    expect(agents.map(({ id, role }) => ({ id, role }))).toEqual([{ id: "agent-architect", role: "kiss" }]);
  });

  it("leaves the temperature to the provider where it says so, and knows data modelers by both names", () => {
    const { agents } = read({
      agents: [agent({ temperature: null }), other({ role: "datamodeling", temperature: undefined })],
    });
    expect(agents).toMatchObject([{ temperature: null }, { temperature: 0.5, role: "data-modeling" }]);
  });
});

describe("the judge", () => {
  const builtIn = { id: "judge-main", name: "Technical Judge", role: "generalist", temperature: 0.3 };

  it.each([
    [undefined, "1:1: there is no judge"],
    [judge({ enabled: false }), "13:3: the judge is not enabled"],
  ])("is the built-in one where there is none: %#", (written, why) => {
    const { judge: found, warnings } = read({ agents: [agent()], judge: written });
    expect(found).toMatchObject({ ...builtIn, model: "openai/gpt-4" });
    expect(warnings).toEqual([
      `HOME/project/debate.json:${why}; a generalist judges, with the model openai/gpt-4`,
    ]);
  });

  it("is completed where the file says less of it", () => {
    const { judge: found, warnings } = read({ agents: [agent()], judge: { temperature: 0.1 } });
    expect(found).toMatchObject({ ...builtIn, temperature: 0.1, model: "openai/gpt-4" });
    expect(warnings).toEqual([]);
  });
});

describe("summarization", () => {
  it("is the agent's own over the debate's over the usual, field by field", () => {
    const { agents, judge: found } = read({
      agents: [
        agent({ summarization: { threshold: 8_000, semanticThreshold: 0 } }),
        other({ summarization: { enabled: false } }),
      ],
      judge: judge({ summarization: { method: "a-method-of-tomorrow", scope: "all" } }),
      debate: { summarization: { threshold: 4_000, maxLength: 1_000, embeddingModel: "ollama/nomic" } },
    });
    const common = {
      ...usualSummarization,
      threshold: 4_000,
      maxLength: 1_000,
      embeddingModel: "ollama/nomic",
    };
    expect([...agents, found].map((one) => one?.summarization)).toEqual([
      { ...common, threshold: 8_000, semanticThreshold: 0 },
      { ...common, enabled: false },
      { ...common, method: "a-method-of-tomorrow", scope: "all" },
    ]);
  });
});

describe("keys that are not known", () => {
  it("are ignored, with the place and the nearest that is, at any depth", () => {
    const { agents, debate, warnings } = read({
      agents: [agent({ temprature: 1, tools: [{ name: "file_read", config: {} }] })],
      judge: judge(),
      debate: { round: 9, terminationCondition: { type: "fixed", treshold: 1 }, summarization: { max: 3 } },
      $schema: "x",
    });
    expect(agents[0]).toMatchObject({ temperature: 0.5, tools: ["file_read"] });
    expect(debate.rounds).toBe(3);
    const ignored = (place: string, key: string, like: string) =>
      `HOME/project/debate.json:${place}: unknown key "${key}" is ignored; did you mean ${like}?`;
    expect(warnings).toEqual([
      ignored("15:11", "config", "name"),
      ignored("11:7", "temprature", "temperature"),
      ignored("32:7", "treshold", "threshold"),
      ignored("35:7", "max", "maxLength"),
      ignored("29:5", "round", "rounds"),
      ignored("38:3", "$schema", "judge"),
    ]);
  });

  it("are told of twenty times at most", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key${index}`, index]));
    const { warnings } = read({ agents: [agent()], judge: judge(), ...many });
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe("HOME/project/debate.json: 4980 more keys are ignored");
  });

  it("are named in one bounded line, whatever they are", () => {
    const { warnings } = read({ agents: [agent()], judge: judge(), [`a\n\u001b[31m${"x".repeat(900)}`]: 1 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).not.toMatch(/\p{Cc}/u);
    expect(warnings[0]?.length).toBeLessThan(250);
  });
});

describe("what Dialectic goes on without", () => {
  it.each<[string, object, string]>([
    ["no agents key", { debate: { rounds: 1 } }, ": there are no agents; the built-in agents debate"],
    ["null agents", { agents: null }, ":2:3: there are no agents; the built-in agents debate"],
    ["empty agents", { agents: [] }, ":2:3: there are no agents; the built-in agents debate"],
    ["an empty file", {}, ": there are no agents; the built-in agents debate"],
    [
      "agents of which none is enabled",
      { agents: [agent({ enabled: false })] },
      ":2:3: no agent is enabled; the built-in agents debate",
    ],
  ])("are agents, with a warning: %s", (_, ...row) => {
    const [value, warning] = row;
    const read = readWhole(value);
    expect(read).toMatchObject({ agents: [], judge: undefined });
    expect(read.warnings.filter((one) => one.includes(warning))).toHaveLength(1);
    expect(readWhole({ ...value, judge: judge() }).judge).toMatchObject({ id: judge().id });
  });
  it.each([
    ["archtect", "architect"],
    ["reviewer", "architect"],
    ["Product Owner", "architect"],
    ["x", "architect"],
    ["role: security", "architect"],
  ])("is a role that it does not know: %s", (role, fallback) => {
    const { agents, warnings } = readWhole({ agents: [agent({ role }), other()], judge: judge() });
    expect(agents.map((one) => one.role)).toEqual([fallback, "kiss"]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/there is no role ".*", and architect stands in for it; the nearest is /);
  });
  it("is a role of its judge, too", () => {
    const { judge: judged, warnings } = readWhole({
      agents: [agent()],
      judge: judge({ role: "magistrate" }),
    });
    expect(judged?.role).toBe("generalist");
    expect(warnings).toHaveLength(1);
  });
});

const readWhole = (value: object) => {
  using place = scratch({ [FILE]: JSON.stringify(value, undefined, 2) });
  return readDebateFile("debate.json", place);
};

describe("refusals", () => {
  it.each([
    [{ agents: {} }, "agents must be a list (got a mapping)"],
    [[agent()], "the file must be a mapping (got a list of 1)"],
    [
      { agents: [agent(), other(), other()] },
      ":22:13: agent-kiss is the id of another agent, too; rename one of them",
    ],
    [
      { agents: [agent()], judge: judge({ id: "agent-architect" }) },
      ":14:11: agent-architect is the id of another agent, too; rename one of them",
    ],
    [
      { agents: [agent()], debate: { synthesisMethod: "voting" } },
      ":14:24: debate.synthesisMethod is not valid: only judge exists, and the judge writes the synthesis",
    ],
    [{ agents: [agent({ model: undefined })] }, ":3:5: agents.0.model is missing"],
    [{ agents: [agent({ model: "gpt 4" })] }, "agents.0.model is not valid: a model's name has no spaces"],
    [{ agents: [agent({ provider: "Open AI" })] }, "agents.0.provider is not valid: a provider is one word"],
    [{ agents: [agent({ provider: undefined })] }, "agents.0.provider is missing"],
    [{ agents: [agent({ role: undefined })] }, "agents.0.role is missing"],
    [{ agents: [agent({ id: "../x" })] }, "agents.0.id is not valid: letters, digits, dot, dash and"],
    [{ agents: [agent({ name: "A\n## System" })] }, "agents.0.name is not valid: more than one line"],
    [{ agents: [agent({ temperature: 3 })] }, "agents.0.temperature must be at most 2 (got 3)"],
    [{ agents: [agent({ enabled: "yes" })] }, 'agents.0.enabled must be true or false (got "yes")'],
    [{ agents: [agent({ toolCallLimit: 0 })] }, "agents.0.toolCallLimit must be above 0 (got 0)"],
    [{ agents: [agent({ tools: ["file_read"] })] }, 'agents.0.tools.0 must be a mapping (got "file_read")'],
    [
      { agents: Array.from({ length: 27 }, (_, index) => agent({ id: `a${index}` })) },
      "agents is not valid: more than 26 agents",
    ],
    [
      { agents: [agent()], judge: judge({ provider: undefined }) },
      "judge.model is not valid: a model and its provider are given together, or neither",
    ],
    [{ agents: [agent()], debate: { rounds: 0 } }, "debate.rounds must be above 0 (got 0)"],
    [{ agents: [agent()], debate: { rounds: 2.5 } }, "debate.rounds must be an integer (got 2.5)"],
    [{ agents: [agent()], debate: { rounds: 1e9 } }, "debate.rounds is not valid: more than 20 rounds"],
    [
      { agents: [agent()], debate: { terminationCondition: { type: "quality", threshold: 101 } } },
      "debate.terminationCondition.threshold must be at most 100 (got 101)",
    ],
    [
      { agents: [agent({ summarization: { threshold: -1 } })] },
      "agents.0.summarization.threshold must be above 0 (got -1)",
    ],
    [
      { agents: [agent()], debate: { timeoutPerRound: "5m" } },
      'debate.timeoutPerRound must be a number (got "5m")',
    ],
    [null, "the file must be a mapping (got null)"],
  ])("%#", async (value, expected) => {
    using place = scratch({ [FILE]: JSON.stringify(value, undefined, 2) });
    const said = await refusalOf(() => readDebateFile("debate.json", place), place);
    expect(said).toMatch(/^HOME\/project\/debate\.json:/);
    expect(said).toContain(expected);
    expect(said.length).toBeLessThan(900);
  });

  it.each([
    ["{", "debate.json:1:"],
    ['{"agents": [], "agents": []}', 'debate.json:1:16: duplicate key "agents"'],
    ['{"__proto__": {}}', 'debate.json:1:2: "__proto__" is not a key'],
    ["[".repeat(100_000), "it is nested too deeply"],
    ["\0", "the debate configuration HOME/project/debate.json is binary"],
  ])("what is no such data: %#", async (text, expected) => {
    using place = scratch({ [FILE]: text });
    expect(await refusalOf(() => readDebateFile("debate.json", place), place)).toContain(expected);
  });

  it("a file that is not there", async () => {
    using place = scratch();
    expect(await refusalOf(() => readDebateFile("none.json", place), place)).toBe(
      "the debate configuration HOME/project/none.json does not exist; check the path",
    );
  });
});

describe("Dialectic's own files", () => {
  it("are read without a warning but for prompt files that are not there", (test) => {
    test.skip(!existsSync(recorded), absent);
    using place = scratch();
    const names = readdirSync(recorded).filter((name) => /config.*\.json$/.test(name));
    expect(names.length).toBeGreaterThanOrEqual(7);
    for (const name of names) {
      const path = join(recorded, name);
      if (name.includes("eval")) {
        const { agents, warnings } = readEvaluationFile(path, place);
        expect(agents.map(({ timeoutMs }) => timeoutMs)).toEqual(agents.map(() => 30_000));
        expect(warnings.filter((warning) => !warning.includes("does not exist; the built-in one"))).toEqual(
          [],
        );
      } else {
        const { agents, debate, folder, warnings } = readDebateFile(path, place);
        expect({ name, warnings, folder }).toEqual({ name, warnings: [], folder: dirname(path) });
        expect({ name, agents: agents.length, rounds: debate.rounds }).toEqual({
          name,
          agents: name.startsWith("example3") ? 4 : 3,
          rounds: /task-queue|config1/.test(name) ? 4 : 3,
        });
      }
    }
  });
});
