import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAiApi } from "../src/features/client-apis/api/index.ts";
import { chatEnd, chunk, openFakeServer, stream } from "./support/fake-server.ts";
import { nativeApi, serverPlace, testServer, SUM, type TestServer } from "./support/server.ts";

// Answers in a form: by a schema, or by a tool whose call is demanded.

let server: TestServer;
let client: OpenAI;
beforeAll(async () => {
  server = await testServer({ surfaces: [nativeApi, openAiApi] });
  client = new OpenAI({ apiKey: server.key, baseURL: `${server.url}v1` });
});
afterAll(() => server[Symbol.asyncDispose]());

const asking = (content = SUM) => [{ role: "user" as const, content }];
const schema = {
  type: "object" as const,
  properties: { answer: { type: "number" as const } },
  required: ["answer"] as string[],
  additionalProperties: false,
};
const ignoredBy = (reply: unknown) =>
  (reply as { readonly parley?: { readonly ignored?: readonly string[] } }).parley?.ignored;

describe("npm's openai", () => {
  const tool = { type: "function" as const, function: { name: "sum", parameters: schema } };
  const named = { type: "function" as const, function: { name: "sum" } };

  it("gets the call of the tool that it demands, which is an answer in a form", async () => {
    const asked = { model: "parley/respond", messages: asking(), tools: [tool] };
    const allowed = { mode: "required" as const, tools: [named] };
    const choices = [named, "required", { type: "allowed_tools", allowed_tools: allowed }] as const;
    for (const tool_choice of choices) {
      const reply = await client.chat.completions.create({ ...asked, tool_choice });
      const [choice] = reply.choices;
      expect(choice).toMatchObject({ finish_reason: "tool_calls", message: { content: null } });
      expect(choice?.message.tool_calls).toEqual([
        {
          ...{ index: 0, id: expect.stringMatching(/^call_/) as unknown, type: "function" },
          function: { name: "sum", arguments: expect.stringMatching(/"answer": ?391/) as unknown },
        },
      ]);
      expect(ignoredBy(reply)).toEqual([]);
    }
    const streamed = await client.chat.completions
      .stream({ ...asked, tool_choice: named })
      .finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: "sum" } });
    const older = await client.chat.completions.create({
      ...{ model: "parley/respond", messages: asking() },
      ...{ functions: [tool.function], function_call: { name: "sum" } },
    });
    expect(older.choices[0]).toMatchObject({
      ...{ finish_reason: "function_call", message: { function_call: { name: "sum" } } },
    });
  });

  it("gets the same from responses, whole and streamed", async () => {
    const asked = {
      ...{ model: "parley/respond", input: SUM, tool_choice: { type: "function" as const, name: "sum" } },
      tools: [{ type: "function" as const, name: "sum", parameters: schema, strict: true }],
    };
    const item = {
      ...{ type: "function_call", name: "sum", status: "completed" },
      arguments: expect.stringMatching(/"answer": ?391/) as unknown,
    };
    const whole = await client.responses.create(asked);
    expect(whole.output.at(-1)).toMatchObject(item);
    const stream = client.responses.stream(asked);
    const { output } = await stream.finalResponse();
    expect(output.at(-1)).toMatchObject(item);
  });

  it("is told how many tokens an input has, about, and pays for none", async () => {
    const count = async (input: string) => {
      const { object, input_tokens: tokens } = await client.responses.inputTokens.count({
        ...{ model: "parley/council", input, instructions: "Be short." },
      });
      expect(object).toBe("response.input_tokens");
      return tokens;
    };
    const short = await count("x".repeat(30));
    expect(await count("x".repeat(330))).toBe(short + 100);
    expect(short).toBeLessThan(60);
    expect(
      (await server.post("/v1/responses/input_tokens", { model: "parley/none", input: "x" })).status,
    ).toBe(404);
  });

  it("gets a form that stands where other servers have it", async () => {
    const form: object = { type: "json_object", schema };
    const body = { model: "parley/respond", messages: asking(), response_format: form };
    const { json } = await server.post("/v1/chat/completions", body);
    expect(JSON.parse(json.choices[0].message.content)).toEqual({ answer: 391 });
  });
});

it.each([
  ["as it is", '{"answer": 391}'],
  ["in a fence", '```json\n{"answer": 391}\n```'],
])("an answer that has the form already costs no step more: %s", async (_, reply) => {
  await using fake = await openFakeServer((response) => stream(response, chunk(reply) + chatEnd()));
  using place = serverPlace({
    "parley/parley.yaml": `compatible:\n  box: {url: "${fake.url}/v1", model: x}\n`,
  });
  await using other = await testServer({ surfaces: [nativeApi, openAiApi] }, place);
  const { json } = await other.post("/v1/chat/completions", {
    ...{ model: "parley/respond", messages: asking(), parley: { models: ["compatible/box"] } },
    response_format: { type: "json_schema", json_schema: { name: "sum", schema } },
  });
  expect(JSON.parse(json.choices[0].message.content)).toEqual({ answer: 391 });
  expect(json.parley.formed).toEqual([]);
  expect(fake.received).toHaveLength(1);
});

it("an address is not fetched where the operator does not allow it, and a blind run is refused", async () => {
  const ask = async (url: string) => {
    const content = [
      { type: "text", text: "What is it?" },
      { type: "image_url", image_url: { url } },
    ];
    const body = { model: "parley/respond", messages: [{ role: "user", content }] };
    const { status, json } = await server.post("/v1/chat/completions", body);
    return [status, json.error.message as string];
  };
  expect(await ask("https://h.example/a.png")).toEqual([
    400,
    expect.stringContaining("this server fetches nothing from the web"),
  ]);
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  expect(await ask(`data:image/png;base64,${png}`)).toEqual([400, expect.stringContaining("picture 1")]);
});
