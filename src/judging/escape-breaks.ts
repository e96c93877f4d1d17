const escapes = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/**
 * A text with the line breaks and tabs in the strings of its JSON escaped: models that write Markdown into a string
 * often forget to, and JSON (RFC 8259, 7) forbids them as they are. Strings are told from the first brace on. Time is
 * linear in the text.
 */
export function escapeBreaks(text: string): string {
  const start = text.indexOf("{");
  if (start < 0) return text;
  let inside = false;
  const json = text.slice(start).replaceAll(/\\[^]|["\n\r\t]/g, (found) => {
    if (found === '"') inside = !inside;
    return inside ? (escapes.get(found) ?? found) : found;
  });
  return text.slice(0, start) + json;
}
