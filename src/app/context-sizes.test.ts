import { expect, it } from "vitest";
import { openConfigured } from "../../test/support/opened.ts";
import { scratch } from "../../test/support/scratch.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { contextSizes } from "./context-sizes.ts";
import { prepareOpening } from "./start.ts";

async function sizesOf(models: readonly string[], protocol = "council") {
  using folder = scratch();
  writeFileSync(
    join(folder.cwd, "parley.yaml"),
    "compatible:\n  box: {url: 'http://127.0.0.1:9', wire: ollama, context: 9000}\n  lab: {url: 'http://127.0.0.1:9'}\n",
  );
  const { context, me } = await openConfigured({
    ...{ ...folder, env: { ...folder.env, OPENAI_API_KEY: "k" } },
    flags: { store: ":memory:", models: [...models] },
  });
  try {
    const question = "Should we move the queue to Postgres?";
    const { opening } = await prepareOpening(context, {
      question,
      protocol,
      ...(protocol === "respond" ? { models } : {}),
    });
    return await contextSizes(context, opening);
  } finally {
    await me.close();
  }
}

it("is one size by model for all phases, which the longest of them fits, of servers that allocate it per request", async () => {
  const sizes = await sizesOf([
    "ollama/gemma",
    "ollama/gemma?effort=high",
    "openai/gpt-5",
    "compatible/lab/m",
  ]);
  expect(Object.keys(sizes ?? {})).toEqual(["ollama/gemma"]);
  expect(sizes?.["ollama/gemma"]).toBeGreaterThanOrEqual(16_384);
  expect((sizes?.["ollama/gemma"] ?? 0) % 4_096).toBe(0);
});

it("is what the endpoint declares where that is less, and nothing where no server asks for it", async () => {
  expect(await sizesOf(["compatible/box/m", "compatible/box/m"])).toEqual({ "compatible/box/m": 9_000 });
  expect(await sizesOf(["openai/gpt-5", "compatible/lab/m"])).toBeUndefined();
});

it("is the one that a respondent asks for anyway", async () => {
  expect(await sizesOf(["ollama/gemma"], "respond")).toEqual({ "ollama/gemma": 8_192 });
});
