/** More than any model gives; it bounds what a reply may cost. */
const mostDimensions = 16_384;

export type VectorsReading =
  | { readonly ok: true; readonly vectors: readonly (readonly number[])[] }
  | { readonly ok: false; readonly reason: string };

const isVector = (value: unknown): value is readonly number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= mostDimensions &&
  value.every((component) => Number.isFinite(component));

/** `items` as vectors of finite numbers: one for each of `count` texts. */
export const readVectors = (items: readonly unknown[], count: number): VectorsReading => {
  if (items.length !== count)
    return { ok: false, reason: `the reply has ${items.length} vectors for ${count} texts` };
  const vectors = items.filter(isVector);
  return vectors.length === count
    ? { ok: true, vectors }
    : { ok: false, reason: "the reply has a vector that is no list of finite numbers" };
};

/** Whether all have as many numbers as the first. */
export const areOfOneLength = (vectors: readonly (readonly number[])[]): boolean =>
  vectors.every(({ length }) => length === vectors[0]?.length);
