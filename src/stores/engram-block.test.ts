import { expect, it } from "vitest";
import { direction, drawn } from "../testing/engram-samples.ts";
import {
  EMPTY_BLOCK,
  appendEntries,
  maxEntries,
  boundSimilarities,
  clearEntries,
  countEntries,
  unpackBlock,
  type BlockEntry,
  type PackedBlock,
} from "./engram-block.ts";

const draw = drawn(11);

const entries = (count: number, dimensions: number, from = 1): BlockEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    engram: from + index,
    vector: direction(draw, { dimensions }),
  }));

const seen = (packed: PackedBlock, vector: Float32Array): [engram: number, least: number, most: number][] => {
  const found: [number, number, number][] = [];
  boundSimilarities(unpackBlock(packed), vector, (...one) => found.push(one));
  return found;
};

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

it.each([1, 3, 16, 50, 384, 1_024, 3_072])(
  "bounds every similarity from both sides, of %i numbers",
  (dimensions) => {
    const some = entries(Math.min(12, maxEntries(dimensions)), dimensions);
    const packed = appendEntries(EMPTY_BLOCK, some);
    for (const query of [...entries(20, dimensions), ...some].map(({ vector }) => vector)) {
      const found = seen(packed, query);
      expect(found.map(([engram]) => engram)).toEqual(some.map(({ engram }) => engram));
      for (const [engram, least, most] of found) {
        const exact = dot(some[engram - 1]?.vector ?? query, query);
        expect(least).toBeLessThanOrEqual(exact);
        expect(most).toBeGreaterThanOrEqual(exact);
        // Tight enough to leave few others to be compared.
        expect(most - least).toBeLessThan(dimensions === 1 ? 1e-2 : 0.03);
      }
    }
  },
);

it("bounds what its steps fit worst: one number far above the others", () => {
  const dimensions = 384;
  const vector = new Float32Array(dimensions).fill(0.49 / 127 / Math.sqrt(1 + 383 * (0.49 / 127) ** 2));
  vector[0] = 1 / Math.sqrt(1 + 383 * (0.49 / 127) ** 2);
  const packed = appendEntries(EMPTY_BLOCK, [{ engram: 1, vector }]);
  for (const { vector: query } of [{ vector }, ...entries(20, dimensions)]) {
    const [[, least, most] = [0, 1, -1]] = seen(packed, query);
    expect(least).toBeLessThanOrEqual(dot(vector, query));
    expect(most).toBeGreaterThanOrEqual(dot(vector, query));
  }
});

it("adds to a block what it is given, after what it has", () => {
  const [first, second] = [entries(3, 20), entries(2, 20, 4)];
  const one = appendEntries(EMPTY_BLOCK, first);
  const both = appendEntries(one, second);
  expect([countEntries(one), countEntries(both)]).toEqual([3, 5]);
  expect(both).toEqual(appendEntries(EMPTY_BLOCK, [...first, ...second]));
});

it("BLOCK-2: leaves nothing of what is cleared, and the others where they are", () => {
  const some = entries(4, 20);
  const block = appendEntries(EMPTY_BLOCK, some);
  const before = structuredClone(block);
  const without = clearEntries(block, new Set([2, 9]));
  expect(block).toEqual(before);
  expect(without.heads.subarray(16, 32)).toEqual(new Uint8Array(16));
  expect(without.codes.subarray(32, 64)).toEqual(new Uint8Array(32));
  const query = some[0]?.vector ?? new Float32Array(20);
  const others = seen(block, query).filter(([engram]) => engram !== 2);
  expect(seen(without, query)).toEqual(others);
  expect(clearEntries(without, new Set([1, 3, 4]))).toBe(EMPTY_BLOCK);
});

it("reads bytes that stand anywhere, as databases give them", () => {
  const block = appendEntries(EMPTY_BLOCK, entries(2, 20));
  const moved = (bytes: Uint8Array) => {
    const buffer = Buffer.alloc(bytes.length + 3);
    buffer.set(bytes, 3);
    return buffer.subarray(3);
  };
  const there = { heads: moved(block.heads), codes: moved(block.codes) };
  expect(unpackBlock(there)).toEqual(unpackBlock(block));
  expect(clearEntries(there, new Set([1]))).toEqual(clearEntries(block, new Set([1])));
  expect(unpackBlock(there).engrams).toEqual(new Float64Array([1, 2]));
});

it("says how large a block is: about 48 KB, and one entry at least", () => {
  expect([1, 384, 1_536, 16_384].map(maxEntries)).toEqual([3_072, 128, 32, 3]);
});
