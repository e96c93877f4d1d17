import { expect, it } from "vitest";
import { isEvent, type Entry } from "../src/kernel/index.ts";
import { textDigest } from "../src/engine/digest.ts";
import { canonical } from "../src/kernel/canonical.ts";
import { answerText } from "../src/reports/answer.ts";
import { chatEnd, chunk, openFakeServer, refuse, stream, type Answer } from "./support/fake-server.ts";
import { openConfigured } from "./support/opened.ts";
import { scratch } from "./support/scratch.ts";

const QUESTION = "What is 17 * 23?";
const USER = ".config/parley";
const FILES = {
  [`${USER}/parley.yaml`]: `models: [openai/a, "openai/b?effort=low", compatible/azure]
chair: openai/c
providers: {openai: {headers: {openai-project: p1}}}
compatible:
  azure:
    url: SERVER/openai/deployments/gpt?api-version=2024-10-21
    key-env: AZURE_OPENAI_API_KEY
    model: gpt
    auth: {header: api-key}
    body: {data_zone: eu}
memory: off
`,
  [`${USER}/personas/deep.yaml`]:
    "id: deep\nname: Deep\ninstructions: Think.\neffort: high\ntemperature: 0.3\nbody: {seed: 7}\n",
  [`${USER}/packs/own.yaml`]:
    "id: own\nname: Own\nprotocol: council\nmembers: [{persona: deep, effort: max}, deep, {persona: deep, body: {seed: 8}}]\n",
};

/** Answers, and refuses a temperature of the model `b`, and data zones. */
const answer: Answer = (response, { body }) => {
  const asked = JSON.parse(body) as { model: string; temperature?: number; data_zone?: string };
  if (asked.model === "b" && asked.temperature !== undefined)
    refuse(response, {
      status: 400,
      message: "Unsupported value: 'temperature' does not support 0.3 with this model.",
    });
  else if (asked.data_zone !== undefined)
    refuse(response, { status: 400, message: "Unrecognized request argument supplied: data_zone" });
  else stream(response, chunk("17 * 23 = 391.\n\nFinal answer: 391") + chatEnd());
};

const openingIn = (entries: readonly Entry[]) => {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (!opened) throw new Error("nothing was opened");
  return opened.data;
};

async function openHere(server: { readonly url: string }, more: Readonly<Record<string, string>> = {}) {
  const files = Object.entries({ ...FILES, ...more }).map(([path, text]) => [
    path,
    text.replace("SERVER", server.url),
  ]);
  const place = scratch(Object.fromEntries(files) as Record<string, string>, {
    OPENAI_BASE_URL: server.url,
    OPENAI_API_KEY: "sk-test-0123456789abcdef",
    AZURE_OPENAI_API_KEY: "azure-0123456789abcdef",
    XAI_API_KEY: "xai-0123456789abcdef",
  });
  return { place, ...(await openConfigured(place)) };
}

it("members are asked as settings, personas and packs say; it is pinned, shown, and the same when replayed", async () => {
  await using server = await openFakeServer(answer);
  const { place, parley, me } = await openHere(server);
  using _files = place;
  await using _open = parley;
  const run = await me.start({ question: QUESTION, pack: "own", seed: "1" });
  await run.outcome();
  const entries = run.recorded();
  const { participants } = openingIn(entries);
  expect(participants.map(({ seat, model, options }) => [seat, model, options])).toEqual([
    ["member", "openai/a?effort=max", { body: { seed: 7 }, headers: { "openai-project": "p1" } }],
    ["member", "openai/b?effort=low", { body: { seed: 7 }, headers: { "openai-project": "p1" } }],
    ["member", "compatible/azure?effort=high", { body: { data_zone: "eu", seed: 8 } }],
    ["chair", "openai/c", { headers: { "openai-project": "p1" } }],
  ]);
  const drafts = server.received
    .slice(0, 3)
    .map(({ body, headers, path }) => ({ body: JSON.parse(body) as Record<string, unknown>, headers, path }));
  const draftBy = (model: string) => drafts.find(({ body }) => body["model"] === model);
  expect(draftBy("a")?.body).toMatchObject({ reasoning_effort: "max", seed: 7, temperature: 0.3 });
  expect(draftBy("a")?.headers).toMatchObject({ "openai-project": "p1" });
  expect(draftBy("b")?.body).toMatchObject({ reasoning_effort: "low" });
  const azure = draftBy("gpt");
  expect(azure?.body).toMatchObject({ reasoning_effort: "high", seed: 8, data_zone: "eu" });
  expect(azure?.path).toBe("/openai/deployments/gpt/chat/completions?api-version=2024-10-21");
  expect(azure?.headers).toMatchObject({ "api-key": "azure-0123456789abcdef" });
  expect(azure?.headers).not.toHaveProperty("authorization");

  const result = await parley.result(run.id);
  expect(result.participants.map(({ options, without }) => [options?.body ?? null, without])).toEqual([
    [{ seed: 7 }, []],
    [{ seed: 7 }, ["temperature"]],
    [{ data_zone: "eu", seed: 8 }, ["body.data_zone"]],
    [null, []],
  ]);
  const shown = answerText({ result, parts: [] }, { color: false, width: 200 });
  expect(shown).toContain('body {"seed":7}, headers {"openai-project":"p1"} (Deep, Deep 2)');
  expect(shown).toMatch(/Asked without +temperature, which the provider does not take \(Deep 2\)/);
  expect(JSON.stringify(entries)).not.toMatch(/azure-0123|sk-test/);

  const before = server.received.length;
  await parley.replay(run.id);
  const fork = await me.fork(run.id, { request: "same" });
  await fork.outcome();
  expect(server.received).toHaveLength(before);
  expect(openingIn(fork.recorded()).participants).toEqual(participants);
  expect((await parley.result(fork.id)).answer).toBe(result.answer);
});

it("an opening's digest tells one option from another", async () => {
  await using server = await openFakeServer(answer);
  const digests: string[] = [];
  for (const effort of ["effort: high", "effort: low", "effort: high\nbody: {seed: 9}"]) {
    const persona = `id: deep\nname: Deep\ninstructions: Think.\n${effort}\n`;
    const { place, parley, me } = await openHere(server, { [`${USER}/personas/deep.yaml`]: persona });
    using _files = place;
    await using _open = parley;
    const run = await me.start({ question: QUESTION, pack: "own", seed: "1" });
    await run.outcome();
    digests.push(textDigest(canonical(openingIn(run.recorded()).participants)));
  }
  expect(new Set(digests).size).toBe(3);
});

it("an effort that the member's provider does not take is refused before anything is spent", async () => {
  await using server = await openFakeServer(answer);
  const { place, parley, me } = await openHere(server);
  using _files = place;
  await using _open = parley;
  const start = me.start({ question: QUESTION, pack: "own", models: ["xai/grok-4.6"] });
  await expect(start).rejects.toThrow(
    /^xai takes no effort "max" \(it takes none, low, medium, high, xhigh\); name one of these, or none$/,
  );
  expect(server.received).toEqual([]);
});

it("settings of a provider that there is none of are refused", async () => {
  const settings = "providers: {opneai: {body: {seed: 1}}}\n";
  await expect(openHere({ url: "http://x" }, { [`${USER}/parley.yaml`]: settings })).rejects.toThrow(
    'there is no provider "opneai"; the nearest is openai',
  );
});

it("an estimate says how members are asked, and costs the same with an effort", async () => {
  await using server = await openFakeServer(answer);
  const { place, parley, me } = await openHere(server);
  using _files = place;
  await using _open = parley;
  const asked = await me.estimate({ question: QUESTION, pack: "own" });
  expect(asked.participants[0]).toEqual({
    id: "deep",
    model: "openai/a?effort=max",
    options: { body: { seed: 7 }, headers: { "openai-project": "p1" } },
  });
  const plain = await me.estimate({
    question: QUESTION,
    models: ["openai/a", "openai/b", "openai/d"],
    protocol: "council",
  });
  expect(asked.total?.tokens.high).toBeGreaterThan(0);
  expect(asked.total?.calls).toEqual(plain.total?.calls);
});
