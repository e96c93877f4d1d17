import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { exportText } from "../src/app/export.ts";
import { openParley } from "../src/index.ts";
import { readFenced } from "../src/prompts/material.ts";
import { answerText } from "../src/reports/answer.ts";
import { chatEnd, chunk, openFakeServer, stream, type Answer } from "./support/fake-server.ts";
import { refusalOf, scratch } from "./support/scratch.ts";
import { standIn } from "./support/stand-ins.ts";

// Members that search, each by what it has, against everything that shows what they found.

const SHARED = { url: "https://nodejs.org/en/about/releases", title: "Node.js releases" };
const mcp = {
  command: process.execPath,
  args: [fileURLToPath(new URL("./support/mcp-server.mjs", import.meta.url))],
};

type Asked = {
  readonly model: string;
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
  readonly input?: readonly { readonly content: unknown }[];
  readonly tools?: readonly { readonly type: string; readonly function?: { readonly name: string } }[];
};

const promptOf = ({ messages, input }: Asked): string =>
  [...(messages ?? []), ...(input ?? [])]
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
    .join("\n");

/** What is asked for decides the reply; members do not agree, so that every protocol goes on to its end. */
function replyTo(asked: Asked): string {
  const prompt = promptOf(asked);
  const labels = [...new Set([...prompt.matchAll(/\[BEGIN answer ([A-Z])/g)].map(([, label]) => label))].sort(
    (one = "", other = "") => one.localeCompare(other),
  );
  if (/Then rank all/.test(prompt))
    return JSON.stringify({
      reviews: labels.map((label) => ({ label, strengths: ["clear"], weaknesses: ["short"] })),
      ranking: labels,
    });
  if (/Compare their claims/.test(prompt))
    return JSON.stringify({
      agreements: [],
      contradictions: [
        { topic: "t", sides: labels.map((label) => ({ claim: `says ${label}`, of: [label] })) },
      ],
      unique: [],
    });
  if (/solutionMarkdown/.test(prompt)) return JSON.stringify({ solutionMarkdown: "Take 24 [1]." });
  return `Take ${asked.model.length + 20} [1], says ${asked.model}.`;
}

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

/** Searches where it is asked to, by the provider's tool or by ours. */
const searching: Answer = (response, { path, body }) => {
  const asked: Asked = JSON.parse(body);
  const own = `https://${asked.model}.example/page`;
  const text = replyTo(asked);
  if (path.endsWith("/responses")) {
    const annotations = [SHARED, { url: own }].map((page) => ({ type: "url_citation", ...page }));
    const output = [
      { type: "web_search_call", action: { type: "search", query: "node" } },
      { type: "message", content: [{ type: "output_text", text, annotations }] },
    ];
    const usage = { input_tokens: 1_000, output_tokens: 100 };
    return stream(
      response,
      event({ type: "response.completed", response: { status: "completed", output, usage } }),
    );
  }
  const tool = asked.tools?.find((one) => one.function?.name === "s__echo");
  if (!tool || asked.messages?.at(-1)?.role === "tool") return stream(response, chunk(text) + chatEnd());
  const found = JSON.stringify({ results: [{ title: SHARED.title, url: SHARED.url }, { link: own }] });
  const call = {
    index: 0,
    id: "c1",
    function: { name: "s__echo", arguments: JSON.stringify({ text: found }) },
  };
  const delta = { role: "assistant", tool_calls: [call] };
  stream(
    response,
    event({ choices: [{ index: 0, delta, finish_reason: "tool_calls" }] }) + "data: [DONE]\n\n",
  );
};

async function openSearching(server: { readonly url: string }, settings: object = {}, env: object = {}) {
  return openParley({
    store: ":memory:",
    env: { ...env, OPENAI_BASE_URL: server.url, OPENAI_API_KEY: "k" },
    settings: {
      compatible: { box: { url: server.url, local: true, keyEnv: undefined } },
      mcpServers: { s: mcp },
      ...{ search: true, searchServer: "s", memory: false },
      ...settings,
    },
  });
}

const COUNCIL = ["openai/gpt-5.6", "openai/gpt-5", "compatible/box/at-home"];
const pieces = (body: string, kind: string) =>
  readFenced(promptOf(JSON.parse(body))).filter((one) => one.kind === kind);

describe("members that search", () => {
  it.each<readonly [protocol: string, more: object]>([
    ["council", {}],
    ["ask", { effort: 5 }],
    ["debate", { rounds: 2 }],
  ])(
    "of %s: what they found is numbered, shown, handed to those who work on it, and replayed",
    { timeout: 60_000 },
    async (protocol, more) => {
      await using server = await openFakeServer(searching);
      await using parley = await openSearching(server);
      const run = await parley.start({
        protocol,
        question: "Which Node?",
        models: COUNCIL,
        seed: "1",
        ...more,
      });
      const { result } = await run.outcome();
      expect(result?.status).toMatch(/^answered/);
      expect(result?.sources.map(({ n, url, host, title }) => ({ n, url, host, title }))).toEqual([
        { n: 1, url: SHARED.url, host: "nodejs.org", title: SHARED.title },
        ...["gpt-5.6", "gpt-5", "at-home"].map((model, index) => ({
          ...{ n: index + 2, url: `https://${model}.example/page` },
          ...{ host: `${model}.example`, title: null },
        })),
      ]);
      expect(result?.sources[0]?.by).toHaveLength(3);

      const shown = server.received.filter(({ body }) => pieces(body, "sources").length > 0);
      expect(shown.length).toBeGreaterThan(2);
      // The chair, and whoever else sees all answers, has the numbers of the result.
      const whole = shown
        .flatMap(({ body }) => pieces(body, "sources"))
        .filter(({ text }) => text.split("\n").length === result?.sources.length);
      expect(whole.length).toBeGreaterThan(0);
      for (const { text } of whole)
        expect(text.split("\n").map((line) => line.replace(/ \([A-Z, ]+\)/, ""))).toEqual(
          result?.sources.map(({ n, url, title }) => `[${n}] ${title === null ? url : `${title}: ${url}`}`),
        );
      // Who reviews, compares or writes for others does not search.
      for (const { body, path } of server.received)
        if (
          /Then rank all|Compare their claims|solutionMarkdown|Criticise the proposal above/.test(
            promptOf(JSON.parse(body)),
          )
        )
          expect([path, /web_search|s__echo"/.test(body.replace(/"input".*?"stream"/s, ""))]).toEqual([
            "/chat/completions",
            false,
          ]);

      const before = await parley.read(run.id);
      const asked = server.received.length;
      await server[Symbol.asyncDispose]();
      expect(await parley.replay(run.id)).toMatchObject({ closed: true });
      const fork = await parley.fork(run.id, {});
      expect((await fork.outcome()).result?.sources).toEqual(result?.sources);
      const after = await parley.read(fork.id);
      const data = (entries: typeof before) =>
        entries
          .slice(1)
          .map((entry) => JSON.stringify(entry.data))
          .sort();
      expect(data(after)).toEqual(data(before));
      expect(server.received).toHaveLength(asked);
    },
  );

  it("tell it below the answer and in documents", async () => {
    await using server = await openFakeServer(searching);
    await using parley = await openSearching(server);
    const run = await parley.start({
      protocol: "respond",
      question: "Which Node?",
      models: COUNCIL.slice(0, 1),
    });
    const { result } = await run.outcome();
    expect(result?.sources.map(({ n, by }) => [n, by])).toEqual([
      [1, ["A"]],
      [2, ["A"]],
    ]);
    expect(result?.cost.usd).toBeGreaterThan(0.01);
    const { protocols, exports, store } = parley.context();
    const entries = await parley.read(run.id);
    const written = (format: string) => exportText({ protocols, exports, store }, entries, { format });
    const link = `[Node.js releases (nodejs.org)](${SHARED.url})`;
    expect(await written("md")).toContain(`## Sources\n\n> 1. ${link}\n> 2. `);
    expect(await written("html")).toContain(`<a href="${SHARED.url}" rel="noreferrer noopener nofollow">`);
    const shown = result && answerText({ result, parts: [] }, { color: false, width: 80 });
    expect(shown).toContain(`\n[1] Node.js releases (nodejs.org)\n    ${SHARED.url}\n`);
  });
});

describe("a member that cannot search", () => {
  it("is named, and a run of such members alone is refused before a call", async () => {
    await using server = await openFakeServer(searching);
    await using parley = await openSearching(server, { searchServer: undefined });
    const run = await parley.start({ protocol: "council", question: "Which Node?", models: COUNCIL });
    expect(run.notes.map((note) => ("text" in note ? note.text : ""))).toContainEqual(
      expect.stringContaining("compatible/box/at-home) cannot search"),
    );
    await run.outcome();
    const before = server.received.length;
    const refused = await refusalOf(
      () =>
        parley.start({
          protocol: "council",
          question: "Which?",
          models: ["compatible/box/a", "compatible/box/b"],
        }),
      { home: "/none" },
    );
    expect(refused).toMatch(/nobody can search.*search-server/s);
    expect(server.received).toHaveLength(before);
  });

  it("is a program too, which takes no tools, whatever server searches", async () => {
    await using server = await openFakeServer(searching);
    using place = scratch();
    const { env } = standIn(place, "codex", "");
    await using parley = await openSearching(server, {}, env);
    const ask = (...models: readonly string[]) =>
      parley.start({ protocol: "council", question: "Which Node?", models });
    expect(await refusalOf(() => ask("codex/default"), place)).toMatch(/nobody can search.*takes tools/s);
    const run = await ask("openai/gpt-5.6", "compatible/box/at-home", "codex/default");
    expect(run.notes.map((note) => ("text" in note ? note.text : ""))).toContainEqual(
      expect.stringContaining("(codex/default) cannot search: it takes no tools"),
    );
    await run.outcome();
  });

  it("names the servers that there are where the one that searches is not among them", async () => {
    await using server = await openFakeServer(searching);
    await using parley = await openSearching(server, { searchServer: "tavily" });
    expect(
      await refusalOf(() => parley.start({ protocol: "council", question: "Which?", models: COUNCIL }), {
        home: "-",
      }),
    ).toMatch(/no server of tools "tavily".*name s/s);
  });
});

it("nobody searches unless that is said", async () => {
  await using server = await openFakeServer(searching);
  await using parley = await openSearching(server, { search: false });
  const run = await parley.start({ protocol: "council", question: "Which Node?", models: COUNCIL });
  expect((await run.outcome()).result?.sources).toEqual([]);
  expect(JSON.stringify(server.received)).not.toMatch(/web_search|s__echo|BEGIN sources/);
});
