import { Fault } from "../kernel/index.ts";

/** What is wrong, in one bounded line, and what to do about it. */
export const refuse = (why: string, next: string): Fault<"configuration"> =>
  new Fault("configuration", { why: oneLine(why, 600), next: oneLine(next, 300) });

/** Foreign text as part of one line: control and formatting characters gone, cut at `most` UTF-16 units. */
export function oneLine(text: string, most: number): string {
  const clean = text
    .slice(0, most * 4)
    .replaceAll(UNSEEN, " ")
    .replaceAll(/ {2,}/g, " ")
    .trim();
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Control and formatting characters, unpaired surrogates, line ends; a space stays what it is. */
const UNSEEN = /[\p{C}\u2028\u2029]+/gu;

/** A value as an error may show it: bounded, and without what looks like a key or a password. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "a map";
  return oneLine(withoutSecrets(JSON.stringify(value) ?? typeof value), 80);
}

/** Replaces a URL's password, and what has the form of a provider's key, by dots. */
export const withoutSecrets = (text: string): string =>
  text.replaceAll(PASSWORD, "$1…@").replaceAll(KEY, "$1…");

const PASSWORD = /([a-z][a-z0-9+.-]*:\/\/[^\s:/?#]*:)[^\s]*@/gi;
const KEY = /\b(sk-|sk_|pk-|rk-|gsk_|xai-|hf_|ghp_|AIza)[A-Za-z0-9_-]{8,}/g;
