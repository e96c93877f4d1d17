import * as z from "zod";
import { Json } from "./ids.ts";

/**
 * `provider/model`, as OpenRouter writes it: `openai/gpt-5`, `openrouter/deepseek/deepseek-chat`,
 * `ollama/gemma3:27b`, `compatible/NAME`, `sim/ada?skill=0.8`. The first segment names the provider.
 */
export const ModelRef = z
  .string()
  .regex(/^[a-z0-9-]+\/\S+$/, "a model is written provider/model, for example openai/gpt-5")
  .max(1_000)
  .brand("ModelRef");
export type ModelRef = z.infer<typeof ModelRef>;

/** A tool call as the model asked for it; `arguments` is the model's own text, not yet parsed or trusted. */
export const ToolCall = z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() });
export type ToolCall = z.infer<typeof ToolCall>;

/** One turn of a prompt. A `tool` turn answers the assistant's tool call of the same `id`. */
export const Message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), text: z.string() }),
  z.strictObject({ role: z.literal("user"), text: z.string() }),
  z.strictObject({ role: z.literal("assistant"), text: z.string(), toolCalls: z.array(ToolCall).optional() }),
  z.strictObject({ role: z.literal("tool"), id: z.string(), text: z.string() }),
]);
export type Message = z.infer<typeof Message>;

/** A JSON Schema that the reply must fit; providers that can enforce it are asked to. */
export const ReplySchema = z.strictObject({ name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/), schema: Json });
export type ReplySchema = z.infer<typeof ReplySchema>;

/** What a participant may call: a name, a sentence, and a JSON Schema of its arguments. */
export const ToolSpec = z.strictObject({ name: z.string(), description: z.string(), parameters: Json });
export type ToolSpec = z.infer<typeof ToolSpec>;

/** Everything that one model call depends on, and nothing else: its canonical form is what a step's digest covers. */
export const ModelRequest = z.strictObject({
  model: ModelRef,
  messages: z.array(Message).min(1),
  /** Sampling temperature, 0 to 2; left to the provider when absent. */
  temperature: z.number().min(0).max(2).optional(),
  /** The most tokens the reply may have; also what a budget reserves. */
  maxOutputTokens: z.int().positive(),
  /** Tokens that prompt and reply may have together, for servers that make room as they are told; others have their own. */
  contextTokens: z.int().positive().optional(),
  reply: ReplySchema.optional(),
  tools: z.array(ToolSpec).optional(),
});
export type ModelRequest = z.infer<typeof ModelRequest>;

/** The closed set of ways in which a call can fail for good. `over-budget` is the engine's own: nothing was sent. */
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

/** What a budget limits: US dollars, tokens in and out, model calls, wall time. */
export const Cap = z.enum(["usd", "tokens", "calls", "time"]);
export type Cap = z.infer<typeof Cap>;

/** `message` is in the provider's own words, bounded and with every key removed. `cap`: which one, of `over-budget`. */
export const Failure = z.strictObject({ code: FailureCode, message: z.string(), cap: Cap.optional() });
export type Failure = z.infer<typeof Failure>;

/** Tokens as the provider counted them; null where it did not say. `cached` and `reasoning` are parts of `in` and `out`. */
export const Tokens = z.strictObject({
  in: z.int().nonnegative().nullable(),
  out: z.int().nonnegative().nullable(),
  cached: z.int().nonnegative().nullable(),
  reasoning: z.int().nonnegative().nullable(),
});
export type Tokens = z.infer<typeof Tokens>;

/** US dollars and where the figure came from. Unknown is null, never 0; `free` is a simulated or local model. */
export const Cost = z.discriminatedUnion("source", [
  z.strictObject({ source: z.enum(["provider", "table", "free"]), usd: z.number().nonnegative() }),
  z.strictObject({ source: z.literal("unknown"), usd: z.null() }),
]);
export type Cost = z.infer<typeof Cost>;

const spent = {
  model: ModelRef,
  /** Who trained the model; null while nobody has said. */
  family: z.string().nullable(),
  tokens: Tokens,
  cost: Cost,
  /** From the first byte sent to the last received, over all attempts, without the time spent queueing for a slot. */
  latencyMs: z.number().nonnegative(),
  /** Requests sent, the last one included. */
  attempts: z.int().nonnegative(),
};

/** One model call, whole: the raw reply or the final failure, and what it took. */
export const Call = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    reply: z.string(),
    toolCalls: z.array(ToolCall).optional(),
    /** As the provider named it, normalised: `stop`, `length`, `tool-calls`, `filtered`, or its own word. */
    finish: z.string(),
    ...spent,
  }),
  z.strictObject({ ok: z.literal(false), failure: Failure, ...spent }),
]);
export type Call = z.infer<typeof Call>;

/** The worst case of a call before it is made: prompt tokens (estimated) and the most it may answer and cost. */
export type Quote = {
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** null when the price is unknown. */
  readonly usd: number | null;
};

/** A piece of a reply as it arrives. `attempt` counts from 1 and a higher one starts the text anew; `offset` in UTF-16 units. */
export type Delta = { readonly attempt: number; readonly offset: number; readonly text: string };

export type CallOptions = {
  readonly signal: AbortSignal;
  /** Bounds the whole call, retries and queueing included. */
  readonly timeoutMs?: number | undefined;
  /** Requests sent at most, the first one included; by default as often as failures like this one deserve. */
  readonly attempts?: number | undefined;
  /** Nobody waits for it: it takes no place that an answer could need. */
  readonly background?: boolean | undefined;
  readonly onDelta?: ((delta: Delta) => void) | undefined;
};

/**
 * The only door to a language model. `complete` never rejects for what a provider or a network did: that
 * is `ok: false` with a failure of the closed set; an abort of `signal` is `cancelled`.
 */
export interface Models {
  complete(request: ModelRequest, options: CallOptions): Promise<Call>;
  quote(request: ModelRequest): Quote;
  /** Why no call of this model could ever be sent, as far as that is known beforehand; undefined where one may. */
  check?(model: ModelRef): Failure | undefined;
}
