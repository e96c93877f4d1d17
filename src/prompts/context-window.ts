import { attachmentTokens, MIN_REPLY_TOKENS, type ModelRequest } from "../kernel/index.ts";

/** English has 4 to 5 letters a token, other languages in Latin letters about 3. */
const LETTERS_PER_TOKEN = 3;
/** Role, separators and name around each message. */
const TOKENS_PER_MESSAGE = 8;

/**
 * Prompt tokens, estimated high and without a tokenizer: one for each 3 letters of a word in plain Latin letters, one for
 * each digit, sign, line end and letter of another alphabet, and the bytes in UTF-8 of everything from U+0800 on, which is
 * the most that a tokenizer makes that falls back to bytes. Single spaces belong to their words.
 */
export function promptTokens({
  messages,
  reply,
  tools,
}: Pick<ModelRequest, "messages" | "reply" | "tools">): number {
  const texts = messages.map(({ text }) => text);
  const schema = reply === undefined ? 0 : textTokens(JSON.stringify(reply.schema));
  const offered = tools === undefined ? 0 : textTokens(JSON.stringify(tools));
  const attached = messages.flatMap((one) => (one.role === "user" ? (one.attachments ?? []) : []));
  const fixed = attached.reduce((sum, one) => sum + attachmentTokens(one), schema + offered);
  return texts.reduce((sum, text) => sum + textTokens(text) + TOKENS_PER_MESSAGE, fixed);
}

function textTokens(text: string): number {
  let tokens = 0;
  let letters = 0;
  let spaces = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isLetter(code)) {
      // The first letter of every three, so that a shorter rest counts as well.
      if (letters % LETTERS_PER_TOKEN === 0) tokens += 1;
      letters += 1;
      spaces = 0;
      continue;
    }
    letters = 0;
    spaces = code === SPACE ? spaces + 1 : 0;
    if (code !== SPACE) tokens += weightOf(code);
    else if (spaces % LETTERS_PER_TOKEN === 2) tokens += 1;
  }
  return tokens;
}

const SPACE = 0x20;

const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);

/** A surrogate is half of a character of four bytes. */
const weightOf = (code: number): number => (code < 0x800 ? 1 : code >= 0xd800 && code <= 0xdfff ? 2 : 3);

/** Why prompt and reply do not fit into the context; null where they do, or where it has no limit. `setting` decides on it. */
export function contextOverflow(request: ModelRequest, setting: string): string | null {
  const { contextTokens, maxOutputTokens } = request;
  if (contextTokens === undefined) return null;
  const tokens = promptTokens(request);
  const least = Math.min(maxOutputTokens, MIN_REPLY_TOKENS);
  return tokens + least <= contextTokens
    ? null
    : `about ${tokens} tokens of prompt and ${least} of reply do not fit into ${contextTokens}: ` +
        `${setting} decides, and ${contextSizeFor(tokens + least)} would do`;
}

/** A power of two, or half as much again: few sizes, since a model is loaded anew for each, and none much larger than needed. */
export function contextSizeFor(tokens: number): number {
  const above = 2 ** Math.ceil(Math.log2(Math.max(1, tokens)));
  return tokens <= above * 0.75 ? above * 0.75 : above;
}

/** The tokens that texts of a question need, with room for what stands around them and a reply of the usual length. */
export const neededTokens = (texts: readonly string[]): number =>
  promptTokens({ messages: texts.map((text) => ({ role: "user", text })) }) + 2 * MIN_REPLY_TOKENS;
