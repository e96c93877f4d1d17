import { describe, expect, it } from "vitest";
import { openParley, type Parley } from "../src/index.ts";
import { callOf, ModelRef } from "../src/kernel/index.ts";
import { isLong } from "./support/long.ts";
import { openFakeServer, type Answer } from "./support/fake-server.ts";

// BUDGET-6 and BUDGET-7 on real requests: whatever the replies are like, a server receives no more than the caps allow.

/** What a request asks for: its longest reply and, as the server counts, one token for four characters of its prompt. */
type Asked = { readonly max: number; readonly prompt: number };

function readAsked(body: string): Asked {
  const { max_tokens: max, messages } = JSON.parse(body) as { max_tokens: number; messages: unknown };
  return { max, prompt: Math.ceil(JSON.stringify(messages).length / 4) };
}

const chunk = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const text = (content: string) => chunk({ choices: [{ index: 0, delta: { content } }] });
const stop = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const usage = ({ max, prompt }: Asked) =>
  chunk({
    choices: [],
    usage: { prompt_tokens: prompt, completion_tokens: max, total_tokens: prompt + max },
  });

const ANSWER = 'Final answer: 42\n{"score": 4, "feedback": "Right."}';
const stream =
  (...parts: readonly string[]): Answer =>
  (response) => {
    response.setHeader("content-type", "text/event-stream");
    response.end(parts.join(""));
  };
const breaksOff =
  (...parts: readonly string[]): Answer =>
  (response) => {
    response.setHeader("content-type", "text/event-stream");
    response.write(parts.join(""), () => response.destroy());
  };
const refuses =
  (status: number): Answer =>
  (response) => {
    response.statusCode = status;
    response.setHeader("retry-after-ms", "1");
    response.end('{"error": {"message": "busy"}}');
  };

type Behavior = (asked: Asked, count: number) => { readonly answer: Answer; readonly charged: boolean };
const whole = (asked: Asked) => ({ answer: stream(text(ANSWER), stop, usage(asked)), charged: true });
const BEHAVIORS: { readonly [name: string]: Behavior } = {
  "with usage": whole,
  "without usage": () => ({ answer: stream(text(ANSWER), stop), charged: true }),
  "that break off without usage": () => ({ answer: breaksOff(text("Final")), charged: true }),
  "that break off behind their usage": (asked) => ({
    answer: breaksOff(text("Final"), usage(asked)),
    charged: true,
  }),
  "of which every second one breaks off": (asked, count) =>
    count % 2 === 1 ? { answer: breaksOff(text("Fin")), charged: true } : whole(asked),
  "with an error inside": () => ({
    answer: stream(text("Final"), chunk({ error: { message: "overloaded", code: 503 } })),
    charged: true,
  }),
  "behind a gateway that gives up": () => ({ answer: refuses(504), charged: true }),
  "after a 429": (asked, count) =>
    count % 2 === 1 ? { answer: refuses(429), charged: false } : whole(asked),
};

const PROTOCOLS = ["ask", "council", "respond", "debate"] as const;

async function served<T>(
  behavior: Behavior,
  work: (parley: Parley, spent: { requests: number; tokens: number }) => Promise<T>,
): Promise<T> {
  const spent = { requests: 0, tokens: 0 };
  await using server = await openFakeServer((response, received, count) => {
    const asked = readAsked(received.body);
    const { answer, charged } = behavior(asked, count);
    spent.requests += 1;
    if (charged) spent.tokens += asked.max + asked.prompt;
    return answer(response, received, count);
  });
  const compatible = { box: { url: `${server.url}/v1`, local: true, keyEnv: undefined } };
  await using parley = await openParley({ store: ":memory:", env: {}, settings: { compatible } });
  return await work(parley, spent);
}

const request = (protocol: (typeof PROTOCOLS)[number]) => ({
  protocol,
  question: "How much is 6 times 7?",
  models: protocol === "respond" ? ["compatible/box/a"] : ["compatible/box/a", "compatible/box/b"],
  judge: ["compatible/box/judge"],
  ...(protocol === "respond" ? { respondentB: true, modelB: "compatible/box/b" } : {}),
});

const CAPS = [
  { maxCalls: 1 },
  { maxCalls: 2 },
  { maxCalls: 3 },
  { maxCalls: 5 },
  { maxTotalTokens: 6_000 },
  { maxTotalTokens: 9_000 },
] as const;

describe.concurrent.each(Object.entries(BEHAVIORS).map(([name, behavior], at) => ({ name, behavior, at })))(
  "replies $name",
  ({ behavior, at }) => {
    // In the gate each behavior meets one protocol, and each protocol two behaviors.
    it.each(PROTOCOLS.filter((_, nth) => isLong || nth === at % PROTOCOLS.length))(
      "keep %s within its caps",
      { timeout: 60_000 },
      async (protocol) => {
        const keeps = (caps: (typeof CAPS)[number]) =>
          served(behavior, async (parley, spent) => {
            const run = await parley.start({ ...request(protocol), ...caps });
            await run.outcome();
            await run.reactions;
            const again = await parley.resume(run.id);
            await again.outcome();
            await again.reactions;
            const { maxCalls = Infinity, maxTotalTokens = Infinity } = caps as {
              readonly maxCalls?: number;
              readonly maxTotalTokens?: number;
            };
            const asked = `${protocol} ${JSON.stringify(caps)}`;
            expect(spent.requests, asked).toBeLessThanOrEqual(maxCalls);
            expect(spent.tokens, asked).toBeLessThanOrEqual(maxTotalTokens);
            const calls = (await parley.read(run.id)).flatMap((entry) => callOf(entry) ?? []);
            expect(calls.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(spent.requests);
          });
        await Promise.all(CAPS.map(keeps)); // what is asked again waits
      },
    );
  },
);

describe("members that a cap leaves out", () => {
  it.each([
    ["council", { maxCalls: 1 }, /^skipped: budget exhausted; \d+ calls would do$/],
    ["council", { maxTotalTokens: 9_000 }, /^skipped: budget exhausted; [\d,]+ tokens would do$/],
    ["ask", { maxCalls: 1 }, /^skipped: budget exhausted; 2 calls would do$/],
    ["ask", { maxTotalTokens: 5_000 }, /^skipped: budget exhausted; [\d,]+ tokens would do$/],
    ["debate", { maxCalls: 2 }, /^skipped: budget exhausted; \d+ calls would do$/],
    ["debate", { maxCalls: 2, maxTotalTokens: 6_000 }, /; [\d,]+ tokens and \d+ calls would do$/],
  ] as const)("of %s under %j are told of with what would do, which does", async (protocol, caps, words) => {
    await served(whole, async (parley) => {
      const run = await parley.start({ ...request(protocol), ...caps });
      const { result } = await run.outcome();
      const out = result?.degraded.filter(({ why }) => why.startsWith("skipped: ")) ?? [];
      expect(out.length).toBeGreaterThan(0);
      for (const { why } of out) expect(why).toMatch(words);
      const { needs } = out[0] ?? {};
      expect(needs).toMatchObject({
        tokens: expect.any(Number) as number,
        calls: expect.any(Number) as number,
      });
      const enough = { maxCalls: needs?.calls, maxTotalTokens: needs?.tokens };
      const again = await parley.start({ ...request(protocol), ...enough });
      const admitted = (await again.outcome()).result?.degraded ?? [];
      expect(admitted.map(({ what }) => what)).not.toContain(out[0]?.what);
    });
  });
});

describe("embeddings", () => {
  it.each([{ maxCalls: 1 }, { maxCalls: 2 }, { maxTotalTokens: 6_000 }, { maxCostUsd: 1 }, {}])(
    "are asked for besides the caps, which are for models that answer: %j",
    async (caps) => {
      const asked: string[] = [];
      await using server = await openFakeServer((response, received, count) => {
        asked.push(received.path);
        if (received.path !== "/v1/embeddings") {
          const { answer } = whole(readAsked(received.body));
          return answer(response, received, count);
        }
        response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 2] }] }));
      });
      const compatible = { box: { url: `${server.url}/v1`, local: true, keyEnv: undefined } };
      const settings = { compatible, embedding: ModelRef.parse("compatible/box/e") };
      await using parley = await openParley({ store: ":memory:", env: {}, settings });
      const run = await parley.start({
        protocol: "respond",
        question: "?",
        models: ["compatible/box/a"],
        ...caps,
      });
      expect(await run.outcome()).toMatchObject({ status: "answered", result: { calls: 1 } });
      await run.reactions;
      expect(asked.filter((path) => path === "/v1/chat/completions")).toHaveLength(1);
      expect(asked).toContain("/v1/embeddings");
    },
  );
});

describe("a refusal under a cap", () => {
  it.each([
    ["respond", { maxCalls: 2 }, /would exceed the limit of 2 calls; 3 calls would do/],
    ["respond", { maxTotalTokens: 6_000 }, /could exceed the limit of 6000 tokens; \d+ tokens would do/],
  ] as const)("of %s says how much would do", async (protocol, caps, words) => {
    await served(whole, async (parley) => {
      const run = await parley.start({ ...request(protocol), ...caps });
      await run.outcome();
      await run.reactions;
      expect(JSON.stringify(await parley.read(run.id))).toMatch(words);
    });
  });

  it("keeps a broken reply from being asked for again, and says so (CALL-6)", async () => {
    const behavior: Behavior = () => ({ answer: breaksOff(text("Final")), charged: true });
    await served(behavior, async (parley, spent) => {
      const run = await parley.start({
        protocol: "respond",
        question: "?",
        models: ["compatible/box/a"],
        maxCalls: 1,
      });
      await run.outcome();
      expect(spent.requests).toBe(1);
      const [call] = (await parley.read(run.id)).flatMap((entry) => callOf(entry) ?? []);
      expect(call).toMatchObject({
        failure: {
          code: "network",
          cap: "calls",
          message: expect.stringContaining(
            "not sent again: would exceed the limit of 1 call; 2 calls would do",
          ) as string,
        },
        attempts: 1,
        unreported: 1,
      });
    });
  });
});
