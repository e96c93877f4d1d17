import { oneLine } from "./printable.ts";
import type { Style } from "./style.ts";
import { cutTo, padTo, widthOf, wrap } from "./text-width.ts";

/** A label and what stands beside it: sentences to wrap, or a table's rows to keep in line. */
export type LabelledRow = { readonly label: string } & (
  { readonly text: string } | { readonly table: readonly (readonly string[])[] }
);

const LABEL_CELLS = 14;

/** A block of labelled rows within `width` cells. On a narrow one, labels stand above their texts, as long ones do always. */
export function labelledRows(
  rows: readonly LabelledRow[],
  { width, style }: { width: number; style: Style },
): string[] {
  const beside = width >= 60;
  const bodyCells = Math.max(8, width - (beside ? LABEL_CELLS : 2));
  return rows.flatMap((row) => {
    const body = "text" in row ? wrap(oneLine(row.text, 2_000), bodyCells) : align(row.table, bodyCells);
    const indent = " ".repeat(beside ? LABEL_CELLS : 2);
    const label = oneLine(row.label, 200);
    if (!beside || widthOf(label) >= LABEL_CELLS) {
      const above = label === "" ? [] : wrap(label, width).map(style.dim);
      return [...above, ...body.map((line) => indent + line)];
    }
    return body.map((line, index) => (index === 0 ? style.dim(padTo(label, LABEL_CELLS)) : indent) + line);
  });
}

/** Columns side by side, two cells apart. Where they do not fit, the widest gives way, down to 8 cells, then the line is cut. */
export function align(table: readonly (readonly string[])[], width: number): string[] {
  const cells = table.map((row) => row.map((cell) => oneLine(cell, 300)));
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...cells.map((row) => widthOf(row[column] ?? ""))),
  );
  // Of a long list nothing is measured twice.
  const fits = columns === 0 || widths.reduce((sum, one) => sum + one + 2, -2) <= width;
  const lineOf = (row: readonly string[], shape: (cell: string, width: number) => string): string =>
    row
      .map((cell, column) => shape(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  if (fits) return cells.map((row) => lineOf(row, padTo));
  const total = () => widths.reduce((sum, one) => sum + one, 0) + 2 * (columns - 1);
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= 8) break;
    widths[widest] = Math.max(8, (widths[widest] ?? 0) - (total() - width));
  }
  return cells.map((row) =>
    cutTo(
      lineOf(row, (cell, most) => padTo(cutTo(cell, most), most)),
      width,
    ),
  );
}
