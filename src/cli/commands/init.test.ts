import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandIo, commandNamed } from "../../../test/support/command-io.ts";
import { openFakeServer } from "../../../test/support/fake-server.ts";
import { scratch, type Scratch } from "../../../test/support/scratch.ts";
import { standIn } from "../../../test/support/stand-ins.ts";
import { writeFirstSettings } from "../../app/first-settings.ts";
import { loadSettings } from "../../config/sources.ts";
import { EXIT } from "../exits.ts";

const KEYED = {
  ...{ OLLAMA_HOST: "http://127.0.0.1:1", LMSTUDIO_HOST: "http://127.0.0.1:1" },
  ...{ OPENAI_API_KEY: "sk-hunter2", ANTHROPIC_API_KEY: "sk-hunter2" },
};

async function initialized({ cwd, env }: Scratch, given: Record<string, unknown> = {}) {
  const { io, written } = commandIo({ cwd, env });
  const code = await commandNamed("init").run(io, { yes: true, ...given }, []);
  return { code, ...written };
}

describe("init", () => {
  it.each([
    ["project", { project: true }],
    ["user", {}],
  ])("writes settings of the %s that load without more trust, and holds no key", async (where, given) => {
    using place = scratch({}, KEYED);
    const { code, stderr } = await initialized(place, given);
    expect(code).toBe(EXIT.answered);
    const path = join(where === "project" ? place.cwd : join(place.home, ".config/parley"), "parley.yaml");
    expect(readFileSync(path, "utf8") + stderr).not.toContain("hunter2");
    // With the trust that is recorded, not the test's.
    const { settings } = loadSettings({ cwd: place.cwd, env: place.env, flags: {} });
    expect(settings).toMatchObject({
      // Three seats, so that each draft is reviewed.
      models: ["openai/gpt-6.1-terra", "anthropic/claude-sonnet-5-5", "openai/gpt-6.1-terra"],
      maxCostUsd: 0.5,
    });
  });

  it.each([
    [["ollama/a"], ["ollama/a", "ollama/a", "ollama/a"]],
    [
      ["ollama/a", "ollama/b"],
      ["ollama/a", "ollama/b", "ollama/a"],
    ],
  ])("deals three seats to %j, so that nobody's review is taken away", (models, dealt) => {
    const text = writeFirstSettings({ models, maxCostUsd: undefined });
    expect([...text.matchAll(/^  - "(.*)"$/gm)].map(([, ref]) => ref)).toEqual(dealt);
  });

  it("writes no limit of cost beside a model without a known price, which would be refused under it", async () => {
    const data = ["a", "b"].map((id) => ({ id }));
    await using gateway = await openFakeServer((response) => void response.end(JSON.stringify({ data })));
    const { OLLAMA_HOST, LMSTUDIO_HOST, OPENAI_API_KEY } = KEYED;
    const env = { OLLAMA_HOST, LMSTUDIO_HOST, OPENAI_API_KEY, OPENAI_BASE_URL: `${gateway.url}/v1` };
    using place = scratch({}, env);
    expect((await initialized(place, { project: true })).code).toBe(EXIT.answered);
    const { settings } = loadSettings({ cwd: place.cwd, env: place.env, flags: {} });
    expect(settings.models).toContain("openai/a");
    expect(settings.maxCostUsd).toBeUndefined();
  });

  it("never overwrites: it shows what it would change, and ends with 2", async () => {
    using place = scratch({ "project/parley.yaml": "models: [sim/ada]\n" }, KEYED);
    const { code, stdout, stderr } = await initialized(place, { project: true });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain("is left as it is");
    expect(stdout).toContain("- models: [sim/ada]\n");
    expect(stdout).toContain('+   - "openai/gpt-6.1-terra"\n');
    expect(readFileSync(join(place.cwd, "parley.yaml"), "utf8")).toBe("models: [sim/ada]\n");
  });

  it("says which programs of agents are there and how to ask them, and chooses none", async () => {
    const { OLLAMA_HOST, LMSTUDIO_HOST } = KEYED;
    using place = scratch({}, { OLLAMA_HOST, LMSTUDIO_HOST });
    const { env } = standIn(place, "codex", "");
    const { code, stderr } = await initialized({ ...place, env }, { project: true });
    expect(code).toBe(EXIT.answered);
    expect(stderr).toMatch(/only if you name them: Codex \(codex\/default\)[^]*--models codex\/default/);
    expect(loadSettings({ cwd: place.cwd, env, flags: {} }).settings.models).toEqual([]);
  });

  it("says what to do where nothing is found, and writes settings that load", async () => {
    const { OLLAMA_HOST, LMSTUDIO_HOST } = KEYED;
    using place = scratch({}, { OLLAMA_HOST, LMSTUDIO_HOST });
    const { code, stderr } = await initialized(place, { project: true });
    expect(code).toBe(EXIT.answered);
    expect(stderr).toMatch(/no key, and no server of models[^]*Try: parley keys set openai/);
    expect(loadSettings({ cwd: place.cwd, env: place.env, flags: {} }).settings.models).toEqual([]);
    rmSync(join(place.cwd, "parley.yaml"));
    expect(existsSync(join(place.home, ".config/parley/parley.yaml"))).toBe(false);
  });
});
