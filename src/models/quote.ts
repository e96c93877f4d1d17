import type { ModelRequest, Quote } from "../kernel/model.ts";
import { costAt, type Price } from "./prices.ts";

/** English prose has 4 to 5 characters a token, code and other Latin text about 3; see `estimateTokens`. */
const charactersPerToken = 3;
/** Role, separators and name around each message, at most 4 in OpenAI's counting guide, and some to spare. */
const tokensPerMessage = 8;

/** Latin scripts take a token for several characters; the others one or more for each. */
const weigh = (text: string): number => {
  let units = 0;
  for (let index = 0; index < text.length; index += 1)
    units += text.charCodeAt(index) < 0x250 ? 1 : charactersPerToken;
  return units;
};

/**
 * Prompt tokens, estimated high and without a tokenizer: one for 3 characters of Latin text, one for each
 * UTF-16 unit of any other, 8 for each message, and tools and schema as their JSON. A prompt that no
 * tokenizer packs well (long numbers, base64) may have more.
 */
const estimateTokens = (request: ModelRequest): number => {
  let units = 0;
  for (const message of request.messages) {
    units += weigh(message.text);
    if (message.role === "assistant") {
      for (const call of message.toolCalls ?? []) units += weigh(call.name) + weigh(call.arguments);
    }
  }
  if (request.tools !== undefined) units += weigh(JSON.stringify(request.tools));
  if (request.reply !== undefined) units += weigh(JSON.stringify(request.reply));
  return Math.ceil(units / charactersPerToken) + request.messages.length * tokensPerMessage;
};

/** The worst case of one attempt: the whole prompt uncached, and the longest reply that was asked for. */
export const quoteFor = (request: ModelRequest, price: Price | "free" | null): Quote => {
  const tokensIn = estimateTokens(request);
  const tokensOut = request.maxOutputTokens;
  if (price === null) return { tokensIn, tokensOut, usd: null };
  if (price === "free") return { tokensIn, tokensOut, usd: 0 };
  return { tokensIn, tokensOut, usd: costAt(price, { in: tokensIn, out: tokensOut, cached: 0 }) };
};
