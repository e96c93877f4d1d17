import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "libsql";
import AsyncDatabase from "libsql/promise";
import { afterAll, expect, it } from "vitest";
import { loadedAtFirstRequest } from "../bench/start.mjs";
import { countWalks } from "../bench/walk.mjs";
import { setUp } from "../scripts/setup.mjs";
import { openParley } from "../src/index.ts";

// What a council costs, in counters that are the same on every machine. Each ceiling is today's figure; whoever lowers a figure
// lowers its ceiling, and nobody raises one without a decision that says what it buys.

const CEILINGS = {
  modules: 250,
  kilobytesOfCode: 1_158,
  statements: 117,
  transactions: 17,
  kilobytes: 7_200,
};

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "parley-counters-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it("evaluates no more modules, and loads no more code, up to the first model call", async () => {
  await setUp(root, { build: true });
  const { modules, bytes } = await loadedAtFirstRequest(join(root, "dist"), scratch);
  const seen = { modules: modules.length, kilobytesOfCode: Math.ceil(bytes / 1_024) };
  expect(seen.modules, JSON.stringify(seen)).toBeLessThanOrEqual(CEILINGS.modules);
  expect(seen.kilobytesOfCode, JSON.stringify(seen)).toBeLessThanOrEqual(CEILINGS.kilobytesOfCode);
});

/** What a question walks through up to its first model call, with 2 % of room for what a moment adds. */
const WALKS = {
  "command line": { functions: 5_500, files: 175, changes: 1_840 },
  library: { functions: 3_000, files: 125, changes: 1_110 },
} as const;

it("enters no more functions and files, and changes file no more often, up to the first model call", async () => {
  const walks = await countWalks(scratch);
  for (const [from, most] of Object.entries(WALKS))
    for (const what of ["functions", "files", "changes"] as const)
      expect(walks[from]?.[what], `${from}: ${JSON.stringify(walks[from])}`).toBeLessThanOrEqual(most[what]);
});

/** What a follower asks every 25 ms, so that a slower machine asks it more often. */
const POLL = /^select coalesce\(max\(cursor\), 0\) as last\b/;

/** Every statement that any connection runs from here on, but polls. */
async function countStatements() {
  const counts = { statements: 0, transactions: 0 };
  const polls = new WeakSet();
  const wrap = (
    prototype: object,
    method: string,
    see: (of: object, sql: unknown, made: unknown) => void,
  ) => {
    const original: unknown = Reflect.get(prototype, method);
    if (typeof original !== "function") throw new Error(`libsql has no ${method}`);
    Reflect.set(prototype, method, function (this: object, ...given: unknown[]) {
      const made: unknown = Reflect.apply(original, this, given);
      see(this, given[0], made);
      return made;
    });
  };
  const prepared = (_: object, sql: unknown, made: unknown): void => {
    if (POLL.test(String(sql)) && made instanceof Object && !(made instanceof Promise)) polls.add(made);
  };
  const run = (statement: object) => (counts.statements += polls.has(statement) ? 0 : 1);
  const executed = (_: object, sql: unknown) => {
    counts.statements += 1;
    if (String(sql).startsWith("commit")) counts.transactions += 1;
  };
  for (const database of [new Database(":memory:"), new AsyncDatabase(":memory:", {})]) {
    wrap(Object.getPrototypeOf(database), "exec", executed);
    wrap(Object.getPrototypeOf(database), "prepare", prepared);
    const statement: object = await database.prepare("select 1");
    for (const method of ["run", "get", "all"]) wrap(Object.getPrototypeOf(statement), method, run);
  }
  return counts;
}

type Sampled = { readonly selfSize: number; readonly children: readonly Sampled[] };
const bytesOf = ({ selfSize, children }: Sampled): number =>
  children.reduce((sum, child) => sum + bytesOf(child), selfSize);

it("runs no more statements and transactions, and allocates no more, a council", async () => {
  const counts = await countStatements();
  await using parley = await openParley({ store: join(scratch, "store.db"), env: {} });
  const session = new Session();
  session.connect();
  const councils = [];
  for (let nth = 0; nth < 4; nth += 1) {
    const before = { ...counts };
    await session.post("HeapProfiler.startSampling", {
      samplingInterval: 4_096,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    const run = await parley.start({
      protocol: "council",
      question: "What is 17 * 23?",
      models: ["sim/ada?skill=1", "sim/bo?skill=1", "sim/cy?skill=1"],
    });
    expect(await run.outcome()).toMatchObject({ status: "answered" });
    await run.reactions;
    const { profile } = await session.post("HeapProfiler.stopSampling");
    councils.push({
      statements: counts.statements - before.statements,
      transactions: counts.transactions - before.transactions,
      kilobytes: Math.ceil(bytesOf(profile.head) / 1_024),
    });
  }
  // The first one compiles and makes the store's tables; the least of the others has no chance of the moment in it.
  const [, ...warm] = councils;
  for (const what of ["statements", "transactions", "kilobytes"] as const) {
    const least = Math.min(...warm.map((council) => council[what]));
    expect(least, `${what}: ${JSON.stringify(warm)}`).toBeLessThanOrEqual(CEILINGS[what]);
  }
});
