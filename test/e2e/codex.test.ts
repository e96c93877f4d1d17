import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSimServer } from "../../src/app/sim-server.ts";
import { features } from "../../src/features.ts";
import type { SimServer } from "../../src/sim/index.ts";
import { findOnPath } from "../../src/models/program-process.ts";
import { built, somewhere } from "./parley.ts";

// The real Codex CLI, which no dependency brings: npm install --prefix FOLDER @openai/codex, then PATH=FOLDER/node_modules/.bin:$PATH.

const codex = findOnPath("codex", process.env);
if (codex === undefined)
  process.stdout.write("Skipped: codex is not on the PATH (npm install @openai/codex)\n");

built();

describe.skipIf(codex === undefined)("the real Codex CLI (skipped where it is not on the PATH)", () => {
  let server: SimServer;
  beforeAll(async () => {
    server = await startSimServer({
      ...{ env: {}, cwd: "/", port: 0, host: "127.0.0.1", key: undefined, features },
    });
  });
  afterAll(() => server.close());

  it("answers as the members of a council, from the simulated models' Responses API", async () => {
    await using place = somewhere();
    const provider = {
      name: "sim",
      base_url: `${server.url}/v1`,
      wire_api: "responses",
      requires_openai_auth: false,
    };
    const values = Object.entries(provider).map(
      ([key, value]) => `model_providers.sim.${key}=${String(value)}`,
    );
    const own = { arguments: ["model_provider=sim", ...values].flatMap((value) => ["-c", value]) };
    const folder = place.home;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "parley.yaml"), JSON.stringify({ programs: { codex: own } }));
    const env = { PATH: [join(codex ?? "", ".."), process.env["PATH"]].join(delimiter) };

    const models = ["--models", "codex/ada,codex/ben?effort=low,codex/cleo"];
    const asked = await place.run(
      ["council", "What is 17 * 23?", ...models, "--max-cost-usd", "0.01", "--json"],
      env,
    );
    expect(asked.stderr).not.toMatch(/fail|degraded/i);
    expect(asked.code).toBe(0);
    const result = JSON.parse(asked.stdout) as { answer: string; calls: number; cost: object };
    expect(result).toMatchObject({
      answer: expect.stringMatching(/391$/) as string,
      cost: { usd: 0, source: "subscription" },
    });
    const shown = await place.run(["cost"], env);
    expect(shown.stdout).toContain(`subscription, ${result.calls} calls`);

    const unknown = await place.run(["models", "test", "codex/ada?http=404"], env);
    expect(unknown.stdout).toMatch(/404 Not Found.*name another model/s);
  }, 120_000);
});
