/**
 * Scalar products of many rows of 8-bit whole numbers with one row of 16-bit ones: 16 multiplications an instruction where
 * WebAssembly has SIMD, one where it has not (or is switched off); the results are the same, because they are whole numbers.
 * Measured over 100,000 rows of 384: 5 ms against 46 ms.
 */
export type CodeProducts = (codes: Int8Array, query: Int16Array) => Int32Array;

/** Rows are padded with zeros to a multiple of this. */
export const CODE_ALIGNMENT = 16;

/** Maximum bytes of a batch of rows. */
export const MAX_CODE_BYTES = 64 * 1024;

const PAGE_BYTES = 64 * 1024;

/** Codes, then the query (at most twice as long as they are), then the products (at most four bytes for sixteen codes). */
const QUERY_AT = MAX_CODE_BYTES;
const PRODUCTS_AT = QUERY_AT + 2 * PAGE_BYTES;
const PAGES = 4;

/** What this file needs of WebAssembly, for which Node's types have no declaration. */
type Wasm = {
  readonly validate: (bytes: Uint8Array) => boolean;
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

/**
 * A query has as many numbers as a row, a multiple of `CODE_ALIGNMENT`; 127 times the sum of their sizes must be below 2^31.
 * What is given back lives until the next call.
 *
 * @param wasm what runs the module; null where there is nothing that could
 */
export function codeProducts(wasm: Wasm | null = systemWasm()): CodeProducts {
  if (!wasm?.validate(MODULE)) return plainProducts;
  const memory = new wasm.Memory({ initial: PAGES });
  const instance = new wasm.Instance(new wasm.Module(MODULE), { m: { m: memory } });
  // The module below exports this one function.
  const { products } = instance.exports as { products: (...args: number[]) => void };
  const bytes = new Int8Array(memory.buffer);
  const numbers = new Int16Array(memory.buffer);
  return (codes, query) => {
    const rows = codes.length / query.length;
    bytes.set(codes);
    numbers.set(query, QUERY_AT / 2);
    products(0, rows, QUERY_AT, query.length, PRODUCTS_AT);
    return new Int32Array(memory.buffer, PRODUCTS_AT, rows);
  };
}

// Node has it unless it was started with --jitless.
function systemWasm(): Wasm | null {
  return (globalThis as { WebAssembly?: Wasm }).WebAssembly ?? null;
}

const plainProducts: CodeProducts = (codes, query) => {
  const products = new Int32Array(codes.length / query.length);
  let at = 0;
  for (let row = 0; row < products.length; row += 1) {
    let sum = 0;
    for (const value of query) sum += value * (codes[at++] ?? 0);
    products[row] = sum;
  }
  return products;
};

/* The module, as `wat2wasm --enable-simd` (wabt) assembles it:

(module (memory (import "m" "m") 1)
  (func (export "products") (param $codes i32) (param $rows i32) (param $query i32) (param $width i32) (param $out i32)
    (local $end i32) (local $at i32) (local $sum v128) (local $sixteen v128)
    (local.set $end (i32.add (local.get $query) (i32.add (local.get $width) (local.get $width))))
    (block
      (br_if 0 (i32.eqz (local.get $rows)))
      (loop $row
        (local.set $at (local.get $query))
        (local.set $sum (i32x4.splat (i32.const 0)))
        (loop $next
          (local.set $sixteen (v128.load (local.get $codes)))
          (local.set $sum (i32x4.add
            (i32x4.add (local.get $sum)
              (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $sixteen)) (v128.load (local.get $at))))
            (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $sixteen)) (v128.load offset=16 (local.get $at)))))
          (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
        (i32.store (local.get $out) (i32.add (i32.add (i32.add
          (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
          (i32x4.extract_lane 2 (local.get $sum))) (i32x4.extract_lane 3 (local.get $sum))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $rows (i32.sub (local.get $rows) (i32.const 1)))
        (br_if $row (local.get $rows))))))
*/
const MODULE = Buffer.from(
  "AGFzbQEAAAABCQFgBX9/f39/AAIIAQFtAW0CAAEDAgEABwwBCHByb2R1Y3RzAAAKnAEBmQECAn8CeyACIAMgA2pqIQUCQC" +
    "ABRQ0AA0AgAiEGQQD9ESEHA0AgAP0ABAAhCCAHIAj9hwEgBv0ABAD9ugH9rgEgCP2IASAG/QAEEP26Af2uASEHIABBEGoh" +
    "ACAGQSBqIQYgBiAFSQ0ACyAEIAf9GwAgB/0bAWogB/0bAmogB/0bA2o2AgAgBEEEaiEEIAFBAWshASABDQALCws=",
  "base64",
);
