import * as fc from "fast-check";
import { expect, it } from "vitest";
import { rankerFor } from "./ranks.ts";
import { sized } from "../../../test/support/long.ts";

const none = Number.NaN;

function plainRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    if (Number.isNaN(value)) return none;
    const less = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return less + (equal - 1) / 2;
  });
}

it("ranks are those of comparisons, of values next to each other and of infinities too", () => {
  const near = fc.integer({ min: 0, max: 40 }).map((steps) => 1 + steps * Number.EPSILON);
  const value = fc.oneof(
    fc.double(),
    near,
    near.map((x) => -x),
    fc.constantFrom(0, -0, none, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, Infinity, -Infinity),
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 150 }), (values) => {
      const { ranks, rank } = rankerFor(values.length);
      const count = rank(Float64Array.from([7, ...values]), 1);
      expect(count).toBe(values.filter((one) => !Number.isNaN(one)).length);
      expect([...ranks]).toEqual(plainRanks(values));
    }),
    { numRuns: sized(500) },
  );
});
