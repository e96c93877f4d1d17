import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cycleOpening,
  executorOf,
  twoTrees,
  verdict,
  willing,
} from "../../../../test/support/forest-cycle.ts";
import { forest, leaf, record, result, seed, tree } from "../../../../test/support/sample-forest.ts";
import { random } from "../../../stats/numbers.ts";
import { eventsOf, stage } from "../../../testing/stage.ts";
import { mergeGrowths, underWeather, type TreeGrowth } from "./growth.ts";
import { forestAfter } from "./history.ts";
import { forest as protocol } from "./index.ts";
import { LeafKind, type Forest, type ResultRecord } from "./state.ts";
import { ForestValidationError, validateForest, type ForestInvariant } from "./validation.ts";
import { routeWeather } from "./weather.ts";
import { sized } from "../../../../test/support/long.ts";

/** Freezes a value with all that is in it, so that a write throws. */
const frozen = <T>(value: T): T => {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
};

const anyKind = fc.constantFrom(...LeafKind.options);
const anyTree = fc
  .record({
    kinds: fc.array(anyKind, { maxLength: 4 }),
    status: fc.constantFrom("active", "frozen", "frost", "dormant"),
    remaining: fc.integer({ min: 0, max: 3 }),
    priors: fc.record({
      solid_direction: fc.boolean(),
      leakage_risk: fc.boolean(),
      moisture: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  })
  .map(
    ({ kinds, status, remaining, priors }) =>
      (id: string) =>
        tree(id, {
          status: status as "active",
          weather_priors: priors,
          branches: kinds.map((kind, index) => leaf(kind, { cycle: index + 1, id: `${id}-${index}` })),
          ...(status === "frozen" ? { freeze_remaining: remaining } : {}),
        }),
  );
const anyForest: fc.Arbitrary<Forest> = fc
  .record({
    trees: fc.array(anyTree, { minLength: 1, maxLength: 6 }),
    cycle: fc.integer({ min: 0, max: 30 }),
  })
  .map(({ trees, cycle }) =>
    forest({
      cycle_id: `cycle_${String(cycle).padStart(3, "0")}`,
      trees: trees.map((make, index) => make(`tree-${index}`)),
    }),
  );

/** A forest that is valid until one thing is broken. */
const BROKEN: { readonly [I in ForestInvariant]: (good: Forest) => Forest } = {
  a: (good) => ({ ...good, results: [...good.results, result({ gate_record: null })] }),
  b: (good) => ({ ...good, results: [...good.results, result({ execution_mode: "stub_result" })] }),
  c: (good) => ({
    ...good,
    weather_events: [
      ...good.weather_events,
      { target: "x", target_type: "seed_pool", weather: "fog", allocation: 0, reason: " " },
    ],
  }),
  d: (good) => ({
    ...good,
    results: [...good.results, { ...result(), execution_mode: undefined } as unknown as ResultRecord],
  }),
  e: (good) => ({
    ...good,
    weather_events: [
      ...good.weather_events,
      { target: "x", target_type: "seed_pool", weather: "rain", allocation: 1.01, reason: "r" },
    ],
  }),
  f: (good) => ({
    ...good,
    trees: [
      ...good.trees,
      tree("deep", { branches: [leaf("fruit", { depth: good.climate.max_consecutive_depth + 1 })] }),
    ],
  }),
  g: (good) => ({
    ...good,
    results: [...good.results, result({ classification: "sick_leaf", blocked_from_reuse: false })],
  }),
};

const letterOf = (broken: Forest): string | undefined => {
  try {
    validateForest(broken);
  } catch (error) {
    if (error instanceof ForestValidationError) return error.context.invariant;
    throw error;
  }
  return undefined;
};

describe("any forest", () => {
  it.each(Object.keys(BROKEN) as ForestInvariant[])(
    "that breaks FOREST-%s alone is refused for it, and valid before",
    (letter) => {
      fc.assert(
        fc.property(anyForest, (good) => {
          expect(letterOf(good)).toBeUndefined();
          expect(letterOf(BROKEN[letter](good))).toBe(letter);
        }),
        { numRuns: sized(30) },
      );
    },
  );

  it("stays as it is under the weather, which is the same every time and valid", () => {
    fc.assert(
      fc.property(anyForest, (any) => {
        const before = frozen(any);
        const weather = routeWeather(before, 3);
        expect(routeWeather(before, 3)).toEqual(weather);
        const after = underWeather(before, frozen(weather));
        expect(letterOf(after)).toBeUndefined();
        for (const { reason } of after.weather_events) expect(reason).not.toBe("");
      }),
    );
  });

  it("keeps what is frozen without slots until its freeze is over", () => {
    fc.assert(
      fc.property(anyForest, (any) => {
        let now = any;
        for (let cycle = 1; cycle < 5; cycle += 1) {
          const weather = routeWeather(now, cycle);
          const after = underWeather(now, weather);
          for (const { tree_id, status, freeze_remaining = 0 } of now.trees)
            if (status === "frozen" && freeze_remaining > 1) {
              const own = after.trees.find((one) => one.tree_id === tree_id);
              expect([own?.status, own?.recent_budget_share]).toEqual(["frozen", 0]);
            }
          now = after;
        }
      }),
    );
  });

  it("comes to the same whoever was faster, is valid after, and writes to nothing", () => {
    const growthOf = (id: string, kinds: readonly LeafKind[]): TreeGrowth => ({
      tree_id: id,
      seeds: kinds.map((_, index) =>
        seed(`${id}-s${index}`, { novelty: 0.5 }, { related_trees: [id], status: "sow_now" }),
      ),
      results: kinds.map((kind, index) => ({
        ...{ seed_id: `${id}-s${index}`, formula: `f(${index})` },
        record: result({
          ...{ result_id: `r-${id}-${index}`, task_id: `t-${id}-${index}`, classification: kind },
          blocked_from_reuse: kind === "sick_leaf",
          gate_record: record({ G1: { passed: kind === "fruit" } }),
        }),
      })),
    });
    fc.assert(
      fc.property(
        anyForest,
        fc.array(fc.array(anyKind, { maxLength: 3 }), { maxLength: 6 }),
        fc.nat(),
        (any, kinds, shift) => {
          const growths = any.trees.map(({ tree_id }, index) => growthOf(tree_id, kinds[index] ?? []));
          const other = [
            ...growths.slice(shift % (growths.length || 1)),
            ...growths.slice(0, shift % (growths.length || 1)),
          ].reverse();
          const after = mergeGrowths(frozen(any), frozen(growths));
          expect(mergeGrowths(any, other)).toEqual(after);
          expect(letterOf(after)).toBeUndefined();
        },
      ),
    );
  });
});

describe("whatever a skeptic and an aligner say", () => {
  const play = async (passing: number, said: { readonly verdict: () => string; readonly score: number }) => {
    const before = twoTrees();
    const table = stage({
      protocols: [protocol],
      script: {
        ...willing(),
        skeptic: said.verdict,
        aligner: () => JSON.stringify({ score: said.score, reason: "so" }),
      },
      // What a candidate passes follows from its text alone.
      ports: { executor: executorOf((candidate, gate) => random(`${passing} ${candidate} ${gate}`)() < 0.6) },
    });
    const { entries } = await table.play(cycleOpening(before));
    return { entries, after: forestAfter(before, entries) };
  };

  it("changes no gate's outcome, and makes no fruit of what failed one; the debate stays in its bounds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1_000),
        fc.nat(1_000),
        fc.integer({ min: 0, max: 3 }),
        async (passing, words, score) => {
          const next = random(`words ${words}`);
          const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T;
          const { entries, after } = await play(passing, {
            verdict: () =>
              verdict({
                verdict: pick(["proceed", "revise", "reject"]),
                severity: pick(["low", "medium", "high"]),
              }),
            score,
          });
          for (const { data } of eventsOf(entries, "gate-decided"))
            expect(data.outcome).toBe(data.metrics["passed"] === true ? "passed" : "failed");
          for (const { classification, gate_record: gates } of after.results) {
            const isWhole = ["G1", "G3"].every((name) => gates?.gates[name]?.["passed"] === true);
            expect(classification === "fruit").toBe(isWhole && score >= 1);
          }
          const rounds = eventsOf(entries, "round-closed").map(({ data }) => data);
          expect(Math.max(0, ...rounds.map(({ round }) => round))).toBeLessThanOrEqual(2);
          for (const { in: into, culled, revised, proceeded } of rounds)
            expect([...culled, ...revised, ...proceeded].sort()).toEqual([...into].sort());
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});
