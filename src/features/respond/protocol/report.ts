import type { ReportPart } from "../../../kernel/index.ts";
import { part, words } from "../../../reports/part.ts";
import { oneLine } from "../../../reports/printable.ts";
import { formatCost, formatTokens } from "../../../reports/words.ts";
import { cutTo, widthOf } from "../../../reports/text-width.ts";
import { formatDuration, pluralize } from "../../../text/format.ts";
import type { Spent } from "../../../views/spending.ts";
import type { Result } from "../../../views/result.ts";
import type { RespondSection } from "./view.ts";

/** What memory gave, and what a second model answered. */
export function sectionParts({ recalled, remembered, second, preference }: RespondSection): ReportPart[] {
  const parts: ReportPart[] = [];
  // Its text is the second model's own, and stands in the document.
  if (second) {
    const score = second.grade?.score == null ? "" : `, score ${second.grade.score}/5`;
    parts.push(part("Second model", words(`${second.model ?? second.by}${score}`)));
  }
  if (preference) {
    const { winner, orderSensitive, reason } = preference;
    const outcome = winner === "tie" ? "tie" : `${winner} is better`;
    parts.push(
      part("Comparison", words(`${outcome}${orderSensitive ? " (position inconsistency)" : ""}: ${reason}`)),
    );
  }
  if (recalled)
    parts.push(part("Memory", words(`${memoryWords(recalled) || "nothing found"} (${recalled.how})`)));
  for (const { id, fact } of remembered) parts.push(part("Remembered", words(`${fact} (${id})`)));
  return parts;
}

const memoryWords = ({ engrams, facts }: NonNullable<RespondSection["recalled"]>): string =>
  [
    engrams > 0 ? `${pluralize(engrams, "memory entry")}` : "",
    facts > 0 ? pluralize(facts, "pinned fact") : "",
  ]
    .filter(Boolean)
    .join(", ");

/**
 * How an answer came about: which model, what memory gave, what it took, and under which id it is kept; on one line, or where
 * there is a `width`, on at most three of so many cells, without what finds no room there.
 */
export function responseLines(
  { id, wallMs, simulated, ...spent }: Pick<Result, keyof Spent | "id" | "wallMs" | "simulated">,
  {
    recalled,
    model,
    unpriced,
    width = Infinity,
    next = [],
  }: Pick<RespondSection, "recalled"> & {
    readonly model: string;
    readonly unpriced: readonly string[];
    readonly width?: number;
    /** What to do next, shown behind the id as far as there is room. */
    readonly next?: readonly string[];
  },
): string[] {
  const named = next.reduce((line, part) => {
    const longer = `${line} · ${part}`;
    return widthOf(longer) <= width ? longer : line;
  }, id);
  const name = simulated ? `${oneLine(model, 60)} (simulated)` : oneLine(model, 60);
  const memory = recalled ? memoryWords(recalled) : "";
  const usage = formatTokens(spent.tokens);
  const time = wallMs === null ? "" : formatDuration(wallMs);
  const parts = [name, memory, usage, formatCost(spent, unpriced), time, named].filter(Boolean);
  const optional = [usage, memory, time];
  for (let dropped = 0; dropped <= optional.length; dropped += 1) {
    const kept = parts.filter((part) => !optional.slice(0, dropped).includes(part));
    const lines = packParts(kept, width);
    if (lines.length <= MAX_FOOTER_LINES) return lines;
  }
  return packParts([name, named], width);
}

const MAX_FOOTER_LINES = 3;

/** Parts next to each other, in as few lines of so many cells as they need. */
const packParts = (parts: readonly string[], width: number): string[] =>
  parts.reduce<string[]>((lines, part) => {
    const longer = lines.length === 0 ? part : `${lines.at(-1)} · ${part}`;
    return widthOf(longer) <= width ? [...lines.slice(0, -1), longer] : [...lines, cutTo(part, width)];
  }, []);
