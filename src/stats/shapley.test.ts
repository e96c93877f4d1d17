import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shapley } from "./shapley.ts";

const names = ["ann", "bob", "cyd", "dan", "eve"];

/** A game on up to five players with a random worth for every coalition. */
const game = fc.integer({ min: 0, max: 5 }).chain((count) =>
  fc
    .array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 2 ** count, maxLength: 2 ** count })
    .map((worths) => {
      const players = names.slice(0, count);
      const key = (coalition: readonly string[]) =>
        coalition.reduce((mask, player) => mask + 2 ** players.indexOf(player), 0);
      return { players, value: (coalition: readonly string[]) => worths[key(coalition)] ?? 0 };
    }),
);

const permutations = (ids: readonly string[]): string[][] =>
  ids.length === 0
    ? [[]]
    : ids.flatMap((id) => permutations(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]));

describe("shapley", () => {
  it("gives the glove game its known values: 2/3 to the only left glove, 1/6 to each right one", () => {
    const pairs = (coalition: readonly string[]) =>
      Number(coalition.includes("left") && coalition.length > 1);
    const values = shapley(["left", "right 1", "right 2"], pairs);
    expect(values["left"]).toBeCloseTo(2 / 3, 12);
    expect(values["right 1"]).toBeCloseTo(1 / 6, 12);
    expect(values["right 2"]).toBeCloseTo(1 / 6, 12);
  });
  it("gives the airport game its known values: each length shared by those who need it (Littlechild & Owen 1973)", () => {
    const cost: Record<string, number> = { small: 8, medium: 11, large: 18 };
    const values = shapley(Object.keys(cost), (coalition) =>
      Math.max(0, ...coalition.map((id) => cost[id] ?? 0)),
    );
    expect(values["small"]).toBeCloseTo(8 / 3, 12);
    expect(values["medium"]).toBeCloseTo(8 / 3 + 3 / 2, 12);
    expect(values["large"]).toBeCloseTo(8 / 3 + 3 / 2 + 7, 12);
  });
  it("is the mean over all orders, and sums to what all add to nobody", () => {
    fc.assert(
      fc.property(game, ({ players, value }) => {
        const values = shapley(players, value);
        const orders = permutations(players);
        for (const player of players) {
          const added = orders.map((order) => {
            const before = players.filter((other) => order.indexOf(other) < order.indexOf(player));
            const after = players.filter((other) => before.includes(other) || other === player);
            return value(after) - value(before);
          });
          expect(values[player]).toBeCloseTo(added.reduce((sum, one) => sum + one, 0) / orders.length, 9);
        }
        const sum = Object.values(values).reduce((total, one) => total + one, 0);
        expect(sum).toBeCloseTo(value(players) - value([]), 9);
      }),
      { numRuns: 50 },
    );
  });
  it("gives a player who adds the same to all just that, and nothing to one who adds nothing", () => {
    fc.assert(
      fc.property(game, ({ players, value }) => {
        const values = shapley([...players, "own", "idle"], (coalition) => {
          const rest = coalition.filter((id) => id !== "own" && id !== "idle");
          return value(rest) + (coalition.includes("own") ? 3 : 0);
        });
        expect(values["own"]).toBeCloseTo(3, 9);
        expect(values["idle"]).toBeCloseTo(0, 9);
      }),
      { numRuns: 50 },
    );
  });
  it("asks for every coalition once, members in the order of the players", () => {
    const asked: string[] = [];
    shapley(["b", "a", "c"], (coalition) => asked.push(coalition.join("")));
    expect(asked).toEqual(["", "b", "a", "ba", "c", "bc", "ac", "bac"]);
  });
  it("keeps names that objects have of their own, and gives nobody nothing", () => {
    expect(Object.entries(shapley(["__proto__"], (coalition) => coalition.length))).toEqual([
      ["__proto__", 1],
    ]);
    expect(shapley([], () => 5)).toEqual({});
  });
  it("refuses too many players, and one named twice, before asking", () => {
    const never = () => {
      throw new Error("asked");
    };
    expect(() =>
      shapley(
        Array.from({ length: 17 }, (_, index) => `p${index}`),
        never,
      ),
    ).toThrow(RangeError);
    expect(() => shapley(["a", "a"], never)).toThrow(RangeError);
  });
});
