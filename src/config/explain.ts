import type * as z from "zod";
import { findNearest } from "../text/words.ts";
import { toOneLine, quoteValue } from "./text-file.ts";

/** What a schema's `.meta()` says of a value, for whoever has to write one. */
export type Hint = {
  /** What the value has to be: `must be …`, or `expected …` where there is a noun. */
  readonly expects: string;
  /** A right value. */
  readonly example?: string;
  /** What the value is not: `"gpt" is not a model reference`. */
  readonly noun?: string;
  /** Says that the value may be a key, so that an error does not show it. */
  readonly secret?: boolean;
};

/** What is wrong with one part of a value. */
export type SchemaProblem = {
  readonly path: readonly PropertyKey[];
  /** Whether the key at the end of the path is wrong, or what stands below it. */
  readonly at: "key" | "value";
  /** What is wrong with the part of this name: `quorum must be an integer above 0 (got "x")`. */
  readonly say: (name: string) => string;
  /** What to write, from the schema's hint or the nearest key that there is; undefined where neither is known. */
  readonly next: string | undefined;
  readonly hint: Hint | undefined;
};

/** Explains the first thing that a schema finds wrong; a misspelt key goes first, since it is also missing. */
export function explainIssue(schema: z.ZodType, error: z.ZodError): SchemaProblem {
  const { issues } = error;
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (!issue)
    return { path: [], at: "value", say: (name) => `${name} is not valid`, next: undefined, hint: undefined };
  if (issue.code === "unrecognized_keys") {
    const [word = ""] = issue.keys;
    const known = Object.keys(objectShape(findSchema(schema, issue.path)) ?? {});
    const next = known.length > 0 ? `did you mean ${findNearest(word, known)}?` : "remove it";
    const say = () => `unknown key ${quoteValue(word)}`;
    return { path: [...issue.path, word], at: "key", say, next, hint: undefined };
  }
  const { path } = issue;
  const at = issue.code === "invalid_key" ? "key" : "value";
  const hint =
    at === "key" ? readHint(recordKeyType(findSchema(schema, path.slice(0, -1)))) : findHint(schema, path);
  const input = at === "key" ? path.at(-1) : issue.input;
  const got = hint?.secret ? "not quoteValue, since it may be a key" : `got ${quoteValue(input)}`;
  const { example, noun } = hint ?? {};
  const expected = hint && `expected ${hint.expects}${example === undefined ? "" : `, e.g. ${example}`}`;
  if (input === undefined && path.length > 0)
    return { path, at, say: (name) => `${name} is missing`, next: expected, hint };
  if (noun !== undefined)
    return { path, at, say: () => `${quoteValue(input)} is not ${noun}`, next: expected, hint };
  const rule = hint ? `must be ${hint.expects} (${got})` : describeRule(issue, got);
  const next = example === undefined ? undefined : `for example ${example}`;
  return { path, at, say: (name) => `${name} ${rule}`, next, hint };
}

/** The rule that an issue breaks, where the schema has no hint. */
function describeRule(issue: z.core.$ZodIssue, got: string): string {
  if (!DEFAULT_MESSAGE.test(issue.message)) return `is not valid: ${toOneLine(issue.message, 200)}`;
  if (issue.code === "invalid_type") return `must be ${KINDS[issue.expected] ?? issue.expected} (${got})`;
  if (issue.code === "invalid_value") return `must be ${joinWithOr(issue.values.map(String))} (${got})`;
  if (issue.code === "too_small") {
    if (issue.origin === "string" && issue.minimum === 1) return "must not be empty";
    return `must ${describeSize(issue, issue.inclusive === false ? "above" : "at least", issue.minimum)} (${got})`;
  }
  if (issue.code === "too_big")
    return `must ${describeSize(issue, issue.inclusive === false ? "below" : "at most", issue.maximum)} (${got})`;
  return `is not valid (${got})`;
}

/** How zod's own messages begin; any other was written for the schema, and says more than its code. */
const DEFAULT_MESSAGE = /^(Invalid|Too (small|big)|Unrecognized)\b/;

const KINDS: { readonly [expected: string]: string | undefined } = {
  object: "a mapping",
  record: "a mapping",
  array: "a list",
  string: "text",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
};

const PARTS: { readonly [origin: string]: string | undefined } = { string: "characters", array: "entries" };

function describeSize(
  { origin }: { readonly origin: string },
  relation: string,
  limit: number | bigint,
): string {
  const number = limit.toLocaleString("en");
  const parts = PARTS[origin];
  return parts === undefined ? `be ${relation} ${number}` : `have ${relation} ${number} ${parts}`;
}

/** `a, b or c`. */
export function joinWithOr(values: readonly string[]): string {
  return values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

/** What the schema says of the value at this path, or else of what the value stands in, but for the whole. */
function findHint(schema: z.core.$ZodType, path: readonly PropertyKey[]): Hint | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const hint = readHint(findSchema(schema, path.slice(0, length)));
    if (hint) return hint;
  }
  return undefined;
}

export function readHint(schema: z.core.$ZodType | undefined): Hint | undefined {
  if (!schema) return undefined;
  // Every classic schema has `meta`; what it says of itself was written as a `Hint`.
  const own = (schema as z.ZodType).meta() as Partial<Hint> | undefined;
  if (own?.expects !== undefined) return { ...own, expects: own.expects };
  const inner = unwrap(schema);
  return inner && readHint(inner);
}

/** The schema of what stands at a path, as far as it is one of objects, records and lists. */
function findSchema(
  schema: z.core.$ZodType | undefined,
  path: readonly PropertyKey[],
): z.core.$ZodType | undefined {
  const [step, ...rest] = path;
  if (step === undefined || schema === undefined) return schema;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") return findSchema(def.shape[String(step)], rest);
  if (def.type === "record") return findSchema(def.valueType, rest);
  if (def.type === "array") return findSchema(def.element, rest);
  return findSchema(unwrap(schema), path);
}

/** What a schema wraps: an optional one, one with a default, one that reads text first, or one that is transformed. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "pipe")
    return (def.out as z.core.$ZodTypes)._zod.def.type === "transform" ? def.in : def.out;
  return def.type === "optional" ||
    def.type === "default" ||
    def.type === "nullable" ||
    def.type === "prefault"
    ? def.innerType
    : undefined;
}

/** The schemas of an object's keys. */
function objectShape(
  schema: z.core.$ZodType | undefined,
): Readonly<Record<string, z.core.$ZodType>> | undefined {
  if (!schema) return undefined;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "object" ? def.shape : objectShape(unwrap(schema));
}

/** The schema of a mapping's keys; undefined for what is not a mapping under names of the user's choice. */
export function recordKeyType(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  if (!schema) return undefined;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "record" ? def.keyType : recordKeyType(unwrap(schema));
}
