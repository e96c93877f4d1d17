/** What models put around a label without meaning anything by it. */
const decoration = new Set(" \t\r\n*_`#\"'“”‘’()[]{}<>.,:;");
const opening = new Set(" \t*_`#\"'“‘([");
const closing = new Set("*_`\"'”’)]");
const noun =
  /(?:answer|response|draft|option|candidate|proposal|reply|solution)(?=[\s*_`:#(["-])[\s*_`:#(["-]*/iy;
const labelLike = /[A-Z]{1,2}\d?|\d{1,2}/y;
const wordCharacter = /[\p{L}\p{N}_'’]/u;

const undecorated = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && decoration.has(text.charAt(start))) start += 1;
  while (end > start && decoration.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
};

const matchAt = (pattern: RegExp, text: string, at: number): string | null => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
};

/** `A` for each of `A`, `**a**`, `Answer A`, `Response A:` and the like: two texts name one label when this is equal. */
export const normaliseLabel = (text: string): string => {
  const bare = undecorated(text);
  const named = undecorated(bare.slice(matchAt(noun, bare, 0)?.length ?? 0));
  return (named === "" ? bare : named).toUpperCase();
};

/** A label met in a text. `label` is null where something looks like a label (`Response Z`) and is none of the known. */
type Mention = {
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
  readonly at: (text: string, from: number) => Mention | null;
};

/** Reads the given labels, case and decoration aside; null when two of them read alike, so that nothing can be told. */
export const labelReader = (labels: readonly string[]): LabelReader | null => {
  const known = new Map(labels.map((label) => [normaliseLabel(label), label]));
  if (known.size !== labels.length || known.has("")) return null;
  const longestFirst = [...known.keys()].sort((a, b) => b.length - a.length);
  const ends = (text: string, at: number) =>
    !wordCharacter.test(text.charAt(at)) &&
    !(text.charAt(at) === "-" && wordCharacter.test(text.charAt(at + 1)));
  const skip = (text: string, from: number, set: ReadonlySet<string>) => {
    let at = from;
    while (at < text.length && set.has(text.charAt(at))) at += 1;
    return at;
  };
  return {
    whole: (text) => known.get(normaliseLabel(text)) ?? null,
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
};
