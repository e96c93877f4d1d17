import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textBatches } from "./embedding-caller.ts";

const sizes = (texts: readonly string[]): number[] => textBatches(texts).map(({ length }) => length);

describe("textBatches", () => {
  it("are none for no texts, and one for few", () => {
    expect(textBatches([])).toEqual([]);
    expect(textBatches(["b", "a", "b"])).toEqual([["b", "a", "b"]]);
  });

  it("hold 96 texts at most", () => {
    const texts = Array.from({ length: 193 }, (_, index) => `text ${index}`);
    expect(sizes(texts)).toEqual([96, 96, 1]);
    expect(sizes(texts.slice(0, 96))).toEqual([96]);
  });

  it("hold 32,000 UTF-16 units at most", () => {
    const half = "x".repeat(16_000);
    expect(sizes([half, half, half])).toEqual([2, 1]);
    expect(sizes([half, `${half}y`, half])).toEqual([1, 1, 1]);
  });

  it("stand a space for an empty text and the beginning for a long one, without half a character", () => {
    expect(textBatches(["", " "])).toEqual([[" ", " "]]);
    expect(textBatches(["x".repeat(24_000)])).toEqual([["x".repeat(24_000)]]);
    expect(textBatches(["x".repeat(24_001)])).toEqual([["x".repeat(24_000)]]);
    expect(textBatches([`${"x".repeat(23_999)}🦜`])).toEqual([["x".repeat(23_999)]]);
  });

  it("are the texts in their order, whatever these are", () => {
    const text = fc.integer({ min: 1, max: 24_000 }).map((length) => "x".repeat(length));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 200 }), (texts) => {
        const batches = textBatches(texts);
        expect(batches.flat()).toEqual(texts);
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(96);
          expect(batch.join("").length).toBeLessThanOrEqual(32_000);
        }
      }),
      { numRuns: 50 },
    );
  });
});
