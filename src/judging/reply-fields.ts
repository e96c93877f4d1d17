import { escapeBreaks } from "./escape-breaks.ts";
import { jsonObjects } from "./json-objects.ts";
import { maximumReply } from "./verdicts.ts";

/** The entries of a JSON object by name, without case, underscores and hyphens. */
export type Fields = ReadonlyMap<string, unknown>;

/** So many items of a list are kept, and so many characters of each. */
const MOST_ITEMS = 50;
const MOST_CHARACTERS = 2_000;
/** A reply's last objects: the form that was asked for stands at its end. */
const MOST_OBJECTS = 50;
const LONGEST_NAME = 64;

const folded = (name: string): string => name.slice(0, LONGEST_NAME).toLowerCase().replaceAll(/[_-]/g, "");

/** A JSON object's entries; none for anything else. Of two names that read alike the last counts, as in JSON. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? new Map()
    : new Map(Object.entries(value).map(([name, inner]): [string, unknown] => [folded(name), inner]));

/**
 * The entries of the last JSON object in a reply that has this name, which is letters: alone, fenced or in prose, or as
 * the only entry of an object around it. Where there is none it is looked for once more with the line breaks escaped
 * that stand in strings as they are. A reply over 4,000,000 characters is not read. Time is linear in the reply.
 */
export function findFields(
  text: string,
  name: string,
): { readonly ok: true; readonly fields: Fields } | { readonly ok: false; readonly reason: string } {
  if (text.length > maximumReply)
    return { ok: false, reason: `the reply is longer than ${maximumReply} characters` };
  // What does not even name it needs no search.
  const named = new RegExp([...folded(name)].join("[_-]?"), "i").test(text);
  const fields = named ? (lastFields(text, name) ?? lastFields(escapeBreaks(text), name)) : undefined;
  if (fields) return { ok: true, fields };
  return {
    ok: false,
    reason: text.trim() === "" ? "the reply is empty" : `there is no JSON object with "${name}"`,
  };
}

function lastFields(text: string, name: string): Fields | undefined {
  for (const { start, end } of jsonObjects(text).slice(-MOST_OBJECTS).toReversed()) {
    // What `jsonObjects` finds is JSON.
    const fields = fieldsOf(JSON.parse(text.slice(start, end)));
    if (fields.has(folded(name))) return fields;
    const inner = fields.size === 1 ? fieldsOf([...fields.values()][0]) : undefined;
    if (inner?.has(folded(name))) return inner;
  }
  return undefined;
}

/** A text of at most 2,000 characters, trimmed and well formed; empty for what is none. */
export const textOf = (value: unknown): string => {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  return typeof value === "string" ? value.trim().slice(0, MOST_CHARACTERS).toWellFormed().trim() : "";
};

/**
 * A list of texts, at most 50: of an array, where an object stands for the texts in it, or of one string, line by line
 * without its list marks. What is empty, or says that there is nothing, is left out.
 */
export const textsOf = (value: unknown): string[] => {
  const given: readonly unknown[] =
    typeof value === "string" ? lines(value) : Array.isArray(value) ? value : [];
  const texts: string[] = [];
  for (const one of given) {
    if (texts.length === MOST_ITEMS) break;
    const text =
      typeof one === "object"
        ? textOf([...fieldsOf(one).values()].map(textOf).filter(Boolean).join(": "))
        : textOf(one);
    if (text !== "" && !NOTHING.test(text)) texts.push(text);
  }
  return texts;
};

const NOTHING =
  /^\W{0,9}(?:none|nothing|n\/?a|not applicable)(?:\s(?:identified|found|known|noted|remaining|unfulfilled))?\W{0,9}$/i;
const MARK = /^\s{0,20}(?:[-*+•]|\d{1,3}[.)])\s{1,9}/;

const lines = (text: string): string[] => text.split(/[\r\n]+/).map((line) => line.replace(MARK, ""));
