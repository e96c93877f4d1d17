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
  const labels = [
    ...new Set([...prompt.matchAll(/\[BEGIN answer ([A-Z])/g)].map(([, label]) => label)),
  ].sort();
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
      const stripped = entries.map((entry) => ({
        ...entry,
        data: { ...(entry.data as object), call: null },
      }));
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
