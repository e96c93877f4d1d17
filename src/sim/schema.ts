import { Json } from "../kernel/index.ts";

export type SchemaType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** A JSON Schema as far as a value for it can be made, with references followed and `allOf` joined. */
export type Schema = {
  readonly type: SchemaType;
  readonly constant: Json | undefined;
  readonly choices: readonly Json[];
  readonly options: readonly unknown[];
  readonly properties: { readonly [name: string]: unknown };
  readonly required: readonly string[];
  readonly additional: unknown;
  readonly items: unknown;
  readonly prefixItems: readonly unknown[];
  readonly fewestItems: number;
  readonly mostItems: number | null;
  readonly unique: boolean;
  /** Inclusive. */
  readonly least: number | null;
  readonly most: number | null;
  readonly multipleOf: number | null;
  readonly shortest: number;
  readonly longest: number | null;
  readonly pattern: string | null;
  readonly format: string | null;
};

export type Loose = { readonly [key: string]: unknown };
export const isObject = (value: unknown): value is Loose =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const types: readonly SchemaType[] = ["null", "boolean", "integer", "number", "string", "array", "object"];
const isType = (value: unknown): value is SchemaType => types.some((type) => type === value);

const listIn = (schema: Loose, key: string): readonly unknown[] => {
  const value = schema[key];
  return Array.isArray(value) ? value : [];
};
const numberIn = (schema: Loose, key: string): number | null => {
  const value = schema[key];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
};
const textIn = (schema: Loose, key: string): string | null => {
  const value = schema[key];
  return typeof value === "string" ? value : null;
};

/** Reads a schema, or whatever stands where one should; `root` is what its references point into. */
export function readSchema(given: unknown, root: unknown): Schema {
  const schema = joined(given, root, 0);
  const choices = listIn(schema, "enum").flatMap((choice) => {
    const read = Json.safeParse(choice);
    return read.success ? [read.data] : [];
  });
  const constant = Object.hasOwn(schema, "const") ? Json.safeParse(schema["const"]) : undefined;
  const listed = listIn(schema, "type").filter(isType);
  const named = listed.length > 0 ? listed : isType(schema["type"]) ? [schema["type"]] : [];
  const options = [...listIn(schema, "oneOf"), ...listIn(schema, "anyOf")];
  const properties = schema["properties"];
  const typed = named.find((type) => type !== "null") ?? named[0] ?? impliedType(schema);
  const step = typed === "integer" ? 1 : 1e-6;
  const above = numberIn(schema, "exclusiveMinimum");
  const below = numberIn(schema, "exclusiveMaximum");
  return {
    type: typed,
    constant: constant?.data,
    choices,
    options: options.map((option) => withSiblings(option, schema)),
    properties: isObject(properties) ? properties : {},
    required: listIn(schema, "required").filter((name) => typeof name === "string"),
    additional: schema["additionalProperties"],
    items: schema["items"] ?? { type: "string" },
    prefixItems: listIn(schema, "prefixItems"),
    fewestItems: numberIn(schema, "minItems") ?? 0,
    mostItems: numberIn(schema, "maxItems"),
    unique: schema["uniqueItems"] === true,
    least: numberIn(schema, "minimum") ?? (above === null ? null : above + step),
    most: numberIn(schema, "maximum") ?? (below === null ? null : below - step),
    multipleOf: numberIn(schema, "multipleOf"),
    shortest: numberIn(schema, "minLength") ?? 0,
    longest: numberIn(schema, "maxLength"),
    pattern: textIn(schema, "pattern"),
    format: textIn(schema, "format"),
  };
}

/** An option of a union together with the properties that stand beside the union. */
const withSiblings = (option: unknown, { oneOf: _, anyOf: __, ...siblings }: Loose): unknown =>
  isObject(option) && isObject(siblings["properties"]) ? { allOf: [siblings, option] } : option;

function impliedType(schema: Loose): SchemaType {
  if (isObject(schema["properties"]) || Array.isArray(schema["required"])) return "object";
  if (schema["items"] !== undefined || Array.isArray(schema["prefixItems"])) return "array";
  if (numberIn(schema, "minimum") !== null || numberIn(schema, "maximum") !== null) return "number";
  return "string";
}

const mostSteps = 20;

function joined(given: unknown, root: unknown, steps: number): Loose {
  if (!isObject(given) || steps > mostSteps) return {};
  const { $ref: ref, allOf, ...own } = given;
  const parts = Array.isArray(allOf) ? allOf : [];
  const all = [...(typeof ref === "string" ? [pointed(ref, root)] : []), ...parts].map((part) =>
    joined(part, root, steps + 1),
  );
  return [...all, own].reduce<Loose>(merged, {});
}

const merged = (one: Loose, other: Loose): Loose => ({
  ...one,
  ...other,
  ...(isObject(one["properties"]) && isObject(other["properties"])
    ? { properties: { ...one["properties"], ...other["properties"] } }
    : {}),
  ...(Array.isArray(one["required"]) && Array.isArray(other["required"])
    ? { required: [...one["required"], ...other["required"]] }
    : {}),
});

/** What a reference within the schema points at (RFC 6901); anything else is an empty schema. */
function pointed(ref: string, root: unknown): unknown {
  if (ref !== "#" && !ref.startsWith("#/")) return {};
  let at: unknown = root;
  for (const part of ref.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = Array.isArray(at) ? at[Number(key)] : isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}
