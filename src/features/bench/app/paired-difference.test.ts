import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wilson } from "../../../stats/proportions.ts";
import { random } from "../../../stats/numbers.ts";
import { pairedDifference } from "./report.ts";

const counts = fc.record({
  both: fc.nat(60),
  onlyFirst: fc.nat(30),
  onlySecond: fc.nat(30),
  neither: fc.nat(60),
});

describe("a paired difference", () => {
  it("is null without items, and lies within its interval, within −1 and 1", () => {
    expect(pairedDifference({ both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 })).toBeNull();
    fc.assert(
      fc.property(counts, (cells) => {
        const found = pairedDifference(cells);
        fc.pre(found !== null);
        const { value, low, high } = found ?? { value: 0, low: 0, high: 0 };
        const n = cells.both + cells.onlyFirst + cells.onlySecond + cells.neither;
        expect(value).toBeCloseTo((cells.onlyFirst - cells.onlySecond) / n);
        expect(low).toBeLessThanOrEqual(value + 1e-12);
        expect(high).toBeGreaterThanOrEqual(value - 1e-12);
        expect(low).toBeGreaterThanOrEqual(-1 - 1e-12);
        expect(high).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });
  it("turns round with the arms", () => {
    fc.assert(
      fc.property(counts, (cells) => {
        const one = pairedDifference(cells);
        const other = pairedDifference({
          ...cells,
          onlyFirst: cells.onlySecond,
          onlySecond: cells.onlyFirst,
        });
        expect(other?.low ?? 0).toBeCloseTo(-(one?.high ?? 0), 10);
        expect(other?.high ?? 0).toBeCloseTo(-(one?.low ?? 0), 10);
      }),
    );
  });
  it("is that of two independent shares where the arms are not correlated (Newcombe's method 10 of unpaired shares)", () => {
    // 40 of 80 and 40 of 80, independent: 20 in each cell.
    const found = pairedDifference({ both: 20, onlyFirst: 20, onlySecond: 20, neither: 20 });
    const { low, high } = wilson(40, 80) ?? { low: 0, high: 0 };
    expect(found?.high).toBeCloseTo(Math.hypot(high - 0.5, 0.5 - low), 10);
  });
  it("is narrower where the arms go together, and wider where they go against each other", () => {
    const width = (cells: Parameters<typeof pairedDifference>[0]) => {
      const found = pairedDifference(cells);
      return (found?.high ?? 0) - (found?.low ?? 0);
    };
    const apart = width({ both: 20, onlyFirst: 20, onlySecond: 20, neither: 20 });
    expect(width({ both: 36, onlyFirst: 4, onlySecond: 4, neither: 36 })).toBeLessThan(apart * 0.6);
    expect(width({ both: 4, onlyFirst: 36, onlySecond: 36, neither: 4 })).toBeGreaterThan(apart * 1.2);
  });
  it("covers the true difference about 95 times in 100", () => {
    const share = [0.5, 0.15, 0.05, 0.3] as const;
    const next = random(7);
    let covered = 0;
    const runs = 1_000;
    for (let run = 0; run < runs; run += 1) {
      const cells = { both: 0, onlyFirst: 0, onlySecond: 0, neither: 0 };
      for (let item = 0; item < 60; item += 1) {
        const drawn = next();
        if (drawn < share[0]) cells.both += 1;
        else if (drawn < share[0] + share[1]) cells.onlyFirst += 1;
        else if (drawn < share[0] + share[1] + share[2]) cells.onlySecond += 1;
        else cells.neither += 1;
      }
      const found = pairedDifference(cells);
      if (found && found.low <= 0.1 && 0.1 <= found.high) covered += 1;
    }
    expect(covered / runs).toBeGreaterThan(0.92);
    expect(covered / runs).toBeLessThan(0.985);
  });
});
