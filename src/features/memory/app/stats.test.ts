import { describe, expect, it } from "vitest";
import { memoryEngrams } from "../../../../test/support/memory-engrams.ts";
import { engram, grade, preference, said, scopeOf, timeOf } from "../../../../test/support/memory-samples.ts";
import { EngramId, ModelRef } from "../../../kernel/index.ts";
import { createMemory } from "../../../memory/memory.ts";
import { stepClock } from "../../../testing/step-clock.ts";
import { computeStats, MIN_COMPARISONS, readContests } from "./stats.ts";

const idOf = (id: string) => EngramId.parse(id);

const contest = (wins: number, losses: number, ties = 0) => ({ wins, losses, ties });

describe("what comparisons show", () => {
  it("is nothing below 20 of them, however they fall, ties among them", () => {
    expect(MIN_COMPARISONS).toBe(20);
    expect(readContests([contest(19, 0), contest(20, 0), contest(10, 0, 10)])).toEqual([
      "too-few",
      "ahead",
      "ahead",
    ]);
    expect(readContests([])).toEqual([]);
  });

  it("is a lead where the sign test tells it, either way, and nothing where it does not", () => {
    // Two-sided: 5 of 20 has p 0.041, 6 of 20 has 0.115 (binomial tables).
    expect(readContests([contest(15, 5)])).toEqual(["ahead"]);
    expect(readContests([contest(5, 15)])).toEqual(["behind"]);
    expect(readContests([contest(14, 6)])).toEqual(["not-told-apart"]);
    expect(readContests([contest(0, 0, 40)])).toEqual(["not-told-apart"]);
  });

  it("is corrected for all rows that are tested together, and for no others", () => {
    const close = contest(15, 5);
    expect(readContests([close, contest(10, 10)])).toEqual(["not-told-apart", "not-told-apart"]);
    expect(readContests([close, contest(3, 3)])).toEqual(["ahead", "too-few"]);
    expect(readContests([contest(30, 0), close])).toEqual(["ahead", "ahead"]);
  });
});

describe("stats", () => {
  it("counts, and compares configurations by kind of question", async () => {
    const store = memoryEngrams();
    const memory = createMemory({ store, embeddings: null, world: stepClock() });
    const named = (id: string) => ({ ...scopeOf(), id: idOf(id) });
    const warm = { models: [ModelRef.parse("sim/ada")], temperature: 0.5 };
    const add = async (id: string, changes: object, ...whats: ReturnType<typeof grade>[]) => {
      await store.put(engram(id, { ...warm, ...changes }), idOf(id));
      for (const [nth, what] of whats.entries()) await store.annotate(named(id), said(nth, what));
    };
    await add("a", {}, grade(5), preference("won", { against: "x" }), preference("tied", { against: "y" }));
    await add("b", {}, grade(1), grade(2), preference("lost", { against: "x" }));
    await add("c", {}, preference("lost", { against: "x" }), preference("won", { against: "x" }));
    await add("d", { intent: "procedure" }, preference("won", { orderSensitive: true }));
    await add("e", { temperature: null }, { kind: "retired", reason: "so" });
    await add("f", { type: "pinned", models: [] });
    await add("g", {});
    await store.forget(scopeOf(), { id: idOf("g"), by: "ann", at: timeOf(1) });
    const { configurations, ...counts } = await computeStats(memory.all(scopeOf()));
    expect(counts).toEqual({ episodic: 5, pinned: 1, retired: 1, judged: 4, forgotten: 1, clusters: 5 });
    const rows = configurations.map(
      ({ models, temperature, intent, engrams, wins, losses, ties, grade: of }) => [
        models.join(),
        temperature,
        intent,
        engrams,
        `${wins}/${losses}/${ties}`,
        of.mean,
        of.n,
      ],
    );
    expect(rows).toEqual([
      ["sim/ada", 0.5, "fact", 3, "2/1/1", 3.5, 2],
      ["sim/ada", 0.5, "procedure", 1, "0/0/1", null, 0],
      ["sim/ada", 0.5, null, 4, "2/1/2", 3.5, 2],
      ["sim/ada", null, "fact", 1, "0/0/0", null, 0],
      ["sim/ada", null, null, 1, "0/0/0", null, 0],
    ]);
    // Wilson's interval for 2 of 5: 0.118 to 0.769.
    expect(configurations[2]?.won).toEqual({
      value: 0.4,
      n: 5,
      low: expect.closeTo(0.1176, 4),
      high: expect.closeTo(0.7693, 4),
    });
    expect(configurations[4]?.tied).toEqual({ value: null, n: 0, low: null, high: null });
  });
});
