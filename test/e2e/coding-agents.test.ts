import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findOnPath } from "../../src/models/program-process.ts";
import { AFTER_CALL, scriptedAgentModel } from "../support/scripted-agent-model.ts";
import { built, somewhere, type Somewhere } from "./parley.ts";

// The real coding agents, which no dependency brings, with what `integrations/` gives them:
// npm install --prefix FOLDER @anthropic-ai/claude-code @openai/codex opencode-ai, then PATH=FOLDER/node_modules/.bin:$PATH.
// A scripted model calls a tool of Parley's in their model's place.

built();

const root = fileURLToPath(new URL("../..", import.meta.url));
const plugin = join(root, "integrations/coding-agents");
const TOOLS = ["ask", "council", "debate", "show", "list", "wait", "estimate"];
const LIMIT_MS = 120_000;

type AgentRun = {
  readonly program: string;
  readonly url: string;
  readonly place: Somewhere;
  readonly env: Variables;
};
type Variables = Readonly<Record<string, string>>;
type Agent = { readonly program: string; readonly package: string; start(run: AgentRun): Promise<string> };

function run(
  { program, place, env }: AgentRun,
  args: readonly string[],
  more: Variables = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { cwd: place.cwd, env: { ...env, ...more }, timeout: LIMIT_MS, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => (error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout)),
    );
    child.stdin?.end();
  });
}

const AGENTS: readonly Agent[] = [
  {
    ...{ program: "claude", package: "@anthropic-ai/claude-code" },
    async start(agent) {
      for (const path of [plugin, root]) await run(agent, ["plugin", "validate", path]);
      return run(
        agent,
        ["-p", "Ask a council.", "--plugin-dir", plugin, "--allowedTools", "mcp__plugin_parley_parley__ask"],
        {
          ...{ ANTHROPIC_BASE_URL: agent.url, ANTHROPIC_API_KEY: "sk-test", ENABLE_TOOL_SEARCH: "false" },
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        },
      );
    },
  },
  {
    ...{ program: "codex", package: "@openai/codex" },
    async start(agent) {
      const home = join(agent.place.folder, "codex");
      mkdirSync(home);
      const config = `model = "scripted"\nmodel_provider = "s"\n[model_providers.s]\nname = "s"\nwire_api = "responses"\nbase_url = "${agent.url}/v1"\n`;
      writeFileSync(join(home, "config.toml"), config);
      const own = { CODEX_HOME: home };
      await run(agent, ["plugin", "marketplace", "add", root], own);
      await run(agent, ["plugin", "add", "parley@parley"], own);
      return run(agent, ["exec", "--dangerously-bypass-approvals-and-sandbox", "Ask a council."], own);
    },
  },
  {
    ...{ program: "opencode", package: "opencode-ai" },
    async start(agent) {
      const own = JSON.parse(
        readFileSync(join(root, "integrations/opencode/opencode.json"), "utf8"),
      ) as object;
      const options = { baseURL: `${agent.url}/v1`, apiKey: "sk-test" };
      const provider = { s: { npm: "@ai-sdk/openai-compatible", options, models: { scripted: {} } } };
      const models = { provider, model: "s/scripted", small_model: "s/scripted" };
      writeFileSync(join(agent.place.cwd, "opencode.json"), JSON.stringify({ ...own, ...models }));
      cpSync(join(plugin, "skills"), join(agent.place.cwd, ".opencode/skills"), { recursive: true });
      return run(agent, ["run", "Ask a council."]);
    },
  },
];

/** A project with a change, and an `npx` that starts what was built here, with simulated models. */
function project(place: Somewhere): Variables {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", place.cwd, "-c", "user.email=a@example.com", "-c", "user.name=A", ...args]);
  git("init", "-qb", "main");
  writeFileSync(join(place.cwd, "a.ts"), "one\n");
  git("add", "-A");
  git("commit", "-qm", "all");
  writeFileSync(join(place.cwd, "a.ts"), "two\n");
  const bin = join(place.folder, "bin");
  mkdirSync(bin);
  const lines = ["#!/bin/sh", '[ "$1 $2 $3" = "-y @parley-llm/parley mcp" ] || exit 2', "shift 2"];
  // What its agent asks its model with is no model of Parley's here.
  lines.push("unset ANTHROPIC_API_KEY ANTHROPIC_BASE_URL");
  const last = `PARLEY_HOME='${place.home}' exec '${process.execPath}' '${join(root, "dist/cli.mjs")}' "$@" --simulated`;
  writeFileSync(join(bin, "npx"), `${[...lines, last].join("\n")}\n`, { mode: 0o755 });
  return {
    PATH: [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter),
    ...{ HOME: place.folder, TMPDIR: place.folder, OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_HOST: "127.0.0.1:1" },
  };
}

for (const { program: name, package: from, start } of AGENTS) {
  const program = findOnPath(name, process.env);
  if (program === undefined)
    process.stdout.write(`Skipped: ${name} is not on the PATH (npm install ${from})\n`);
  it.skipIf(program === undefined)(
    `${name} lists the tools, knows the skill, and asks about a file and a diff that it does not repeat`,
    async () => {
      await using place = somewhere();
      const env = project(place);
      const given = {
        question: "What is 17 * 23?",
        files: ["a.ts"],
        diff: "HEAD",
        request: "once",
        maxCostUsd: 9,
      };
      await using model = await scriptedAgentModel(/(?:^|_)ask$/, given);
      const said = await start({ program: program ?? "", url: model.url, place, env });
      expect(said).toContain(AFTER_CALL);
      expect([...model.tools()].sort()).toEqual([...TOOLS].sort());
      expect(/Costs money: the user agrees\s+first/.test(model.sent())).toBe(true);
      expect(/Final answer: 391/.test(model.sent()), model.lastResult()).toBe(true);
      const { stdout: list } = await place.run(["list", "--json"]);
      const [, id = ""] = /"id": ?"(\w+)"/.exec(list) ?? [];
      const { stdout: journal } = await place.run(["export", id, "--format", "json"]);
      expect(journal).toMatch(/"name": ?"a\.ts"/);
      expect(journal).toMatch(/"name": ?"diff since HEAD \(\w{12}\)"/);
      expect(journal).toMatch(/"budget": ?\{[^}]*"usd": ?1\b/); // what the manifest allows, not what the call asks for
    },
    LIMIT_MS,
  );
}
