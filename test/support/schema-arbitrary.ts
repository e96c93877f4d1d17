import fc from "fast-check";
import type { Json } from "./server.ts";

/** Values of a field, by its name, in place of what its schema says: names and texts that mean something. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const text = fc.string({ unit: "grapheme", maxLength: 40 });

/** `root`: what `$ref` leads into. */
type Drawing = { readonly root: Json; readonly known?: Known; readonly depth?: number };

/** Values that fit a JSON Schema, as far as the document of this API uses it. */
export function valuesOf(schema: Json, { root, known = {}, depth = 0 }: Drawing): fc.Arbitrary<unknown> {
  const inner = (one: Json) => valuesOf(one, { root, known, depth: depth + 1 });
  if (typeof schema !== "object" || depth > 8) return fc.constant(null);
  if (schema.$ref !== undefined) return inner(followed(schema.$ref, root));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return depth > 5 ? inner(several[0]) : fc.oneof(...several.map(inner));
  switch (schema.type) {
    case "string":
      return stringsOf(schema);
    case "integer":
      return fc.integer(boundsOf(schema));
    case "number": {
      const { min = 0, max = 1e9 } = boundsOf(schema, 1e-6);
      return fc.double({ min, max, noNaN: true });
    }
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(inner(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, 3)),
      });
    case "object":
      return objectsOf(schema, inner, known);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

const followed = (ref: string, root: Json): Json =>
  ref
    .slice(2)
    .split("/")
    .reduce((at, key) => at[key], root);

function boundsOf(schema: Json, step = 1): { min?: number; max?: number } {
  const min =
    schema.minimum ?? (schema.exclusiveMinimum === undefined ? undefined : schema.exclusiveMinimum + step);
  const { maximum } = schema;
  return { ...(min === undefined ? {} : { min }), ...(maximum === undefined ? {} : { max: maximum }) };
}

function stringsOf({ pattern, minLength = 0, ...most }: Json): fc.Arbitrary<string> {
  // A pattern has a length of its own, which may be more than others get.
  const { maxLength = pattern === undefined ? 60 : Infinity } = most;
  const fits = (one: string) => one.length >= minLength && one.length <= maxLength;
  if (pattern === undefined || pattern.includes("\\P{"))
    return fc
      .string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 60) })
      .map((one) => one.replaceAll(/\p{Cc}/gu, "x"))
      .filter(fits);
  return fc.stringMatching(new RegExp(pattern)).filter(fits);
}

function objectsOf(
  schema: Json,
  inner: (one: Json) => fc.Arbitrary<unknown>,
  known: Known,
): fc.Arbitrary<unknown> {
  const own = Object.entries(schema.properties ?? {}).map(
    ([name, one]) => [name, known[name] ?? inner(one)] as const,
  );
  const required: string[] = schema.required ?? [];
  const shape = fc.record(Object.fromEntries<fc.Arbitrary<unknown>>(own), { requiredKeys: required });
  // Of many optional fields a few, or nothing would ever be carried out.
  const sparse = fc
    .tuple(
      shape,
      fc.subarray(
        own.map(([name]) => name),
        { maxLength: Math.min(4, own.length) },
      ),
    )
    .map(([all, kept]) =>
      Object.fromEntries(
        Object.entries(all as object).filter(([name]) => required.includes(name) || kept.includes(name)),
      ),
    );
  const { additionalProperties: more } = schema;
  if (own.length > 0 || more === undefined || more === false) return sparse;
  const names =
    schema.propertyNames?.pattern === undefined
      ? text.filter((one) => one !== "__proto__")
      : inner(schema.propertyNames);
  return fc.dictionary(names as fc.Arbitrary<string>, inner(more), { maxKeys: 3 });
}
