import { describe, expect, it } from "vitest";
import { openParley } from "../src/index.ts";
import { callOf } from "../src/kernel/index.ts";
import { openFakeServer, type Answer } from "./support/fake-server.ts";

// Members that think aloud, each in another notation, against everything that reads replies: prompts, memory, answers, reports.

const SECRET = "UNSAID";
const THOUGHT = `Hm, ${SECRET} perhaps 381? <b>No</b>.\n\nWait: ${SECRET} 391.`;

/** How the model of a name writes a reply: the pieces of a stream. */
const NOTATIONS: { readonly [model: string]: (reply: string) => readonly unknown[] } = {
  marks: (reply) => [{ content: `<think>\n${THOUGHT}` }, { content: `\n</think>\n\n${reply}` }],
  "end-alone": (reply) => [{ content: THOUGHT }, { content: `\n</think>\n\n${reply}` }],
  harmony: (reply) => [
    { content: `<|channel|>analysis<|message|>${THOUGHT}<|end|>` },
    { content: `<|start|>assistant<|channel|>final<|message|>${reply}` },
  ],
  field: (reply) => [{ reasoning_content: THOUGHT }, { content: reply }],
  details: (reply) => [
    { reasoning: THOUGHT, reasoning_details: [{ type: "reasoning.text", text: THOUGHT, signature: SECRET }] },
    { content: reply },
  ],
  parts: (reply) => [
    { content: [{ type: "thinking", thinking: [{ type: "text", text: THOUGHT }] }] },
    { content: [{ type: "text", text: reply }] },
  ],
};

type Asked = { readonly model: string; readonly messages: readonly { readonly content: string }[] };

/** What is asked for decides the reply: a review, a judge's grade, claims that are compared, or an answer. */
function replyTo({ model, messages }: Asked): string {
  const prompt = messages.map(({ content }) => content).join("\n");
  const labels = [...new Set([...prompt.matchAll(/\[BEGIN answer ([A-Z])/g)].map(([, label]) => label))].sort(
    (one = "", other = "") => one.localeCompare(other),
  );
  const ending = `${model === "marks" ? "Yes" : "No"}, move it, says ${model}.`;
  if (/Then rank all/.test(prompt))
    return JSON.stringify({
      reviews: labels.map((label) => ({ label, strengths: ["clear"], weaknesses: ["short"] })),
      ranking: labels,
    });
  if (/Compare their claims/.test(prompt))
    return JSON.stringify({ agreements: [], contradictions: [], unique: [] });
  return /\bscore\b/i.test(prompt) && model === "judge" ? '{"score": 4, "feedback": "Right."}' : ending;
}

const thinkingAloud: Answer = (response, { body }) => {
  const asked: Asked = JSON.parse(body);
  const deltas = (NOTATIONS[asked.model] ?? NOTATIONS["marks"])?.(replyTo(asked)) ?? [];
  const usage = {
    ...{ prompt_tokens: 50, completion_tokens: 40 },
    completion_tokens_details: { reasoning_tokens: 30 },
  };
  response.setHeader("content-type", "text/event-stream");
  for (const delta of deltas)
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`);
  response.write(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`,
  );
  response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
};

const MODELS = Object.keys(NOTATIONS).map((model) => `compatible/box/${model}`);

describe.concurrent("of members that think aloud", () => {
  it.each(["council", "ask", "respond", "debate"] as const)(
    "no prompt, memory or answer of %s holds a word of it, and the journal has it",
    { timeout: 60_000 },
    async (protocol) => {
      await using server = await openFakeServer(thinkingAloud);
      const compatible = { box: { url: `${server.url}/v1`, local: true, keyEnv: undefined } };
      await using parley = await openParley({ store: ":memory:", env: {}, settings: { compatible } });
      const request = {
        protocol,
        question: "Should we move the queue to Postgres?",
        models: protocol === "respond" ? MODELS.slice(0, 1) : MODELS,
        judge: ["compatible/box/judge"],
        memory: true,
      };
      const run = await parley.start(request);
      let live = "";
      const tokens = (async () => {
        for await (const token of run.tokens()) if (token.kind === "text") live += token.delta.text;
      })();
      const { result } = await run.outcome();
      await Promise.all([run.reactions, tokens]);
      expect(result?.answer).toMatch(/move it|strengths|score/);
      expect(JSON.stringify(result)).not.toContain(SECRET);
      expect(result?.tokens.thinking).toBe(30 * (result?.calls ?? 0));

      const entries = await parley.read(run.id);
      const calls = entries.flatMap((entry) => callOf(entry) ?? []);
      expect(calls.length).toBeGreaterThan(0);
      for (const call of calls) {
        expect(call.thinking?.text).toBe(THOUGHT);
        expect(call.ok && call.reply).not.toContain(SECRET);
      }
      const stripped = entries.map((entry) => ({ ...entry, data: { ...entry.data, call: null } }));
      expect(JSON.stringify(stripped)).not.toContain(SECRET);

      const followUp = await parley.start({ ...request, question: "And the cron jobs?", previous: run.id });
      await followUp.outcome();
      await followUp.reactions;
      for (const { body } of server.received) expect(body).not.toContain(SECRET);
      // Only what marks its end alone is heard before it is known for thinking, and once at most.
      const heard = live.split(SECRET).length - 1;
      expect(heard).toBeLessThanOrEqual(request.models.includes("compatible/box/end-alone") ? 2 : 0);
      await parley.replay(run.id);
    },
  );
});

describe("under a limit in dollars", () => {
  /** Thinks for so many tokens of the room that it is given, and tells what that took. */
  const thinking =
    (most: number, said = replyTo): Answer =>
    (response, { path, body }) => {
      const asked: Asked & { readonly max_tokens?: number; readonly max_completion_tokens?: number } =
        JSON.parse(body);
      const limit = asked.max_completion_tokens ?? asked.max_tokens ?? 0;
      const prompt = Math.ceil(body.length / 4);
      const out = Math.min(limit, most);
      const content = (message: { readonly content: unknown }) => ({
        content: JSON.stringify(message.content),
      });
      const reply = said({ ...asked, messages: asked.messages.map(content) });
      const events = path.endsWith("/messages")
        ? [
            { type: "message_start", message: { usage: { input_tokens: prompt, output_tokens: 1 } } },
            { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: THOUGHT } },
            { type: "content_block_start", index: 1, content_block: { type: "text", text: reply } },
            { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: out } },
            { type: "message_stop" },
          ]
        : [
            {
              choices: [
                { index: 0, delta: { reasoning_content: THOUGHT, content: reply }, finish_reason: "stop" },
              ],
            },
            {
              choices: [],
              usage: {
                ...{ prompt_tokens: prompt, completion_tokens: out },
                completion_tokens_details: { reasoning_tokens: out - 20 },
              },
            },
          ];
      response.setHeader("content-type", "text/event-stream");
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    };

  const reaching = ({ url }: { readonly url: string }) =>
    Object.fromEntries(
      ["OPENAI", "GEMINI", "ANTHROPIC"].flatMap((name) => [
        [`${name}_BASE_URL`, url],
        [`${name}_API_KEY`, "key-of-a-test"],
      ]),
    );
  const models = ["openai/gpt-5.6", "anthropic/claude-opus-5", "google/gemini-3.1-pro-preview"];
  const question = "Should we move the queue to Postgres?";

  /** No short answers, and claims that contradict each other: every rung of `ask` is climbed. */
  const contradicting = (asked: Asked): string => {
    const reply = replyTo(asked);
    const stances = ["A", "B"].map((label) => ({ claim: `as ${label} says`, answers: [label] }));
    return reply.startsWith('{"agreements')
      ? JSON.stringify({ agreements: [], contradictions: [{ topic: "the queue", stances }], unique: [] })
      : reply.replace(/^.*move it.*$/, "It depends on how often the queue is read, and on who will keep it.");
  };

  it.each([
    [0.5, ["answer-given", "comparison-given", "synthesis-given"]],
    [1, ["answer-given", "comparison-given", "review-given", "synthesis-given"]],
  ])("ask has something left for what follows drafts that use all of their room: $%d", async (usd, kinds) => {
    await using server = await openFakeServer(thinking(Infinity, contradicting));
    await using parley = await openParley({ store: ":memory:", env: reaching(server) });
    const run = await parley.start({ protocol: "ask", question, models, maxCostUsd: usd, memory: false });
    const { status, result } = await run.outcome();
    expect(status).toMatch(/^answered/);
    expect(result?.cost.usd).toBeLessThanOrEqual(usd);
    const calls = (await parley.read(run.id)).filter((entry) => callOf(entry));
    expect([...new Set(calls.map(({ type }) => type))]).toEqual(kinds);
    for (const call of calls) expect(callOf(call)?.limit).toBeGreaterThanOrEqual(2_048);
  });

  it("a council of three of today's thinking models runs to its end", async () => {
    await using server = await openFakeServer(thinking(3_000));
    await using parley = await openParley({ store: ":memory:", env: reaching(server) });
    const run = await parley.start({ protocol: "council", question, models, maxCostUsd: 0.5, memory: false });
    const { status, result } = await run.outcome();
    expect({ status, degraded: result?.degraded }).toEqual({ status: "answered", degraded: [] });
    expect(result?.cost.usd).toBeGreaterThan(0.1);
    expect(result?.cost.usd).toBeLessThanOrEqual(0.5);
    const entries = await parley.read(run.id);
    const limits = entries.flatMap((entry) => callOf(entry)?.limit ?? []);
    expect(limits).toHaveLength(7);
    for (const limit of limits) expect(limit).toBeGreaterThanOrEqual(2_048);
    // Drafts get equal parts; what they leave is the reviews' and the chair's.
    expect(Math.min(...limits)).toBeLessThan(16_384);
    const [opened] = entries;
    expect(
      opened?.type === "deliberation-opened" && opened.data.participants.every(({ thinks }) => thinks),
    ).toBe(true);
    const free = await parley.start({ protocol: "council", question, models, memory: false });
    await free.outcome();
    const whole = (await parley.read(free.id)).flatMap((entry) => callOf(entry)?.limit ?? []);
    expect(new Set(whole)).toEqual(new Set([16_384]));
  });
});
