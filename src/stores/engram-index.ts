import type { EngramId } from "../kernel/index.ts";
import type { Near, Vector } from "../memory/engram-store.ts";
import { yieldToOthers } from "./database.ts";
import { boundSimilarities, countBytes, unpackBlock, type Block, type PackedBlock } from "./engram-block.ts";

// Whatever could be among the nearest by the bounds of its code is compared by its vector, so the result is exact.
// Before each search the blocks that were written since the last one are read, whoever wrote them.
// INDEX-3. Vectors are read from the database when they are compared, and only those of live engrams: what was forgotten or retired a
//     moment ago is not found (ENGRAM-5). Else: a forgotten memory gets into a prompt.
// The event loop is let go between slices.

/** A block as the database gives it. Every change of one gives it a version above all others of its scope, model and length. */
export type BlockRow = PackedBlock & { readonly number: number; readonly version: number };

/** The vectors of one scope, model and length. */
export type VectorSource = {
  /** Blocks of a version above this one, in the order of their versions. */
  changedSince(version: number, limit: number): Promise<readonly BlockRow[]>;
  /** Blocks of a number above this one, in the order of their numbers. */
  blocksAfter(number: number, limit: number): Promise<readonly BlockRow[]>;
  /** Of these engrams, those that are live. */
  exact(
    engrams: readonly number[],
  ): Promise<readonly { readonly number: number; readonly id: EngramId; readonly vector: Vector }[]>;
};

/** Blocks that are read at once: under a megabyte. */
const READ_BLOCKS = 16;

/** Blocks that are searched at once: 2 to 3 ms of work. */
const SEARCHED_BLOCKS = 64;

/** Vectors that are compared at once. */
const COMPARED_VECTORS = 256;

/** A search begins anew when an engram that it has counted on is gone meanwhile; so often, then it gives what is left. */
const MAX_ATTEMPTS = 5;

/** What a store holds in memory of its vectors, at most: 640,000 of 384 numbers. */
const MAX_BYTES = 256 * 1024 * 1024;

type Index = {
  readonly blocks: Map<number, Block>;
  version: number;
  bytes: number;
  refreshed: Promise<void>;
};

export type NearQuery = {
  readonly vector: Vector;
  readonly limit: number;
  /** Engrams, by number, that are not asked for. */
  readonly without: ReadonlySet<number>;
};

/**
 * What one process knows of the vectors in a database. Those that were not searched for longest are let go when there
 * are too many; those of one source that are too many by themselves are read anew for each search.
 */
export function engramIndexes(mostBytes = MAX_BYTES) {
  const indexes = new Map<string, Index>();
  const tooMany = new Set<string>();

  const held = () => [...indexes.values()].reduce((sum, index) => sum + index.bytes, 0);

  const refresh = async (index: Index, source: VectorSource): Promise<void> => {
    for (;;) {
      const rows = await source.changedSince(index.version, READ_BLOCKS);
      for (const row of rows) {
        const before = index.blocks.get(row.number);
        const block = unpackBlock(row);
        index.blocks.set(row.number, block);
        index.bytes += countBytes(block) - (before ? countBytes(before) : 0);
        index.version = row.version;
      }
      if (rows.length < READ_BLOCKS || index.bytes > mostBytes) return;
      await yieldToOthers();
    }
  };

  /** All blocks as they are now; undefined where they are too many to be held. */
  const current = async (key: string, source: VectorSource): Promise<readonly Block[] | undefined> => {
    if (tooMany.has(key)) return undefined;
    const fresh = { blocks: new Map(), version: 0, bytes: 0, refreshed: Promise.resolve() };
    const index: Index = indexes.get(key) ?? fresh;
    indexes.delete(key);
    indexes.set(key, index);
    // One after the other, and each one's own: who joined another's would miss what was written since that began.
    const refreshed = index.refreshed.catch(() => undefined).then(() => refresh(index, source));
    index.refreshed = refreshed;
    await refreshed;
    if (index.bytes > mostBytes) {
      indexes.delete(key);
      tooMany.add(key);
      return undefined;
    }
    for (const [other, { blocks }] of indexes) {
      if (held() <= mostBytes) break;
      if (blocks !== index.blocks) indexes.delete(other);
    }
    return [...index.blocks.values()];
  };

  async function* slices(key: string, source: VectorSource): AsyncGenerator<readonly Block[]> {
    const blocks = await current(key, source);
    if (blocks) {
      for (let at = 0; at < blocks.length; at += SEARCHED_BLOCKS) {
        if (at > 0) await yieldToOthers();
        yield blocks.slice(at, at + SEARCHED_BLOCKS);
      }
      return;
    }
    for (let after = 0, rows: readonly BlockRow[]; ; after = rows.at(-1)?.number ?? after) {
      rows = await source.blocksAfter(after, READ_BLOCKS);
      yield rows.map(unpackBlock);
      if (rows.length < READ_BLOCKS) return;
      await yieldToOthers();
    }
  }

  const candidatesOf = async (key: string, source: VectorSource, { vector, limit, without }: NearQuery) => {
    /** The lowest similarities of the nearest, largest first. */
    const lowest: number[] = [];
    const worst = () => lowest[limit - 1] ?? -Infinity;
    const candidates: NearCandidate[] = [];
    for await (const blocks of slices(key, source))
      for (const block of blocks)
        boundSimilarities(block, vector, (engram, low, high) => {
          if (high < worst() || without.has(engram)) return;
          const at = lowest.findIndex((one) => one < low);
          lowest.splice(at < 0 ? lowest.length : at, 0, low);
          lowest.length = Math.min(lowest.length, limit);
          candidates.push({ engram, most: high });
        });
    return candidates.filter(({ most }) => most >= worst()).sort((a, b) => b.most - a.most);
  };

  return {
    get bytes() {
      return held();
    },
    /** @param key names the source: its scope, model and length */
    async nearest(key: string, source: VectorSource, query: NearQuery): Promise<readonly Near[]> {
      if (query.limit < 1) return [];
      for (let attempt = 1; ; attempt += 1) {
        const candidates = await candidatesOf(key, source, query);
        const { near, complete } = await compareExactly(candidates, source, query);
        if (complete || attempt === MAX_ATTEMPTS) return near;
      }
    },
  };
}

/** An engram that may be near: `most` is the most that its similarity can be. */
type NearCandidate = { readonly engram: number; readonly most: number };

/** @param candidates best first */
async function compareExactly(
  candidates: readonly NearCandidate[],
  source: VectorSource,
  { vector, limit }: NearQuery,
): Promise<{ readonly near: readonly Near[]; readonly complete: boolean }> {
  let near: Near[] = [];
  let complete = true;
  for (let at = 0; at < candidates.length; at += COMPARED_VECTORS) {
    const worst = near.length === limit ? (near.at(-1)?.similarity ?? -Infinity) : -Infinity;
    const some = candidates.slice(at, at + COMPARED_VECTORS).filter(({ most }) => most >= worst);
    if (some.length === 0) break;
    if (at > 0) await yieldToOthers();
    const live = await source.exact(some.map(({ engram }) => engram));
    complete &&= live.length === some.length;
    near.push(...live.map((one) => ({ id: one.id, similarity: similarity(vector, one.vector) })));
    near = near.sort(compareNearness).slice(0, limit);
  }
  return { near, complete };
}

function compareNearness(a: Near, b: Near): number {
  return b.similarity - a.similarity || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function similarity(one: Vector, other: Vector): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
