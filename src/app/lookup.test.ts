import { describe, expect, it } from "vitest";
import { DeliberationId, isFault, SeriesId, type ListQuery, type Summary } from "../kernel/index.ts";
import { memoryStore } from "../testing/memory-store.ts";
import { byClosing, closing, LOCAL, opening } from "../testing/store-samples.ts";
import { listRuns, resolveId } from "./lookup.ts";

/** A store with runs of these ids, the newest first. */
const storeWith = (...ids: string[]) => ({
  read: () => Promise.resolve([]),
  list: ({ limit, prefix = "" }: ListQuery) =>
    Promise.resolve(
      ids
        .filter((id) => id.startsWith(prefix))
        .slice(0, limit)
        .map((id) => ({ id: DeliberationId.parse(id) }) as Summary),
    ),
});

it.each([
  ["last", ["c1", "b1", "a1"], "c1"],
  ["last", ["a1"], "a1"],
  ["last", [], "there is no run yet"],
  ["b", ["c1", "b1", "a1"], "b1"],
  ["b", ["b2", "b1"], '2 runs begin with "b"'],
  ["x", ["b2", "b1"], "deliberation-missing"],
  ["", ["b1"], "deliberation-missing"],
])("%j among %j is %s", async (id, ids, expected) => {
  const resolved = await resolveId({ store: storeWith(...ids) as never }, id).catch((error: unknown) =>
    isFault(error, "configuration")
      ? error.details.why
      : isFault(error, "deliberation-missing")
        ? error.code
        : error,
  );
  expect(resolved).toBe(expected);
});

describe("a list of runs", () => {
  const filled = async () => {
    const store = memoryStore().for(LOCAL);
    const put = async (id: string, request: string, question: string) =>
      store.append(DeliberationId.parse(id), [opening(question)], { by: "open", request });
    for (let n = 0; n < 1_200; n += 1)
      await put(`r${n}`, `r${n}`, n % 400 === 7 ? `Größe of QUEUE ${n}` : `${n}`);
    await put("b1", "bench/x", "a queue in a benchmark");
    await put("b2", "ablate/x", "a queue in an ablation");
    await store.append(DeliberationId.parse("r5"), [closing], byClosing);
    return store;
  };
  const idsOf = (runs: readonly Summary[]) => runs.map(({ id }) => id);

  it("finds words, a status and a protocol however far back they are, and hides measurements", async () => {
    const store = await filled();
    expect(idsOf(await listRuns(store, { limit: 2 }))).toEqual(["r1199", "r1198"]);
    expect(idsOf(await listRuns(store, { limit: 9, search: "queue größe" }))).toEqual(["r807", "r407", "r7"]);
    expect(idsOf(await listRuns(store, { limit: 1, search: "größe" }))).toEqual(["r807"]);
    const before = DeliberationId.parse("r807");
    expect(idsOf(await listRuns(store, { limit: 1, search: "größe", before }))).toEqual(["r407"]);
    expect(idsOf(await listRuns(store, { limit: 9, protocol: "bench" }))).toEqual(["b2", "b1"]);
    expect(idsOf(await listRuns(store, { limit: 9, status: "cancelled" }))).toEqual(["r5"]);
    expect(await listRuns(store, { limit: 9, status: "waiting" })).toEqual([]);
    expect(await listRuns(store, { limit: 9, since: Date.now() + 60_000 })).toEqual([]);
    expect(await listRuns(store, { limit: 9_999, protocol: "contract" })).toHaveLength(1_200);
  });

  it("gives a conversation whole: its turns, and after them the run that it is named by", async () => {
    const store = await filled();
    const follow = async (id: string, index: number) =>
      store.append(DeliberationId.parse(id), [opening(`queue ${id}`, { series: { id: "r9", index } })], {
        by: "open",
        request: id,
      });
    await follow("s1", 1);
    await follow("s2", 2);
    const series = SeriesId.parse("r9");
    expect(idsOf(await listRuns(store, { limit: 9, series }))).toEqual(["s2", "s1", "r9"]);
    // A page ends before it, at it, and after it.
    expect(idsOf(await listRuns(store, { limit: 2, series }))).toEqual(["s2", "s1"]);
    const before = (id: string) => ({ limit: 2, series, before: DeliberationId.parse(id) });
    expect(idsOf(await listRuns(store, before("s1")))).toEqual(["r9"]);
    expect(idsOf(await listRuns(store, before("r9")))).toEqual([]);
    expect(idsOf(await listRuns(store, { limit: 9, series, search: "queue" }))).toEqual(["s2", "s1"]);
    expect(idsOf(await listRuns(store, { limit: 9, series, status: "cancelled" }))).toEqual([]);
    // A name that only begins a run's id is none's.
    expect(idsOf(await listRuns(store, { limit: 9, series: SeriesId.parse("r11") }))).toEqual(["r11"]);
    expect(idsOf(await listRuns(store, { limit: 9, series: SeriesId.parse("r119") }))).toEqual(["r119"]);
  });

  it("takes no measurement for the newest run, and finds the beginning of an old id", async () => {
    const store = await filled();
    expect(await resolveId({ store }, "last")).toBe("r1199");
    expect(await resolveId({ store }, "r0")).toBe("r0");
    expect(await resolveId({ store }, "r80")).toBe("r80");
    await expect(resolveId({ store }, "r11")).resolves.toBe("r11");
    await expect(resolveId({ store }, "b")).rejects.toThrow('2 runs begin with "b"');
  });
});
