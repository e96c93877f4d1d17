import { describe, expect, it } from "vitest";
import { loadRoles, roleName, findRole } from "./personas.ts";
import { refusalOf, scratch } from "../../test/support/scratch.ts";

const BUILT_IN = {
  architect: "System Architect",
  "data-modeling": "Data Modeler",
  generalist: "Generalist",
  kiss: "Simplicity Advocate",
  performance: "Performance Engineer",
  security: "Security Specialist",
  testing: "Testing Engineer",
};
const mine = (says: string) => `id: architect\nname: Mine\ninstructions: ${says}\n`;
const PROJECT = "project/.parley/roles/x.yaml";
const USER = ".config/parley/roles/x.yaml";
const PERSONA = "project/.parley/personas/x.yaml";

describe("built-in roles", () => {
  it("are there, each with its own view, long enough to matter and short enough to be read", () => {
    using place = scratch();
    const roles = [...Object.keys(BUILT_IN)].map((name) => findRole(loadRoles(place), name));
    expect(Object.fromEntries(roles.map(({ id, name }) => [id, name]))).toEqual(BUILT_IN);
    for (const { description, instructions, from } of roles) {
      expect(from).toBe("built-in");
      expect(description).toMatch(/^Looks [^\n]*\.$/);
      expect(instructions).not.toMatch(/\n\n/);
      for (const part of [/^You /, /Look first/, /Insist/, /mandatory/, /Do not claim/])
        expect(instructions).toMatch(part);
      const words = instructions.split(/\s+/).length;
      expect(words).toBeGreaterThanOrEqual(90);
      expect(words).toBeLessThanOrEqual(140);
    }
  });

  it.each(["data-modeling", "datamodeling", " DataModeling "])("know %j", (written) => {
    using place = scratch();
    expect(roleName(written)).toBe("data-modeling");
    expect(findRole(loadRoles(place), written).name).toBe("Data Modeler");
  });
});

describe("roles of one's own", () => {
  it("come before a persona of the same id, and that before the built-in one; the project's before the user's", () => {
    using place = scratch({ [PERSONA]: mine("the persona's") });
    const says = () => findRole(loadRoles(place), "architect").instructions;
    expect(says()).toBe("the persona's");
    place.write(USER, mine("the user's"));
    expect(says()).toBe("the user's");
    const path = place.write(PROJECT, mine("the project's"));
    expect(findRole(loadRoles(place), "architect")).toEqual({
      id: "architect",
      name: "Mine",
      description: "",
      instructions: "the project's",
      from: "project",
      path,
      missingParts: [],
    });
  });

  it("stand in for a role under either of its names, hide one, and add to them", () => {
    using place = scratch({
      "project/.parley/roles/d.yml": mine("own data").replace("architect", "datamodeling"),
      "project/.parley/roles/k.yaml": "id: kiss\nenabled: false",
      "project/.parley/roles/l.yaml": mine("law").replace("architect", "legal"),
    });
    expect(findRole(loadRoles(place), "data-modeling").instructions).toBe("own data");
    expect(findRole(loadRoles(place), "legal").instructions).toBe("law");
    expect(loadRoles(place).has("kiss")).toBe(false);
  });

  it("may be any persona", () => {
    using place = scratch();
    expect(findRole(loadRoles(place), "pragmatist").name).toBe("Pragmatist");
  });
});

describe("refusals", () => {
  it("a role that is not there, with the nearest", async () => {
    using place = scratch();
    expect(await refusalOf(() => findRole(loadRoles(place), "securty"), place)).toBe(
      'there is no role "securty"; the nearest is security; there are analyst, architect, chair, challenger, data-modeling, empiricist, generalist, historian, inventor, judge, kiss, performance, pragmatist, respondent, security, systems-thinker, testing, user-advocate',
    );
    expect(await refusalOf(() => findRole(loadRoles(place), "__proto__"), place)).toContain(
      'no role "__proto__"',
    );
  });

  it("two of one id in a folder, and a file that is none", async () => {
    using place = scratch({ [PROJECT]: mine("x"), "project/.parley/roles/a.yaml": mine("y") });
    expect(await refusalOf(() => loadRoles(place), place)).toBe(
      "HOME/project/.parley/roles/x.yaml: the role architect is also in HOME/project/.parley/roles/a.yaml; rename one of them",
    );
    place.write(PROJECT, "id: z\nname: Z\n");
    expect(await refusalOf(() => loadRoles(place), place)).toContain("x.yaml:1:1: instructions is missing");
  });
});
