import type { ReportPart } from "../../kernel/index.ts";
import { part, words } from "../../reports/part.ts";
import { oneLine } from "../../reports/printable.ts";
import { formatCost, formatTokens } from "../../reports/words.ts";
import { formatDuration, pluralize } from "../../text/format.ts";
import type { Result } from "../../views/result.ts";
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

/** How an answer came about, on one line: who, what memory gave, what it took, and under which id it is kept. */
export function responseLine(
  { id, tokens, cost, wallMs, simulated }: Pick<Result, "id" | "tokens" | "cost" | "wallMs" | "simulated">,
  {
    recalled,
    model,
    unpriced,
  }: Pick<RespondSection, "recalled"> & { readonly model: string; readonly unpriced: readonly string[] },
): string {
  return [
    simulated ? `${oneLine(model, 60)} (simulated)` : oneLine(model, 60),
    recalled ? memoryWords(recalled) : "",
    formatTokens(tokens),
    formatCost(cost, unpriced),
    wallMs === null ? "" : formatDuration(wallMs),
    id,
  ]
    .filter(Boolean)
    .join(" · ");
}
