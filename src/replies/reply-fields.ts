import { escapeBreaks, jsonObjects } from "./json-objects.ts";
import { findQuoted } from "./quoted.ts";
import { openReply } from "./verdicts.ts";

/** The entries of a JSON object by name, without case, underscores and hyphens. */
export type Fields = ReadonlyMap<string, unknown>;

/** Maximum items kept of a list, and maximum characters of each. */
const MAX_ITEMS = 50;
const MAX_CHARACTERS = 2_000;
/** A reply's last objects: the form that was asked for stands at its end. */
const MAX_OBJECTS = 50;
/** A solution may be a long text. */
const MAX_LENGTH = 2 * 1024 * 1024;
const MAX_NAME_LENGTH = 64;
/** A longer text names no label. */
const MAX_LABEL_LENGTH = 1_000;

function foldName(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).toLowerCase().replaceAll(/[_-]/g, "");
}

/** A JSON object's entries; none for anything else. Of two names that read alike the last counts, as in JSON. */
export function toFields(value: unknown): Fields {
  return typeof value !== "object" || value === null || Array.isArray(value)
    ? new Map()
    : new Map(Object.entries(value).map(([name, inner]): [string, unknown] => [foldName(name), inner]));
}

/**
 * The entries of the last JSON object in a reply that has this name, which is letters, and is not marked as quoted: alone, fenced or in prose, or as
 * the only entry of an object around it. Where there is none it is looked for once more with the line breaks escaped
 * that stand in strings as they are. A reply over 2 MiB is not read. Time is linear in the reply.
 */
export function findFields(
  reply: string,
  name: string,
): { readonly ok: true; readonly fields: Fields } | { readonly ok: false; readonly reason: string } {
  const opened = openReply(reply, MAX_LENGTH);
  if (!opened.ok) return opened;
  const { text } = opened;
  // What does not even name it needs no search.
  const named = new RegExp([...foldName(name)].join("[_-]?"), "i").test(text);
  const fields = named ? (lastFields(text, name) ?? lastFields(escapeBreaks(text), name)) : undefined;
  if (fields) return { ok: true, fields };
  return {
    ok: false,
    reason: text.trim() === "" ? "the reply is empty" : `there is no JSON object with "${name}"`,
  };
}

function lastFields(text: string, name: string): Fields | undefined {
  const found: { readonly start: number; readonly fields: Fields }[] = [];
  for (const { start, end } of jsonObjects(text).slice(-MAX_OBJECTS)) {
    // What `jsonObjects` finds is JSON.
    const fields = toFields(JSON.parse(text.slice(start, end)));
    const inner = fields.size === 1 ? toFields([...fields.values()][0]) : undefined;
    if (fields.has(foldName(name))) found.push({ start, fields });
    else if (inner?.has(foldName(name))) found.push({ start, fields: inner });
  }
  const quoted = found.length > 1 ? findQuoted(text) : [];
  const own = found.findLast(({ start: at }) => !quoted.some(({ start, end }) => start <= at && at < end));
  return (own ?? found.at(-1))?.fields;
}

/** A text of at most 2,000 characters, trimmed and well formed; empty for what is none. */
export function toText(value: unknown): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  return typeof value === "string" ? value.trim().slice(0, MAX_CHARACTERS).toWellFormed().trim() : "";
}

/**
 * A list of texts, at most 50: of an array, where an object stands for the texts in it, or of one string, line by line
 * without its list marks. What is empty, or says that there is nothing, is left out.
 */
export function toTexts(value: unknown): string[] {
  const given: readonly unknown[] =
    typeof value === "string" ? lines(value) : Array.isArray(value) ? value : [];
  const texts: string[] = [];
  for (const one of given) {
    if (texts.length === MAX_ITEMS) break;
    const text =
      typeof one === "object"
        ? toText([...toFields(one).values()].map(toText).filter(Boolean).join(": "))
        : toText(one);
    if (text !== "" && !NOTHING.test(text)) texts.push(text);
  }
  return texts;
}

const NOTHING =
  /^\W{0,9}(?:none|nothing|n\/?a|not applicable)(?:\s(?:identified|found|known|noted|remaining|unfulfilled))?\W{0,9}$/i;
const MARK = /^\s{0,20}(?:[-*+•]|\d{1,3}[.)])\s{1,9}/;

function lines(text: string): string[] {
  return text
    .slice(0, 2 * MAX_ITEMS * MAX_CHARACTERS)
    .split(/[\r\n]+/)
    .map((line) => line.replace(MARK, ""));
}

/** What models put around a label without meaning anything by it. */
const decoration = new Set(" \t\r\n*_`#\"'“”‘’()[]{}<>.,:;");
const opening = new Set(" \t*_`#\"'“‘([");
const closing = new Set("*_`\"'”’)]");
const noun =
  /(?:answer|response|draft|option|candidate|proposal|reply|solution)(?=[\s*_`:#(["-])[\s*_`:#(["-]*/iy;
const labelLike = /[A-Z]{1,2}\d?|\d{1,2}/y;
const wordCharacter = /[\p{L}\p{N}_'’]/u;

function removeDecoration(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && decoration.has(text.charAt(start))) start += 1;
  while (end > start && decoration.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** `A` for each of `A`, `**a**`, `Answer A`, `Response A:` and the like: two texts name one label when this is equal. */
export function normalizeLabel(text: string): string {
  if (text.length > MAX_LABEL_LENGTH) return text;
  const bare = removeDecoration(text);
  const named = removeDecoration(bare.slice(matchAt(noun, bare, 0)?.length ?? 0));
  return (named === "" ? bare : named).toUpperCase();
}

/** A label met in a text. `label` is null where something looks like a label (`Response Z`) and is none of the known. */
type LabelMention = {
  readonly label: string | null;
  readonly written: string;
  /** Whether a noun stood before it, as in `Answer A`. */
  readonly named: boolean;
  /** Where the text goes on, closing decoration skipped. */
  readonly end: number;
};

export type LabelReader = {
  /** The known label that the whole of `text` names, or null. */
  readonly whole: (text: string) => string | null;
  /** The label that starts at `from`, leading decoration aside, or null where nothing there looks like one. */
  readonly at: (text: string, from: number) => LabelMention | null;
};

/** Reads the given labels, case and decoration aside; null when two of them read alike, so that nothing can be told. */
export function labelReader(labels: readonly string[]): LabelReader | null {
  const known = new Map(labels.map((label) => [normalizeLabel(label), label]));
  if (known.size !== labels.length || known.has("")) return null;
  const longestFirst = [...known.keys()].sort((a, b) => b.length - a.length);
  const ends = (text: string, at: number) =>
    !wordCharacter.test(text.charAt(at)) &&
    !(text.charAt(at) === "-" && wordCharacter.test(text.charAt(at + 1)));
  const skip = (text: string, from: number, set: ReadonlySet<string>) => {
    let at = from;
    const most = Math.min(text.length, from + MAX_LABEL_LENGTH);
    while (at < most && set.has(text.charAt(at))) at += 1;
    return at;
  };
  return {
    whole: (text) => known.get(normalizeLabel(text)) ?? null,
    at: (text, from) => {
      let at = skip(text, from, opening);
      const prefix = matchAt(noun, text, at);
      if (prefix !== null) at = skip(text, at + prefix.length, opening);
      const key = longestFirst.find(
        (candidate) =>
          text.slice(at, at + candidate.length).toUpperCase() === candidate &&
          ends(text, at + candidate.length),
      );
      const written = key === undefined ? matchAt(labelLike, text, at) : text.slice(at, at + key.length);
      if (written === null || !ends(text, at + written.length)) return null;
      const label = key === undefined ? null : (known.get(key) ?? null);
      return { label, written, named: prefix !== null, end: skip(text, at + written.length, closing) };
    },
  };
}
