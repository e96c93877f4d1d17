import { scratch, type Scratch } from "../../../../../test/support/scratch.ts";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { debateConfig, readDebateFile } from "./debate-file.ts";

const agent = (more: object = {}) => ({
  id: "one",
  name: "One",
  role: "kiss",
  model: "gpt-4",
  provider: "openai",
  ...more,
});
const file = (debate: object, ...agents: readonly object[]) => ({
  "conf/debate.json": JSON.stringify({ agents, judge: { id: "judge" }, debate }),
});
function textsIn(place: Scratch) {
  const file = readDebateFile("../conf/debate.json", place);
  const { agents, judge, warnings } = debateConfig(file, place);
  return {
    prompts: Object.fromEntries(
      [...agents, ...(judge ? [judge] : [])].map(({ id, prompts }) => [id, prompts]),
    ),
    warnings: warnings.slice(file.warnings.length).map((warning) => warning.replaceAll(place.home, "HOME")),
  };
}
const builtIn = { source: "built-in" };
const none = { instructions: builtIn, clarification: builtIn, summary: builtIn };

describe("prompt files", () => {
  it("are found beside the configuration, and say where they come from", () => {
    using place = scratch({
      ...file(
        {},
        agent({
          systemPromptPath: "./prompts/own.md",
          clarificationPromptPath: "~/ask.md",
          summaryPromptPath: "sum.md",
        }),
      ),
      "conf/prompts/own.md": "Own way.\n",
      "ask.md": "Ask little.",
      "conf/sum.md": "Sum up.",
    });
    expect(textsIn(place)).toEqual({
      prompts: {
        one: {
          instructions: { source: "file", path: "./prompts/own.md", text: "Own way." },
          clarification: { source: "file", path: "~/ask.md", text: "Ask little." },
          summary: { source: "file", path: "sum.md", text: "Sum up." },
        },
        judge: none,
      },
      warnings: [],
    });
  });

  it("of a summary are the agent's, else those of its summarization, else the debate's", () => {
    using place = scratch({
      ...file(
        { summarization: { promptPath: "all.md" } },
        agent({ summaryPromptPath: "own.md", summarization: { promptPath: "less.md" } }),
        agent({ id: "two", summarization: { promptPath: "less.md" } }),
        agent({ id: "three", summaryPromptPath: "gone.md" }),
      ),
      "conf/own.md": "own",
      "conf/less.md": "less",
      "conf/all.md": "all",
    });
    const { prompts, warnings } = textsIn(place);
    expect(Object.entries(prompts).map(([id, { summary }]) => [id, summary])).toEqual([
      ["one", { source: "file", path: "own.md", text: "own" }],
      ["two", { source: "file", path: "less.md", text: "less" }],
      ["three", { source: "file", path: "all.md", text: "all" }],
      ["judge", { source: "file", path: "all.md", text: "all" }],
    ]);
    expect(warnings).toEqual(["the summary prompt HOME/conf/gone.md does not exist; all.md is used instead"]);
  });

  it("that cannot be used are passed over with a warning, once for each", () => {
    using place = scratch({
      ...file(
        { summarization: { promptPath: "none.md" } },
        ...["folder", "blank.md", "big.md", "binary.md", "latin.md"].map((path, index) =>
          agent({ id: `a${index}`, systemPromptPath: path }),
        ),
        agent({ id: "fits", systemPromptPath: "fits.md" }),
      ),
      "conf/blank.md": " \n\t\n",
      "conf/big.md": "x".repeat(100_001),
      "conf/fits.md": "x".repeat(100_000),
      "conf/binary.md": "a\0b",
    });
    mkdirSync(join(place.home, "conf/folder"));
    place.write("conf/latin.md", new Uint8Array([0x63, 0xe9]));
    const { prompts, warnings } = textsIn(place);
    const { fits, ...missed } = prompts;
    expect(fits?.instructions).toMatchObject({ source: "file", path: "fits.md" });
    expect(Object.values(missed)).toEqual(Object.keys(missed).map(() => none));
    const passed = (what: string) => `the ${what}; the built-in one is used instead`;
    expect(new Set(warnings)).toEqual(
      new Set([
        passed("system prompt HOME/conf/folder is a folder"),
        passed("system prompt HOME/conf/blank.md is blank"),
        passed("system prompt HOME/conf/big.md has more than 100 kB"),
        passed("system prompt HOME/conf/binary.md is binary"),
        passed("system prompt HOME/conf/latin.md is not UTF-8 text"),
        passed("summary prompt HOME/conf/none.md does not exist"),
      ]),
    );
    expect(warnings).toHaveLength(6);
  });
});
