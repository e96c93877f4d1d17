import type { Style } from "./style.ts";
import { broken, padTo, widthOf } from "./text-width.ts";

/** A run of text in one look; `\n` is a line's end. */
export type StyledText = { readonly text: string; readonly styles: readonly (keyof Style)[] };

export const span = (text: string, styles: StyledText["styles"] = []): StyledText => ({ text, styles });

type Margins = {
  readonly width: number;
  readonly style: Style;
  /** Spaces stay as they are, and lines break where they are full: for code. */
  readonly isVerbatim?: boolean;
};

// Scripts without spaces break after any character, but not before the punctuation that belongs to it.
const WIDE = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}][\u3001\u3002\u300b\u300d\u300f\u3011\u30fc\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f]*`;
const CHUNK = new RegExp(String.raw`\n| +|${WIDE}|(?:(?!${WIDE})[^ \n])+`, "gu");
const IS_WIDE = new RegExp(`^${WIDE}`, "u");
const ADDRESS = /^\W{0,2}(?:https?|ftp):\/\//;

/** Spans in lines of at most `width` cells. A word that is longer is broken, an address stands on a line of its own. */
export function layOut(
  spans: readonly StyledText[],
  { width, style, isVerbatim = false }: Margins,
): string[] {
  const lines: string[] = [];
  let line: StyledText[] = [];
  let cells = 0;
  let gap: StyledText | undefined;
  let word: StyledText[] = [];
  const newLine = () => {
    lines.push(paintLine(line, style));
    line = [];
    cells = 0;
    gap = undefined;
  };
  const place = (pieces: readonly StyledText[], size: number) => {
    line.push(...pieces);
    cells += size;
  };
  const endWord = () => {
    if (word.length === 0) return;
    const size = word.reduce((sum, { text }) => sum + widthOf(text), 0);
    const before = gap === undefined || cells === 0 ? 0 : gap.text.length;
    if (cells > 0 && cells + before + size > width) newLine();
    else if (gap !== undefined && cells > 0) place([gap], before);
    gap = undefined;
    const whole = size > width ? word.map(({ text }) => text).join("") : "";
    if (size <= width || ADDRESS.test(whole)) place(word, size);
    else
      for (const piece of word)
        for (const part of broken(piece.text, width)) {
          const partCells = widthOf(part);
          if (cells > 0 && cells + partCells > width) newLine();
          place([span(part, piece.styles)], partCells);
        }
    word = [];
  };
  if (isVerbatim) {
    for (const { text, styles } of spans)
      for (const part of broken(text, width)) lines.push(paintLine([span(part, styles)], style));
    return lines;
  }
  for (const { text, styles } of spans)
    for (const [chunk] of text.matchAll(CHUNK))
      if (chunk === "\n") {
        endWord();
        newLine();
      } else if (chunk.startsWith(" ")) {
        endWord();
        gap ??= span(" ", styles);
      } else if (IS_WIDE.test(chunk)) {
        endWord();
        word = [span(chunk, styles)];
        endWord();
      } else word.push(span(chunk, styles));
  endWord();
  if (line.length > 0 || lines.length === 0) newLine();
  return lines;
}

/** A line's spans with their styles; those next to each other in one look are one run. */
function paintLine(line: readonly StyledText[], style: Style): string {
  const runs: StyledText[] = [];
  for (const one of line) {
    const last = runs.at(-1);
    if (last && sameLook(last.styles, one.styles))
      runs[runs.length - 1] = span(last.text + one.text, last.styles);
    else runs.push(one);
  }
  return runs
    .map(({ text, styles }) => styles.reduceRight((painting, name) => style[name](painting), text))
    .join("")
    .trimEnd();
}

const sameLook = (a: StyledText["styles"], b: StyledText["styles"]): boolean =>
  a === b || a.join() === b.join();

type Table = {
  readonly heads: readonly (readonly StyledText[])[];
  readonly body: readonly (readonly (readonly StyledText[])[])[];
  readonly align: readonly ("left" | "right" | "center")[];
};

const GAP = "  ";
/** A column that is narrower breaks most words. */
const MIN_CELLS = 6;
const MAX_COLUMNS = 40;

/** A table within `width` cells: columns side by side with wrapped cells, or where they cannot stand so, a row's cells below each other. */
export function tableLines({ heads, body, align }: Table, space: Margins): string[] {
  const { width, style } = space;
  const rows = [heads, ...body];
  const columns = heads.map((_, column) => measure(rows.map((row) => row[column] ?? [])));
  const widths =
    columns.length > MAX_COLUMNS ? undefined : fitColumns(columns, width - GAP.length * (columns.length - 1));
  if (!widths) return stackedLines({ heads, body }, space);
  const grid = rows.map((row) =>
    widths.map((cells, column) => layOut(row[column] ?? [], { width: cells, style })),
  );
  const isWrapped = grid.slice(1).some((row) => row.some((cell) => cell.length > 1));
  const rule = (mark: string) => style.dim(widths.map((cells) => mark.repeat(cells)).join(GAP));
  return grid.flatMap((row, index) => {
    const height = Math.max(...row.map((cell) => cell.length));
    const lines = Array.from({ length: height }, (_, at) =>
      row
        .map((cell, column) => alignCell(cell[at] ?? "", widths[column] ?? 0, align[column] ?? "left"))
        .join(GAP)
        .trimEnd(),
    );
    const below = index === 0 ? [rule("─")] : isWrapped && index < grid.length - 1 ? [rule("┈")] : [];
    return [...lines, ...below];
  });
}

type Measure = { readonly natural: number; readonly least: number };

/** The cells that a column would like to have, and what its longest word takes. */
function measure(cells: readonly (readonly StyledText[])[]): Measure {
  const texts = cells.map((spans) => spans.map(({ text }) => text).join(""));
  const most = (parts: readonly string[]) => parts.reduce((max, part) => Math.max(max, widthOf(part)), 1);
  return {
    natural: most(texts.flatMap((text) => text.split("\n"))),
    least: most(texts.flatMap((text) => text.split(/[\s\u3000-\u9fff]+/))),
  };
}

/** Widths that fit: as wished, or else as near to it as there is space; undefined where the least does not fit. */
function fitColumns(columns: readonly Measure[], width: number): number[] | undefined {
  const sum = (of: (column: Measure) => number) => columns.reduce((all, column) => all + of(column), 0);
  if (sum(({ natural }) => natural) <= width) return columns.map(({ natural }) => natural);
  const bound = Math.max(MIN_CELLS, Math.floor(width / 2));
  const widths = columns.map(({ least }) => Math.min(least, bound));
  let left = width - widths.reduce((all, one) => all + one, 0);
  if (left < 0) return undefined;
  // Those that want least get what they want; what the others then share is the more.
  const order = columns
    .map(({ natural }, column) => ({ column, wants: natural - (widths[column] ?? 0) }))
    .sort((a, b) => a.wants - b.wants);
  for (const [index, { column, wants }] of order.entries()) {
    const given = Math.min(wants, Math.floor(left / (order.length - index)));
    widths[column] = (widths[column] ?? 0) + given;
    left -= given;
  }
  return widths;
}

function alignCell(text: string, cells: number, side: Table["align"][number]): string {
  const left = Math.max(0, cells - widthOf(text));
  if (side === "left") return padTo(text, cells);
  const before = side === "right" ? left : Math.floor(left / 2);
  return " ".repeat(before) + text + " ".repeat(left - before);
}

/** Each row as lines `head: cell`, with an empty line between rows. */
function stackedLines({ heads, body }: Omit<Table, "align">, { width, style }: Margins): string[] {
  const shown = body.length > 0 ? body : [heads.map(() => [])];
  return shown.flatMap((row, index) => [
    ...(index === 0 ? [] : [""]),
    ...row.flatMap((cell, column) => {
      const head = heads[column] ?? [];
      const label = head.length > 0 ? [...head, span(": ")] : [];
      const [first = "", ...rest] = layOut([...label, ...cell], { width: Math.max(2, width - 2), style });
      return [first, ...rest.map((line) => `  ${line}`)];
    }),
  ]);
}
