const PLACEHOLDER = "[redacted]";

/** What keys look like when they are not one of ours: an `sk-…` key, a Google key, a bearer token. */
const KEY_LIKE = /\b(?:sk-|gsk_|xai-|AIza)[\w*.…-]{6,}|\bBearer\s+[\w*.~+/=-]{6,}/g;

/** Shorter ones are placeholders such as `x`, and removing them would garble every message. */
const MIN_SECRET_LENGTH = 4;

function listForms(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  ];
}

/** `text` without any of `secrets`, as they are or as URL, JSON or base64 would write them. */
export function removeSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    for (const form of listForms(secret))
      if (clean.includes(form)) clean = clean.replaceAll(form, PLACEHOLDER);
  }
  return clean;
}

const MAX_WORDS_LENGTH = 500;

/** A provider's words fit to be shown and recorded: no keys, one line, no control characters, at most 500 UTF-16 units. */
export function cleanMessage(text: string, secrets: readonly string[]): string {
  // Keys go first: cutting first could leave the beginning of one.
  const line = removeSecrets(text, secrets)
    .replace(KEY_LIKE, PLACEHOLDER)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return line.length <= MAX_WORDS_LENGTH
    ? line
    : `${line.slice(0, MAX_WORDS_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
