import assert from "node:assert/strict";
import { QUESTION, WEATHER } from "./harness.mjs";

export const packages = [
  ...[
    "ai@7.0.173",
    "@ai-sdk/openai-compatible@3.0.92",
    "@ai-sdk/openai@4.0.118",
    "@ai-sdk/anthropic@4.0.105",
  ],
  ...["@ai-sdk/open-responses@2.0.36", "zod@4.6.7"],
];

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ load, serve, check }) {
  const { url, key } = await serve(WEATHER);
  const ai = await load("ai");
  const z = await load("zod");
  const baseURL = `${url}/v1`;
  const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
  const { createOpenAI } = await load("@ai-sdk/openai");
  const { createAnthropic } = await load("@ai-sdk/anthropic");
  const { createOpenResponses } = await load("@ai-sdk/open-responses");
  const settings = { name: "parley", baseURL, apiKey: key };
  const own = { ...settings, supportsStructuredOutputs: true };
  const openAi = createOpenAI({ baseURL, apiKey: key });
  /** @type {Record<string, (model: string) => unknown>} */
  const providers = {
    "openai-compatible": createOpenAICompatible(own),
    "openai chat": openAi.chat,
    "openai responses": openAi.responses,
    anthropic: createAnthropic({ baseURL, apiKey: key }),
    "open-responses": createOpenResponses({ name: "parley", url: `${baseURL}/responses`, apiKey: key }),
  };
  for (const [name, provide] of Object.entries(providers)) {
    const model = provide("parley/council");
    const asked = { model, prompt: QUESTION, maxRetries: 0 };
    await check(`${name}: text`, async () => {
      const { text, usage } = await ai.generateText(asked);
      assert.match(text, /391/);
      assert(usage.totalTokens > 0);
    });
    await check(`${name}: stream`, async () => {
      let text = "";
      for await (const delta of ai.streamText(asked).textStream) text += delta;
      assert.match(text, /391/);
    });
    await check(`${name}: object`, async () => {
      const output = ai.Output.object({ schema: z.object({ answer: z.number() }) });
      const { output: object } = await ai.generateText({ ...asked, output });
      assert.equal(typeof object.answer, "number");
    });
    for (const streamed of [false, true])
      await check(`${name}: a tool in steps${streamed ? ", streamed" : ""}`, async () => {
        /** @type {unknown[]} */
        const calls = [];
        const execute = (/** @type {unknown} */ given) => (calls.push(given), "rain, 7 degrees");
        const inputSchema = z.object({ city: z.string() });
        const tools = { get_weather: ai.tool({ description: "The weather.", inputSchema, execute }) };
        const loop = { ...asked, tools, stopWhen: ai.stepCountIs(3) };
        const text = await (streamed
          ? ai.streamText(loop).text
          : ai.generateText(loop).then((/** @type {{ text: string }} */ one) => one.text));
        assert.deepEqual(calls, [{ city: "Oslo" }]);
        assert.match(text, /rain, 7 degrees/);
      });
    await check(`${name}: a demanded tool`, async () => {
      const tools = { other: ai.tool({ inputSchema: z.object({ city: z.string() }) }) };
      const { toolCalls } = await ai.generateText({
        ...asked,
        tools,
        toolChoice: { type: "tool", toolName: "other" },
      });
      assert.equal(toolCalls[0].toolName, "other");
    });
    await check(`${name}: samplers and system`, async () => {
      const more = { temperature: 0.2, topP: 0.9, seed: 7, presencePenalty: 0.1, system: "Be brief." };
      assert.match((await ai.generateText({ ...asked, ...more, maxOutputTokens: 4_096 })).text, /391/);
    });
    await check(`${name}: several turns`, async () => {
      const { response } = await ai.generateText(asked);
      const turn = { role: "user", content: QUESTION };
      const messages = [turn, ...response.messages, { role: "user", content: "What is 6 * 7?" }];
      assert.match((await ai.generateText({ model, messages, maxRetries: 0 })).text, /42/);
    });
    await check(`${name}: abort`, async () => {
      const slow = provide("parley/debate");
      await assert.rejects(ai.generateText({ ...asked, model: slow, abortSignal: AbortSignal.timeout(1) }));
    });
    await check(`${name}: an unknown model`, () =>
      assert.rejects(ai.generateText({ ...asked, model: provide("parley/none") }), { statusCode: 404 }),
    );
  }
}
