import * as z from "zod";
import { Digest, Json } from "./ids.ts";
import { RequestOptions } from "./model-options.ts";

/**
 * `provider/model`, as OpenRouter writes it: `openai/gpt-5`, `openrouter/deepseek/deepseek-chat`,
 * `ollama/gemma3:27b`, `compatible/NAME`, `sim/ada?skill=0.8`. The first segment names the provider, and what follows a `?` how
 * the model is asked: `openai/gpt-5.6?effort=high`.
 */
export const ModelRef = z
  .string()
  .regex(/^[a-z0-9-]+\/\S+$/, "a model is written provider/model, for example openai/gpt-5")
  .max(1_000)
  .brand("ModelRef");
export type ModelRef = z.infer<typeof ModelRef>;

const BARE = "any/";

/** A model whose provider is to be found among those that can be reached: `gemma4` stands as `any/gemma4` until then. */
export const bareModel = (name: string): ModelRef => ModelRef.parse(`${BARE}${name}`);

/** The name, where a reference is one without a provider. */
export const nameWithoutProvider = (ref: string): string | undefined =>
  ref.startsWith(BARE) ? ref.slice(BARE.length) : ref.includes("/") ? undefined : ref;

const PERSON = "human/";

/** The model of a person's seat: `human/ana` is the user `ana`, who answers in place of a model. */
export const personModel = (user: string): ModelRef => ModelRef.parse(`${PERSON}${user}`);

/** The user who answers in place of this model; undefined for a model. */
export const personOf = (model: string): string | undefined =>
  model.startsWith(PERSON) ? model.slice(PERSON.length) : undefined;

/**
 * A tool call as the model requested it. `arguments` is the model's raw text, neither parsed nor trusted. `extra`: what the
 * provider put beside it (`thought_signature`, …), which goes back to it as it came.
 */
export const ToolCall = z.strictObject({
  ...{ id: z.string(), name: z.string(), arguments: z.string() },
  extra: z.record(z.string(), Json).optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/**
 * What a model thought before it replied, as far as its provider shows it. No prompt of another participant, no memory and no
 * answer holds any of it. `sealed`: signed or encrypted pieces in the provider's own form, which go back to it as they came.
 */
export const Thinking = z.strictObject({ text: z.string(), sealed: z.array(Json).optional() });
export type Thinking = z.infer<typeof Thinking>;

/** A page of the web that a reply rests on, as its provider or a tool named it. Read by `readSources`. */
export const WebSource = z.strictObject({ url: z.string(), title: z.string().optional() });
export type WebSource = z.infer<typeof WebSource>;

/** A picture or a document beside a message. Its bytes are the stored text of this digest, in base64. */
export const Attachment = z.strictObject({
  ...{ name: z.string(), mediaType: z.string(), digest: Digest },
  /** Of a picture, in pixels. */
  ...{ width: z.int().positive().optional(), height: z.int().positive().optional() },
  /** Of a document. */
  pages: z.int().positive().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

/** One message of a prompt. A `tool` message answers the assistant's tool call of the same `id`. */
export const Message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), text: z.string() }),
  z.strictObject({ role: z.literal("user"), text: z.string(), attachments: z.array(Attachment).optional() }),
  z.strictObject({
    ...{ role: z.literal("assistant"), text: z.string() },
    ...{ toolCalls: z.array(ToolCall).optional(), thinking: Thinking.optional() },
  }),
  z.strictObject({ role: z.literal("tool"), id: z.string(), text: z.string() }),
]);
export type Message = z.infer<typeof Message>;

/** A JSON Schema for the reply. Providers enforce it if they can. */
export const ReplySchema = z.strictObject({ name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/), schema: Json });
export type ReplySchema = z.infer<typeof ReplySchema>;

/** A tool for participants. `parameters` is the JSON Schema of its arguments. */
export const ToolSpec = z.strictObject({ name: z.string(), description: z.string(), parameters: Json });
export type ToolSpec = z.infer<typeof ToolSpec>;

/** The longest reply that may be asked for, in tokens. Far more than any model writes: estimates and reserves are texts of that length. */
export const MAX_REPLY_TOKENS = 1_000_000;

/** The longest reply of a kind, in tokens; where nothing is set, it is the usual one, and more for models that think. */
export const ReplyLimit = z.int().positive().max(MAX_REPLY_TOKENS).optional();

/** Everything that one model call depends on. A step's digest covers its canonical form. */
export const ModelRequest = z.strictObject({
  model: ModelRef,
  messages: z.array(Message).min(1),
  /** Sampling temperature, 0 to 2; the provider's default if absent. */
  temperature: z.number().min(0).max(2).optional(),
  /** The maximum reply length, thinking included. The model, its window or the budget may allow less: `Call.limit`. */
  maxOutputTokens: z.int().positive(),
  /** The context length of prompt and reply together, for servers that allocate it per request. */
  contextTokens: z.int().positive().optional(),
  reply: ReplySchema.optional(),
  tools: z.array(ToolSpec).optional(),
  /** The reply has to call one of them, where its provider can be told so. */
  mustCall: z.literal(true).optional(),
  /** How often its provider may search the web for the reply; absent for not at all. */
  search: z.int().positive().optional(),
  /** What this model's provider takes that has no field here. */
  options: RequestOptions.optional(),
});
export type ModelRequest = z.infer<typeof ModelRequest>;

/** The final failures of a call. The engine sets `over-budget` itself, without sending a request. */
export const FailureCode = z.enum([
  "refused",
  "rate-limited",
  "overloaded",
  "unauthorised",
  "out-of-credit",
  "context-too-long",
  "timed-out",
  "network",
  "unreadable",
  "cancelled",
  "over-budget",
]);
export type FailureCode = z.infer<typeof FailureCode>;

/** A budget's limits: US dollars, input and output tokens, model calls, wall time. */
export const Cap = z.enum(["usd", "tokens", "calls", "time"]);
export type Cap = z.infer<typeof Cap>;
/** The limits that would do, of the whole run, in the worst case. `usd`: null where a price is unknown. */
export const Needs = z.strictObject({ usd: z.number().nullable(), tokens: z.int(), calls: z.int() });
export type Needs = z.infer<typeof Needs>;

/**
 * `message` is the provider's text, truncated and with all keys removed. `cap` names the cap of an `over-budget`, or the one
 * that kept a failed call from being sent again; `needs` says what would have done.
 */
export const Failure = z.strictObject({
  code: FailureCode,
  message: z.string(),
  ...{ cap: Cap.optional(), needs: Needs.optional() },
  /** The HTTP status of the refusal; absent if it was none. */
  http: z.int().optional(),
  /** True of a reply that reached its limit before a word of it came: it all went into thinking. */
  lost: z.literal(true).optional(),
});
export type Failure = z.infer<typeof Failure>;

const MAYBE_CHARGED: readonly FailureCode[] = [
  "cancelled",
  "timed-out",
  "network",
  "unreadable",
  "over-budget",
];

/** True if the provider may charge for a request that failed so. An `over-budget` that was sent ran out of time. */
export const mayBeCharged = ({ code }: Failure): boolean => MAYBE_CHARGED.includes(code);

const OUTAGES: readonly FailureCode[] = [
  "network",
  "rate-limited",
  "overloaded",
  "unauthorised",
  "out-of-credit",
];

/** True for a failure on the way to a model, by network, rate, overload or credentials: asked again, it may be none. */
export const isOutage = ({ code }: Pick<Failure, "code">): boolean => OUTAGES.includes(code);

/** Token counts from the provider; null if not reported. `cached` is part of `in`, `reasoning` is part of `out`. */
export const Tokens = z.strictObject({
  in: z.int().nonnegative().nullable(),
  out: z.int().nonnegative().nullable(),
  cached: z.int().nonnegative().nullable(),
  reasoning: z.int().nonnegative().nullable(),
  /** The part of `in` that was written to the provider's cache, which some charge more for. */
  written: z.int().nonnegative().optional(),
});
export type Tokens = z.infer<typeof Tokens>;

/**
 * US dollars and the source of the figure. An unknown cost is null, never 0; `free` is a simulated or local model, and a
 * `subscription` is paid for by the month, whatever a call takes.
 */
export const Cost = z.discriminatedUnion("source", [
  z.strictObject({
    source: z.enum(["provider", "table", "free", "subscription"]),
    usd: z.number().nonnegative(),
  }),
  z.strictObject({ source: z.literal("unknown"), usd: z.null() }),
]);
export type Cost = z.infer<typeof Cost>;

const spent = {
  model: ModelRef,
  /** The vendor that trained the model; null if unknown. */
  family: z.string().nullable(),
  tokens: Tokens,
  cost: Cost,
  /** Time from the first byte sent to the last received, over all attempts, without queueing. */
  latencyMs: z.number().nonnegative(),
  /** Number of requests sent. */
  attempts: z.int().nonnegative(),
  /** How many of them the provider may have charged for without reporting their usage. */
  unreported: z.int().nonnegative().optional(),
  /** The reply's limit in tokens in the last request. */
  limit: z.int().positive().optional(),
  /** How often the provider searched the web, where it charges for that. */
  searches: z.int().positive().optional(),
  /** What the provider refused, so that it was asked without: `temperature`, `effort`, … */
  without: z.array(z.string()).optional(),
};

/** One model call: the raw reply or the final failure, with tokens, cost and time. */
export const Call = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    reply: z.string(),
    thinking: Thinking.optional(),
    toolCalls: z.array(ToolCall).optional(),
    /** The pages of the web that the reply rests on. */
    sources: z.array(WebSource).optional(),
    /** The normalized finish reason: `stop`, `length`, `tool-calls`, `filtered`, or the provider's own word. */
    finish: z.string(),
    ...spent,
  }),
  z.strictObject({
    ok: z.literal(false),
    failure: Failure,
    /** The beginning of a reply that came and could not be recorded; absent if none did. */
    reply: z.string().optional(),
    thinking: Thinking.optional(),
    ...spent,
  }),
]);
export type Call = z.infer<typeof Call>;

/** What the requests of a call came to, as far as it was reported. */
export type CallUsage = Pick<Call, "attempts" | "tokens" | "cost"> & { readonly unreported: number };

/** The shortest reply, in tokens, that is worth a call where more was asked for. */
export const MIN_REPLY_TOKENS = 2_048;

/** The longest reply of a model that thinks, in tokens, where nothing else is set: its thinking is part of it. */
export const THINKING_REPLY_TOKENS = 16_384;

/** The worst case of a call: estimated prompt tokens, maximum reply tokens and maximum cost. */
export type Quote = {
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** null if the price is unknown. */
  readonly usd: number | null;
  /** The same with the shortest reply that is worth the call; by default it is the whole. */
  readonly least?: Pick<Quote, "tokensOut" | "usd"> | undefined;
};

/** A piece of a streamed reply. `attempt` counts from 1, and each attempt starts the text again; `offset` is in UTF-16 units. */
export type Delta = { readonly attempt: number; readonly offset: number; readonly text: string };

/**
 * What a call is doing before it ends: a piece of its thinking, why it waits, or that a request goes out after it waited.
 * `place`: all places for calls are taken; `loading`: a model at home has said nothing yet, and is probably being loaded;
 * `again`: the last request failed with `code`, and attempt `attempt` of at most `of` is made in `ms`.
 */
export type CallNews =
  | { readonly kind: "thinking"; readonly attempt: number; readonly text: string }
  | { readonly kind: "sent"; readonly attempt: number }
  | { readonly kind: "waiting"; readonly for: "place" | "loading" }
  | {
      readonly kind: "waiting";
      readonly for: "again";
      readonly code: FailureCode;
      readonly ms: number;
      readonly attempt: number;
      readonly of: number;
    };

/** What is known about a model beside its price; undefined where it is not. */
export type ModelFacts = {
  /** Tokens of prompt and reply together. */
  readonly context?: number | undefined;
  /** The longest reply in tokens. */
  readonly output?: number | undefined;
  readonly thinks?: boolean | undefined;
  readonly pictures?: boolean | undefined;
  /** Whether it takes a PDF as it is. */
  readonly documents?: boolean | undefined;
  readonly tools?: boolean | undefined;
  /** Whether its provider searches the web for it where that is asked for. */
  readonly searches?: boolean | undefined;
};

export type CallOptions = {
  readonly signal: AbortSignal;
  /** Limits the call, retries included; waiting for a place does not count. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of requests, but for those that were refused for what they asked for; the default depends on the failure. */
  readonly attempts?: number | undefined;
  /** What the budget has left for the reply in tokens, where that is less than the request's own limit. */
  readonly limit?: number | undefined;
  /**
   * Asked before every request after the first; returns why it may not be sent, and the cap in its way. `limit`: the reply's
   * limit where the request is sent with another one.
   */
  readonly beforeRetry?:
    | ((soFar: CallUsage, limit?: number) => Promise<{ readonly why: string; readonly cap: Cap } | undefined>)
    | undefined;
  /** Low priority: the call never takes a slot that an answer could need. */
  readonly background?: boolean | undefined;
  /** Limits the call with all that it waits for, where that is less. */
  readonly withinMs?: number | undefined;
  /** The least that a server allocates for it, where it does that per request. */
  readonly contextTokens?: number | undefined;
  readonly onDelta?: ((delta: Delta) => void) | undefined;
  readonly onNews?: ((news: CallNews) => void) | undefined;
  /** Returns the bytes of an attachment, in base64. Without it no attachment is sent. */
  readonly bytesOf?: ((digest: Digest) => Promise<string>) | undefined;
};

/**
 * The only access to language models. `complete` does not reject when a provider or a network fails: it resolves to
 * `ok: false` with a failure. An abort of `signal` gives `cancelled`.
 */
export interface Models {
  complete(request: ModelRequest, options: CallOptions): Promise<Call>;
  quote(request: ModelRequest): Quote;
  /** Returns why no call of this model can succeed, as far as that is known without a request; undefined if one may. */
  check?(model: ModelRef): Failure | undefined;
  facts?(model: string): ModelFacts;
}
