import assert from "node:assert/strict";
import { QUESTION, WEATHER } from "./harness.mjs";

export const packages = ["@openai/agents@0.20.0", "zod@4.6.7"];

/** @param {import("./harness.mjs").Bench} bench */
export async function check({ load, serve, check }) {
  const asks = await serve(WEATHER);
  const hands = await serve("calls=transfer_to_historian");
  const sdk = await load("@openai/agents");
  const z = await load("zod");
  sdk.setTracingDisabled(true);
  for (const api of ["chat_completions", "responses"]) {
    const providerOf = (/** @type {import("./harness.mjs").Server} */ { url, key }) =>
      new sdk.OpenAIProvider({ apiKey: key, baseURL: `${url}/v1`, useResponses: api === "responses" });
    const runner = new sdk.Runner({ modelProvider: providerOf(asks) });
    const plain = new sdk.Agent({ name: "Ada", instructions: "Be brief.", model: "parley/council" });
    await check(`${api}: a run`, async () => {
      assert.match((await runner.run(plain, QUESTION)).finalOutput, /391/);
    });
    await check(`${api}: a run, streamed`, async () => {
      const result = await runner.run(plain, QUESTION, { stream: true });
      let text = "";
      for await (const delta of result.toTextStream()) text += delta;
      await result.completed;
      assert.match(text, /391/);
      assert.equal(text, result.finalOutput);
    });
    await check(`${api}: an output of a type`, async () => {
      const typed = plain.clone({ outputType: z.object({ answer: z.number() }) });
      assert.equal(typeof (await runner.run(typed, QUESTION)).finalOutput.answer, "number");
    });
    for (const stream of [false, true])
      await check(`${api}: a tool${stream ? ", streamed" : ""}`, async () => {
        /** @type {unknown[]} */
        const calls = [];
        const tool = sdk.tool({
          ...{ name: "get_weather", description: "The weather of a city." },
          parameters: z.object({ city: z.string() }),
          execute: (/** @type {unknown} */ given) => (calls.push(given), "rain, 7 degrees"),
        });
        const result = await runner.run(plain.clone({ tools: [tool] }), QUESTION, { stream });
        if (stream) await result.completed;
        assert.match(result.finalOutput, /rain, 7 degrees/);
        assert.deepEqual(calls, [{ city: "Oslo" }]);
      });
    await check(`${api}: two turns`, async () => {
      const first = await runner.run(plain, QUESTION);
      const second = await runner.run(plain, [...first.history, { role: "user", content: "What is 6 * 7?" }]);
      assert.match(second.finalOutput, /42/);
    });
    await check(`${api}: a handoff`, async () => {
      const historian = new sdk.Agent({ name: "historian", instructions: "Tell.", model: "parley/respond" });
      const first = sdk.Agent.create({ name: "triage", model: "parley/respond", handoffs: [historian] });
      const result = await new sdk.Runner({ modelProvider: providerOf(hands) }).run(first, QUESTION);
      assert.equal(result.lastAgent.name, "historian");
      assert.match(result.finalOutput, /391/);
    });
  }
}
