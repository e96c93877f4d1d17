import { expect, it } from "vitest";
import { EngramId } from "../kernel/index.ts";
import type { Vector } from "../memory/engram-store.ts";
import { direction, drawn } from "../testing/engram-samples.ts";
import { EMPTY_BLOCK, appendEntries, clearEntries, type PackedBlock } from "./engram-block.ts";
import { engramIndexes, type BlockRow, type VectorSource } from "./engram-index.ts";

const DIMENSIONS = 16;
const PER_BLOCK = 8;

const idOf = (number: number): EngramId => EngramId.parse(`e${number}`);

/** A table of vectors and their blocks; `log` says what was read of it. */
function table() {
  const draw = drawn(5);
  const vectors = new Map<number, Vector>();
  const blocks = new Map<number, PackedBlock & { version: number }>();
  const log: string[] = [];
  let version = 0;
  let onExact = (): void => undefined;
  const write = (number: number, block: PackedBlock) =>
    void blocks.set(number, { heads: block.heads, codes: block.codes, version: (version += 1) });
  const add = (count: number, near: { center?: Vector; spread?: number } = {}) => {
    for (let index = 0; index < count; index += 1) {
      const engram = vectors.size + 1;
      const vector = direction(draw, { dimensions: DIMENSIONS, ...near });
      const number = Math.ceil(engram / PER_BLOCK);
      vectors.set(engram, vector);
      write(number, appendEntries(blocks.get(number) ?? EMPTY_BLOCK, [{ engram, vector }]));
    }
  };
  const rows = (): BlockRow[] => [...blocks].map(([number, block]) => ({ number, ...block }));
  const source: VectorSource = {
    changedSince(after, limit) {
      const found = rows()
        .filter((row) => row.version > after)
        .sort((a, b) => a.version - b.version)
        .slice(0, limit);
      log.push(`changed ${found.length}`);
      return Promise.resolve(found);
    },
    blocksAfter(after, limit) {
      const found = rows()
        .filter((row) => row.number > after)
        .slice(0, limit);
      log.push(`blocks ${found.length}`);
      return Promise.resolve(found);
    },
    exact(engrams) {
      onExact();
      log.push(`exact ${engrams.length}`);
      return Promise.resolve(
        engrams.flatMap((number) => {
          const vector = vectors.get(number);
          return vector ? [{ number, id: idOf(number), vector }] : [];
        }),
      );
    },
  };
  return {
    ...{ add, log, source, vectors },
    query: () => direction(draw, { dimensions: DIMENSIONS }),
    /** Gone from the rows; from its block as well, unless that is to be noticed late. */
    remove: (engram: number, fromBlock = true) => {
      vectors.delete(engram);
      const number = Math.ceil(engram / PER_BLOCK);
      const block = blocks.get(number);
      if (fromBlock && block) write(number, clearEntries(block, new Set([engram])));
    },
    /** What happens once, just before vectors are read. */
    beforeExact: (action: () => void) => {
      onExact = () => {
        onExact = () => undefined;
        action();
      };
    },
    nearest: (vector: Vector, limit: number, without: ReadonlySet<number> = new Set()) =>
      [...vectors]
        .filter(([number]) => !without.has(number))
        .map(([number, own]) => ({
          id: idOf(number),
          similarity: own.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0),
        }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, limit),
  };
}

const none: ReadonlySet<number> = new Set();

it("gives what a comparison of all gives, whatever is left out", async () => {
  const there = table();
  there.add(2_000);
  const indexes = engramIndexes();
  for (const limit of [1, 7, 300, 3_000]) {
    const vector = there.query();
    const without = new Set([...there.vectors.keys()].filter((number) => number % 3 === 0));
    const found = await indexes.nearest("k", there.source, { vector, limit, without });
    expect(found).toEqual(there.nearest(vector, limit, without));
  }
});

it("compares all that codes cannot tell apart, slice by slice", async () => {
  const there = table();
  const center = there.query();
  there.add(1_500, { center, spread: 1e-3 });
  const indexes = engramIndexes();
  for (const limit of [1, 5, 400]) {
    const vector = there.query();
    const found = await indexes.nearest("k", there.source, { vector, limit, without: none });
    expect(found).toEqual(there.nearest(vector, limit));
  }
  expect(there.log.filter((line) => line === "exact 256").length).toBeGreaterThan(3);
});

it("reads a block once, and again when it has changed", async () => {
  const there = table();
  there.add(20 * PER_BLOCK);
  const indexes = engramIndexes();
  const find = async () => {
    const vector = there.query();
    const before = there.log.length;
    expect(await indexes.nearest("k", there.source, { vector, limit: 3, without: none })).toEqual(
      there.nearest(vector, 3),
    );
    return there.log.slice(before).filter((line) => line.startsWith("changed"));
  };
  expect(await find()).toEqual(["changed 16", "changed 4"]);
  expect(await find()).toEqual(["changed 0"]);
  there.add(1);
  expect(await find()).toEqual(["changed 1"]);
  there.remove(5);
  there.remove(6);
  there.remove(50);
  expect(await find()).toEqual(["changed 2"]);
  expect(await Promise.all([find(), find(), find()])).toHaveLength(3);
});

it("INDEX-3: begins anew when what it has counted on is gone, so that as many are found as there are", async () => {
  const there = table();
  there.add(100);
  const indexes = engramIndexes();
  const vector = there.query();
  const [first] = there.nearest(vector, 1);
  there.beforeExact(() => there.remove(Number(first?.id.slice(1))));
  expect(await indexes.nearest("k", there.source, { vector, limit: 2, without: none })).toEqual(
    there.nearest(vector, 2),
  );
  // A block that is never brought up to date cannot keep it for ever.
  there.remove(Number(there.nearest(vector, 1)[0]?.id.slice(1)), false);
  const left = await indexes.nearest("k", there.source, { vector, limit: 1, without: none });
  expect(left.length).toBeLessThanOrEqual(1);
});

it("holds no more than it may: lets the others go, and reads anew what is too much by itself", async () => {
  const there = table();
  there.add(30 * PER_BLOCK);
  const bytes = 30 * PER_BLOCK * (DIMENSIONS + 16);
  const indexes = engramIndexes(2 * bytes);
  const find = async (key: string, limit = 3) => {
    const vector = there.query();
    const before = there.log.length;
    expect(await indexes.nearest(key, there.source, { vector, limit, without: none })).toEqual(
      there.nearest(vector, limit),
    );
    return there.log.slice(before)[0];
  };
  expect([await find("a"), await find("b"), indexes.bytes]).toEqual(["changed 16", "changed 16", 2 * bytes]);
  expect([await find("a"), await find("c"), indexes.bytes]).toEqual(["changed 0", "changed 16", 2 * bytes]);
  expect([await find("a"), await find("b"), indexes.bytes]).toEqual(["changed 0", "changed 16", 2 * bytes]);
  const small = engramIndexes(bytes - 1);
  const vector = there.query();
  for (const expected of ["changed 16", "blocks 16"]) {
    const before = there.log.length;
    const found = await small.nearest("a", there.source, { vector, limit: 5, without: none });
    expect(found).toEqual(there.nearest(vector, 5));
    expect([there.log[before], small.bytes]).toEqual([expected, 0]);
  }
});

it("lets others have their turn while it reads", async () => {
  const there = table();
  there.add(200 * PER_BLOCK);
  let turns = 0;
  let over = false;
  const count = () => {
    turns += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  await engramIndexes().nearest("k", there.source, { vector: there.query(), limit: 3, without: none });
  over = true;
  expect(turns).toBeGreaterThan(10);
});
