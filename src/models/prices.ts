import { attachmentTokens } from "../kernel/attachments.ts";
import {
  type Attachment,
  LEAST_REPLY_TOKENS,
  type ModelFacts,
  type ModelRequest,
  type Quote,
  type Cost,
  type Tokens,
} from "../kernel/model.ts";
import type { Usage } from "../kernel/transport.ts";

/** US dollars per million tokens. */
export type Rate = {
  readonly in: number;
  readonly out: number;
  /** For input read from the provider's cache; as `in` where absent. */
  readonly cached?: number;
};

export type Price = Rate & {
  /** A reference `provider/model`; a dated version of it (`-2025-08-07`, `-20250929`, `-latest`) is covered too. */
  readonly model: string;
  /** The rate of a whole call whose prompt is longer than `above` tokens. */
  readonly long?: Rate & { readonly above: number };
  /** When the source was last known to say so, and its name. */
  readonly date: string;
  readonly source: string;
};

type PriceRow = readonly [
  model: string,
  input: number,
  output: number,
  cached?: number,
  long?: Price["long"],
];

function listPrices(source: string, date: string, rows: readonly PriceRow[]): Price[] {
  return rows.map(([model, input, output, cached, long]) => ({
    ...{ model, in: input, out: output, date, source },
    ...(cached === undefined ? {} : { cached }),
    ...(long === undefined ? {} : { long }),
  }));
}

/** List prices of well-known models, standard tier, without batch or regional terms. What is not here is unknown. */
export const prices: readonly Price[] = [
  ...listPrices("OpenAI API pricing", "2025-11-30", [
    ["openai/gpt-5.1", 1.25, 10, 0.125],
    ["openai/gpt-5", 1.25, 10, 0.125],
    ["openai/gpt-5-mini", 0.25, 2, 0.025],
    ["openai/gpt-5-nano", 0.05, 0.4, 0.005],
    ["openai/gpt-4.1", 2, 8, 0.5],
    ["openai/gpt-4.1-mini", 0.4, 1.6, 0.1],
    ["openai/gpt-4.1-nano", 0.1, 0.4, 0.025],
    ["openai/gpt-4o", 2.5, 10, 1.25],
    ["openai/gpt-4o-mini", 0.15, 0.6, 0.075],
    ["openai/o3", 2, 8, 0.5],
    ["openai/o4-mini", 1.1, 4.4, 0.275],
  ]),
  ...listPrices("Claude pricing", "2025-11-30", [
    ["anthropic/claude-opus-4-5", 5, 25, 0.5],
    ["anthropic/claude-opus-4-1", 15, 75, 1.5],
    ["anthropic/claude-sonnet-4-5", 3, 15, 0.3],
    ["anthropic/claude-sonnet-4", 3, 15, 0.3],
    ["anthropic/claude-haiku-4-5", 1, 5, 0.1],
    ["anthropic/claude-3-7-sonnet", 3, 15, 0.3],
    ["anthropic/claude-3-5-haiku", 0.8, 4, 0.08],
    ["anthropic/claude-3-haiku", 0.25, 1.25, 0.03],
  ]),
  ...listPrices("Gemini API pricing", "2025-11-30", [
    ["google/gemini-3-pro-preview", 2, 12, 0.2, { above: 200_000, in: 4, out: 18, cached: 0.4 }],
    ["google/gemini-2.5-pro", 1.25, 10, 0.125, { above: 200_000, in: 2.5, out: 15, cached: 0.25 }],
    ["google/gemini-2.5-flash", 0.3, 2.5, 0.03],
    ["google/gemini-2.5-flash-lite", 0.1, 0.4, 0.01],
    ["google/gemini-2.0-flash", 0.1, 0.4, 0.025],
  ]),
  ...listPrices("Mistral AI API pricing", "2025-11-30", [
    ["mistral/mistral-medium", 0.4, 2],
    ["mistral/mistral-small", 0.1, 0.3],
    ["mistral/codestral", 0.3, 0.9],
  ]),
  ...listPrices("DeepSeek models and pricing", "2025-11-30", [
    ["deepseek/deepseek-chat", 0.28, 0.42, 0.028],
    ["deepseek/deepseek-reasoner", 0.28, 0.42, 0.028],
  ]),
  ...listPrices("xAI models and pricing", "2025-11-30", [
    ["xai/grok-4", 3, 15, 0.75],
    ["xai/grok-3", 3, 15, 0.75],
    ["xai/grok-3-mini", 0.3, 0.5, 0.075],
    ["xai/grok-4-fast-reasoning", 0.2, 0.5, 0.05],
    ["xai/grok-4-fast-non-reasoning", 0.2, 0.5, 0.05],
  ]),
  ...listPrices("Groq pricing", "2025-11-30", [
    ["groq/llama-3.3-70b-versatile", 0.59, 0.79],
    ["groq/llama-3.1-8b-instant", 0.05, 0.08],
    ["groq/openai/gpt-oss-120b", 0.15, 0.6],
    ["groq/openai/gpt-oss-20b", 0.075, 0.3],
  ]),
  ...listPrices("Together AI pricing", "2025-11-30", [
    ["together/meta-llama/Llama-3.3-70B-Instruct-Turbo", 0.88, 0.88],
  ]),
];

/** What a provider appends to a model's name to tell its versions apart: a date, a month, or `latest`. */
const VERSION = /^-(?:latest|\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$/;

/**
 * The first row for a reference, exact rows before those of its undated name; null where the price is not
 * known. A router's price for a model is not its maker's, so `openrouter/…` is only what a row says of it.
 */
export function findPrice(ref: string, table: readonly Price[] = prices): Price | null {
  return (
    table.find(({ model }) => model === ref) ??
    table.find(({ model }) => ref.startsWith(model) && VERSION.test(ref.slice(model.length))) ??
    null
  );
}

/** Dollars for tokens at a price; `in` counts the cached ones too. */
export function costOfTokens(
  price: Price,
  tokens: { readonly in: number; readonly out: number; readonly cached: number },
): number {
  const rate = price.long !== undefined && tokens.in > price.long.above ? price.long : price;
  const cached = Math.min(tokens.cached, tokens.in);
  return ((tokens.in - cached) * rate.in + cached * (rate.cached ?? rate.in) + tokens.out * rate.out) / 1e6;
}

/** English prose has 4 to 5 characters a token, code and other Latin text about 3; see `estimateTokens`. */
const CHARACTERS_PER_TOKEN = 3;
/** Role, separators and name around each message, at most 4 in OpenAI's counting guide, and some to spare. */
const TOKENS_PER_MESSAGE = 8;

/** Latin scripts take a token for several characters; the others one or more for each. */
function weigh(text: string): number {
  let units = 0;
  for (let index = 0; index < text.length; index += 1)
    units += text.charCodeAt(index) < 0x250 ? 1 : CHARACTERS_PER_TOKEN;
  return units;
}

/**
 * Prompt tokens, estimated high and without a tokenizer: one for 3 characters of Latin text, one for each
 * UTF-16 unit of any other, 8 for each message, and tools and schema as their JSON. A prompt that no
 * tokenizer packs well (long numbers, base64) may have more.
 */
function estimateTokens(request: ModelRequest): number {
  let units = 0;
  let tokens = request.messages.length * TOKENS_PER_MESSAGE;
  for (const message of request.messages) {
    units += weigh(message.text);
    if (message.role === "user") tokens += (message.attachments ?? []).reduce(sumTokens, 0);
    if (message.role === "assistant")
      for (const call of message.toolCalls ?? []) units += weigh(call.name) + weigh(call.arguments);
  }
  if (request.tools !== undefined) units += weigh(JSON.stringify(request.tools));
  if (request.reply !== undefined) units += weigh(JSON.stringify(request.reply));
  return Math.ceil(units / CHARACTERS_PER_TOKEN) + tokens;
}

const sumTokens = (sum: number, one: Attachment): number => sum + attachmentTokens(one);

/**
 * The worst case of one attempt: the whole prompt uncached, and the longest reply that was asked for, as far as the model and
 * its window go. By an estimate alone no reply is made shorter than one that is worth the call.
 */
export function quoteRequest(
  request: ModelRequest,
  price: Price | "free" | null,
  { context = Infinity, output = Infinity }: ModelFacts = {},
): Quote {
  const tokensIn = estimateTokens(request);
  const most = Math.min(request.maxOutputTokens, output);
  const least = Math.min(most, LEAST_REPLY_TOKENS);
  const tokensOut = Math.max(least, Math.min(most, context - tokensIn));
  const usdOf = (out: number): number | null =>
    price === null ? null : price === "free" ? 0 : costOfTokens(price, { in: tokensIn, out, cached: 0 });
  return {
    ...{ tokensIn, tokensOut, usd: usdOf(tokensOut) },
    ...(least < tokensOut ? { least: { tokensOut: least, usd: usdOf(least) } } : {}),
  };
}

function addKnown(sum: number | null, more: number | null): number | null {
  return more === null ? sum : (sum ?? 0) + more;
}

export type Spending = ReturnType<typeof createSpending>;

/** The attempts of one call, added up: what was paid for and came to nothing is paid all the same. */
export function createSpending(price: Price | "free" | null) {
  const tokens: Tokens = { in: null, out: null, cached: null, reasoning: null };
  let usd: number | null = null;
  let unpriced = false;
  let source: "provider" | "table" = "provider";

  const charge = ({ tokens: used, usd: reported }: Usage): void => {
    if (reported !== null) {
      usd = addKnown(usd, reported);
    } else if (used.in !== null && used.out !== null && price !== null && price !== "free") {
      source = "table";
      usd = addKnown(usd, costOfTokens(price, { in: used.in, out: used.out, cached: used.cached ?? 0 }));
    } else if (used.in !== null || used.out !== null) {
      unpriced = true;
    }
  };

  return {
    add: (usage: Usage): void => {
      for (const kind of ["in", "out", "cached", "reasoning"] as const)
        tokens[kind] = addKnown(tokens[kind], usage.tokens[kind]);
      charge(usage);
    },
    tokens: (): Tokens => ({ ...tokens }),
    /**
     * What the attempts that reported something cost. Each goes by the provider's own figure, else by the
     * table; where an attempt has tokens and neither, the whole is unknown.
     */
    cost: (): Cost => {
      if (price === "free") return { source: "free", usd: 0 };
      return usd === null || unpriced ? { source: "unknown", usd: null } : { source, usd };
    },
  };
}
