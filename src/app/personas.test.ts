import { describe, expect, it } from "vitest";
import { openConfigured } from "../../test/support/opened.ts";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
import { draftPrompt, draftTemplate } from "../protocols/phases/draft.ts";
import { prepareOpening } from "./start.ts";

/** Who is seated for a question under these flags, in a project with these files. */
const seated = async (
  flags: Record<string, unknown>,
  { protocol = "council", files = {} }: { protocol?: string; files?: Record<string, string> } = {},
) => {
  using place = scratch(files);
  const { context } = await openConfigured({ ...place, flags: { store: ":memory:", ...flags } });
  try {
    const { opening } = await prepareOpening(context, { protocol, question: "Should we move our queue?" });
    return opening.participants.filter(({ seat }) => seat !== "chair");
  } finally {
    await context.close();
  }
};

const MODELS = ["sim/ada", "sim/bo"];
const IDS = [
  "analyst",
  "challenger",
  "empiricist",
  "historian",
  "inventor",
  "pragmatist",
  "systems-thinker",
  "user-advocate",
];

describe("a built-in persona", () => {
  const prompts = async () => {
    const members = await seated({ models: ["sim/ada"], personas: IDS });
    return members.map(({ persona }) => {
      const material = { question: "Should we move our queue?", context: [] };
      const desk = { template: () => draftTemplate.text, mark: () => "0" };
      const messages = draftPrompt(desk, { material, persona: persona.instructions });
      return JSON.stringify(messages).replaceAll(String.raw`\n`, " ");
    });
  };

  // Each row: what this one's prompt makes a model do, and no other's does.
  it.each([
    ["analyst", /Check the result a second way: another route, a limiting case, the units/],
    ["challenger", /try in earnest to break it.*counterexample, a boundary case/],
    ["empiricist", /Begin with the base rate.*selection, confounding, small samples/],
    ["historian", /precedents that ended differently, failures among them.*say where the likeness ends/],
    ["inventor", /at least four ways that differ in principle.*Only then compare them/],
    ["pragmatist", /decisions that can be taken back from those that cannot.*the first step/],
    ["systems-thinker", /Trace every change at least three steps on.*Find the bottleneck/],
    ["user-advocate", /the first attempt, the ordinary day, the bad day.*somebody with less time/],
  ])("makes a member's prompt say how it thinks, as no other does: %s", async (id, method) => {
    const saying = (await prompts()).flatMap((text, index) => (method.test(text) ? [IDS[index]] : []));
    expect(saying).toEqual([id]);
  });
});

describe("members", () => {
  const ids = async (flags: Record<string, unknown>, files?: Record<string, string>) =>
    (await seated(flags, files ? { files } : {})).map(({ id, model }) => `${id} ${model.split("?", 1)[0]}`);

  it("are the personas that are named, in their order, with the models in turn", async () => {
    expect(await ids({ models: MODELS, personas: ["historian", "analyst", "historian"] })).toEqual([
      "historian sim/ada",
      "analyst sim/bo",
      "historian-2 sim/ada",
    ]);
    expect(await ids({ models: MODELS, personas: ["inventor"] })).toEqual([
      "inventor sim/ada",
      "inventor-2 sim/bo",
    ]);
  });
  it("are as many as the personas where models are found", async () => {
    expect(await ids({ personas: ["historian", "inventor"] })).toEqual([
      "historian sim/ada",
      "inventor sim/bo",
    ]);
    expect(await ids({ personas: IDS })).toHaveLength(IDS.length);
  });
  it("are as many as the models where no persona is named, without a default one that is hidden", async () => {
    expect(await ids({ models: ["sim/ada"] })).toEqual(["analyst sim/ada"]);
    const files = { "project/.parley/personas/a.yaml": "id: pragmatist\nenabled: false" };
    expect(await ids({ models: [...MODELS, "sim/cy"] }, files)).toEqual([
      "analyst sim/ada",
      "challenger sim/bo",
      "analyst-2 sim/cy",
    ]);
  });
  it("have temperatures in turn, else their personas'", async () => {
    const files = {
      "project/.parley/personas/a.yaml": "id: own\nname: Own\ninstructions: x\ntemperature: 0.4",
    };
    const flags = { models: MODELS, personas: ["own", "analyst"] };
    const degrees = async (more: object) =>
      (await seated({ ...flags, ...more }, { files })).map(({ temperature }) => temperature);
    expect(await degrees({})).toEqual([0.4, undefined]);
    expect(await degrees({ temperatures: "0.1" })).toEqual([0.1, 0.1]);
    expect(await degrees({ temperatures: ["0.1", 2] })).toEqual([0.1, 2]);
  });
  it("get further instructions after their own", async () => {
    const [plain] = await seated({ models: MODELS });
    const [told] = await seated({ models: MODELS, system: " Name your sources.\nAll. " });
    expect(told?.persona.instructions).toBe(
      `${plain?.persona.instructions ?? ""}\n\n## For this question\nName your sources.\nAll.`,
    );
  });
});

describe("a pack", () => {
  const opening = async (request: object, flags: Record<string, unknown> = {}) => {
    using place = scratch();
    const { context } = await openConfigured({ ...place, flags: { store: ":memory:", ...flags } });
    try {
      const asked = { question: "Should we?", ...request };
      return (await prepareOpening(context, asked)).opening;
    } finally {
      await context.close();
    }
  };
  it("names members, protocol, strategy and settings", async () => {
    const { protocol, participants, settings, pack } = await opening({ pack: "incident-review" });
    expect(pack).toBe("incident-review"); // on the record
    expect(protocol.name).toBe("council");
    const members = participants.filter(({ seat }) => seat === "member").map(({ id }) => id);
    expect(members).toEqual(["empiricist", "systems-thinker", "historian"]);
    expect(settings["strategy"]).toMatchObject({ name: "goal-seeking" });
    expect((await opening({ pack: "research-question" })).settings["effort"]).toBe(5);
  });
  it("gives way to what the request sets itself", async () => {
    const flags = { personas: "inventor", strategy: "novelty", models: "sim/ada" };
    const { participants, protocol, settings } = await opening(
      { pack: "incident-review", protocol: "ask" },
      flags,
    );
    expect(participants.filter(({ seat }) => seat === "member").map(({ id }) => id)).toEqual(["inventor"]);
    expect(protocol.name).toBe("ask");
    expect(settings["strategy"]).toEqual({ name: "novelty", sees: [] });
  });
});

describe("a respondent", () => {
  const respondent = async (flags: Record<string, unknown>) => {
    const [first] = await seated({ models: ["sim/ada"], ...flags }, { protocol: "respond" });
    return first;
  };
  it("is the persona that is named", async () => {
    expect((await respondent({}))?.persona.name).toBe("Respondent");
    expect(await respondent({ respondent: "historian", temperature: 0.3 })).toMatchObject({
      temperature: 0.3,
      persona: { name: "Historian" },
    });
  });
  it("has instructions that are given in place of the persona's", async () => {
    expect((await respondent({ system: "Be brief." }))?.persona.instructions).toBe("Be brief.");
  });
  it("cannot be a persona that is not there", async () => {
    using place = scratch();
    expect(await refusalOf(() => respondent({ respondent: "historan" }), place)).toMatch(
      /^there is no persona "historan"; the nearest is historian/,
    );
  });
});
