import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openParley, type Parley } from "../src/app/parley.ts";
import { debateRecord } from "../src/protocols/debate/view/debated.ts";
import { openAnonymityAudit } from "../src/lab/audit.ts";
import { openEvaluation } from "../src/lab/eval/evaluation.ts";
import { JUDGED_ONCE, openJudge } from "../src/lab/judge/judge.ts";
import { takeTexts } from "../src/lab/judge/tasks.ts";
import { createSim, simServer, type SimServer } from "../src/sim/index.ts";
import { countedCalls, type CountedCalls } from "./support/counted-calls.ts";
import { scratch } from "./support/scratch.ts";

// DRIVER-1, DRIVER-2 over real stores and a model server: of two processes that resume one run, one pays, and both get its outcome.

let sim: SimServer;
let counted: CountedCalls;
beforeAll(async () => {
  const listening = await simServer({ host: "127.0.0.1", port: 0, key: undefined, sim: createSim() });
  if (!listening.ok) throw new Error(listening.reason);
  sim = listening.server;
  counted = await countedCalls(sim.url);
});
afterAll(async () => {
  await counted[Symbol.asyncDispose]();
  await sim.close();
});

const question = "What is 17 * 23?";
const models = ["openai/ada?latency=30", "openai/bo?latency=40&seed=2", "openai/cy?latency=35&seed=3"];
const judged = { judge: ["openai/judy?skill=1&latency=20"] };
const answered = async (parley: Parley, protocol: string) => {
  const run = await parley.start({ protocol, question, models, seed: "s", reactions: false });
  await run.outcome();
  return parley.read(run.id);
};

/** A run of every kind that calls models, by the protocol: opened, and driven by nobody. */
const OPENED: { readonly [kind: string]: (parley: Parley) => Promise<string> } = {
  ...Object.fromEntries(
    [
      { protocol: "ask", models, ...judged },
      { protocol: "council", models, ...judged },
      { protocol: "debate", models, rounds: 2 },
      { protocol: "respond", models: models.slice(0, 1), ...judged, respondentB: true, modelB: models[1] },
    ].map((request) => [
      request.protocol,
      async (parley: Parley) => (await parley.open({ question, seed: "s", ...request })).opened.deliberation,
    ]),
  ),
  judge: async (parley) => {
    const items = [1, 2, 3].map((nth) => ({
      ...{ name: `item-${nth}`, lengths: { a: 3, b: 3 } },
      texts: { question, a: "391", b: `39${nth + 1}` },
    }));
    const task = { question: "Which is better?", kind: "preference" as const, ...takeTexts(items) };
    const call = { model: "openai/judy?latency=30", ...JUDGED_ONCE };
    return (await openJudge(parley.context(), task, call)).id;
  },
  evaluation: async (parley) => {
    const record = debateRecord(await answered(parley, "debate"));
    const place = { cwd: "/", env: {} };
    const asked = { record, place, models: ["openai/eva?latency=30", "openai/eli?latency=30"], again: false };
    return (await openEvaluation(parley.context(), asked)).id;
  },
  authorship: async (parley) => {
    const entries = await answered(parley, "council");
    const asked = { entries, model: "openai/eva?latency=30", again: false };
    return (await openAnonymityAudit(parley.context(), asked)).id;
  },
};

async function place(work: (open: () => Promise<Parley>) => Promise<void>): Promise<void> {
  using folder = scratch();
  const opened: Parley[] = [];
  const open = async () => {
    const env = { OPENAI_BASE_URL: counted.url, OPENAI_API_KEY: "sk-test", OLLAMA_HOST: "127.0.0.1:1" };
    const parley = await openParley({ store: join(folder.home, "parley.db"), env });
    opened.push(parley);
    return parley;
  };
  try {
    await work(open);
  } finally {
    for (const parley of opened) await parley.close();
  }
}

/** What a run comes to for who resumes it, and how many requests that took. */
async function driven(parley: Parley, id: string) {
  const run = await parley.resume(id);
  const outcome = await run.outcome();
  const reactions = await run.reactions;
  expect(reactions).toEqual({ failed: null });
  return outcome;
}

describe.each(Object.keys(OPENED))("of two that resume one run of %s", (kind) => {
  it("one pays, and both get the same outcome", async () => {
    let alone = 0;
    await place(async (open) => {
      const parley = await open();
      const id = (await OPENED[kind]?.(parley)) ?? "";
      const before = counted.calls();
      expect((await driven(parley, id)).status).toBe("answered");
      alone = counted.calls() - before;
    });
    expect(alone).toBeGreaterThan(0);
    await place(async (open) => {
      const [first, second] = [await open(), await open()];
      const id = (await OPENED[kind]?.(first)) ?? "";
      const before = counted.calls();
      // Two processes, and two in one.
      const outcomes = await Promise.all([first, second, first].map((parley) => driven(parley, id)));
      expect(counted.calls() - before).toBe(alone);
      const results = outcomes.map(({ status, result }) => ({ status, answer: result?.answer }));
      expect(results).toEqual([results[0], results[0], results[0]]);
      const { calls } = await first.result(id);
      expect(calls).toBe(alone);
    });
  }, 60_000);
});
