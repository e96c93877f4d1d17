import type * as z from "zod";
import { nearest } from "./nearest.ts";
import { oneLine, refuse, shown } from "./refusal.ts";
import type { YamlFile } from "./yaml.ts";

/**
 * A file's data as the schema reads it.
 * @throws Fault `configuration` with the place of the first thing that is wrong; `form` says where the right form is to be seen
 */
export function checkedFile<S extends z.ZodType>(file: YamlFile, schema: S, form: string): z.output<S> {
  const read = schema.safeParse(file.value, { reportInput: true });
  if (read.success) return read.data;
  const { issues } = read.error;
  // A key that is misspelt is also missing: the misspelling says more.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  const path = issue?.path ?? [];
  if (issue?.code === "unrecognized_keys") {
    const [word = ""] = issue.keys;
    const fields = fieldsOf(schema, path);
    const hint = fields.length > 0 ? `the nearest is ${nearest(word, fields)}` : "remove it";
    throw refuse(`${file.place([...path, word], "key")}: there is no key ${shown(word)} here`, hint);
  }
  const what = path.length === 0 ? "the file" : path.join(".");
  const missing = issue !== undefined && issue.input === undefined && path.length > 0;
  const trouble = missing ? "is missing" : `is not valid: ${oneLine(issue ? wordsOf(issue) : "", 200)}`;
  throw refuse(`${file.place(path, "value")}: ${oneLine(what, 120)} ${trouble}`, form);
}

/** What is wrong with a value, as one who wrote the file would say it. */
const wordsOf = (issue: z.core.$ZodIssue): string =>
  issue.code === "invalid_type"
    ? `it is ${kindOf(issue.input)}, and should be ${KINDS[issue.expected] ?? issue.expected}`
    : issue.message;

const KINDS: { readonly [expected: string]: string | undefined } = {
  object: "keys with their values",
  record: "keys with their values",
  array: "a list",
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

function kindOf(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  const kind = typeof value;
  return KINDS[kind] ?? kind;
}

/** The keys that a schema of plain objects knows at a path. */
function fieldsOf(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  const shape = shapeOf(schema);
  if (!shape) return [];
  const [first, ...rest] = path;
  if (first === undefined) return Object.keys(shape);
  return typeof first === "string" && Object.hasOwn(shape, first) ? fieldsOf(shape[first], rest) : [];
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof schema !== "object" || schema === null || !("shape" in schema)) return undefined;
  const { shape } = schema;
  return typeof shape === "object" && shape !== null ? { ...shape } : undefined;
}
