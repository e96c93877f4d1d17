import { expect, it } from "vitest";
import { drawn } from "../testing/engram-samples.ts";
import { CODE_ALIGNMENT, MAX_CODE_BYTES, codeProducts } from "./code-products.ts";

const draw = drawn(3);

const row = (length: number, most: number) =>
  Array.from({ length }, () => Math.round((draw() * 2 - 1) * most));

const byHand = (codes: Int8Array, query: Int16Array): number[] =>
  Array.from({ length: codes.length / query.length }, (_, at) =>
    query.reduce((sum, value, place) => sum + value * (codes[at * query.length + place] ?? 0), 0),
  );

const ways = { "with WebAssembly": codeProducts(), "without it": codeProducts(null) };

it.each(Object.entries(ways))("multiplies rows of codes with a query, %s", (_, products) => {
  for (const width of [16, 32, 48, 384, 1_536, 16_384]) {
    for (const rows of [0, 1, 2, 3]) {
      const query = Int16Array.from(row(width, 2_000));
      const codes = Int8Array.from(row(width * rows, 127));
      expect(Array.from(products(codes, query))).toEqual(byHand(codes, query));
    }
  }
});

it.each(Object.entries(ways))("is right at the ends of its range, %s", (_, products) => {
  const query = Int16Array.from({ length: 384 }, (_value, at) => (at % 2 ? 32_767 : -32_767));
  const codes = Int8Array.from(
    { length: 384 * 2 },
    (_value, at) => (at % 2 ? 127 : -127) * (at < 384 ? 1 : -1),
  );
  expect(Array.from(products(codes, query))).toEqual([384 * 127 * 32_767, -384 * 127 * 32_767]);
  const many = Int8Array.from(row(MAX_CODE_BYTES, 127));
  const narrow = Int16Array.from(row(CODE_ALIGNMENT, 32_767));
  expect(Array.from(products(many, narrow))).toEqual(byHand(many, narrow));
});

it("uses WebAssembly where there is some", () => {
  const [query, codes] = [new Int16Array(16), new Int8Array(32)];
  const { buffer: first } = ways["with WebAssembly"](codes, query);
  expect(ways["with WebAssembly"](codes, query).buffer).toBe(first);
  const { buffer: other } = ways["without it"](codes, query);
  expect(ways["without it"](codes, query).buffer).not.toBe(other);
});
