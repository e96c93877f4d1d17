/** Replaces a URL's password, a secret in its query, and what has the form of a provider's key, by dots. */
export function redactSecrets(text: string): string {
  const bare = text.includes("@") ? text.replaceAll(PASSWORD, "$1…@") : text;
  return bare.replaceAll(QUERY, "$1…").replaceAll(KEY, "$1…");
}

/** Whether the query or the fragment of a URL in this text holds what `redactSecrets` hides, percent-encoded or not. */
export function hasSecretInQuery(text: string): boolean {
  const decoded = text.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return [text, decoded].some((one) => one.includes("://") && one.search(QUERY) >= 0);
}

const PASSWORD = /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/?#]{0,256}:)[^\s]{0,512}@/gi;
const QUERY =
  /([?&;#](?:[\w.-]{0,40}[-_.])?(?:pass(?:word|wd|phrase|code)?|pwd|(?:api|access|auth|secret|private|subscription)?key|(?:access|auth|id|refresh|session)?token|(?:client)?secret|sig(?:nature)?|credentials?|auth(?:orization)?|jwt|code)=)[^&#\s"']{1,512}/gi;
const KEY = /\b(sk-|sk_|pk-|rk-|gsk_|xai-|hf_|ghp_|AIza)[A-Za-z0-9_-]{8,}/g;
