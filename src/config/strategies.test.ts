import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
import { listStrategies, loadStrategy } from "./strategies.ts";

const PROJECT = "project/.parley/strategies";
const USER = ".config/parley/strategies";
/** The names of the strategies that ship: those of their files. */
const SHIPPED = readdirSync(new URL("defaults/strategies", import.meta.url))
  .map((file) => basename(file, ".yaml"))
  .sort();

describe("built-in strategies", () => {
  it("are the files of their folder, and need a goal where they speak of one", () => {
    using place = scratch();
    const names = listStrategies(place).map(({ name }) => name);
    expect(names).toEqual(SHIPPED);
    const loaded = names.map((name) => loadStrategy(name, { ...place, goal: "fewer outages" }));
    for (const { needsGoal, directive } of loaded) expect(needsGoal).toBe(directive.includes("{{goal}}"));
    for (const { directive, sees, from, description } of loaded) {
      expect(directive.split(/\s+/).length).toBeGreaterThan(80);
      expect({ sees, from }).toEqual({ sees: [], from: "built-in" });
      expect(description).toMatch(/^[A-Z].*\.$/);
    }
    expect(loadStrategy("goal-seeking", { ...place, goal: "x" }).directive).toContain("{{goal}}");
  });

  it.each(["risk-averse", "risk_averse", "Risk Averse", " RISK__AVERSE "])("know %j", (written) => {
    using place = scratch();
    expect(loadStrategy(written, place).name).toBe("risk-averse");
  });
});

describe("overrides and files", () => {
  it("prefers a project's to a user's to the built-in one, by the file's name", () => {
    using place = scratch({ [`${USER}/Risk_Averse.md`]: "the user's way\n" });
    expect(loadStrategy("risk-averse", place)).toMatchObject({ directive: "the user's way", from: "user" });
    place.write(
      `${PROJECT}/risk-averse.yaml`,
      "directive: the project's way\nsees: [standing]\ndescription: ours",
    );
    expect(loadStrategy("risk-averse", place)).toEqual({
      name: "risk-averse",
      description: "ours",
      directive: "the project's way",
      sees: ["standing"],
      needsGoal: false,
      from: "project",
      path: join(place.home, PROJECT, "risk-averse.yaml"),
    });
  });

  it("adds strategies of the user's own, found by name", () => {
    using place = scratch({ [`${PROJECT}/frugal.yml`]: "name: Frugal\ndirective: cheapest" });
    expect(listStrategies(place).map(({ name }) => name)).toContain("frugal");
    expect(loadStrategy("frugal", place).directive).toBe("cheapest");
  });

  it("reads a file by its path: YAML, markdown, or a system-prompts.yaml", () => {
    using place = scratch({
      "project/s/a.yaml": "name: Very Own\ndirective: one",
      "project/Our Way.md": "\uFEFF# Way\n\nGo {count}.\n",
      "project/system-prompts.yaml": "consensus_prompt: |\n  two\nranking_prompt: unused\n",
    });
    expect(loadStrategy("s/a.yaml", place)).toMatchObject({
      name: "very-own",
      directive: "one",
      from: "file",
    });
    expect(loadStrategy(join(place.cwd, "s/a.yaml"), place).name).toBe("very-own");
    expect(loadStrategy("Our Way.md", place)).toMatchObject({
      name: "our-way",
      directive: "# Way\n\nGo {{count}}.",
    });
    expect(loadStrategy("system-prompts.yaml", place)).toMatchObject({
      name: "system-prompts",
      directive: "two",
    });
  });

  it("needs a goal where the directive speaks of it, unless the file says otherwise", () => {
    using place = scratch({
      "project/a.yaml": "directive: seek {{goal}}",
      "project/b.yaml": "directive: maybe {{goal}}\nneeds-goal: false",
      "project/c.yaml": "directive: silent\nneeds-goal: true",
    });
    expect(loadStrategy("b.yaml", place).needsGoal).toBe(false);
    for (const file of ["a.yaml", "c.yaml"]) {
      expect(loadStrategy(file, { ...place, goal: "g" }).needsGoal).toBe(true);
      expect(() => loadStrategy(file, place)).toThrow("needs a goal");
    }
  });
});

describe("refusals", () => {
  it.each([
    [
      "risk-avers",
      `there is no strategy "risk-avers"; the nearest is risk-averse; there are ${SHIPPED.join(", ")}, or name a file (.yaml, .md)`,
    ],
    ["", 'there is no strategy ""; there are balanced'],
    ["goal-seeking", "the strategy goal-seeking needs a goal; set goal, e.g. goal: fewest outages"],
    ["none.yaml", "the strategy HOME/project/none.yaml does not exist; check the path"],
    ["./", "the strategy HOME/project is a folder; name a file in it"],
    ["e.yaml", "HOME/project/e.yaml: the file must be a mapping (got null)"],
    ["e.md", "the strategy HOME/project/e.md is empty; write the directive into it"],
    ["key.yaml", 'HOME/project/key.yaml:2:1: unknown key "see"; did you mean sees?'],
    ["sees.yaml", 'HOME/project/sees.yaml:2:8: sees.0 must be standing (got "ranking")'],
    ["text.yaml", "HOME/project/text.yaml:1:12: directive must be text (got a list of 1)"],
    [
      "slots.yaml",
      "HOME/project/slots.yaml:1:19: nothing fills {user_query}; leave it out: the chair is shown",
    ],
    ["prompt.yaml", "HOME/project/prompt.yaml:1:19: consensus_prompt must be text (got 5)"],
    [
      "slot.yaml",
      "HOME/project/slot.yaml: nothing fills {{ goal }}; a directive can only speak of {{goal}} and {{count}}",
    ],
    ["…….md", 'HOME/project/…….md: "……" cannot name a strategy; name it in up to 60 letters'],
    ["big.md", "the strategy HOME/project/big.md has more than 50 kB; give a shorter one"],
  ])("%j", async (name, expected) => {
    using place = scratch({
      "project/e.yaml": "",
      "project/e.md": "\n",
      "project/key.yaml": "directive: x\nsee: [standing]",
      "project/sees.yaml": "directive: x\nsees: [ranking]",
      "project/text.yaml": "directive: [a]",
      "project/prompt.yaml": "consensus_prompt: 5",
      "project/slots.yaml": "consensus_prompt: of {count} on {user_query} toward {goal}",
      "project/slot.yaml": "directive: to {{ goal }}",
      "project/…….md": "x",
      "project/big.md": "x".repeat(50_001),
    });
    const said = await refusalOf(() => loadStrategy(name, place), place);
    expect(said).toContain(expected);
  });

  it("one name in two files of a folder", async () => {
    using place = scratch({ [`${PROJECT}/a_b.md`]: "x", [`${PROJECT}/a-b.yaml`]: "directive: y" });
    expect(await refusalOf(() => loadStrategy("balanced", place), place)).toContain(
      "the strategy a-b is also in",
    );
  });
});
