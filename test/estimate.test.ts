import { systemWorld } from "../src/engine/world.ts";
import fc from "fast-check";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createModels, openParley, type RunEstimate, type StartRequest } from "../src/index.ts";
import { callOf, type Call, type Models } from "../src/kernel/index.ts";
import { createSim } from "../src/sim/sim.ts";
import { toyProtocol, nothingToSay } from "../src/testing/kit.ts";
import { readFinal } from "../src/protocols/phases/reply.ts";
import { estimateLine, estimateText } from "../src/cli/estimate-text.ts";
import { isLong } from "./support/long.ts";

const NOTE = { type: "note-taken", data: { topic: "note", reason: "", body: {} } } as const;
const RATE = { in: 1e-6, out: 4e-6 };

/** Simulated models with a price, each call of which fails for good by chance. */
function pricedModels(failing: number) {
  const inner = createModels({ env: {}, locals: { sim: createSim({}) } });
  let state = 1;
  const chance = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const models: Models = {
    quote(request) {
      const quote = inner.quote(request);
      return { ...quote, usd: quote.tokensIn * RATE.in + quote.tokensOut * RATE.out };
    },
    async complete(request, options): Promise<Call> {
      const call = await inner.complete(request, options);
      const usd = (call.tokens.in ?? 0) * RATE.in + (call.tokens.out ?? 0) * RATE.out;
      const priced = { ...call, cost: { source: "table" as const, usd } };
      if (!priced.ok || chance() >= failing) return priced;
      const { reply: _reply, finish: _finish, toolCalls: _calls, ...spent } = priced;
      return { ...spent, ok: false, failure: { code: "unreadable", message: "it broke" } };
    },
  };
  return { models, close: () => inner.close() };
}

const opened: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(opened.map((close) => close())));

const openPriced = async (failing = 0) => {
  const { models, close } = pricedModels(failing);
  const parley = await openParley({ store: ":memory:", models, env: {} });
  opened.push(() => parley.close().then(close));
  return parley;
};

const members = (count: number, malformed: number): string[] =>
  ["ada", "bo", "cy"]
    .slice(0, count)
    .map((name, index) => `sim/${name}?skill=0.6&seed=${index}&malformed=${malformed}`);

const question = fc.constantFrom(
  "What is 17 * 23?",
  "What is 734 * 891 - 12 * 77?",
  "Should a team of five move its job queue to Postgres? Name the costs.",
);
const common = fc.record({
  question,
  models: fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(0, 0.6))
    .map(([count, malformed]) => members(count, malformed)),
  seed: fc.string({ minLength: 1, maxLength: 4 }),
  judge: fc.constantFrom(undefined, ["sim/judy"]),
  reviewers: fc.constantFrom(undefined, ["sim/judy"]),
  synthesizer: fc.constantFrom(undefined, ["sim/judy"]),
});
const asking = fc.record({
  protocol: fc.constantFrom("ask", "council"),
  effort: fc.integer({ min: 1, max: 5 }),
  mode: fc.constantFrom("consensus", "vote"),
  draftTokens: fc.constantFrom(60, 4_096),
});
const debating = fc.record({
  protocol: fc.constant("debate"),
  agents: fc.constantFrom(["architect"], ["architect", "security"], ["architect", "security", "kiss"]),
  rounds: fc.integer({ min: 1, max: 3 }),
  until: fc.constantFrom("fixed", "convergence", "quality"),
  topology: fc.constantFrom("full", "ring", "star"),
  proposals: fc.constantFrom("carried", "fresh"),
});
const responding = fc.record({
  protocol: fc.constant("respond"),
  respondentB: fc.boolean(),
  memory: fc.boolean(),
});
const request: fc.Arbitrary<StartRequest> = fc
  .tuple(common, fc.oneof(asking, debating, responding))
  .map(([one, other]) => ({ ...one, ...other }));

async function runOnce(asked: StartRequest, failing: number) {
  const parley = await openPriced(failing);
  const estimate = await parley.estimate(asked);
  const listed = await parley.list();
  const run = await parley.start(asked);
  await run.outcome();
  await run.reactions;
  const calls = run.recorded().flatMap((entry) => callOf(entry) ?? []);
  const sum = (figure: (call: Call) => number) => calls.reduce((total, call) => total + figure(call), 0);
  return {
    ...{ estimate, listed },
    calls: calls.length,
    tokens: sum(({ tokens }) => (tokens.in ?? 0) + (tokens.out ?? 0)),
    usd: sum(({ cost }) => cost.usd ?? 0),
  };
}

describe("an estimate", () => {
  it("is never exceeded by a run, whatever its protocol and options, with repairs, fallbacks and reactions", async () => {
    await fc.assert(
      fc.asyncProperty(request, fc.constantFrom(0, 0.3), async (asked, failing) => {
        const { estimate, listed, calls, tokens, usd } = await runOnce(asked, failing);
        expect(listed).toEqual([]);
        expect(calls).toBeLessThanOrEqual(estimate.total?.calls.high ?? -1);
        expect(tokens).toBeLessThanOrEqual(estimate.total?.tokens.high ?? -1);
        expect(usd).toBeLessThanOrEqual(estimate.total?.usd?.high ?? -1);
      }),
      { numRuns: isLong ? 24 : 4, seed: 7 },
    );
  }, 120_000);

  it("says exactly what a council without mishaps calls, and that drafts that agree end a run of ask", async () => {
    const models = ["sim/ada", "sim/bo", "sim/cy"];
    const council = await runOnce(
      { protocol: "council", question: "What is 17 * 23?", models, seed: "1" },
      0,
    );
    expect(council.calls).toBe(council.estimate.total?.calls.low);
    const ask = await runOnce({ question: "What is 17 * 23?", models, seed: "1" }, 0);
    expect(ask.calls).toBe(ask.estimate.total?.calls.low);
    expect(ask.estimate.total?.calls).toEqual({ low: 3, expected: 5, high: 13 });
  });

  it("is said before anything is recorded, and opens nothing", async () => {
    const parley = await openPriced();
    const said: (readonly [number | undefined, number])[] = [];
    const asked = { question: "What is 17 * 23?", models: ["sim/ada"] };
    const onEstimate = ({ total }: RunEstimate) => {
      void parley.list().then((runs) => said.push([total?.calls.high, runs.length]));
    };
    const run = await parley.start(asked, { onEstimate });
    await run.outcome();
    expect(said).toEqual([[1, 0]]);
  });

  it("tells list prices that are old from new ones, and from a user's own", async () => {
    const of = async (now: string, prices = {}) => {
      const clock = vi.spyOn(systemWorld, "now").mockReturnValue(Date.parse(now));
      onTestFinished(() => clock.mockRestore());
      const parley = await openParley({
        store: ":memory:",
        env: { OPENAI_API_KEY: "x" },
        settings: { prices },
      });
      opened.push(() => parley.close());
      const asked = { protocol: "respond", question: "Which?", models: ["openai/gpt-6.2-sol"] };
      return (await parley.estimate(asked)).oldPrices;
    };
    const [listed, day] = ["2026-11-18", 86_400_000];
    const after = (days: number) => new Date(Date.parse(listed) + days * day).toISOString();
    expect(await of(after(89))).toBeNull();
    expect(await of(after(91))).toBe(listed);
    expect(await of(after(91), { "openai/gpt-6.2-sol": { in: 1, out: 2 } })).toBeNull();
  });

  const estimateOfToy = async (deliberate: Parameters<typeof toyProtocol>[0]) => {
    const seats = [{ name: "member", filledBy: "models", min: 1 }] as const;
    const own = { ...toyProtocol(deliberate), seats };
    const parley = await openParley({ store: ":memory:", protocols: [own], env: {} });
    opened.push(() => parley.close());
    return parley.estimate({ protocol: "toy", question: "why?", models: ["sim/ada", "sim/bo"] });
  };

  it.each<[string, Parameters<typeof toyProtocol>[0]]>([
    [
      "runs an effect for which nothing stands, which is not run",
      async ({ run }) => {
        const effect = () => Promise.reject(new Error("the effect was run"));
        await run
          .effect({ key: "outside", outcomes: ["note-taken"], input: {} }, effect)
          .catch(() => undefined);
        return nothingToSay;
      },
    ],
    ["waits for a client", async ({ run }) => (await run.awaits("later"), nothingToSay)],
    ["waits for what never comes", () => new Promise<never>(() => undefined)],
    [
      "does not end",
      async ({ run }) => {
        for (let nth = 1; ; nth += 1)
          await run.derive({ key: `step-${nth}`, outcomes: ["note-taken"], input: {} }, () => NOTE);
      },
    ],
    ["throws", () => Promise.reject(new Error("no"))],
  ])("is unknown for a protocol that %s", async (_, deliberate) => {
    const estimate = await estimateOfToy(deliberate);
    expect(estimate).toMatchObject({ total: null, phases: [], undeclared: ["toy"] });
    expect(estimateLine(estimate)).toBe("Calls and cost unknown: toy cannot be tried without models");
  });

  it("is made for anybody's protocol, by a course that agrees and one that does not", async () => {
    const { phases, total } = await estimateOfToy(async ({ run, seats }) => {
      const ask = async (round: number) =>
        Promise.all(
          seats("member").map(async ({ id: by, model }) => {
            const { data } = await run.call(
              {
                key: `round-${round}/${by}`,
                outcomes: ["answer-given"],
                work: { kind: "answer", round, by },
                request: { model, messages: [{ role: "user", text: "why?" }], maxOutputTokens: 100 },
              },
              (call) => {
                const text = call.ok ? call.reply : "";
                const final = call.ok ? readFinal(text, call) : null;
                return { type: "answer-given", data: { by, kind: "draft", round, text, final } };
              },
            );
            return JSON.stringify(data.final);
          }),
        );
      const said = await ask(1);
      if (new Set(said).size > 1) await ask(2);
      return nothingToSay;
    });
    expect(phases.map(({ name, course, calls }) => [name, course, calls])).toEqual([
      ["round 1 answer", null, { low: 2, expected: 2, high: 2 }],
      ["round 2 answer", "final answers", { low: 0, expected: 0, high: 2 }],
    ]);
    expect(total?.calls).toEqual({ low: 2, expected: 2, high: 4 });
  });

  it("DRY-1: calls no model, runs no tool, searches no memory and writes nothing", async () => {
    const models = {
      ...pricedModels(0).models,
      complete: () => Promise.reject(new Error("a model was called")),
    };
    const parley = await openParley({ store: ":memory:", models, env: {} });
    opened.push(() => parley.close());
    for (const protocol of ["ask", "council", "debate", "respond"]) {
      const asked = { protocol, question: "Which?", models: ["sim/ada"], memory: true, judge: ["sim/judy"] };
      const { total } = await parley.estimate(asked, { folder: import.meta.dirname });
      expect(total?.calls.high).toBeGreaterThan(0);
    }
    expect(await parley.list()).toEqual([]);
  });
});

it("needs no key, and still no model that is not there", async () => {
  const parley = await openParley({ store: ":memory:", env: {} });
  opened.push(() => parley.close());
  const of = (model: string) => parley.estimate({ protocol: "respond", question: "Which?", models: [model] });
  expect((await of("openai/gpt-5-mini")).total?.usd?.high).toBeGreaterThan(0);
  await expect(of("opnai/gpt-5")).rejects.toThrow('there is no provider "opnai"');
  const start = { protocol: "respond", question: "Which?", models: ["openai/gpt-5-mini"] };
  await expect(parley.start(start)).rejects.toThrow("openai needs a key");
});

describe("an estimate in words", () => {
  const asked = { protocol: "council", question: "Which?", models: ["openai/gpt-5-mini", "openai/gpt-none"] };
  const estimateOf = async (models: readonly string[]) => {
    const parley = await openParley({ store: ":memory:", env: { OPENAI_API_KEY: "x" } });
    opened.push(() => parley.close());
    return parley.estimate({ ...asked, models });
  };

  it("names at most how many calls and dollars, rounded up, a missing price, and what is free", async () => {
    const listed = await estimateOf(["openai/gpt-5-mini"]);
    const priced = { ...listed, oldPrices: null };
    expect(estimateLine({ ...priced, oldPrices: "2025-11-30" })).toMatch(
      /^Up to 2 calls, at most \$0\.\d{4} \(prices of 2025-11-30, older than 90 days: parley models update\)$/,
    );
    expect(estimateLine(priced)).toMatch(/^Up to 2 calls, at most \$0\.\d{4}$/);
    expect(Number(/\$([\d.]+)/.exec(estimateLine(priced))?.[1])).toBeGreaterThanOrEqual(
      priced.total?.usd?.high ?? NaN,
    );
    expect(estimateLine(await estimateOf(asked.models))).toBe(
      "Up to 4 calls; cost unknown: no price for openai/gpt-none",
    );
    const free = await estimateOf(["sim/ada"]);
    expect(estimateLine(free)).toMatch(/^Up to \d calls?, free$/);
    const [one] = free.participants;
    const paid = { ...free, participants: one === undefined ? [] : [{ ...one, model: "codex/default" }] };
    expect(estimateLine(paid)).toMatch(/^Up to \d calls?, by subscription$/);
    expect(estimateText(paid, { width: 80 })).toContain("\nBy subscription.\n");
    const capped = { ...priced, caps: { calls: 1, usd: 0.0001 } };
    expect(estimateLine(capped)).toMatch(
      /^Up to 2 calls, worst case \$0\.\d{4}, capped at 1 call and \$0\.0001$/,
    );
    expect(estimateLine({ ...priced, caps: { tokens: 2_000 } })).toMatch(
      /^Up to 2 calls, worst case [\d,]+ tokens and \$0\.\d{4}, capped at 2,000 tokens$/,
    );
    expect(estimateLine({ ...priced, caps: { calls: 9, usd: 9, tokens: 9e9 } })).toBe(estimateLine(priced));
    const usd = { low: 0.1, expected: 0.2, high: 0.7666 };
    const total = priced.total && { ...priced.total, usd };
    expect(estimateLine({ ...priced, total, caps: { usd: 0.5 } })).toBe(
      "Up to 2 calls, worst case $0.77, capped at $0.50",
    );
  });

  it.each([80, 40])("fits %i columns", async (width) => {
    const lines = estimateText(await estimateOf(["openai/gpt-5-mini", "openai/gpt-5"]), { width }).split(
      "\n",
    );
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
    expect(lines.join("\n")).toMatch(/synthesis[^]*Total[^]*No model was called\.\n$/);
  });
});
