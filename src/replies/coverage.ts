import { fencedBlocks, readTail, splitLines } from "../text/fences.ts";

/** Deeper than every heading with signs. */
const BOLD = 7;
const MAX_HEADING_LENGTH = 200;
/** Maximum UTF-16 units from the end of a text in which the section is looked for. */
const MAX_READ_LENGTH = 256 * 1024;

const headingLine = /^ {0,3}(#{1,6})(?:\s+(.*))?$/;
const bold = /^\s{0,3}(?:\*\*|__)(.+?)(?:\*\*|__)\s*:?\s*$/;
const underline = /^ {0,3}(=+|-+)\s*$/;
/** `Requirements Coverage`, numbered, dressed, closed with a colon, or with a remark behind it in brackets. */
const coverage =
  /^[^\p{L}]*(?:updated |revised )?requirements?\s+coverage[^\p{L}(]*(?:\([^()]*\)[^\p{L}]*)?$/iu;

type Heading = {
  readonly level: number;
  readonly title: string;
  readonly start: number;
  readonly end: number;
};

/** The headings of a Markdown text outside of its fenced code: with signs, underlined, or a line in bold. */
function findHeadings(text: string): Heading[] {
  const blocks = fencedBlocks(text);
  const headings: Heading[] = [];
  let block = 0;
  let before: { readonly text: string; readonly at: number } | undefined;
  for (const { text: line, at } of splitLines(text)) {
    while ((blocks[block]?.end ?? Infinity) < at) block += 1;
    const inside = at >= (blocks[block]?.start ?? Infinity);
    if (inside || line.length > MAX_HEADING_LENGTH) {
      before = undefined;
      continue;
    }
    const end = at + line.length;
    const [, signs = "", title = ""] = headingLine.exec(line) ?? [];
    const [, under = ""] = underline.exec(line) ?? [];
    const [, strong] = bold.exec(line) ?? [];
    if (signs !== "") headings.push({ level: signs.length, title, start: at, end });
    else if (
      under !== "" &&
      before !== undefined &&
      before.text.trim() !== "" &&
      !headingLine.test(before.text)
    ) {
      // What seemed a line in bold was a title with a line under it.
      if (headings.at(-1)?.start === before.at) headings.pop();
      headings.push({ level: under.startsWith("=") ? 1 : 2, title: before.text, start: before.at, end });
    } else if (strong !== undefined) headings.push({ level: BOLD, title: strong, start: at, end });
    else if (line.trimEnd().endsWith(":") && coverage.test(line))
      headings.push({ level: BOLD, title: line, start: at, end });
    before = { text: line, at };
  }
  return headings;
}

/**
 * The section in which a solution says how it covers the requirements, without its heading: up to the next heading of
 * the same or a higher level. The last that has a text, where there are several; null where there is none.
 */
export function extractCoverage(solution: string): string | null {
  const text = readTail(solution, MAX_READ_LENGTH);
  // From the last heading to the first, with where the next of each level begins.
  const next = Array.from({ length: BOLD + 1 }, () => text.length);
  for (const { level, title, start, end } of findHeadings(text).toReversed()) {
    const section = coverage.test(title) ? text.slice(end, Math.min(...next.slice(0, level + 1))).trim() : "";
    if (section !== "") return section;
    next[level] = start;
  }
  return null;
}

/** Whether a solution says how it covers the requirements: see `coverageOf`. */
export function hasCoverage(text: string): boolean {
  return extractCoverage(text) !== null;
}
