import type { Vector } from "./engram-store.ts";

/** The direction of a vector, as a store keeps it: of length 1. null where it has none: empty, all zeros, or no finite numbers. */
export function unitVector(values: readonly number[]): Vector | null {
  let largest = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) return null;
    largest = Math.max(largest, Math.abs(value));
  }
  if (largest === 0) return null;
  // By the largest first, so that no square overflows or vanishes.
  let squares = 0;
  for (const value of values) squares += (value / largest) ** 2;
  const length = Math.sqrt(squares);
  return Float32Array.from(values, (value) => value / largest / length);
}

/** The cosine of two vectors of length 1, −1 to 1; null where they are not of one length, so not of one model. */
export function cosineOf(one: Vector, other: Vector): number | null {
  if (one.length !== other.length) return null;
  let product = 0;
  for (let index = 0; index < one.length; index += 1) product += (one[index] ?? 0) * (other[index] ?? 0);
  return Math.max(-1, Math.min(1, product));
}
