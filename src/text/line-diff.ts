import { diffArrays } from "diff";

/** A line of two texts: in both, only in the first one, or only in the second one. */
export type DiffLine = { readonly kind: "same" | "removed" | "added"; readonly text: string };

/** Differences that are looked for; where texts have more, all of one stands before all of the other. */
const MAX_EDITS = 2_000;

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** The lines of two texts, with the fewest that are removed and added. A missing end of the last line is no difference. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [from, to] = [linesOf(before), linesOf(after)];
  const mark = (kind: DiffLine["kind"], lines: readonly string[]) => lines.map((text) => ({ kind, text }));
  const parts = diffArrays(from, to, { maxEditLength: MAX_EDITS });
  return parts
    ? parts.flatMap(({ added, removed, value }) =>
        mark(removed ? "removed" : added ? "added" : "same", value),
      )
    : [...mark("removed", from), ...mark("added", to)];
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
