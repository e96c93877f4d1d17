import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openAiApi } from "../src/server/openai/index.ts";
import { built, somewhere, type Somewhere } from "./e2e/parley.ts";
import { chatEnd, chunk, openFakeServer, type Answer } from "./support/fake-server.ts";
import { nativeApi, SUM, testServer } from "./support/server.ts";

// What providers, proxies and clients do that other programs were reported to fail at, against the program as it is built.

built();

const answers: Answer = (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(chunk("It is 391.") + chatEnd());
};

/** A failure first, then answers. */
const failsOnce =
  (status: number, body: unknown): Answer =>
  (response, received, count) => {
    if (count > 1) return answers(response, received, count);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

/** Asks a model of the user's own endpoint. */
function respond(place: Somewhere, url: string, env: Readonly<Record<string, string>> = {}) {
  mkdirSync(place.home, { recursive: true });
  writeFileSync(
    join(place.home, "parley.yaml"),
    `compatible:\n  lab: {url: "${url}", wire: openai, model: m, family: f}\n`,
  );
  return place.run(["respond", SUM, "--model", "compatible/lab", "--json", "--no-memory"], env);
}

it("asks again where the model was unloaded, as LM Studio says it, and gets the answer", async () => {
  await using place = somewhere();
  await using server = await openFakeServer(failsOnce(400, { error: "Model is unloaded." }));
  const { code, stdout } = await respond(place, `${server.url}/v1`);
  expect([code, server.received.length]).toEqual([0, 2]);
  expect(JSON.parse(stdout)).toMatchObject({ answer: "It is 391." });
});

it("asks once for what a server was not started for, and says what to do", async () => {
  await using place = somewhere();
  await using server = await openFakeServer(
    failsOnce(500, { error: { message: "this build does not support chat; start it with --chat" } }),
  );
  const { code, stdout, stderr } = await respond(place, `${server.url}/v1`);
  expect([code, server.received.length]).toEqual([3, 1]);
  expect(stdout + stderr).toMatch(/does not support chat.*was not started for it/);
});

it("reaches a model through the proxy of the environment", async () => {
  await using place = somewhere();
  await using proxy = await openFakeServer(answers);
  const env = { HTTP_PROXY: proxy.url, http_proxy: proxy.url, HTTPS_PROXY: proxy.url };
  const through = await respond(place, "http://llm.corp.test/v1", env);
  expect(through.code, through.stderr).toBe(0);
  expect(proxy.received.map(({ path }) => path)).toEqual(["http://llm.corp.test/v1/chat/completions"]);
});

it.each([
  ["chat/completions", { messages: [{ role: "user", content: SUM }] }],
  ["responses", { input: SUM }],
])("answers a client that asks not to be stored: %s", async (path, body) => {
  await using server = await testServer({ surfaces: [nativeApi, openAiApi] });
  const { status, json } = await server.post(`/v1/${path}`, { model: "parley/ask", store: false, ...body });
  expect(status).toBe(200);
  expect(JSON.stringify(json)).toContain("391");
});
