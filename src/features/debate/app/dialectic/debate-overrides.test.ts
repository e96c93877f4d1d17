import { describe, expect, it } from "vitest";
import { ModelRef } from "../../../../kernel/index.ts";
import { withRoles } from "./debate-file.ts";
import { loadRoles, findRole } from "../../../../config/personas.ts";
import type { FileContext } from "../../../../config/paths.ts";
import { mapModels, withModels } from "../../protocol/debate/seats.ts";
import { builtInDebate as built } from "../../protocol/debate/opening.ts";
import { DebateSettings } from "../../protocol/debate/settings.ts";
import type { OpeningContext } from "../../../../engine/opening-part.ts";
import { refusalOf, scratch } from "../../../../../test/support/scratch.ts";

const seats = ["openai/gpt-4", "openai/gpt-4", "openrouter/google/gemini-2.5-flash"].map((ref, index) => ({
  seat: index,
  model: ModelRef.parse(ref),
}));
const mapped = (written: string) => mapModels(seats, written).map(({ model }) => model);
const gpt4 = ModelRef.parse("openai/gpt-4");

/** The debate of those who have no file, over a panel of these models. */
async function builtInDebate(
  { models, roles }: { readonly models: readonly ModelRef[]; readonly roles?: readonly string[] },
  place: FileContext,
) {
  const context: Partial<OpeningContext> = {
    settings: { chair: [] } as never, // all that it reads
    panel: () =>
      Promise.resolve({
        members: models,
        chairs: models,
        reviewers: [],
        synthesizers: [],
        judges: [],
        notes: [],
      }),
    role: (name) => findRole(loadRoles(place), name),
    fileTools: null,
  };
  const { config } = await built(roles ? { agents: roles } : {}, context as OpeningContext);
  return config;
}

describe("mapModels", () => {
  it.each([
    ["sim/ada", ["sim/ada", "sim/ada", "sim/ada"]],
    ["sim/ada, sim/bo", ["sim/ada", "sim/bo", "sim/ada"]],
    ["sim/a,sim/b,sim/c,sim/d", ["sim/a", "sim/b", "sim/c"]],
    [
      "sim/ada?skill=0.8&facts=some/file,sim/bo",
      ["sim/ada?skill=0.8&facts=some/file", "sim/bo", "sim/ada?skill=0.8&facts=some/file"],
    ],
    [
      "openai/gpt-4=sim/ada?skill=0.8",
      ["sim/ada?skill=0.8", "sim/ada?skill=0.8", "openrouter/google/gemini-2.5-flash"],
    ],
    [
      "openai/gpt-4=openrouter/google/gemini-2.5-flash, openrouter/google/gemini-2.5-flash = sim/bo",
      ["openrouter/google/gemini-2.5-flash", "openrouter/google/gemini-2.5-flash", "sim/bo"],
    ],
  ])("%s", (written, expected) => {
    expect(mapped(written)).toEqual(expected);
    expect(mapModels(seats, written).map(({ seat }) => seat)).toEqual([0, 1, 2]);
  });

  it.each([
    ["", '"" is no model; a model is written provider/model; write models to be dealt out'],
    ["sim/ada,", '"" is no model'],
    ["ada", '"ada" is no model'],
    ["openai/gpt-4=", '"" is no model'],
    ["openai/gpt-4=ada", '"ada" is no model'],
    ["=sim/ada", '"" is no model'],
    ["sim/ada,openai/gpt-4=sim/bo", "models to be dealt out stand among replacements"],
    ["openai/gpt-4=sim/a,openai/gpt-4=sim/b", '"openai/gpt-4" is replaced twice'],
    [
      "openai/gpt4=sim/a",
      'nobody is to speak with "openai/gpt4"; the nearest is openai/gpt-4; there are openai/gpt-4, openrouter/google/gemini-2.5-flash',
    ],
    ["sim/a,".repeat(200_000), "more than 100 models"],
    ["=".repeat(100_000), "is no model"],
  ])("refuses what it cannot mean: %#", async (written, expected) => {
    const said = await refusalOf(() => mapped(written), { home: "/nowhere" });
    expect(said).toContain(expected);
    expect(said.length).toBeLessThan(900);
  });
});

describe("the debate of those who have no file", () => {
  it("has an architect, a performance engineer and a simplicity advocate, and a generalist to judge", async () => {
    using place = scratch();
    const { agents, judge, rules, warnings } = await builtInDebate(
      { models: [ModelRef.parse("sim/ada"), ModelRef.parse("sim/bo")] },
      place,
    );
    const brief = ({ id, name, role, model, temperature }: (typeof agents)[number]) =>
      [id, name, role, model, temperature].join(" | ");
    expect([...agents, judge].map(brief)).toEqual([
      "agent-architect | System Architect | architect | sim/ada | 0.5",
      "agent-performance | Performance Engineer | performance | sim/bo | 0.5",
      "agent-kiss | Simplicity Advocate | kiss | sim/ada | 0.5",
      "judge-main | Technical Judge | generalist | sim/ada | 0.3",
    ]);
    expect(judge).toMatchObject({
      summarization: { threshold: 5_000, maxLength: 2_500, method: "length-based" },
      prompts: {
        instructions: { source: "built-in" },
        clarification: { source: "built-in" },
        summary: { source: "built-in" },
      },
    });
    const { rounds, termination } = DebateSettings.parse(rules);
    expect({ rounds, termination, warnings }).toEqual({
      rounds: 3,
      termination: { type: "fixed" },
      warnings: [],
    });
  });

  it("has the agents of the roles that are asked for, with what their own files say", async () => {
    using place = scratch({
      "project/.parley/roles/l.yaml":
        "id: legal\nname: Lawyer\ninstructions: law\nmodel: sim/lex\ntemperature: 0",
    });
    const { agents, judge } = await builtInDebate(
      { models: [gpt4], roles: ["legal", "Security", "datamodeling", "security"] },
      place,
    );
    expect(agents).toMatchObject([
      { id: "agent-legal", name: "Lawyer", model: "sim/lex", temperature: 0 },
      { id: "agent-security", name: "Security Specialist", model: gpt4, temperature: 0.5 },
      { id: "agent-data-modeling", role: "data-modeling" },
      { id: "agent-security-2", name: "Security Specialist 2", role: "security" },
    ]);
    expect(judge.model).toBe("sim/lex");
  });

  it("is refused without a model, without an agent and for an unknown role", async () => {
    using place = scratch();
    const refusal = (models: readonly ModelRef[], roles?: readonly string[]) =>
      refusalOf(() => builtInDebate({ models, ...(roles ? { roles } : {}) }, place), place);
    expect(await refusal([])).toContain("there is no model for the agents");
    expect(await refusal([gpt4], [])).toContain("there are no agents; name at least one role");
    expect(await refusal([gpt4], ["arkitect"])).toContain("the nearest is architect");
  });
});

describe("over a file", () => {
  const debate = (place: FileContext) => builtInDebate({ models: [gpt4] }, place);

  it("models go to the agents in order, then to the judge, and nothing else changes", async () => {
    using place = scratch();
    const before = await debate(place);
    const { agents, judge, ...rest } = withModels(before, "sim/a,sim/b,sim/c,sim/d");
    const model = (ref: string) => ({ model: ModelRef.parse(ref) });
    expect({ agents, judge, ...rest }).toEqual({
      ...before,
      agents: before.agents.map((agent, index) => ({
        ...agent,
        ...model(["sim/a", "sim/b", "sim/c"][index] ?? ""),
      })),
      judge: { ...before.judge, ...model("sim/d") },
    });
  });

  it("only the agents of some roles remain, in the file's order", async () => {
    using place = scratch();
    const before = await debate(place);
    const { agents, ...rest } = withRoles(before, ["KISS", "architect"]);
    expect(agents.map(({ role }) => role)).toEqual(["architect", "kiss"]);
    expect({ agents: before.agents, ...rest }).toEqual(before);
    expect(await refusalOf(() => withRoles(before, ["kiss", "securty"]), place)).toBe(
      'no agent has the role "securty"; the nearest is architect; there are agents of the roles architect, performance, kiss',
    );
    expect(await refusalOf(() => withRoles(before, []), place)).toContain("no role is named");
  });
});
