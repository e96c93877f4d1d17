import { connect, createServer, type AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ChatOpenAI } from "@langchain/openai";
import { generateText } from "ai";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { nativeApi, testServer } from "../support/server.ts";
import { built, somewhere, type Running, type Somewhere } from "./parley.ts";
import { openAiApi } from "../../src/features/client-apis/api/index.ts";
import { isLong } from "../support/long.ts";

built();

const SUM = "What is 17 * 23?";
const MODELS = ["sim/a?latency=700&family=a", "sim/b?latency=900&family=b", "sim/c?latency=1100&family=c"];

/** A server in a process of its own, and where it is. */
async function serve(place: Somewhere, port = 0): Promise<{ readonly running: Running; readonly url: URL }> {
  const running = place.start(["serve", "--simulated", "--port", String(port)]);
  const [link = ""] = /http\S+/.exec(await running.seen("stdout", /http\S+\n/)) ?? [];
  return { running, url: new URL("/", link) };
}

/** So many events as they came; then the connection is left. */
async function readUpTo(response: Response, count: number): Promise<string[]> {
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
    text += value ?? "";
    const blocks = eventsIn(text);
    if (done || blocks.length >= count) {
      await reader.cancel().catch(() => undefined);
      return blocks.slice(0, count);
    }
  }
}

/** Whole events, without comments between them. */
const eventsIn = (text: string): string[] =>
  text
    .split("\n\n")
    .slice(0, -1)
    .filter((block) => block.startsWith("event:"));

it("resumes a background response byte for byte, though its server is killed twice", async () => {
  await using place = somewhere();
  const { stdout } = await place.run(["serve", "keys", "new", "test"]);
  const headers = { authorization: `Bearer ${stdout.trim()}`, "content-type": "application/json" };
  const started = await serve(place);
  const { url } = started;
  let { running } = started;
  const restart = async () => {
    running.kill("SIGKILL");
    await running.ended;
    ({ running } = await serve(place, Number(url.port)));
  };
  const body = JSON.stringify({
    ...{ model: "parley/council", input: SUM, background: true, stream: true, parley: { models: MODELS } },
  });
  const begun = await fetch(new URL("v1/responses", url), { method: "POST", headers, body });
  const id = begun.headers.get("x-parley-deliberation") ?? "";
  const follow = (pieces: readonly string[]) => {
    const [, after] = /"sequence_number":(\d+)/.exec(pieces.at(-1) ?? "") ?? [];
    return fetch(new URL(`v1/responses/resp_${id}?stream=true&starting_after=${after}`, url), { headers });
  };
  const first = await readUpTo(begun, 7);
  await restart();
  const second = await readUpTo(await follow(first), 11);
  await restart();
  const rest = eventsIn(await (await follow(second)).text());
  const pieces = [...first, ...second, ...rest];
  const whole = eventsIn(
    await (await fetch(new URL(`v1/responses/resp_${id}?stream=true`, url), { headers })).text(),
  );
  expect(pieces.length).toBeGreaterThan(30);
  expect(pieces.join("\n\n")).toBe(whole.join("\n\n"));
  expect(whole.at(-1)).toMatch(/^event: response\.completed\n/);
  running.kill("SIGTERM");
  expect((await running.ended).code).toBe(0);
}, 60_000);

/** A tenth of the real size, which `LONG=1` runs: 15 s, and 22 s. */
const SCALE = isLong ? 1 : 0.25;

/** A proxy that closes a connection on which the server has said nothing for 15 s. */
async function impatientProxy(port: number) {
  let cut = 0;
  const server = createServer((client) => {
    const upstream = connect({ port, host: "127.0.0.1" });
    upstream.setTimeout(15_000 * SCALE, () => {
      cut += 1;
      upstream.destroy();
      client.destroy();
    });
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on("error", end).on("close", end).pipe(upstream);
    upstream.on("error", end).on("close", end).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, cuts: () => cut, close: () => server.close() };
}

it("gives answers that take longer than a proxy on the way waits, whole", async () => {
  const config = { version: "0", place: { env: {}, cwd: "/" }, maxDepth: 0, quietMs: 10_000 * SCALE };
  await using server = await testServer({ surfaces: [nativeApi, openAiApi], config });
  const proxy = await impatientProxy(server.port);
  const baseURL = `http://127.0.0.1:${proxy.port}/v1`;
  const apiKey = server.key;
  const parley = { models: [`sim/slow?latency=${22_000 * SCALE}`] };
  const openai = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
  const sdk = createOpenAICompatible({ name: "parley", baseURL, apiKey });
  const lang = new ChatOpenAI({
    model: "parley/respond",
    apiKey,
    maxRetries: 0,
    configuration: { baseURL },
    modelKwargs: { parley },
  });
  const messages = [{ role: "user" as const, content: SUM }];
  const [one, response, two, three] = await Promise.all([
    openai.chat.completions.create({ model: "parley/respond", messages, ...({ parley } as object) }),
    openai.responses.create({ model: "parley/respond", input: SUM, ...({ parley } as object) }),
    generateText({
      ...{ model: sdk("parley/respond"), prompt: SUM, maxRetries: 0 },
      providerOptions: { parley: { parley } },
    }),
    lang.invoke(SUM),
  ]);
  proxy.close();
  expect(one.choices[0]?.message.content).toContain("391");
  expect(response.output_text).toContain("391");
  expect(two.text).toContain("391");
  expect(three.content).toContain("391");
  expect(proxy.cuts()).toBe(0);
}, 60_000);
