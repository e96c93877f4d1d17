import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneCoin } from "./dawid-skene.ts";
import { random } from "../../../stats/numbers.ts";

const best = (shares: Readonly<Record<string, number>>) =>
  Object.entries(shares).toSorted(([, a], [, b]) => b - a)[0]?.[0];

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
