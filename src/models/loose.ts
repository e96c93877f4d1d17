/**
 * Reading JSON that someone else wrote, on the token path: every field may be missing or of another type,
 * and a schema run over each event of a stream would cost more than the rest of the wire together.
 */
export type Loose = { readonly [key: string]: unknown };

export const isLoose = (value: unknown): value is Loose => typeof value === "object" && value !== null;

const empty: Loose = Object.freeze({});

/** The value itself where it is an object, else an empty one. */
export const looseOf = (value: unknown): Loose => (isLoose(value) ? value : empty);

/** The object at `key`, or an empty one. */
export const at = (value: unknown, key: string): Loose => looseOf(looseOf(value)[key]);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A whole, non-negative number, or null. */
export const countOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** The first that is a count. */
export const firstCount = (...values: readonly unknown[]): number | null => {
  for (const value of values) {
    const count = countOf(value);
    if (count !== null) return count;
  }
  return null;
};

export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value of a JSON text, or undefined where it is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
};
