import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openParley, type Parley } from "../src/index.ts";
import { DeliberationId } from "../src/kernel/index.ts";
import { scriptsOf } from "../src/app/registry.ts";
import { features } from "../src/features.ts";
import { createSim, simServer, type SimServer } from "../src/sim/index.ts";
import { random } from "../src/stats/numbers.ts";
import { resultOf } from "../src/views/result.ts";
import { countedCalls, type CountedCalls } from "./support/counted-calls.ts";
import { KINDS, OPENED, runsGates } from "./support/opened-runs.ts";
import { scratch } from "./support/scratch.ts";

// BILL-1 over a real store and a model server that counts: runs that are interrupted at chance moments and resumed. Kills are in
// the table of each protocol (`playKilled` asks the same there) and in `npm run storm`.

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

const reaches = (calls: number) =>
  expect.poll(counted.calls, { interval: 3, timeout: 20_000 }).toBeGreaterThanOrEqual(calls);

/** What the bill says, how many requests have a row, and how many the server counted. */
async function billOf(parley: Parley, given: string) {
  const id = DeliberationId.parse(given);
  const { store } = parley.context();
  const result = resultOf(await store.read(id));
  const rows = (await store.reservations(id)).reduce((sum, { calls }) => sum + calls, 0);
  return { billed: (result?.calls ?? 0) + (result?.unknown ?? 0), unknown: result?.unknown, rows };
}

it.each(KINDS)("retry of a run of %s asks nothing twice, and what it asks is on its bill", async (kind) => {
  using folder = scratch();
  const env = { OPENAI_BASE_URL: counted.url, OPENAI_API_KEY: "sk-test", OLLAMA_HOST: "127.0.0.1:1" };
  await using parley = await openParley({ store: join(folder.home, "parley.db"), env });
  runsGates(parley);
  const id = (await OPENED[kind]?.(parley)) ?? "";
  const [first, past] = [counted.calls(), counted.bodies.length];
  counted.refuse(1);
  const run = await parley.resume(id);
  await run.outcome();
  await run.reactions;
  expect((await billOf(parley, id)).billed).toBe(counted.calls() - first);
  const before = counted.calls();
  const answered = new Set(counted.bodies.slice(past));
  const nth = counted.bodies.length;
  const again = await parley.fork(id, { retry: true });
  expect((await again.outcome()).status).toBe("answered");
  await again.reactions;
  const sent = counted.calls() - before;
  const { billed, rows } = await billOf(parley, again.id);
  expect(sent).toBeGreaterThan(0);
  expect(counted.bodies.slice(nth).filter((body) => answered.has(body))).toEqual([]);
  expect([billed, rows]).toEqual([sent, sent]);
});

let lost = 0;

it.each(KINDS)("every request of an interrupted run of %s is on its bill", async (kind) => {
  const chance = random(kind);
  using folder = scratch();
  const env = { OPENAI_BASE_URL: counted.url, OPENAI_API_KEY: "sk-test", OLLAMA_HOST: "127.0.0.1:1" };
  const store = join(folder.home, "parley.db");
  let id = "";
  let before = 0;
  for (let nth = 0; nth < 3; nth += 1) {
    await using parley = await openParley({ store, env });
    runsGates(parley);
    id ||= (await OPENED[kind]?.(parley)) ?? "";
    if (nth === 0) before = counted.calls();
    const run = await parley.resume(id);
    const limit = counted.calls() + 1 + Math.floor(chance() * 4);
    await Promise.race([reaches(limit), run.outcome()]);
    run.interrupt();
    await run.outcome();
    await run.reactions;
  }
  await using parley = await openParley({ store, env });
  runsGates(parley);
  const run = await parley.resume(id);
  expect((await run.outcome()).status).toBe("answered");
  await run.reactions;
  const { billed, unknown, rows } = await billOf(parley, id);
  const sent = counted.calls() - before;
  expect(billed).toBeGreaterThanOrEqual(sent);
  expect(billed).toBe(rows); // each once
  lost += unknown ?? 0;
});

it("some of which nobody knows what they took", () => expect(lost).toBeGreaterThan(0));
