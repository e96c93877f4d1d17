export { parseJson } from "../kernel/canonical.ts";

/**
 * Reading JSON that someone else wrote, on the token path: every field may be missing or of another type,
 * and a schema run over each event of a stream would cost more than the rest of the wire together.
 */
export type LooseObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is LooseObject {
  return typeof value === "object" && value !== null;
}

const empty: LooseObject = Object.freeze({});

/** The value itself where it is an object, else an empty one. */
export function toObject(value: unknown): LooseObject {
  return isObject(value) ? value : empty;
}

/** The object at `key`, or an empty one. */
export function objectAt(value: unknown, key: string): LooseObject {
  return toObject(toObject(value)[key]);
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A whole, non-negative number, or null. */
export function toCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function firstCount(...values: readonly unknown[]): number | null {
  for (const value of values) {
    const count = toCount(value);
    if (count !== null) return count;
  }
  return null;
}

export function toItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The JSON text of a parsed value; "" where it is nested too deep to be written. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "";
  }
}
