import { refusalOf, scratch, type Scratch } from "../../../../../test/support/scratch.ts";
import { describe, expect, it } from "vitest";
import { openConfigured } from "../../../../../test/support/opened.ts";
import { openingContext } from "../../../../app/opening.ts";
import { loadRoles, findRole } from "../../../../config/personas.ts";
import { isFault } from "../../../../kernel/index.ts";
import { completeDebate } from "../../protocol/debate/opening.ts";
import { debateSeats, type DebateSeats } from "../../protocol/debate/seats.ts";
import { DebateSettings } from "../../protocol/debate/settings.ts";
import { debateConfig, readDebateFile } from "./debate-file.ts";

const agent = (more: object = {}) => ({
  id: "ada",
  name: "Ada",
  role: "security",
  model: "ada?skill=0.9&family=sim-a",
  provider: "sim",
  temperature: 0.4,
  ...more,
});
const file = (config: object) => ({ "project/conf/d.json": JSON.stringify(config) });

async function seatsOf(place: Scratch): Promise<DebateSeats> {
  const { context } = await openConfigured({ flags: { store: ":memory:" }, env: place.env, cwd: place.cwd });
  try {
    const written = debateConfig(readDebateFile("conf/d.json", place), place);
    const opening = await openingContext(context, { question: "", attached: [] });
    return debateSeats(opening, (await completeDebate(written, {}, opening)).config);
  } finally {
    await context.close();
  }
}

const builtIn = { instructions: "built-in", clarification: "built-in", summary: "built-in" };
const sources = (own: Partial<Record<keyof typeof builtIn, string>> = {}) =>
  Object.fromEntries(
    Object.keys(builtIn).map((kind) => {
      const path = Object.entries(own).find(([name]) => name === kind)?.[1];
      return [kind, path === undefined ? { source: "built-in" } : { source: "file", path }];
    }),
  );

describe("a debate's seats", () => {
  it("are the agents' in order and the judge's, with what the opening is to pin of each", async () => {
    using place = scratch({
      ...file({
        agents: [
          agent({
            systemPromptPath: "own.md",
            clarificationPromptPath: "ask.md",
            tools: [{ name: "file_read" }, { name: "list_file" }],
            toolCallLimit: 3,
          }),
          agent({
            id: "bo",
            name: "Bo",
            role: "kiss",
            model: "bo",
            temperature: null,
            tools: [{ name: "list_files" }],
            summarization: { threshold: 1_000 },
          }),
        ],
        judge: { id: "jo", name: "Jo" },
        debate: { summarization: { promptPath: "sum.md" } },
      }),
      "project/conf/own.md": "Own way.",
      "project/conf/ask.md": "Ask little.",
      "project/conf/sum.md": "Sum up.",
    });
    const seats = await seatsOf(place);
    const { summarizationOf, tools, ...rest } = seats;
    const ada = "sim/ada?skill=0.9&family=sim-a";
    const says = (name: string) => findRole(loadRoles(place), name).instructions;
    expect(rest).toEqual({
      participants: [
        {
          id: "ada",
          seat: "agent",
          persona: { name: "Ada", instructions: "Own way." },
          model: ada,
          family: "sim-a",
          temperature: 0.4,
        },
        {
          id: "bo",
          seat: "agent",
          persona: { name: "Bo", instructions: says("kiss") },
          model: "sim/bo",
          family: null,
        },
        {
          id: "jo",
          seat: "judge",
          persona: { name: "Jo", instructions: says("generalist") },
          model: ada,
          family: "sim-a",
          temperature: 0.3,
        },
      ],
      roles: { ada: "security", bo: "kiss", jo: "generalist" },
      templates: {
        "summary-prompt/ada": "Sum up.",
        "clarification/ada": "Ask little.",
        "summary-prompt/bo": "Sum up.",
        "summary-prompt/jo": "Sum up.",
      },
      promptSources: {
        ada: sources({ instructions: "own.md", clarification: "ask.md", summary: "sum.md" }),
        bo: sources({ summary: "sum.md" }),
        jo: sources({ summary: "sum.md" }),
      },
      warnings: ["No tool list_file; ada goes without it (nearest: list_files)"],
    });
    const settings = DebateSettings.parse({ summarizationOf, tools });
    expect(settings.tools).toEqual({
      ada: { names: ["file_read"], limit: 3 },
      bo: { names: ["list_files"], limit: 10 },
    });
    expect(
      Object.entries(settings.summarizationOf).map(([id, one]) => [id, one?.threshold, one?.maxLength]),
    ).toEqual([
      ["ada", 5_000, 2_500],
      ["bo", 1_000, 2_500],
      ["jo", 5_000, 2_500],
    ]);
  });

  it("are refused for a model that there is not", async () => {
    using place = scratch(file({ agents: [agent({ provider: "opnai" })], judge: {} }));
    expect(await refusalOf(() => seatsOf(place), place)).toContain("opnai");
    place.write(
      "project/conf/d.json",
      JSON.stringify({ agents: [agent({ provider: "openai", model: "gpt-4" })], judge: {} }),
    );
    const error: unknown = await seatsOf(place).catch((thrown: unknown) => thrown);
    expect(isFault(error, "authentication")).toBe(true);
  });
});
