import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { openGatePool } from "../../src/gates/pool.ts";
import { scratch } from "../support/scratch.ts";
import { built } from "./parley.ts";

built();

const file = fileURLToPath(new URL("../../dist/gate-worker.mjs", import.meta.url));
const signal = new AbortController().signal;
const folders: ReturnType<typeof scratch>[] = [];
const pools: ReturnType<typeof openGatePool>[] = [];
const pool = (threads = 2) => {
  const opened = openGatePool({ threads, memoryMb: 64, file });
  pools.push(opened);
  return opened;
};
afterAll(async () => {
  await Promise.all(pools.map((one) => one.close()));
  for (const folder of folders) folder[Symbol.dispose]();
});

/** A domain whose gates do what their names say. */
const DOMAIN = `
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export default {
  name: "odd",
  load: (settings) => {
    if (settings.broken) throw new Error("the soil is broken");
    return { soil: settings, digest: "d1" };
  },
  propose: () => "A candidate is a number.",
  compile: (text) => (/^\\d+$/.test(text.trim()) ? { ok: true, text: text.trim() } : { ok: false, why: "no number" }),
  gates: [
    { name: "even", title: "even", hard: true, thresholds: { by: 2 }, check: ({ candidate, thresholds }) => ({ passed: Number(candidate) % thresholds.by === 0, detail: "counted" }) },
    { name: "hangs", title: "hangs", hard: true, check: () => { for (;;); } },
    { name: "eats", title: "eats", hard: true, check: () => { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())); } },
    { name: "throws", title: "throws", hard: true, check: () => { throw new Error("no way"); } },
    { name: "silent", title: "silent", hard: true, check: () => ({}) },
    { name: "exits", title: "exits", hard: true, check: () => { process.exit(3); } },
    { name: "keys", title: "keys", hard: true, check: () => ({ passed: true, detail: Object.keys(process.env).join() }) },
    { name: "slow", title: "slow", hard: true, check: async ({ candidate }) => { await wait(300); return { passed: true, detail: candidate }; } },
  ],
};
`;

function place(soil: object = {}) {
  const folder = scratch();
  folders.push(folder);
  const { cwd } = folder;
  const domain = join(cwd, "index.mjs");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(domain, DOMAIN);
  return { domain, folder: cwd, soil: { ...soil } };
}

const checkIn =
  (where: ReturnType<typeof place>) =>
  (gate: string, more: object = {}) => ({
    ...{ kind: "check" as const, place: where, gate, candidate: "4", thresholds: { by: 2 } },
    ...{ accepted: [], seed: "s", soil: "d1", timeMs: 5_000, ...more },
  });

describe("gates in worker threads", () => {
  it("describe a domain of one's own, compile, and check", async () => {
    const where = place();
    const one = pool();
    const { gates, ...described } = await one.describe(where, signal);
    expect(described).toMatchObject({ name: "odd", soil: "d1", language: "A candidate is a number." });
    expect(gates[0]).toMatchObject({ name: "even", hard: true, thresholds: { by: 2 }, by: "domain" });
    expect(await one.compile(where, ["12", "x"], signal)).toEqual([
      { ok: true, text: "12" },
      { ok: false, why: "no number" },
    ]);
    expect(await one.check(checkIn(where)("even"), signal)).toMatchObject({ passed: true });
    expect(await one.check(checkIn(where)("even", { candidate: "3" }), signal)).toMatchObject({
      passed: false,
    });
  });

  it.each([
    { gate: "hangs", more: { timeMs: 600 }, cause: "time-limit", says: /more than 600 ms/ },
    { gate: "eats", more: {}, cause: "memory", says: /64 MB/ },
    { gate: "throws", more: {}, cause: "error", says: /no way/ },
    { gate: "silent", more: {}, cause: "error", says: /did not say/ },
    { gate: "exits", more: {}, cause: "error", says: /./ },
    { gate: "even", more: { soil: "d2" }, cause: "error", says: /soil has changed/ },
    { gate: "none", more: {}, cause: "error", says: /no gate none/ },
  ])("stop a gate and record the cause: $gate, $cause", async ({ gate, more, cause, says }) => {
    const where = place();
    const one = pool(1);
    expect(await one.check(checkIn(where)(gate, more), signal)).toMatchObject({
      passed: false,
      cause,
      detail: expect.stringMatching(says),
    });
    // The pool goes on.
    expect(await one.check(checkIn(where)("even"), signal)).toMatchObject({ passed: true });
  });

  it("see no key of the process", async () => {
    process.env["PARLEY_TEST_SECRET"] = "sk-1";
    const found = await pool().check(checkIn(place())("keys"), signal);
    delete process.env["PARLEY_TEST_SECRET"];
    expect(found.detail).not.toContain("SECRET");
  });

  it("wait for their turn without losing their time, and give the same with one thread and with two", async () => {
    const where = place();
    const run = (threads: number) => {
      const one = pool(threads);
      return Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          one.check(checkIn(where)("slow", { candidate: String(index), timeMs: 2_100 }), signal),
        ),
      );
    };
    const [alone, both] = [await run(1), await run(2)];
    expect(alone.map(({ detail }) => detail)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    expect(both).toEqual(alone);
  });

  it("leave the driving thread free", async () => {
    const where = place();
    const one = pool();
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    await one.check(checkIn(where)("hangs", { timeMs: 1_000 }), signal);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });

  it("end with whoever asked for them", async () => {
    const stop = new AbortController();
    const asked = pool().check(checkIn(place())("hangs"), stop.signal);
    setTimeout(() => stop.abort(), 300);
    await expect(asked).rejects.toThrow();
  });

  it("say why a domain cannot be loaded", async () => {
    await expect(pool().describe(place({ broken: true }), signal)).rejects.toThrow(/soil is broken/);
    await expect(pool().describe({ domain: "nothing", folder: "/", soil: {} }, signal)).rejects.toThrow(
      /no domain nothing/,
    );
  });
});
