/**
 * A reply in the pieces in which it is streamed: words, and so many together that pieces come no closer than ten
 * milliseconds where time is to pass. The pieces are the text.
 */
export function piecesOf(text: string, latencyMs: number): string[] {
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === "" ? [] : [text]);
  const most = latencyMs > 0 ? Math.max(1, Math.floor(latencyMs / 10)) : words.length;
  const each = Math.max(1, Math.ceil(words.length / Math.max(1, most)));
  return Array.from({ length: Math.ceil(words.length / each) }, (_, index) =>
    words.slice(index * each, (index + 1) * each).join(""),
  );
}
