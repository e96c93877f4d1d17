import { attachmentTokens } from "../kernel/attachments.ts";
import { MIN_REPLY_TOKENS } from "../kernel/model.ts";
import type { Attachment, ModelFacts, ModelRequest, Quote, Cost, Tokens } from "../kernel/model.ts";
import type { Usage } from "../kernel/transport.ts";

/** US dollars per million tokens. */
export type Rate = {
  readonly in: number;
  readonly out: number;
  /** For input read from the provider's cache; as `in` where absent. */
  readonly cached?: number | undefined;
  /** For input written to the provider's cache; as `in` where absent. */
  readonly written?: number | undefined;
};

/** What costs no dollars by the call: a model at home or a simulated one, or one that a subscription pays for. */
export type Unpriced = "free" | "subscription";

export type Price = Rate & {
  /** A reference `provider/model`; a dated version of it (`-2025-08-07`, `-20250929`, `-latest`) is covered too. */
  readonly model: string;
  /** The rate of a whole call whose prompt is longer than `above` tokens. */
  readonly long?: (Rate & { readonly above: number }) | undefined;
  /** US dollars for one search that the provider makes; unknown where absent. */
  readonly search?: number | undefined;
  /** When the source was last known to say so, and its name. */
  readonly date: string;
  readonly source: string;
};

/** What a call used, as it is charged: `in` counts cached and written tokens too, `out` counts thinking. */
type Use = {
  readonly in: number;
  readonly out: number;
  readonly cached?: number | undefined;
  readonly written?: number | undefined;
  readonly searches?: number | undefined;
};

/** Dollars for what a call used, at a price. */
export function costOf(price: Price, { in: all, out, cached = 0, written = 0, searches = 0 }: Use): number {
  const rate = price.long !== undefined && all > price.long.above ? price.long : price;
  const read = Math.min(cached, all);
  const kept = Math.min(written, all - read);
  const tokens =
    (all - read - kept) * rate.in + read * (rate.cached ?? rate.in) + kept * (rate.written ?? rate.in);
  return (tokens + out * rate.out) / 1e6 + searches * (price.search ?? 0);
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
  tokens += (request.search ?? 0) * TOKENS_PER_SEARCH;
  return Math.ceil(units / CHARACTERS_PER_TOKEN) + tokens;
}

/** What one search of a provider's brings into the prompt, at about its longest. */
const TOKENS_PER_SEARCH = 8_000;

const sumTokens = (sum: number, one: Attachment): number => sum + attachmentTokens(one);

const dearest = (price: Price, use: Use): number =>
  Math.max(costOf(price, use), costOf(price, { ...use, written: use.in }));

/**
 * The longest reply, in tokens, as far as the model and its window go. By an estimate alone no reply is made shorter than one that is
 * worth the call; without a window nothing is estimated.
 */
export function roomForReply(
  request: ModelRequest,
  { context = Infinity, output = Infinity }: ModelFacts,
  promptTokens = () => estimateTokens(request),
): number {
  const most = Math.min(request.maxOutputTokens, output);
  const window = Math.min(context, request.contextTokens ?? Infinity);
  if (window === Infinity) return most;
  return Math.max(Math.min(most, MIN_REPLY_TOKENS), Math.min(most, window - promptTokens()));
}

/** The worst case of one attempt: nothing of the prompt cached, all of it written, and the longest reply. */
export function quoteRequest(
  request: ModelRequest,
  price: Price | Unpriced | null,
  facts: ModelFacts = {},
): Quote {
  const tokensIn = estimateTokens(request);
  const tokensOut = roomForReply(request, facts, () => tokensIn);
  const least = Math.min(tokensOut, MIN_REPLY_TOKENS);
  const { search: searches } = request;
  const rates = searches === undefined || isUnpriced(price) || price?.search !== undefined ? price : null;
  const usdOf = (out: number): number | null =>
    rates === null ? null : isUnpriced(rates) ? 0 : dearest(rates, { in: tokensIn, out, searches });
  return {
    ...{ tokensIn, tokensOut, usd: usdOf(tokensOut) },
    ...(least < tokensOut ? { least: { tokensOut: least, usd: usdOf(least) } } : {}),
  };
}

const isUnpriced = (price: Price | Unpriced | null): price is Unpriced => typeof price === "string";

function addKnown(sum: number | null, more: number | null): number | null {
  return more === null ? sum : (sum ?? 0) + more;
}

export type Spending = ReturnType<typeof createSpending>;

/** The attempts of one call, added up: what was paid for and came to nothing is paid all the same. */
export function createSpending(price: Price | Unpriced | null) {
  const tokens: Tokens = { in: null, out: null, cached: null, reasoning: null };
  let searches = 0;
  let usd: number | null = null;
  let unpriced = false;
  let source: "provider" | "table" = "provider";

  const charge = ({ tokens: used, searches: searched = 0, usd: reported }: Usage): void => {
    const { in: all, out, cached, written } = used;
    if (reported !== null) usd = addKnown(usd, reported);
    // What broke off before its usage was whole is no part of the sum; it is counted as unreported.
    if (reported !== null || all === null || out === null) return;
    const table = price === null || isUnpriced(price) ? null : price;
    unpriced ||= table === null || (searched > 0 && table.search === undefined);
    if (table === null) return;
    source = "table";
    usd = addKnown(usd, costOf(table, { in: all, out, cached: cached ?? 0, written, searches: searched }));
  };

  return {
    add: (usage: Usage): void => {
      for (const kind of ["in", "out", "cached", "reasoning"] as const)
        tokens[kind] = addKnown(tokens[kind], usage.tokens[kind]);
      const { written = 0 } = usage.tokens;
      if (written > 0) tokens.written = (tokens.written ?? 0) + written;
      searches += usage.searches ?? 0;
      charge(usage);
    },
    tokens: (): Tokens => ({ ...tokens }),
    searches: () => searches,
    /**
     * What the attempts that reported something cost. Each goes by the provider's own figure, else by the
     * table; where an attempt has its tokens and neither, the whole is unknown.
     */
    cost: (): Cost => {
      // A program of an agent may be logged in with a key, which it says by what it charges.
      if (price === "free" || (price === "subscription" && usd === null)) return { source: price, usd: 0 };
      return usd === null || unpriced ? { source: "unknown", usd: null } : { source, usd };
    },
  };
}
