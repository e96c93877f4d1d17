import { PLACEHOLDER, type SecretFilter } from "./secret-filter.ts";

/** What keys look like when they are not one of ours: an `sk-…` key, a Google key, a bearer token. */
const KEY_LIKE = /\b(?:sk-|gsk_|xai-|AIza)[\w*.…-]{6,}|\bBearer\s+[\w*.~+/=-]{6,}/g;

const MAX_WORDS_LENGTH = 500;

/** A provider's words fit to be shown and recorded: no keys, one line, no control characters, at most 500 UTF-16 units. */
export function cleanMessage(text: string, filter: SecretFilter): string {
  // Keys go first: cutting first could leave the beginning of one.
  const line = filter
    .clean(text)
    .replace(KEY_LIKE, PLACEHOLDER)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return line.length <= MAX_WORDS_LENGTH
    ? line
    : `${line.slice(0, MAX_WORDS_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
