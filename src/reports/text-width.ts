import stringWidth from "fast-string-width";

let segmenter: Intl.Segmenter | undefined;
/** Made when it is needed: 8 ms, which no start needs. */
const graphemesOf = (text: string) =>
  (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" })).segment(text);

/** Terminal cells that a line takes: two for East Asian wide characters and emoji, none for combining marks. */
export const widthOf = (line: string): number => (/^[ -~]*$/.test(line) ? line.length : stringWidth(line));

/** A line without escape sequences in at most `width` cells, cut at the end with an ellipsis; never inside of a character. */
export function cutTo(line: string, width: number): string {
  if (widthOf(line) <= width) return line;
  if (width < 1) return "";
  let kept = "";
  let cells = 0;
  for (const { segment } of graphemesOf(line)) {
    cells += widthOf(segment);
    if (cells > width - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** The end of a line, in at most `width` cells, cut at the beginning with an ellipsis. */
export function tailOf(line: string, width: number): string {
  if (width < 1) return "";
  const near = line.slice(-width * 12);
  if (near.length === line.length && widthOf(line) <= width) return line;
  const kept: string[] = [];
  let cells = 1;
  for (const { segment } of [...graphemesOf(near)].reverse()) {
    cells += widthOf(segment);
    if (cells > width) break;
    kept.unshift(segment);
  }
  return `…${kept.join("").trimStart()}`;
}

export const padTo = (line: string, width: number): string =>
  line + " ".repeat(Math.max(0, width - widthOf(line)));

/** A text's words in lines of at most `width` cells (at least 1); a longer word is broken, newlines are kept. */
export function wrap(text: string, width: number): string[] {
  const most = Math.max(2, width);
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(" ").flatMap((one) => broken(one, most)))
      if (line !== "" && widthOf(line) + 1 + widthOf(word) > most) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    return [...lines, line];
  });
}

/** A text's characters in pieces of at most `width` cells. */
export function broken(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  if (/^[ -~]*$/.test(word))
    return Array.from({ length: Math.ceil(word.length / width) }, (_, at) =>
      word.slice(at * width, (at + 1) * width),
    );
  const pieces = [""];
  let cells = 0;
  for (const { segment } of graphemesOf(word)) {
    cells += widthOf(segment);
    if (cells > width) {
      pieces.push("");
      cells = widthOf(segment);
    }
    pieces.push((pieces.pop() ?? "") + segment);
  }
  return pieces;
}
