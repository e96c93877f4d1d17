import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dawidSkene, oneCoin, type Label } from "./dawid-skene.ts";
import { random } from "./numbers.ts";

const estimated = (...given: Parameters<typeof dawidSkene>) => {
  const result = dawidSkene(...given);
  if (result === null) throw new Error("no labels");
  return result;
};

// Dawid & Skene 1979, table 1: 45 patients, each by observer 1 three times, then by observers 2 to 5 once.
const patients = `
  1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111
  1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
  1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222`
  .trim()
  .split(/\s+/);
const anaesthetists = patients.flatMap((row, patient) =>
  row.split("").map((label, index) => ({
    item: `patient ${patient + 1}`,
    worker: `observer ${Math.max(1, index - 1)}`,
    label,
  })),
);

/** Workers with known error rates label items of known classes. */
const simulated = (rates: readonly (readonly (readonly number[])[])[], itemCount: number) => {
  const next = random("workers");
  const drawn = (weights: readonly number[]) => {
    let rest = next();
    return weights.findIndex((weight) => (rest -= weight) < 0);
  };
  const truths = Array.from({ length: itemCount }, () => drawn([0.5, 0.3, 0.2]));
  const labels = truths.flatMap((truth, item) =>
    rates.map((rows, worker) => ({
      item: `i${item}`,
      worker: `w${worker}`,
      label: "abc"[drawn(rows[truth] ?? [])] ?? "a",
    })),
  );
  return { truths: truths.map((truth) => "abc"[truth] ?? ""), labels };
};
const best = (shares: Readonly<Record<string, number>>) =>
  Object.entries(shares).toSorted(([, a], [, b]) => b - a)[0]?.[0];

describe("dawidSkene", () => {
  it("gives the published estimates for the anaesthetists (Dawid & Skene 1979, tables 2 to 4)", () => {
    expect(anaesthetists).toHaveLength(315);
    const { prevalence, workers, items, converged } = estimated(anaesthetists);
    expect(converged).toBe(true);
    expect(Object.values(prevalence).map((share) => Number(share.toFixed(2)))).toEqual([
      0.4, 0.42, 0.11, 0.07,
    ]);
    const first = workers["observer 1"];
    expect(Object.values(first?.["1"] ?? {}).map((share) => Number(share.toFixed(2)))).toEqual([
      0.89, 0.11, 0, 0,
    ]);
    expect(Object.values(first?.["2"] ?? {}).map((share) => Number(share.toFixed(2)))).toEqual([
      0.07, 0.88, 0.05, 0,
    ]);
    expect(Object.values(first?.["4"] ?? {}).map((share) => Number(share.toFixed(2)))).toEqual([
      0, 0, 0.56, 0.44,
    ]);
    expect(best(items["patient 3"] ?? {})).toBe("2");
    expect(best(items["patient 36"] ?? {})).toBe("4");
  });

  const rates = [
    [
      [0.9, 0.05, 0.05],
      [0.1, 0.8, 0.1],
      [0.05, 0.05, 0.9],
    ],
    [
      [0.7, 0.2, 0.1],
      [0.1, 0.7, 0.2],
      [0.2, 0.2, 0.6],
    ],
    [
      [0.8, 0.1, 0.1],
      [0.3, 0.6, 0.1],
      [0.1, 0.1, 0.8],
    ],
    [
      [0.6, 0.3, 0.1],
      [0.2, 0.7, 0.1],
      [0.1, 0.2, 0.7],
    ],
    // One who says b to everything.
    [
      [0, 1, 0],
      [0, 1, 0],
      [0, 1, 0],
    ],
  ];
  it("recovers known workers, classes and items better than their majority does", () => {
    const { truths, labels } = simulated(rates, 1_500);
    const { workers, prevalence, items } = estimated(labels);
    const rateOf = (worker: number, truth: number, label: number) =>
      workers[`w${worker}`]?.["abc"[truth] ?? ""]?.["abc"[label] ?? ""] ?? Number.NaN;
    for (const [worker, rows] of rates.entries())
      for (const [truth, row] of rows.entries())
        for (const [label, rate] of row.entries())
          expect(Math.abs(rateOf(worker, truth, label) - rate)).toBeLessThan(0.08);
    for (const [index, share] of [0.5, 0.3, 0.2].entries())
      expect(Math.abs((prevalence["abc"[index] ?? ""] ?? Number.NaN) - share)).toBeLessThan(0.05);
    const right = truths.filter((truth, item) => best(items[`i${item}`] ?? {}) === truth).length;
    const byMajority = truths.filter((truth, item) => {
      const counts: Record<string, number> = { a: 0, b: 0, c: 0 };
      for (const { label } of labels.slice(item * 5, item * 5 + 5)) counts[label] = (counts[label] ?? 0) + 1;
      return best(counts) === truth;
    }).length;
    expect(right).toBeGreaterThan(byMajority);
    expect(right / truths.length).toBeGreaterThan(0.88);
  });

  const some = fc.array(
    fc.record({
      item: fc.constantFrom(..."ijkl".split("")),
      worker: fc.constantFrom(..."uvw".split("")),
      label: fc.constantFrom(..."abc".split("")),
    }),
    { minLength: 1, maxLength: 25 },
  );
  /** The likelihood by its definition. */
  const likelihood = (labels: readonly Label[], { prevalence, workers }: ReturnType<typeof estimated>) =>
    [...new Set(labels.map(({ item }) => item))].reduce((total, item) => {
      const own = labels.filter((one) => one.item === item);
      const shares = Object.entries(prevalence).map(([truth, share]) =>
        own.reduce((product, { worker, label }) => product * (workers[worker]?.[truth]?.[label] ?? 0), share),
      );
      return total + Math.log(shares.reduce((sum, share) => sum + share, 0));
    }, 0);
  it("climbs with every iteration, and gives the likelihood of what it gives", () => {
    fc.assert(
      fc.property(some, (labels) => {
        let before = -Infinity;
        for (let iterations = 1; iterations < 8; iterations += 1) {
          const result = estimated(labels, { maximumIterations: iterations });
          expect(result.logLikelihood).toBeGreaterThanOrEqual(before - 1e-9);
          expect(result.logLikelihood).toBeCloseTo(likelihood(labels, result), 8);
          before = result.logLikelihood;
        }
      }),
    );
  });
  it("gives shares that sum to 1, and the same whatever the order and the names", () => {
    fc.assert(
      fc.property(some, (labels) => {
        const { items, workers, prevalence, iterations, converged } = estimated(labels);
        const rows = [
          ...Object.values(items),
          prevalence,
          ...Object.values(workers).flatMap((row) => Object.values(row)),
        ];
        for (const row of rows)
          if (row !== null)
            expect(Object.values(row).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
        expect(converged || iterations === 1_000).toBe(true);
        const renamed = labels
          .toReversed()
          .map(({ item, worker, label }) => ({ item: `x${item}`, worker: `y${worker}`, label }));
        expect(estimated(renamed, { maximumIterations: 5 }).logLikelihood).toBeCloseTo(
          estimated(labels, { maximumIterations: 5 }).logLikelihood,
          9,
        );
      }),
    );
  });
  it("says null of a class that none of a worker's items can have", () => {
    const labels = [
      { item: "i", worker: "u", label: "a" },
      { item: "j", worker: "v", label: "b" },
    ];
    const { items, workers, prevalence } = estimated(labels);
    expect(workers).toEqual({ u: { a: { a: 1, b: 0 }, b: null }, v: { a: null, b: { a: 0, b: 1 } } });
    expect(items["i"]).toEqual({ a: 1, b: 0 });
    expect(prevalence).toEqual({ a: 0.5, b: 0.5 });
  });
  it("does not vanish under thousands of labels of one item", () => {
    const labels = Array.from({ length: 3_000 }, (_, index) => ({
      item: `i${index % 2}`,
      worker: "w",
      label: index % 3 === 0 ? "a" : "b",
    }));
    expect(Number.isFinite(estimated(labels).logLikelihood)).toBe(true);
  });
  it("is null for no labels", () => {
    expect(dawidSkene([])).toBeNull();
  });
});

describe("oneCoin", () => {
  it("finds each worker's accuracy where every item has labels of its own", () => {
    const next = random("coins");
    const rates = [0.9, 0.8, 0.75, 0.7, 0.5];
    const labels = Array.from({ length: 2_000 }, (_, item) =>
      rates.map((rate, worker) => {
        const label = next() < rate ? `right ${item}` : `wrong ${item} ${Math.floor(next() * 3)}`;
        return { item: `${item}`, worker: `${worker}`, label };
      }),
    ).flat();
    const { accuracy, items } = oneCoin(labels);
    for (const [worker, rate] of rates.entries()) expect(accuracy[worker]).toBeCloseTo(rate, 1);
    const right = (shares: Readonly<Record<string, number>> | undefined) =>
      best(shares ?? {})?.startsWith("right");
    const weighted = Array.from({ length: 2_000 }, (_, item) => right(items[item])).filter(Boolean).length;
    expect(weighted).toBeGreaterThan(2_000 * 0.93);
  });
  it("gives shares that sum to one, whatever the labels are", () => {
    const word = fc.constantFrom("a", "b", "c");
    const label = fc.record({ item: word, worker: word, label: word });
    fc.assert(
      fc.property(fc.array(label, { maxLength: 30 }), (labels) => {
        for (const shares of Object.values(oneCoin(labels).items))
          expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
      }),
    );
  });
});
