import { describe, expect, it } from "vitest";
import { BenchReport } from "../contract.ts";
import { bench, watched, type Watched } from "../../../../test/support/bench-place.ts";
import { listRuns, resolveId } from "../../../app/lookup.ts";
import { idOfRequest } from "../../../engine/index.ts";
import { MAX_EVENT_BYTES, OrganizationId, type DeliberationId, type Models } from "../../../kernel/index.ts";
import { makeTasks } from "../../../sim/tasks/index.ts";
import { memoryStore } from "../../../testing/memory-store.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { prepareBench, type BenchRun } from "./bench.ts";
import { listBenches, readBench, recordBench } from "./recorded.ts";
import type { BenchTask } from "../../../app/tasks.ts";

// A bench on record, and the report that another process makes of it.

const MODELS = ["a", "b", "c"].map((name, index) => `sim/${name}?skill=0.7&seed=${index + 1}`);
const TASKS = makeTasks({ count: 5, seed: "7", kinds: ["arithmetic", "yes-no"] });
const OPEN: readonly BenchTask[] = ["queues", "caches"].map((word, at) => ({
  id: `open-${at}`,
  question: `How should a team decide about ${word}?`,
}));
const FLAGS = { models: MODELS, seed: "7" };
type Asked = Partial<Parameters<typeof prepareBench>[1]>;

const prepared = ({ parley }: Watched, asked: Asked = {}) =>
  prepareBench(parley, { file: "tasks.jsonl", tasks: TASKS, arms: ["single"], ...asked });

async function record(place: Watched, asked: Asked = {}): Promise<DeliberationId> {
  const recorded = await recordBench(place.parley, (await prepared(place, asked)).definition);
  if (!("id" in recorded)) throw new Error("it is not recorded");
  return recorded.id;
}

/** The report that is made of what the store has, as JSON. */
async function reportOf({ parley: { store } }: Watched, id: DeliberationId): Promise<string> {
  const found = await readBench(store, id);
  return JSON.stringify(BenchReport.parse(found?.report));
}
const asJson = ({ report }: BenchRun): string => JSON.stringify(BenchReport.parse(report));

const failing: Models["complete"] = ({ model }) =>
  Promise.resolve({
    ...{ ok: false, failure: { code: "network", message: "no" }, model, family: null },
    tokens: { in: null, out: null, cached: null, reasoning: null },
    ...{ cost: { source: "unknown", usd: null }, latencyMs: 1, attempts: 1 },
  });

describe("the report of a bench on record", () => {
  it("is the one that the bench reported, over all kinds of arms", async () => {
    const store = memoryStore();
    const place = await watched(FLAGS, { store });
    const arms = ["single", "majority", "weighted", "best-member", "self-consistency:3", "ask", "council"];
    const id = await record(place, { arms });
    expect(await readBench(place.parley.store, id)).toMatchObject({ report: { rows: [], complete: false } });
    const run = await bench(place, TASKS, { arms });
    expect(run.report.arms.map(({ drafted }) => drafted)).toContain("majority");
    expect(await reportOf(await watched({}, { store }), id)).toBe(asJson(run));
  });

  it("is so while the bench is half finished, and when what failed was retried", async () => {
    const store = memoryStore();
    const place = await watched(FLAGS, { store });
    const arms = ["single", "council"];
    const id = await record(place, { arms });
    const stop = new AbortController();
    const onRow = (_row: unknown, fresh: boolean) => void (fresh && stop.abort());
    const half = await bench(place, TASKS, { arms, onRow, signal: stop.signal, concurrency: 2 });
    expect([half.stop, half.report.complete, half.report.rows.length > 0]).toEqual([
      "interrupted",
      false,
      true,
    ]);
    expect(await reportOf(place, id)).toBe(asJson(half));

    const failed = await bench(await watched(FLAGS, { store, answer: failing }), TASKS, { arms });
    expect(failed.report.arms.some((arm) => arm.failed > 0)).toBe(true);
    expect(await reportOf(place, id)).toBe(asJson(failed));
    expect((await listBenches(place.parley.store, { limit: 9 })).benches).toMatchObject([
      { id, total: 10, finished: failed.report.rows.filter(({ finished }) => finished).length },
    ]);

    const retried = await bench(place, TASKS, { arms, retryFailed: true });
    expect(retried.report.complete).toBe(true);
    expect(retried.report.rows.some(({ deliberations }) => deliberations.length > 1)).toBe(true);
    expect(await reportOf(place, id)).toBe(asJson(retried));
  });

  it("counts as finished what the report counts, where a cap had a say", async () => {
    const store = memoryStore();
    const place = await watched({ ...FLAGS, maxCalls: 9 }, { store });
    const arms = ["single", "council"];
    const id = await record(place, { arms });
    const run = await bench(place, TASKS, { arms });
    expect(run.stop).toBe("budget");
    const finished = run.report.rows.filter((row) => row.finished).length;
    expect((await listBenches(place.parley.store, { limit: 9 })).benches).toMatchObject([{ id, finished }]);
    expect(await reportOf(place, id)).toBe(asJson(run));
  });

  it("has what a judge said of open questions, also in a process with another judge and other prompts", async () => {
    const store = memoryStore();
    const place = await watched(FLAGS, { store });
    const asked = { arms: ["single", "council"], tasks: [...OPEN, ...TASKS], judge: "sim/j?skill=1" };
    const id = await record(place, asked);
    const run = await bench(place, asked.tasks, asked);
    expect(run.report.judged?.arms).toMatchObject([{ arm: "council", n: 2 }]);
    const other = await watched({ judge: ["sim/k"], reviewTokens: 99 }, { store });
    expect(await reportOf(other, id)).toBe(asJson(run));
  });
});

describe("the record of a bench", () => {
  it("is found by the same bench, and another one has another", async () => {
    const store = memoryStore();
    const place = await watched(FLAGS, { store });
    const id = await record(place);
    expect(await record(await watched(FLAGS, { store }))).toBe(id);
    expect(await record(place, { file: "/elsewhere/tasks.jsonl" })).toBe(id);
    const other = await watched({ ...FLAGS, seed: "8" }, { store });
    const ids = [
      id,
      await record(other),
      await record(place, { arms: ["majority"] }),
      await record(place, { tasks: TASKS.slice(1) }),
      await record(place, { tasks: TASKS.map((task) => ({ ...task, answer: "1" })) }),
      await record(place, { tasks: [...OPEN, ...TASKS], arms: ["single", "ask"], judge: "sim/j" }),
      await record(place, { tasks: [...OPEN, ...TASKS], arms: ["single", "ask"], judge: "sim/k" }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    const { benches } = await listBenches(place.parley.store, { limit: 20 });
    expect(benches.map((one) => one.id)).toEqual(ids.toReversed());
    expect(place.requests).toEqual([]);
  });

  it("comes in pages, of one organization alone, and in no list of runs", async () => {
    const store = memoryStore();
    const place = await watched(FLAGS, { store });
    const [first, second] = [await record(place), await record(place, { arms: ["majority"] })];
    const page = await listBenches(place.parley.store, { limit: 1 });
    expect(page).toMatchObject({
      benches: [{ id: second, file: "tasks.jsonl", simulated: true }],
      next: second,
    });
    expect(await listBenches(place.parley.store, { limit: 1, before: second })).toMatchObject({
      benches: [{ id: first, arms: ["single"], tasks: 5, total: 5, finished: 0 }],
      next: null,
    });
    const stranger = store.for(OrganizationId.parse("other"));
    expect((await listBenches(stranger, { limit: 9 })).benches).toEqual([]);
    await expect(readBench(stranger, first)).rejects.toThrow(`no run "${first}"`);
    expect(await listRuns(place.parley.store, { limit: 9 })).toEqual([]);
    await expect(resolveId(place.parley, "last")).rejects.toThrow("there is no run yet");
  });

  it("is closed, replays, and is none of other runs", async () => {
    const place = await watched(FLAGS);
    const id = await record(place);
    const { parley } = place;
    expect((await parley.store.read(id)).map(({ type }) => type)).toEqual([
      ...["deliberation-opened", "note-taken", "deliberation-closed"],
    ]);
    expect(await parley.engine.replay(id)).toEqual({ steps: 1, calls: 0 });
    await bench(place, TASKS.slice(0, 1), { arms: ["single"] });
    const run = (await prepared(place)).definition.arms[0]?.requests[0] ?? "";
    expect(await readBench(parley.store, idOfRequest(LOCAL, `${run}/0`))).toBeUndefined();
  });

  it("is refused where a part is too long, and what is no bench is passed over", async () => {
    const place = await watched(FLAGS);
    const context = "é".repeat(MAX_EVENT_BYTES / 2);
    const tasks = TASKS.map((task) => ({ ...task, context }));
    const { definition } = await prepared(place, { tasks: tasks.slice(0, 1) });
    const recorded = await recordBench(place.parley, definition);
    expect(recorded).toMatchObject({ tooLarge: { part: "tasks", most: MAX_EVENT_BYTES } });
    expect(await listBenches(place.parley.store, { limit: 9 })).toEqual({ benches: [], next: null });
    // What somebody else wrote under the name of a bench.
    const store: typeof place.parley.store = { ...place.parley.store, text: () => Promise.resolve("[[1]]") };
    const id = await record(place);
    expect((await listBenches(store, { limit: 9 })).benches).toEqual([]);
    expect(await readBench(store, id)).toBeUndefined();
  });
});
