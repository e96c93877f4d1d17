import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, QUESTION } from "./harness.mjs";

export const packages = ["promptfoo@0.123.1"];

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ serve, check, bin }) {
  const { url, key } = await serve();
  const config = { apiBaseUrl: `${url}/v1`, apiKey: key, showThinking: false };
  const schema = {
    ...{ type: "object", properties: { answer: { type: "number" } } },
    ...{ required: ["answer"], additionalProperties: false },
  };
  const response_format = { type: "json_schema", json_schema: { name: "sum", strict: true, schema } };
  const isSum = { type: "javascript", value: "typeof output.answer === 'number'" };
  const passthrough = { parley: { models: ["sim/ada", "sim/bo"] } };
  const has391 = { type: "contains", value: "391" };
  /** @type {[name: string, id: string, more: object, assertion: object][]} */
  const cases = [
    ["chat", "openai:chat:parley/council", {}, has391],
    ["responses", "openai:responses:parley/council", {}, has391],
    ["chat with fields of Parley's", "openai:chat:parley/council", { passthrough }, has391],
    ["chat by a schema", "openai:chat:parley/council", { response_format }, isSum],
    ["messages", "anthropic:messages:parley/council", { apiBaseUrl: url, max_tokens: 4_096 }, has391],
  ];
  for (const [name, id, more, assertion] of cases)
    await check(name, async () => {
      const cwd = newFolder();
      const providers = [{ id, config: { ...config, ...more } }];
      const tests = [{ vars: { question: QUESTION }, assert: [assertion] }];
      const file = { prompts: ["{{question}}"], providers, tests };
      writeFileSync(join(cwd, "promptfooconfig.json"), JSON.stringify(file));
      const off = { PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1" };
      const words = ["eval", "-c", "promptfooconfig.json", "--no-cache", "-o", "seen.json"];
      await bin("promptfoo/dist/src/entrypoint.js", words, {
        cwd,
        env: { ...off, PROMPTFOO_DISABLE_REMOTE_GENERATION: "1", PROMPTFOO_CONFIG_DIR: cwd },
      });
      const { stats } = JSON.parse(readFileSync(join(cwd, "seen.json"), "utf8")).results;
      assert.equal(stats.successes, 1);
    });
}
