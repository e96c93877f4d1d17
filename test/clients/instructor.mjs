import assert from "node:assert/strict";
import { createServer } from "node:http";
import { QUESTION } from "./harness.mjs";

export const packages = ["@instructor-ai/instructor@1.7.0", "openai@4.104.0", "zod@3.25.76"];

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ load, serve, check }) {
  // Two modes ask for JSON in words alone, which simulated models do not follow.
  const model = createServer((request, response) => {
    let body = "";
    request
      .on("data", (/** @type {Buffer} */ bytes) => (body += bytes.toString()))
      .on("end", () => {
        const content = body.includes("```json") ? '```json\n{"answer": 391}\n```' : '{"answer": 391}';
        const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices }));
      });
  });
  await new Promise((resolve) => model.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (model.address());
  const box = { url: `http://127.0.0.1:${port}/v1`, model: "scripted" };
  const { url, key } = await serve("", { compatible: { box } });
  const { default: createInstructor } = await load("@instructor-ai/instructor");
  const { default: OpenAI } = await load("openai");
  const { z } = await load("zod");
  const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  for (const mode of ["TOOLS", "FUNCTIONS", "JSON_SCHEMA", "JSON", "MD_JSON"])
    await check(mode, async () => {
      const inWords = mode === "JSON" || mode === "MD_JSON";
      const found = await createInstructor({ client, mode }).chat.completions.create({
        ...{ model: inWords ? "parley/respond" : "parley/council", max_retries: 0 },
        ...(inWords && { parley: { models: ["compatible/box"] } }),
        messages: [{ role: "user", content: QUESTION }],
        response_model: { schema: z.object({ answer: z.number() }), name: "Sum" },
      });
      assert.equal(typeof found.answer, "number");
    });
}
