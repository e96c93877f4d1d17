/** Ways to set a text off on a terminal; without color they leave it as it is. */
export type Style = { readonly [name in keyof typeof CODES]: (text: string) => string };

/** Select Graphic Rendition (ECMA-48): on and off. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export function styleOf(color: boolean): Style {
  const style =
    ([on, off]: readonly [number, number]) =>
    (text: string) =>
      color && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  // It has the keys of `CODES` and no others.
  return Object.fromEntries(Object.entries(CODES).map(([name, codes]) => [name, style(codes)])) as Style;
}

/**
 * Printable markdown with its headings and strong words in bold, line by line; code blocks, lists and all
 * else stay as written. For a terminal that shows styles.
 */
export function styledMarkdown(text: string, style: Style): string {
  let fence = "";
  return text
    .split("\n")
    .map((line) => {
      const [, mark = ""] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
      if (fence !== "") {
        if (mark.startsWith(fence) && line.trim() === mark) fence = "";
        return line;
      }
      if (mark !== "") {
        fence = mark;
        return line;
      }
      const [, heading] = /^ {0,3}#{1,6} +(.+?)(?: +#+)?$/.exec(line) ?? [];
      if (heading !== undefined) return style.bold(heading.replaceAll("**", ""));
      return line.replaceAll(/\*\*(?=\S)([^*]+?)(?<=\S)\*\*/g, (_, strong: string) => style.bold(strong));
    })
    .join("\n");
}
