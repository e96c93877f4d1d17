/** One text of a perspective, which is in chronological order: an agent's in a debate, or a turn of a conversation. */
export type Contribution = {
  readonly round: number;
  readonly kind: "proposal" | "critique" | "refinement" | "turn";
  /** The step whose event holds it. */
  readonly step: string;
  readonly text: string;
  /** The label under which others know its author, if it has one. */
  readonly label?: string;
};

/** A piece of a contribution: `text` is its text from `start` to `end`, in UTF-16 units. */
export type Passage = {
  readonly of: Contribution;
  readonly start: number;
  readonly end: number;
  readonly text: string;
};

type PassageSpan = Pick<Passage, "start" | "end">;
type PassageLengths = { readonly least: number; readonly most: number };

/** A shorter paragraph, most often a heading, stands with the one after it. */
const MIN_PASSAGE_LENGTH = 80;
const MAX_PASSAGE_LENGTH = 1_200;

/**
 * The passages of contributions in order: paragraphs, of which short ones are joined and long ones cut. A blank
 * contribution has none. Of a long history the passages are longer, so that there are not many more than `about`: for
 * whoever compares every one with every other.
 */
export function splitPassages(contributions: readonly Contribution[], about: number): readonly Passage[] {
  const total = contributions.reduce((sum, { text }) => sum + text.length, 0);
  const least = Math.max(MIN_PASSAGE_LENGTH, Math.ceil(total / about));
  const bounds = { least, most: Math.max(MAX_PASSAGE_LENGTH, 2 * least) };
  return contributions.flatMap((of) =>
    [...splitSpans(of.text, bounds)].map(({ start, end }) => ({
      of,
      start,
      end,
      text: of.text.slice(start, end),
    })),
  );
}

function* splitSpans(text: string, { least, most }: PassageLengths): Generator<PassageSpan> {
  let open: PassageSpan | undefined;
  for (const { start, end } of splitParagraphs(text))
    if (open && open.end - open.start < least) open = { start: open.start, end };
    else {
      if (open) yield* splitLongSpan(text, open, most);
      open = { start, end };
    }
  if (open) yield* splitLongSpan(text, open, most);
}

/** Lines in a row that are not blank. */
function* splitParagraphs(text: string): Generator<PassageSpan> {
  let open: PassageSpan | undefined;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    if (text.slice(start, end).trim() !== "") open = { start: open?.start ?? start, end };
    else if (open) {
      yield open;
      open = undefined;
    }
    start = end + 1;
  }
  if (open) yield open;
}

function* splitLongSpan(text: string, { start, end }: PassageSpan, most: number): Generator<PassageSpan> {
  let from = start;
  while (end - from > most) {
    const cut = findCut(text, from, most);
    yield { start: from, end: cut };
    from = cut;
    while (from < end && text.charAt(from).trim() === "") from += 1;
  }
  if (from < end) yield { start: from, end };
}

/** What says that a text went on; it counts. */
const CUT_SIGN = " …";

/**
 * The beginning of a text, trimmed and well-formed: all of it where it has at most `maxLength` UTF-16 units, else up to
 * the end of a sentence or of a word, with an ellipsis that counts. Never longer than `maxLength`.
 */
export function excerpt(text: string, maxLength: number): string {
  const whole = text.toWellFormed().trim();
  if (whole.length <= maxLength) return whole;
  if (maxLength < CUT_SIGN.length) return CUT_SIGN.trim().slice(0, Math.max(0, maxLength));
  const end = findCut(whole, 0, maxLength - CUT_SIGN.length);
  return `${whole.slice(0, end).trimEnd()}${CUT_SIGN}`.trim();
}

/**
 * Where to cut a text so that at most `most` UTF-16 units stand between `from` and the cut: after the last sentence of
 * the second half of them, else after its last word, else between two characters. Looks at no more than `most` units.
 */
export function findCut(text: string, from: number, most: number): number {
  const limit = from + most;
  if (limit >= text.length) return text.length;
  let afterWord: number | undefined;
  for (let at = limit; at > from + most / 2; at -= 1) {
    if (endsSentence(text, at)) return at;
    if (afterWord === undefined && isSpace(text, at)) afterWord = at;
  }
  return afterWord ?? (splitsPair(text, limit) ? limit - 1 : limit);
}

const isSpace = (text: string, at: number): boolean => text.charAt(at).trim() === "";

/** A line's end, a stop before a space, or a stop of the scripts that write no space after it. */
const endsSentence = (text: string, at: number): boolean =>
  text.charAt(at) === "\n" ||
  "。！？".includes(text.charAt(at - 1)) ||
  (".!?…".includes(text.charAt(at - 1)) && isSpace(text, at));

/** Whether a cut here would leave half of a surrogate pair on either side. */
const splitsPair = (text: string, at: number): boolean => {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
};
