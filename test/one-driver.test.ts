import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openParley, type Parley } from "../src/index.ts";
import { scriptsOf } from "../src/app/registry.ts";
import { features } from "../src/features.ts";
import { createSim, simServer, type SimServer } from "../src/sim/index.ts";
import { countedCalls, type CountedCalls } from "./support/counted-calls.ts";
import { KINDS, OPENED, runsGates } from "./support/opened-runs.ts";
import { scratch } from "./support/scratch.ts";

// DRIVER-1 over real stores and a model server: of two processes that resume one run, one pays, and both get its outcome.

let sim: SimServer;
let counted: CountedCalls;
beforeAll(async () => {
  const listening = await simServer({
    host: "127.0.0.1",
    port: 0,
    key: undefined,
    sim: createSim({ scripts: scriptsOf(features) }),
  });
  if (!listening.ok) throw new Error(listening.reason);
  sim = listening.server;
  counted = await countedCalls(sim.url);
});
afterAll(async () => {
  await counted[Symbol.asyncDispose]();
  await sim.close();
});

async function place(work: (open: () => Promise<Parley>) => Promise<void>): Promise<void> {
  using folder = scratch();
  const opened: Parley[] = [];
  const open = async () => {
    const env = { OPENAI_BASE_URL: counted.url, OPENAI_API_KEY: "sk-test", OLLAMA_HOST: "127.0.0.1:1" };
    const parley = await openParley({ store: join(folder.home, "parley.db"), env });
    runsGates(parley);
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

describe.each(KINDS)("of two that resume one run of %s", (kind) => {
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
