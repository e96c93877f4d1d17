import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { listFiles } from "./named-files.ts";
import { loadPersonas, findPersona, readPersona } from "./personas.ts";
import { contentWords } from "../text/words.ts";
import { refusalOf, scratch } from "../../test/support/scratch.ts";

const mine = (more: string) => `id: analyst\nname: Mine\n${more}`;
const PROJECT = "project/.parley/personas/x.yaml";
const USER = ".config/parley/personas/x.yaml";

const OFFICES = ["chair", "judge", "respondent"];
const MEMBERS = [
  "analyst",
  "challenger",
  "empiricist",
  "historian",
  "inventor",
  "pragmatist",
  "systems-thinker",
  "user-advocate",
];

describe("built-in personas", () => {
  const builtIn = () => {
    using place = scratch();
    return loadPersonas(place);
  };
  it("load: eight members, in all six parts, and who chairs, judges and responds", () => {
    const personas = builtIn();
    expect([...personas.keys()]).toEqual([...MEMBERS, ...OFFICES].sort());
    for (const { id, instructions, description, from, missingParts } of personas.values()) {
      expect(from).toBe("built-in");
      expect(description).toMatch(/^[A-Z].{20,80}\.$/);
      expect(missingParts).toEqual([]);
      const words = instructions.split(/\s+/).length;
      expect(words, id).toBeGreaterThanOrEqual(60);
      expect(words, id).toBeLessThanOrEqual(OFFICES.includes(id) ? 130 : 240);
      const headings = [...instructions.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
      expect(headings, id).toEqual(OFFICES.includes(id) ? [] : HEADINGS);
    }
  });

  it.each(["personas", "roles"] as const)("ship as the schema reads their files: %s", (kind) => {
    using place = scratch();
    const files = listFiles(kind, place);
    expect(files.length).toBeGreaterThan(5);
    for (const { path, from, data } of files) {
      const text = readFileSync(new URL(`defaults/${path}`, import.meta.url), "utf8");
      const [, read] = readPersona({ path, from, text }, { kind: "persona", place });
      expect(readPersona({ path, from, data }, { kind: "persona", place })[1], path).toEqual(read);
    }
  });

  it("are no near copies of each other: of two, less than a fifth of the words are the same", () => {
    const words = MEMBERS.map((id) => new Set(contentWords(builtIn().get(id)?.instructions ?? "")));
    for (const [index, one] of words.entries())
      for (const other of words.slice(index + 1)) {
        const shared = [...one].filter((word) => other.has(word)).length;
        expect(shared / (one.size + other.size - shared)).toBeLessThan(0.2);
      }
  });
});

describe("shadowing", () => {
  it("prefers a project's to a user's to the built-in one", () => {
    using place = scratch({ [USER]: mine("instructions: the user's") });
    const ids = [...loadPersonas(place).keys()];
    expect(loadPersonas(place).get("analyst")).toMatchObject({
      name: "Mine",
      instructions: "the user's",
      from: "user",
    });
    const path = place.write(PROJECT, mine("instructions: the project's\ntemperature: 0.2\nmodel: sim/a"));
    expect(loadPersonas(place).get("analyst")).toEqual({
      id: "analyst",
      name: "Mine",
      description: "",
      instructions: "the project's",
      temperature: 0.2,
      model: "sim/a",
      from: "project",
      path,
      missingParts: [],
    });
    expect([...loadPersonas(place).keys()]).toEqual(ids);
  });

  it("hides with enabled: false and nothing but the id", () => {
    using place = scratch({
      [PROJECT]: "id: analyst\nenabled: false",
      [USER]: mine("instructions: never seen"),
    });
    const shown = [...MEMBERS, ...OFFICES].filter((id) => id !== "analyst");
    expect([...loadPersonas(place).keys()]).toEqual(shown.sort());
  });

  it("adds, and leaves files alone that are not YAML or are hidden", () => {
    using place = scratch({
      "project/.parley/personas/a.yml": "id: mine\nname: M\nenabled: true\ninstructions: think",
      "project/.parley/personas/README.md": "about",
      "project/.parley/personas/.x.yaml": "broken: [",
    });
    expect(loadPersonas(place).get("mine")).toMatchObject({ name: "M", instructions: "think" });
  });
});

describe("instructions in parts", () => {
  it("are rendered in their order, whatever the file's", () => {
    using place = scratch({
      [PROJECT]: mine(`instructions:
  tone: dry
  identity-and-role: |
    who you are
  differentiation-and-bias: how you differ
  interpretation-of-questions: how you read
  analysis-and-reasoning: how you think
  problem-decomposition: how you split`),
    });
    expect(loadPersonas(place).get("analyst")?.instructions).toBe(
      `## Identity and role
who you are

## Interpretation of questions
how you read

## Problem decomposition
how you split

## Analysis and reasoning
how you think

## Differentiation and bias
how you differ

## Tone
dry`,
    );
  });
});

const HEADINGS = [
  "Identity and role",
  "Interpretation of questions",
  "Problem decomposition",
  "Analysis and reasoning",
  "Differentiation and bias",
  "Tone",
];

describe("a persona in Markdown", () => {
  const FILE = "project/.parley/personas/own.md";
  const read = (text: string) => {
    using place = scratch({ [FILE]: text });
    return loadPersonas(place).get("own");
  };
  const refusal = (text: string) => {
    using place = scratch({ [FILE]: text });
    return refusalOf(() => loadPersonas(place), place);
  };
  const head = "---\nid: own\nname: Own\ntemperature: 0.4\n---\n";

  it("has its parts under headings in any order, and says which are missing", () => {
    const body =
      "\n# Tone\ndry\n\n## 2. Interpretation of questions\n### closely\n```\n# no heading\n```\n\n## identity_and_role ##\nwho\n";
    expect(read(head + body)).toMatchObject({
      name: "Own",
      temperature: 0.4,
      instructions:
        "## Identity and role\nwho\n\n## Interpretation of questions\n### closely\n```\n# no heading\n```\n\n## Tone\ndry",
      missingParts: ["problem-decomposition", "analysis-and-reasoning", "differentiation-and-bias"],
    });
  });
  it("without headings is one text, with Windows' line ends too", () => {
    expect(read(`${head}\nYou think.\nTwice.\n`.replaceAll("\n", "\r\n"))).toMatchObject({
      instructions: "You think.\nTwice.",
      missingParts: [],
    });
  });
  it("hides another with enabled: false", () => {
    using place = scratch({ [FILE]: "---\nid: historian\nenabled: false\n---\n" });
    expect(loadPersonas(place).has("historian")).toBe(false);
  });
  it.each([
    ["You think.", ":1:1: a persona in Markdown begins with its id and name; begin it with ---"],
    ["---\n- a\n---\n", ":2:1: it must be a mapping"],
    ["---\nid: own\n---\nx", ":2:1: name is missing"],
    ["---\nid: own\nname: 5\n---\nx", ":3:7: name must be text"],
    ["---\nid: own\nname: [\n---\nx", "own.md:4:1: "],
    ["---\nid: own\nname: Own\ninstructions: x\n---\ny", ":4:1: instructions stand below the second ---"],
    [head, ":6:1: instructions is missing"],
    [`${head}before\n# Tone\nx`, ":6:1: there is text before the first heading"],
    [
      `${head}# Tone\nx\n# Identity\ny`,
      ':8:1: "Identity" is none of the six parts; did you mean "Identity and role"?',
    ],
    [`${head}# Tone\nx\n# tone\ny`, ':8:1: the part "tone" stands twice'],
    [`${head}# Tone\nx\n\n# Identity and role\n`, ":9:1: instructions.identity-and-role must not be empty"],
  ])("is refused with the place: %j", async (text, expected) => {
    expect(await refusal(text)).toContain(expected);
  });
});

describe("a personality of Accordant's", () => {
  const read = (text: string) => {
    using place = scratch({ [PROJECT]: text });
    return loadPersonas(place).get("own")?.instructions;
  };
  const head = "id: own\nname: Own\n";
  it.each([
    ["its prompt under its own name", "personality_prompt:\n  identity_and_role: A\n  tone: B"],
    ["its sections under ours", "instructions:\n  identity_and_role: A\n  tone: B"],
    ["our spelling under its name", "personality_prompt:\n  identity-and-role: A\n  tone: B"],
    ["what its page shows", "ui: {color: red}\ninstructions:\n  tone: B\n  identity_and_role: A"],
    ["tags and a group", "tags: [x]\ngroup: g\npersonality_prompt:\n  tone: B\n  identity_and_role: A"],
  ])("is read with %s", (_, rest) => {
    expect(read(`${head}${rest}`)).toBe("## Identity and role\nA\n\n## Tone\nB");
  });
  it("is read with a prompt that is one text", () => {
    expect(read(`${head}personality_prompt: You think.`)).toBe("You think.");
  });
});

describe("refusals", () => {
  it.each([
    [
      "name: A\ninstructions: x",
      ":1:1: id is missing; expected lower-case letters, digits, - and _, e.g. analyst",
    ],
    ["id: A b\nname: A\ninstructions: x", ':1:5: "A b" is not a persona id'],
    ["id: a\ninstructions: x", ":1:1: name is missing; "],
    [
      "id: a\nname: ''\ninstructions: x",
      ":2:7: name must not be empty; a persona has an id, a name and instructions, as text or in its parts",
    ],
    [
      'id: a\nname: "A\\n## System"\ninstructions: x',
      ":2:7: name is not valid: more than one line, or control characters",
    ],
    ["id: a\nname: A", ":1:1: instructions is missing; "],
    [
      "id: a\nname: A\ninstructions: {}",
      ":3:15: instructions is not valid: none of the six parts is written",
    ],
    ["id: a\nname: A\ninstructions: {tones: x}", ':3:16: unknown key "tones"; did you mean tone?'],
    ["id: a\nname: A\ninstructions: {tone: 5}", ":3:22: instructions.tone must be text (got 5)"],
    [
      "id: a\nname: A\ninstructions: x\ntemprature: 1",
      ':4:1: unknown key "temprature"; did you mean temperature?',
    ],
    ["id: a\nname: A\ninstructions: x\ntemperature: 3", ":4:14: temperature must be at most 2 (got 3)"],
    [
      "id: a\nname: A\ninstructions: x\nmodel: gpt",
      ":4:8: model is not valid: a model is written provider/model",
    ],
    ["id: a\nname: A\ninstructions: x\nenabled: maybe", ':4:10: enabled must be true (got "maybe")'],
    ["enabled: false", ":1:1: id is missing; "],
    ["", ": the file must be a mapping (got null)"],
    ["- a", ":1:1: the file must be a mapping (got a list of 1)"],
    [
      `id: a\nname: A\ninstructions: "${"x".repeat(20_001)}"`,
      ':3:15: instructions must have at most 20,000 characters (got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…)',
    ],
  ])("%j", async (text, expected) => {
    using place = scratch({ [PROJECT]: text });
    const said = await refusalOf(() => loadPersonas(place), place);
    expect(said).toMatch(/^HOME\/project\/\.parley\/personas\/x\.yaml:/);
    expect(said).toContain(expected);
    expect(said.length).toBeLessThan(900);
  });

  it("two of one id in a folder", async () => {
    using place = scratch({
      [PROJECT]: mine("instructions: x"),
      "project/.parley/personas/a.yaml": mine("instructions: y"),
    });
    expect(await refusalOf(() => loadPersonas(place), place)).toBe(
      "HOME/project/.parley/personas/x.yaml: the persona analyst is also in HOME/project/.parley/personas/a.yaml; rename one of them",
    );
  });

  it("an id that is not there, with the nearest", async () => {
    using place = scratch();
    const personas = loadPersonas(place);
    expect(findPersona(personas, "judge").name).toBe("Judge");
    expect(await refusalOf(() => findPersona(personas, "analist"), place)).toBe(
      'there is no persona "analist"; the nearest is analyst; there are analyst, chair, challenger, empiricist, historian, inventor, judge, pragmatist, respondent, systems-thinker, user-advocate',
    );
    expect(await refusalOf(() => findPersona(new Map(), "x"), place)).toBe(
      'there is no persona "x"; enable one',
    );
  });
});
