import type * as z from "zod";
import { findNearest, quoteValue, toOneLine } from "../text/words.ts";

/** What a schema's `.meta()` says of a value, for whoever has to write one. */
export type Hint = {
  /** What the value has to be: `must be …`, or `expected …` where there is a noun. */
  readonly expects: string;
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

/** Explains the first thing that a schema finds wrong; a misspelled key goes first, since it is also missing. */
export function explainIssue(schema: z.ZodType, { issues }: z.ZodError): SchemaProblem {
  const whole = pickIssue(issues);
  const issue = whole && (readHint(findSchema(schema, whole.path)) ? whole : innermost(whole));
  const path = issue?.path ?? [];
  const none = { next: undefined, hint: undefined };
  if (!issue) return { path, at: "value", say: (name) => `${name} is not valid`, ...none };
  if (issue.code === "unrecognized_keys") {
    const [word = ""] = issue.keys;
    const def = definitionOf(findSchema(schema, path));
    const known = def?.type === "object" ? Object.keys(def.shape) : [];
    const next = known.length > 0 ? `did you mean ${findNearest(word, known)}?` : "remove it";
    return { ...none, path: [...path, word], at: "key", say: () => `unknown key ${quoteValue(word)}`, next };
  }
  const at = issue.code === "invalid_key" ? "key" : "value";
  const hint =
    at === "key" ? readHint(recordKeyType(findSchema(schema, path.slice(0, -1)))) : findHint(schema, path);
  const input = at === "key" ? path.at(-1) : issue.input;
  const got = hint?.secret ? "not shown, since it may be a key" : `got ${quoteValue(input)}`;
  const { example, noun } = hint ?? {};
  const expected = hint && `expected ${hint.expects}${example === undefined ? "" : `, e.g. ${example}`}`;
  if (input === undefined && path.length > 0)
    return { path, at, say: (name) => `${name} is missing`, next: expected, hint };
  if (noun !== undefined)
    return { path, at, say: () => `${quoteValue(input)} is not ${noun}`, next: expected, hint };
  // What was written for this very value says more than what stands for all of its kind.
  const isOwn = issue.code === "custom" && !DEFAULT_MESSAGE.test(issue.message);
  const rule = hint && !isOwn ? `must be ${hint.expects} (${got})` : describeRule(issue, got);
  const next = example === undefined || isOwn ? undefined : `for example ${example}`;
  return { path, at, say: (name) => `${name} ${rule}`, next, hint };
}

const pickIssue = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined =>
  issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];

/** What is wrong within the one form of a union that a value has, or with the field that tells its forms apart. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union" || !DEFAULT_MESSAGE.test(issue.message)) return issue;
  if (issue.discriminator !== undefined && "options" in issue) {
    const { discriminator, options = [], ...rest } = issue;
    const input = (issue.input as { readonly [name: string]: unknown } | undefined)?.[discriminator];
    return { ...rest, code: "invalid_value", values: options, input };
  }
  const [only, other] = issue.errors
    .flatMap((form) => pickIssue(form) ?? [])
    .filter(({ path, code }) => path.length > 0 || code === "unrecognized_keys");
  return only && !other ? innermost({ ...only, path: [...issue.path, ...only.path] }) : issue;
}

/** The rule that an issue breaks, where the schema has no hint. */
function describeRule(issue: z.core.$ZodIssue, got: string): string {
  if (!DEFAULT_MESSAGE.test(issue.message)) return `is not valid: ${toOneLine(issue.message, 200)}`;
  const forms = issue.code === "invalid_union" ? issue.errors.flatMap(([first]) => first ?? []) : [issue];
  const isOwn = (one: z.core.$ZodIssue) => one === issue || one.path.length === 0;
  const types = forms.map((one) => (one.code === "invalid_type" && isOwn(one) ? one.expected : ""));
  if (types.length > 0 && !types.includes(""))
    return `must be ${joinWithOr([...new Set(types)].map((one) => TYPES.get(one) ?? one))} (${got})`;
  if (issue.code === "invalid_value") return `must be ${joinWithOr(issue.values.map(String))} (${got})`;
  if (issue.code === "too_small" && issue.origin === "string" && issue.minimum === 1)
    return "must not be empty";
  if (issue.code !== "too_small" && issue.code !== "too_big") return `is not valid (${got})`;
  const [exclusive, inclusive, limit] =
    issue.code === "too_small"
      ? (["above", "at least", issue.minimum] as const)
      : (["below", "at most", issue.maximum] as const);
  const relation = issue.inclusive === false ? exclusive : inclusive;
  return `must ${describeSize(issue.origin, relation, limit)} (${got})`;
}

/** How zod's own messages begin; any other was written for the schema, and says more than its code. */
const DEFAULT_MESSAGE = /^(Invalid|Too (small|big)|Unrecognized)\b/;

const TYPES = new Map(
  Object.entries({
    ...{ object: "a mapping", record: "a mapping", array: "a list", string: "text" },
    ...{ number: "a number", int: "an integer", boolean: "true or false" },
  }),
);

function describeSize(origin: string, relation: string, limit: number | bigint): string {
  const number = limit.toLocaleString("en");
  if (origin !== "string" && origin !== "array") return `be ${relation} ${number}`;
  return `have ${relation} ${number} ${origin === "string" ? "characters" : "entries"}`;
}

/** `a, b or c`. */
export function joinWithOr(values: readonly string[]): string {
  return values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

type Schema = z.core.$ZodType | undefined;

/** What the schema says of the value at this path, or else of what the value stands in, but for the whole. */
function findHint(schema: Schema, path: readonly PropertyKey[]): Hint | undefined {
  const hint = readHint(findSchema(schema, path));
  return hint || path.length === 0 ? hint : findHint(schema, path.slice(0, -1));
}

export function readHint(schema: Schema): Hint | undefined {
  if (!schema) return undefined;
  // Every classic schema has `meta`; what it says of itself was written as a `Hint`.
  const own = (schema as z.ZodType).meta() as Partial<Hint> | undefined;
  return own?.expects === undefined ? readHint(unwrap(schema)) : { ...own, expects: own.expects };
}

/** The schema of what stands at a path, as far as it is one of objects, records and lists. */
function findSchema(schema: Schema, [step, ...rest]: readonly PropertyKey[]): Schema {
  if (step === undefined) return schema;
  const def = definitionOf(schema);
  if (def?.type === "object") return findSchema(def.shape[String(step)], rest);
  if (def?.type === "record") return findSchema(def.valueType, rest);
  return def?.type === "array" ? findSchema(def.element, rest) : undefined;
}

/** What a schema wraps: an optional one, one with a default, one that reads text first, or one that is transformed. */
function unwrap(schema: z.core.$ZodType): Schema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "pipe")
    return (def.out as z.core.$ZodTypes)._zod.def.type === "transform" ? def.in : def.out;
  const wraps = ["optional", "default", "nullable", "prefault"].includes(def.type);
  return wraps && "innerType" in def ? def.innerType : undefined;
}

/** The definition of what a schema wraps in the end. */
function definitionOf(schema: Schema): z.core.$ZodTypes["_zod"]["def"] | undefined {
  if (!schema) return undefined;
  return definitionOf(unwrap(schema)) ?? (schema as z.core.$ZodTypes)._zod.def;
}

/** The schema of a mapping's keys; undefined for what is not a mapping under names of the user's choice. */
export function recordKeyType(schema: Schema): Schema {
  const def = definitionOf(schema);
  return def?.type === "record" ? def.keyType : undefined;
}

/** True of mappings and lists of them, which one word cannot hold. */
export function holdsMappings(schema: Schema): boolean {
  const def = definitionOf(schema);
  return def?.type === "array"
    ? holdsMappings(def.element)
    : def?.type === "record" || def?.type === "object";
}
