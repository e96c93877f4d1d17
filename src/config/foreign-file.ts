import * as z from "zod";
import { checkedFile } from "./checked-file.ts";
import { nearest } from "./nearest.ts";
import { shown } from "./refusal.ts";
import { fileName } from "./text-file.ts";
import type { YamlFile } from "./yaml.ts";

/** What a file says, and what its owner should know of it. */
export type ForeignReading<T> = { readonly data: T; readonly warnings: readonly string[] };

const MOST_WARNINGS = 20;

/**
 * A file whose form another program laid down: a key that is not known here is left out with a warning, since that
 * program may know it. Anything else that is wrong is wrong.
 * @throws Fault `configuration` as `checkedFile` does
 */
export function foreignFile<S extends z.ZodType>(
  file: YamlFile,
  schema: S,
  form: string,
): ForeignReading<z.output<S>> {
  const unknown: UnknownKey[] = [];
  const value = known(file.value, { schema, path: [] }, unknown);
  const data = checkedFile({ ...file, value }, schema, form);
  // A place is found by counting lines, which takes time, and nobody reads a thousand warnings.
  const warnings = unknown.slice(0, MOST_WARNINGS).map(({ path, keys }) => {
    const key = path.at(-1);
    const hint = `the nearest is ${nearest(String(key), keys)}`;
    return `${file.place(path, "key")}: there is no key ${shown(key)} here, and it is ignored; ${hint}`;
  });
  const more = unknown.length - warnings.length;
  return {
    data,
    warnings: more > 0 ? [...warnings, `${fileName(file.path)}: ${more} more keys are ignored`] : warnings,
  };
}

type UnknownKey = { readonly path: readonly PropertyKey[]; readonly keys: readonly string[] };
type Spot = { readonly schema: unknown; readonly path: readonly PropertyKey[] };

/** The value without the keys that the schema does not know, at any depth; those are added to `unknown`. */
function known(value: unknown, { schema, path }: Spot, unknown: UnknownKey[]): unknown {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((one, index) => known(one, { schema: inner.element, path: [...path, index] }, unknown));
  }
  if (!(inner instanceof z.ZodObject) || typeof value !== "object" || value === null || Array.isArray(value))
    return value;
  const shape: Readonly<Record<string, unknown>> = inner.shape;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]: [string, unknown]) => {
      const at = [...path, key];
      if (Object.hasOwn(shape, key)) return [[key, known(one, { schema: shape[key], path: at }, unknown)]];
      unknown.push({ path: at, keys: Object.keys(shape) });
      return [];
    }),
  );
}

/** What stands behind the wrappers of a key that may be absent. */
const unwrapped = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
    ? unwrapped(schema.unwrap())
    : schema;
