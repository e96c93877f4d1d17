import { describe, expect, it } from "vitest";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
import { loadPacks, findPack, readPack } from "./packs.ts";
import { loadStrategy } from "./strategies.ts";
import { loadPersonas } from "./personas.ts";

const FILE = "project/.parley/packs/own.yaml";
const own = (more: string) => `id: own\nname: Own\n${more}`;

describe("the packs that ship", () => {
  it("are seven, name no model, and only personas and strategies that ship", () => {
    using place = scratch();
    const packs = loadPacks(place);
    expect([...packs.keys()]).toEqual([
      "architecture-decision",
      "code-review",
      "incident-review",
      "product-decision",
      "research-question",
      "risk-review",
      "security",
    ]);
    const personas = loadPersonas(place);
    for (const { settings, description } of packs.values()) {
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(settings).not.toHaveProperty("models");
      expect(settings.personas?.filter((id) => !personas.has(id))).toEqual([]);
      expect(loadStrategy(settings.strategy ?? "", { ...place, goal: settings.goal }).from).toBe("built-in");
    }
    expect(new Set([...packs.values()].map(({ settings }) => settings.personas?.join())).size).toBe(7);
  });
});

describe("a pack's file", () => {
  it("is settings under a name", () => {
    using place = scratch({
      [FILE]: own(
        `members: [{persona: historian, model: sim/a, temperature: 0.2}, {persona: analyst, model: sim/b, temperature: 1}]
chair: [sim/c]
reviewers: [sim/d]
protocol: council
strategy: Risk Averse
settings: {mode: vote, timeout: 90s, max-cost-usd: 0.5}`,
      ),
    });
    expect(findPack(loadPacks(place), "own")).toMatchObject({
      protocol: "council",
      settings: {
        personas: ["historian", "analyst"],
        models: ["sim/a", "sim/b"],
        temperatures: [0.2, 1],
        chair: ["sim/c"],
        reviewers: ["sim/d"],
        strategy: "Risk Averse",
        mode: "vote",
        timeoutMs: 90_000,
        maxCostUsd: 0.5,
      },
    });
  });
  it("says how its members are asked, and a member for itself", () => {
    using place = scratch({
      [FILE]: own(
        `members: [analyst, {persona: historian, effort: low, body: {seed: 2}}]
effort: high
body: {seed: 1, service_tier: flex}`,
      ),
    });
    expect(findPack(loadPacks(place), "own").settings.memberOptions).toEqual([
      { effort: "high", body: { seed: 1, service_tier: "flex" } },
      { effort: "low", body: { seed: 2, service_tier: "flex" } },
    ]);
  });
  it("shadows and hides one that ships", () => {
    using place = scratch({
      "project/.parley/packs/a.yaml": "id: code-review\nname: Mine\nmembers: [analyst]",
      ".config/parley/packs/b.yaml": "id: risk-review\nenabled: false",
    });
    const packs = loadPacks(place);
    expect(packs.get("code-review")).toMatchObject({ name: "Mine", from: "project" });
    expect(packs.has("risk-review")).toBe(false);
  });
  it("of a project needs trust for a model", async () => {
    using place = scratch({ [FILE]: own("members: [{persona: analyst, model: openai/x}]") });
    const source = { from: "project", path: `${place.cwd}/.parley/packs/own.yaml` } as const;
    const strict = { ...place, trusts: () => false };
    expect(await refusalOf(() => readPack(source, strict), place)).toMatch(/names models: openai\/x$/);
  });
  it.each([
    ["members: [analyst, histrian]", ':3:20: there is no persona "histrian"; the nearest is historian'],
    ["members: [analyst]\nstrategy: nove", ':4:11: there is no strategy "nove"; the nearest is novelty'],
    ["members: [analyst]\nstrategy: goal-seeking", ":4:11: the strategy goal-seeking needs a goal"],
    ["members: [analyst]\nstrategy: ./x.yaml", ":4:11: a pack names a strategy, and no file"],
    ["members: [analyst]\nsettings: {efort: 2}", ':4:12: a pack cannot set "efort"; the nearest is effort'],
    ["members: [analyst]\nsettings: {store: x}", ':4:12: a pack cannot set "store"'],
    ["members: [analyst]\nsettings: {effort: 9}", ":4:20: effort must be an integer from 1 to 5 (got 9)"],
    [
      "members: [{persona: analyst, model: sim/a}, historian]",
      ":3:1: some members have a model, and others none",
    ],
    ["members: []", ":3:10: members must"],
    ["chiar: [sim/a]\nmembers: [analyst]", ':3:1: unknown key "chiar"; did you mean chair?'],
  ])("is refused with its place for %j", async (more, expected) => {
    using place = scratch({ [FILE]: own(more) });
    const said = await refusalOf(() => loadPacks(place), place);
    expect(said).toContain(`HOME/project/.parley/packs/own.yaml${expected}`);
  });
  it("that is not there is named with the nearest", async () => {
    using place = scratch();
    expect(await refusalOf(() => findPack(loadPacks(place), "code-revew"), place)).toMatch(
      /^there is no pack "code-revew"; the nearest is code-review/,
    );
  });
});
