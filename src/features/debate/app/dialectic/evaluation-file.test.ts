import { describe, expect, it } from "vitest";
import { readEvaluationFile } from "./agent-file.ts";
import { readDebateFile } from "./debate-file.ts";
import { refusalOf, scratch } from "../../../../../test/support/scratch.ts";

const entry = (more: object = {}) => ({ id: "eval-1", name: "First", model: "gpt-4", ...more });
const file = (...agents: readonly object[]) => ({ "project/sub/eval.json": JSON.stringify({ agents }) });
const builtIn = { system: { source: "built-in" }, user: { source: "built-in" } };

describe("an evaluation's configuration", () => {
  it("has evaluators with a provider, a time and prompts of their own", () => {
    const user = "Rate {final_solution} by {requirements_info}, of {problem} and {clarifications}.";
    using place = scratch({
      ...file(
        entry(),
        entry({ id: "eval-0", enabled: false }),
        entry({
          id: "eval-2",
          model: "google/gemini-2.5-flash",
          provider: "openrouter",
          timeout: 30_000,
          systemPromptPath: "./system.md",
          userPromptPath: "../user.md",
        }),
      ),
      "project/sub/system.md": "Be strict.\n",
      "project/user.md": `\uFEFF${user}\n`,
    });
    expect(readEvaluationFile("sub/eval.json", place)).toEqual({
      agents: [
        { id: "eval-1", name: "First", model: "openai/gpt-4", timeoutMs: undefined, prompts: builtIn },
        {
          id: "eval-2",
          name: "First",
          model: "openrouter/google/gemini-2.5-flash",
          timeoutMs: 30_000,
          prompts: {
            system: { source: "file", path: "./system.md", text: "Be strict." },
            user: { source: "file", path: "../user.md", text: user },
          },
        },
      ],
      warnings: [],
    });
  });

  it("warns once of what cannot be used, and of a prompt that hides what is evaluated", () => {
    const paths = { systemPromptPath: "none.md", userPromptPath: "user.md" };
    using place = scratch({
      ...file(entry({ ...paths, temperature: 1 }), entry({ ...paths, id: "eval-2" })),
      "project/sub/user.md": "Rate {solution}.",
    });
    const { agents, warnings } = readEvaluationFile("sub/eval.json", place);
    expect(agents.map(({ prompts }) => prompts)).toEqual(
      agents.map(() => ({
        system: { source: "built-in" },
        user: { source: "file", path: "user.md", text: "Rate {solution}." },
      })),
    );
    expect(warnings.map((warning) => warning.replaceAll(place.home, "HOME"))).toEqual([
      expect.stringMatching(/^HOME\/project\/sub\/eval\.json:1:\d+: unknown key "temperature" is ignored/),
      "the system prompt HOME/project/sub/none.md does not exist; the built-in one is used instead",
      "the user prompt user.md does not name {final_solution}, so whoever reads it is not shown what to evaluate",
    ]);
  });

  const SECRET = "hunter2-abcdefghijklmnop";
  it.each([
    ["apiKey", SECRET, "apiKey looks like a secret"],
    ["openaiApiKey", SECRET, "openaiApiKey looks like a secret"],
    ["api_key", SECRET, "api_key looks like a secret"],
    ["authToken", SECRET, "authToken looks like a secret"],
    ["OPENROUTER_API_KEY", SECRET, "OPENROUTER_API_KEY looks like a secret"],
    ["baseUrl", `https://h/v1?key=${SECRET}`, "this URL holds a password or a key"],
    ["baseUrl", `https://h/v1?a=1&access_token=${SECRET}`, "this URL holds a password or a key"],
    ["baseUrl", `https://ada:${SECRET}@h/v1`, "this URL holds a password or a key"],
  ])("is refused with a secret in it, as a debate's is: %s: %s", async (key, value, expected) => {
    const agent = { ...entry({ [key]: value }), role: "architect", provider: "sim" };
    const agents = [entry(), agent];
    using place = scratch({
      ...file(...agents),
      "project/debate.json": JSON.stringify({ agents: [agent] }),
      "project/judge.yaml": JSON.stringify({ agents: [{ ...agent, [key]: undefined }], judge: agent }),
      "project/above.json": JSON.stringify({ [key]: value, agents: [{ ...agent, [key]: undefined }] }),
    });
    const said = [
      await refusalOf(() => readEvaluationFile("sub/eval.json", place), place),
      await refusalOf(() => readDebateFile("debate.json", place), place),
      await refusalOf(() => readDebateFile("judge.yaml", place), place),
      await refusalOf(() => readDebateFile("above.json", place), place),
    ];
    for (const one of said) {
      expect(one).toContain(expected);
      expect(one).not.toContain(SECRET);
    }
  });

  it.each([
    [[], "there are no agents; list at least one"],
    [[entry({ enabled: false })], "no agent is enabled"],
    [[entry(), entry()], "eval-1 is the id of another agent, too"],
    [[entry({ timeout: 0 })], "agents.0.timeout must be above 0 (got 0)"],
    [[entry({ timeout: "30s" })], 'agents.0.timeout must be a number (got "30s")'],
    [[entry({ model: "" })], "agents.0.model must not be empty"],
    [[entry({ name: undefined })], "agents.0.name is missing; an evaluation has agents, each with an id"],
  ])("is refused with what is wrong and where: %#", async (agents, expected) => {
    using place = scratch(file(...agents));
    const said = await refusalOf(() => readEvaluationFile("sub/eval.json", place), place);
    expect(said).toMatch(/^HOME\/project\/sub\/eval\.json:1:\d+: /);
    expect(said).toContain(expected);
  });
});
