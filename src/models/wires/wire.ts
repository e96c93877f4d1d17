import type { ModelRequest, WebSource, Thinking, ToolCall, ToolSpec } from "../../kernel/model.ts";
import type { Attempt, Usage } from "../../kernel/transport.ts";
import type { CallProblem } from "../failures.ts";
import type { Framing } from "../framing.ts";
import { isObject, objectAt, toItems, toJsonText, toObject, type LooseObject } from "../loose.ts";
import type { Json } from "../../kernel/index.ts";

/**
 * What a request asks for beyond its messages that not every model takes. Each can be left out, and the reply still answers.
 * `effort-level`: more of an effort than on and off; `summary`: that thinking is shown; the others are fields of the user's own.
 */
export type WireFeature =
  | (
      | "reply"
      | "temperature"
      | "usage"
      | "max-tokens"
      | "tools"
      | "search"
      | "effort"
      | "effort-level"
      | "summary"
    )
  | `body.${string}`
  | `headers.${string}`;

/** How one endpoint wants to be spoken to. */
export type Dialect = {
  /** Added to every request body as it is; what the wire itself writes counts before it. */
  readonly extra?: { readonly [field: string]: unknown };
  /** The provider's own search, as it stands among the tools of a request. */
  readonly search?: unknown;
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** Known or learned not to be taken. For `max-tokens`: under the other of its two names only. */
  readonly without: ReadonlySet<WireFeature>;
};

export type WireRequest = {
  /** Appended to the endpoint's base URL. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
};

export type Completion =
  | Extract<Attempt, { ok: true }>
  | { readonly ok: false; readonly problem: CallProblem; readonly usage: Usage };

/** Takes the next piece of a text. */
export type Hears = (piece: string) => void;

/** Reads one reply, event by event. Text goes out as soon as its event is in. */
export interface ReplyReader {
  /** Takes the data of one event; true when the reply is over and nothing more needs to be read. */
  event(data: string): boolean;
  /** What the events add up to. A stream that did not come to its end is a failure, whatever text came. */
  end(): Completion;
}

/** A kind of API. It knows formats and nothing of connections, keys in the environment, retries or prices. */
export interface Wire {
  build(request: ModelRequest, to: { readonly model: string; readonly dialect: Dialect }): WireRequest;
  authorize(key: string): { readonly [name: string]: string };
  readonly framing: Framing;
  reader(onText: Hears, onThinking?: Hears): ReplyReader;
  /** A reply that came in one piece, as servers send it that do not stream. */
  readWhole(body: unknown): Completion;
  /** Which features a 400 may complain about, the likeliest first. */
  complaints(words: string): readonly WireFeature[];
  /** What a user can do about a failure in these words, or null. */
  remedy?(words: string, model: string): string | null;
}

/** A reply that came to its end, with the reason in the provider's own word. */
export type FinishedReply = {
  readonly text: string;
  readonly thinking?: Thinking | undefined;
  readonly finish: string | null;
  readonly toolCalls: readonly ToolCall[];
  readonly sources?: readonly WebSource[] | undefined;
  readonly usage: Usage;
};

/** What goes back to a provider as it came is kept up to this length, in UTF-16 units as JSON. */
const MAX_SEALED_LENGTH = 500_000;

/** What was thought, as a part of the reply; undefined if nothing was. What is sealed and too long to be kept is left out whole. */
export function thinkingOf(text: string, sealed: readonly unknown[] = []): Thinking | undefined {
  const isKept = sealed.length > 0 && toJsonText(sealed).length <= MAX_SEALED_LENGTH;
  if (text === "" && !isKept) return undefined;
  // It was read as JSON.
  return { text, ...(isKept ? { sealed: sealed as Json[] } : {}) };
}

/** The fields of an object that are none of `own`, if there are any; they are sent back as they came. */
function extraOf(given: LooseObject, own: ReadonlySet<string>): ToolCall["extra"] {
  const entries = Object.entries(given).filter(
    ([name, value]) => !own.has(name) && name !== "__proto__" && value !== null && value !== undefined,
  );
  if (entries.length === 0 || toJsonText(entries).length > MAX_SEALED_LENGTH) return undefined;
  return Object.fromEntries(entries) as NonNullable<ToolCall["extra"]>;
}

/** The fields of a tool call that every server has. */
const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "type", "index"]);
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(["name", "arguments", "index"]);

/** What else stands in a tool call and, as gateways have it, in its function. */
export function besideCall(call: LooseObject): ToolCall["extra"] {
  const within = extraOf(objectAt(call, "function"), FUNCTION_FIELDS);
  return extraOf({ ...call, function: within }, CALL_FIELDS);
}

/** The sealed pieces that are objects. */
export const sealedObjects = (thinking: Thinking | undefined): readonly LooseObject[] =>
  (thinking?.sealed ?? []).flatMap((piece) => (isObject(piece) ? [piece] : []));

/** What servers say of a model that calls no tools, or that they were not started to let call any. */
export const refusesTools = (words: string): boolean =>
  /\b(?:tools?|tool[ _]?(?:use|calls?|calling|choice)|functions?|function[ _]?call(?:s|ing)?)\b/i.test(
    words,
  ) &&
  /not support|unsupported|no(?:t)? (?:available|enabled)|not (?:allowed|permitted)|requires? --|unrecognized|unknown (?:field|parameter|argument)|extra_forbidden/i.test(
    words,
  );

/** Words about what a field holds, or that it is there at all. */
export const refusesValue =
  /\bnot\b|n['’]t\b|\bcannot\b|\bun(?:supported|recogni[sz]ed|known|expected)|\bin(?:valid|compatible)\b|deprecated|extra_forbidden|extra inputs|\b(?:only|must|should be|needs? to|requires?|fixed|expected|one of|no longer|instead)\b/i;

/** What complaints about values are about, likeliest first: a temperature that thinking forbids names thinking, too. */
const VALUES: readonly (readonly [RegExp, WireFeature])[] = [
  [/temperature/i, "temperature"],
  [/summar|encrypted|thinking_config|include_thoughts|extra_body|reasoning_format|\bdisplay\b/i, "summary"],
  [/think value/i, "effort-level"],
  [/effort|thinking|\breasoning\b|prompt_mode|chat_template_kwargs|output_config(?!\.format)/i, "effort"],
];

/** What every wire's servers complain about in the same words. */
export const valueComplaints = (words: string): readonly WireFeature[] => [
  ...(refusesSearch(words) ? (["search"] as const) : []),
  ...(refusesValue.test(words)
    ? VALUES.flatMap(([pattern, feature]) => (pattern.test(words) ? [feature] : []))
    : []),
];

type BodyFields = { readonly [field: string]: unknown };

const isFields = (value: unknown): value is BodyFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Two bodies as one, field by field. The second's count, and what is undefined there is not there. */
export function mergeBodies(first: BodyFields, second: BodyFields): BodyFields {
  const own = Object.entries(second).filter(([, value]) => value !== undefined);
  const both = ([name, value]: readonly [string, unknown]) => {
    const under = Object.hasOwn(first, name) ? first[name] : undefined;
    return [name, isFields(under) && isFields(value) ? mergeBodies(under, value) : value] as const;
  };
  return Object.fromEntries([...Object.entries(first), ...own.map(both)]);
}

/** The tools of a request in a wire's form, the provider's own search first; undefined where there are none. */
export function toolsIn(
  { tools = [] }: ModelRequest,
  { search, without }: Dialect,
  format: (tool: ToolSpec) => unknown,
): readonly unknown[] | undefined {
  const all = [...(search === undefined ? [] : [search]), ...(without.has("tools") ? [] : tools.map(format))];
  return all.length === 0 ? undefined : all;
}

/** Whether a reply is demanded to call one of its tools. */
export const demandsCall = ({ mustCall, tools = [] }: ModelRequest, { without }: Dialect): boolean =>
  mustCall === true && tools.length > 0 && !without.has("tools");

/** Whether a refusal is about the provider's search; a model that refuses a tool of this kind names it. */
const refusesSearch = (words: string): boolean =>
  /web[_ -]?search|google[_ -]?search|search[_ ]tool|grounding|built-?in tool|hosted tool|server tool|tools?\[\d+\]\.type|tool (?:of )?type/i.test(
    words,
  );

/** A tool as OpenAI and Ollama take it. */
export function formatTool({ name, description, parameters }: ToolSpec): unknown {
  return { type: "function", function: { name, description, parameters } };
}

/**
 * Whether every object in a schema is closed and requires all its properties. Only such a schema may be sent
 * with `strict: true`; the API refuses others (OpenAI, "Structured Outputs", supported schemas).
 */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isObject(schema)) return true;
  const properties = schema["properties"];
  if (isObject(properties) || schema["type"] === "object") {
    const required = toItems(schema["required"]);
    if (schema["additionalProperties"] !== false) return false;
    if (isObject(properties) && !Object.keys(properties).every((name) => required.includes(name)))
      return false;
  }
  return Object.values(schema).every(isStrict);
}

/** What a message cites, as OpenAI and OpenRouter have it. */
export const citedIn = (message: LooseObject): LooseObject[] =>
  toItems(message["annotations"]).map((one) => objectAt(one, "url_citation"));

/** What Perplexity lists beside the choices, in every chunk. */
export const listedIn = (body: LooseObject): LooseObject[] => [
  ...toItems(body["search_results"]).map(toObject),
  ...toItems(body["citations"]).map((url) => ({ url })),
];
