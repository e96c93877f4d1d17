import { describe, expect, it } from "vitest";
import { random } from "./numbers.ts";

const drawn = (seed: string | number, count: number) => {
  const next = random(seed);
  return Array.from({ length: count }, next);
};

describe("random", () => {
  it("gives these numbers for ever: recorded standings rest on them", () => {
    expect(drawn("standing", 4).map((value) => value * 2 ** 32)).toMatchInlineSnapshot(`
      [
        3068876559,
        1426184358,
        1191303656,
        3948934569,
      ]
    `);
  });
  it("depends on the seed alone", () => {
    expect(drawn("a", 20)).toEqual(drawn("a", 20));
    expect(drawn(1, 20)).toEqual(drawn("1", 20));
    const first = ["a", "b", "", "ab", "ba", 0, 1, 2, 3].map((seed) => drawn(seed, 1)[0]);
    expect(new Set(first).size).toBe(first.length);
  });
  it("is spread evenly over [0, 1), singly and in pairs", () => {
    const values = drawn("spread", 20_000);
    const cells = Array.from({ length: 100 }, () => 0);
    for (let index = 0; index < values.length; index += 2) {
      const [x = 0, y = 0] = values.slice(index, index + 2);
      const cell = Math.floor(x * 10) * 10 + Math.floor(y * 10);
      cells[cell] = (cells[cell] ?? 0) + 1;
    }
    // χ² with 99 degrees of freedom: within 60 and 150 but for one in a thousand.
    const chiSquare = cells.reduce((sum, count) => sum + (count - 100) ** 2 / 100, 0);
    expect(chiSquare).toBeGreaterThan(60);
    expect(chiSquare).toBeLessThan(150);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
  });
});
