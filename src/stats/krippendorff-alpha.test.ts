import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kappa } from "./kappa.ts";
import { krippendorffAlpha } from "./krippendorff-alpha.ts";

const read = (row: string) => [...row].map((value) => (value === "." ? null : Number(value)));
const observers = ["123321412...", "123322412553".slice(0, 10) + ".3", ".3332342251.", "12332441251."].map(
  read,
);
const units = Array.from({ length: 12 }, (_, unit) => observers.map((row) => row[unit] ?? null));

const ratings = fc.array(
  fc.array(fc.option(fc.integer({ min: 1, max: 4 })), { minLength: 2, maxLength: 4 }),
  { maxLength: 10 },
);

describe("krippendorffAlpha", () => {
  it("gives the published figures of four observers, twelve units and missing values (Krippendorff 2011)", () => {
    expect(krippendorffAlpha(units, { metric: "nominal" })).toBeCloseTo(0.743, 3);
    expect(krippendorffAlpha(units, { metric: "ordinal" })).toBeCloseTo(0.815, 3);
    expect(krippendorffAlpha(units, { metric: "interval" })).toBeCloseTo(0.849, 3);
    expect(krippendorffAlpha(units, { metric: "ratio" })).toBeCloseTo(0.797, 3);
  });
  it("gives the published figures of two observers (Krippendorff 2011: 0.095 binary, 0.692 nominal)", () => {
    const binary = [...Array(10).keys()].map((unit) => ["0100000001"[unit] ?? "", "1110010000"[unit] ?? ""]);
    expect(krippendorffAlpha(binary, { metric: "nominal" })).toBeCloseTo(0.095, 3);
    const nominal = [...Array(12).keys()].map((unit) => [
      "aabbdcccedda"[unit] ?? "",
      "babbbccceddd"[unit] ?? "",
    ]);
    expect(krippendorffAlpha(nominal, { metric: "nominal" })).toBeCloseTo(0.692, 3);
  });
  it("is 1 for agreement in any metric, and null where nothing can differ", () => {
    for (const metric of ["ordinal", "interval", "ratio"] as const)
      expect(
        krippendorffAlpha(
          [
            [1, 1, null],
            [4, 4],
          ],
          { metric },
        ),
      ).toBe(1);
    expect(
      krippendorffAlpha(
        [
          ["a", "a"],
          ["b", "b", "b"],
        ],
        { metric: "nominal" },
      ),
    ).toBe(1);
    expect(krippendorffAlpha([], { metric: "nominal" })).toBeNull();
    expect(krippendorffAlpha([["a", null], ["b"]], { metric: "nominal" })).toBeNull();
    expect(
      krippendorffAlpha(
        [
          [2, 2],
          [2, 2],
        ],
        { metric: "interval" },
      ),
    ).toBeNull();
  });
  it("tells 0 from 0 by no ratio", () => {
    expect(
      krippendorffAlpha(
        [
          [0, 0],
          [0, 1],
        ],
        { metric: "ratio" },
      ),
    ).toBe(0);
  });
  it("does not depend on the order of units or observers, nor on units that one observer judged", () => {
    fc.assert(
      fc.property(ratings, fc.constantFrom("ordinal", "interval", "ratio"), (given, metric) => {
        const value = krippendorffAlpha(given, { metric });
        const turned = [...given.map((unit) => unit.toReversed()).toReversed(), [3], [null, 9, null]];
        const again = krippendorffAlpha(turned, { metric });
        if (value === null) expect(again).toBeNull();
        else expect(again).toBeCloseTo(value, 10);
        expect(value ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
  it("does not depend on the unit of an interval or ratio, nor on the spacing of an order, nor on names", () => {
    fc.assert(
      fc.property(ratings, (given) => {
        const mapped = <T>(by: (value: number) => T) =>
          given.map((unit) => unit.map((value) => (value === null ? null : by(value))));
        const same = (one: number | null, other: number | null) =>
          one === null ? expect(other).toBeNull() : expect(other).toBeCloseTo(one, 9);
        same(
          krippendorffAlpha(given, { metric: "interval" }),
          krippendorffAlpha(
            mapped((v) => 5 * v - 9),
            { metric: "interval" },
          ),
        );
        same(
          krippendorffAlpha(given, { metric: "ratio" }),
          krippendorffAlpha(
            mapped((v) => 3 * v),
            { metric: "ratio" },
          ),
        );
        same(
          krippendorffAlpha(given, { metric: "ordinal" }),
          krippendorffAlpha(
            mapped((v) => v ** 3),
            { metric: "ordinal" },
          ),
        );
        same(
          krippendorffAlpha(given, { metric: "nominal" }),
          krippendorffAlpha(
            mapped((v) => `label ${9 - v}`),
            { metric: "nominal" },
          ),
        );
      }),
    );
  });
  it("comes near Cohen's κ for two observers with the same shares and many units", () => {
    const first = Array.from({ length: 600 }, (_, unit) => (unit % 3 === 0 ? "a" : "b"));
    const second = first.map((_, unit) => first[(unit + (unit % 5 === 0 ? 3 : 1)) % 600] ?? "a");
    const alpha = krippendorffAlpha(
      first.map((label, unit) => [label, second[unit] ?? null]),
      { metric: "nominal" },
    );
    expect(alpha).toBeCloseTo(kappa(first, second) ?? Number.NaN, 1);
  });
  it("compares labels as nominal unless told otherwise, and refuses another metric", () => {
    expect(krippendorffAlpha(units)).toBe(krippendorffAlpha(units, { metric: "nominal" }));
    // As a caller without types may.
    const metric = "cubic" as "nominal";
    expect(() => krippendorffAlpha(units, { metric })).toThrow(/cubic/);
  });
  it("refuses labels where numbers are compared", () => {
    expect(() => krippendorffAlpha([[1, Number.NaN]], { metric: "interval" })).toThrow(RangeError);
    expect(() => krippendorffAlpha([[1, -1]], { metric: "ratio" })).toThrow(RangeError);
    expect(
      krippendorffAlpha(
        [
          [1, -1],
          [1, 1],
        ],
        { metric: "interval" },
      ),
    ).toBe(0);
  });
});
