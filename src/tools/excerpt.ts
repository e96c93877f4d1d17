type ExcerptRequest = {
  /** From 1. */
  readonly from: number;
  /** How many; to the end unless given. */
  readonly lines?: number | undefined;
  /** Of the text, in UTF-16 units. */
  readonly most: number;
};

/**
 * Some lines of a text, by numbers from 1 on, whole ones as far as `most` allows; no lines are `to_line` below
 * `from_line`. A first line that is longer is cut; null where the text has no line `from`.
 */
export function cutExcerpt(text: string, { from, lines = Infinity, most }: ExcerptRequest) {
  // A line feed at the end of the text begins no line.
  const starts = [...text.matchAll(/[^\n]*\n|[^\n]+$/g)].map(({ index }) => index);
  const total = starts.length;
  // An empty text has no line, and can still be read from its beginning.
  if (from > Math.max(total, 1)) return null;
  const startOf = (line: number): number => starts[line - 1] ?? text.length;
  const start = startOf(from);
  const last = Math.min(total, from + lines - 1);
  let to = from - 1;
  while (to < last && startOf(to + 2) - start <= most) to += 1;
  const notes: string[] = [];
  let end = startOf(to + 1);
  if (to < from && to < last) {
    to = from;
    end = skipHalfPair(text, start + most);
    const length = startOf(from + 1) - start;
    notes.push(`line ${from} is cut: ${end - start} of its ${length} characters are shown`);
  }
  if (to < total)
    notes.push(`lines ${from} to ${to} of ${total} are shown; read on with from_line ${to + 1}`);
  return {
    from_line: from,
    to_line: to,
    total_lines: total,
    /** As they stand there, the line ends included: what is read on continues it without a gap. */
    text: text.slice(start, end),
    ...(notes.length > 0 ? { note: notes.join("; ") } : {}),
  };
}

/** `at`, or one less where that would cut a surrogate pair. */
function skipHalfPair(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
