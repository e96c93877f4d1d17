import type { Vector } from "../memory/engram-store.ts";

// A code and its vector are never further apart than the entry's `error`, so that a similarity that was computed from codes is wrong by no
// more than `errorOf` says: what is searched by codes first can still be exact.
// BLOCK-2. Of an entry that was cleared nothing is left: its number, scale, error and codes are zeros. Else: what was forgotten is guessed.

/** Numbers of the same model, or of two of the same name. */
export const MAX_DIMENSIONS = 16_384;

/** Codes in one block, about. A block is written anew with each vector that it takes up, and read as one. */
const BLOCK_BYTES = 48 * 1024;

/** Codes are padded with zeros to a multiple of this. */
const CODE_ALIGNMENT = 16;

/** Before each entry's codes: the engram's number (8 bytes), scale (4), error (4); all little-endian. */
const HEAD_BYTES = 16;

/**
 * Vectors of one scope, model and length, packed for searching: each number as one of 255 steps. As a database keeps it:
 * all heads in one blob, all codes in another.
 */
export type PackedBlock = { readonly heads: Blob; readonly codes: Blob };

/** libsql gives an `ArrayBuffer` where it gives several rows. */
export type Blob = Uint8Array | ArrayBuffer;

export function toBytes(blob: Blob): Uint8Array {
  return blob instanceof ArrayBuffer ? new Uint8Array(blob) : blob;
}

/** A block to compute with. The engram 0 is an entry that was cleared. */
export type Block = {
  readonly engrams: Float64Array;
  readonly scales: Float32Array;
  readonly errors: Float32Array;
  readonly codes: Int8Array;
};

export type BlockEntry = { readonly engram: number; readonly vector: Vector };

/** Bytes that an entry's codes take. */
function codeWidth(dimensions: number): number {
  return Math.ceil(dimensions / CODE_ALIGNMENT) * CODE_ALIGNMENT;
}

export function maxEntries(dimensions: number): number {
  return Math.max(1, Math.floor(BLOCK_BYTES / codeWidth(dimensions)));
}

/** Entries that a block holds, cleared ones among them. */
export function countEntries({ heads }: PackedBlock): number {
  return heads.byteLength / HEAD_BYTES;
}

export const EMPTY_BLOCK = { heads: new Uint8Array(0), codes: new Uint8Array(0) };

export function appendEntries(block: PackedBlock, entries: readonly BlockEntry[]) {
  const width = codeWidth(entries[0]?.vector.length ?? 0);
  const before = countEntries(block);
  const heads = new Uint8Array((before + entries.length) * HEAD_BYTES);
  const codes = new Uint8Array((before + entries.length) * width);
  heads.set(toBytes(block.heads));
  codes.set(toBytes(block.codes));
  const view = new DataView(heads.buffer);
  const signed = new Int8Array(codes.buffer);
  entries.forEach(({ engram, vector }, index) => {
    const at = (before + index) * HEAD_BYTES;
    const { scale, error } = encode(vector, signed.subarray((before + index) * width));
    view.setFloat64(at, engram, true);
    view.setFloat32(at + 8, scale, true);
    view.setFloat32(at + 12, error, true);
  });
  return { heads, codes };
}

/** Writes a vector's codes, and says what they stand for. */
function encode(vector: Vector, codes: Int8Array): { readonly scale: number; readonly error: number } {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  // As it is stored, because the error is that of the stored scale.
  const scale = Math.fround(largest / 127);
  let squares = 0;
  vector.forEach((value, index) => {
    const code = scale === 0 ? 0 : Math.max(-127, Math.min(127, Math.round(value / scale)));
    codes[index] = code;
    squares += (value - code * scale) ** 2;
  });
  // Stored with 24 bits, so rounded up by more than the last of them.
  return { scale, error: Math.fround(Math.sqrt(squares) * (1 + 2 ** -20) + 2 ** -40) };
}

/** The block without these engrams; nothing at all where no other is left. The others stay where they are. */
export function clearEntries(block: PackedBlock, engrams: ReadonlySet<number>) {
  const count = countEntries(block);
  // Not by `slice`, which a Buffer has for a view of itself.
  const heads = new Uint8Array(toBytes(block.heads));
  const codes = new Uint8Array(toBytes(block.codes));
  const view = new DataView(heads.buffer);
  const width = codes.length / Math.max(1, count);
  let left = 0;
  for (let index = 0; index < count; index += 1) {
    const engram = view.getFloat64(index * HEAD_BYTES, true);
    if (engrams.has(engram)) {
      heads.fill(0, index * HEAD_BYTES, (index + 1) * HEAD_BYTES);
      codes.fill(0, index * width, (index + 1) * width);
    } else if (engram !== 0) left += 1;
  }
  return left === 0 ? EMPTY_BLOCK : { heads, codes };
}

export function unpackBlock(packed: PackedBlock): Block {
  const [heads, codes] = [toBytes(packed.heads), toBytes(packed.codes)];
  const count = countEntries(packed);
  const view = new DataView(heads.buffer, heads.byteOffset, heads.byteLength);
  const block = {
    engrams: new Float64Array(count),
    scales: new Float32Array(count),
    errors: new Float32Array(count),
    codes: new Int8Array(codes.buffer, codes.byteOffset, codes.byteLength),
  };
  for (let index = 0; index < count; index += 1) {
    const at = index * HEAD_BYTES;
    block.engrams[index] = view.getFloat64(at, true);
    block.scales[index] = view.getFloat32(at + 8, true);
    block.errors[index] = view.getFloat32(at + 12, true);
  }
  return block;
}

/** Bytes that a block holds in memory. */
export function countBytes({ engrams, codes }: Block): number {
  return codes.byteLength + engrams.length * HEAD_BYTES;
}

/** Vectors have length 1, up to this. */
export const LENGTH_TOLERANCE = 1e-3;

/** What is lost by adding up numbers, and more. */
const ROUNDING = 1e-6;

/** Calls `see` with every engram of the block, and the least and the most that its similarity can be. */
export function boundSimilarities(
  { engrams, scales, errors, codes }: Block,
  query: Vector,
  see: (engram: number, least: number, most: number) => void,
): void {
  const width = codeWidth(query.length);
  // As long as a row, so that four numbers can be taken at once: a sum waits for the one before it.
  const padded = new Float32Array(width);
  padded.set(query);
  for (let index = 0; index < engrams.length; index += 1) {
    const engram = engrams[index] ?? 0;
    if (engram === 0) continue;
    const from = index * width;
    let [one, two, three, four] = [0, 0, 0, 0];
    for (let at = 0; at < width; at += 4) {
      one += (padded[at] ?? 0) * (codes[from + at] ?? 0);
      two += (padded[at + 1] ?? 0) * (codes[from + at + 1] ?? 0);
      three += (padded[at + 2] ?? 0) * (codes[from + at + 2] ?? 0);
      four += (padded[at + 3] ?? 0) * (codes[from + at + 3] ?? 0);
    }
    const about = (one + two + three + four) * (scales[index] ?? 0);
    // q·v − q·v' = q·(v − v'), and a product is at most the product of the lengths (Cauchy, Schwarz).
    const error = (1 + LENGTH_TOLERANCE) * (errors[index] ?? 0) + ROUNDING;
    see(engram, about - error, about + error);
  }
}
