/** A line of two texts: in both, only in the first one, or only in the second one. */
export type DiffLine = { readonly kind: "same" | "removed" | "added"; readonly text: string };

/** Pairs of lines that are compared; where texts have more, all of one stands before all of the other. */
const MAX_PAIRS = 4_000_000;

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** The lines of two texts, with the fewest that are removed and added. A missing end of the last line is no difference. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [from, to] = [linesOf(before), linesOf(after)];
  const isSame = (index: number, other: number) => from[index] === to[other];
  const least = Math.min(from.length, to.length);
  let head = 0;
  while (head < least && isSame(head, head)) head += 1;
  let tail = 0;
  while (tail < least - head && isSame(from.length - 1 - tail, to.length - 1 - tail)) tail += 1;
  const mark = (kind: DiffLine["kind"], lines: readonly string[]) => lines.map((text) => ({ kind, text }));
  return [
    ...mark("same", from.slice(0, head)),
    ...diffMiddle(from.slice(head, from.length - tail), to.slice(head, to.length - tail)),
    ...mark("same", tail === 0 ? [] : from.slice(-tail)),
  ];
}

function diffMiddle(from: readonly string[], to: readonly string[]): readonly DiffLine[] {
  const width = to.length + 1;
  const isCompared = from.length * to.length <= MAX_PAIRS;
  // The longest common lines from a pair of places on, row by row from the end.
  const common = new Uint32Array(isCompared ? (from.length + 1) * width : 0);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  if (isCompared)
    for (let row = from.length - 1; row >= 0; row -= 1)
      for (let column = to.length - 1; column >= 0; column -= 1)
        common[row * width + column] =
          from[row] === to[column]
            ? at(row + 1, column + 1) + 1
            : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < from.length || column < to.length) {
    const [old, fresh] = [from[row], to[column]];
    if (isCompared && old !== undefined && old === fresh) {
      lines.push({ kind: "same", text: old });
      row += 1;
      column += 1;
    } else if (old !== undefined && (fresh === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: "removed", text: old });
      row += 1;
    } else {
      lines.push({ kind: "added", text: fresh ?? "" });
      column += 1;
    }
  }
  return lines;
}

/** The same lines, those far from any difference counted instead of shown. */
export function foldUnchanged(
  lines: readonly DiffLine[],
  around = 3,
): readonly (DiffLine | { readonly kind: "folded"; readonly count: number })[] {
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, index) => {
    if (kind !== "same")
      isNear.fill(true, Math.max(0, index - around), Math.min(lines.length, index + around + 1));
  });
  const shown: (DiffLine | { kind: "folded"; count: number })[] = [];
  lines.forEach((line, index) => {
    const last = shown.at(-1);
    if (isNear[index] === true) shown.push(line);
    else if (last?.kind === "folded") last.count += 1;
    else shown.push({ kind: "folded", count: 1 });
  });
  return shown;
}
