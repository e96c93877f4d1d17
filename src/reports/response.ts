import type { GivenGrade } from "../views/given-answer.ts";
import type { Result } from "../views/result.ts";
import { oneLine } from "./printable.ts";
import type { Style } from "./style.ts";
import { cutTo, widthOf } from "./text-width.ts";
import { pluralize, formatDuration } from "../text/format.ts";
import { formatCost, formatTokens } from "./words.ts";

const COLORS = { 5: "green", 4: "green", 3: "yellow", 2: "red", 1: "red" } as const;

/** `● 4/5`: green for 5 and 4, amber for 3, red for 2 and 1; nothing without a score. */
export function gradeBadge(score: number | null, style: Style): string {
  // A score is 1 to 5, as its schema says.
  const color = score === null ? undefined : COLORS[score as keyof typeof COLORS];
  return color === undefined ? "" : style[color](`● ${score}/5`);
}

/** The badge with what it was given for, on one line of at most `width` cells; undefined for nothing to show. */
export function gradeLine(
  { score, feedback, rubric }: Pick<GivenGrade, "score" | "feedback" | "rubric">,
  { style, width }: { readonly style: Style; readonly width: number },
): string | undefined {
  if (score === null) return undefined;
  const badge = `● ${score}/5`;
  const rest = cutTo(
    [oneLine(rubric, 60), oneLine(feedback)].filter(Boolean).join("  "),
    width - widthOf(badge) - 3,
  );
  return `${gradeBadge(score, style)}  ${style.dim(rest)}`.trimEnd();
}

/** How an answer came about, on one line: who, what memory gave, what it took, and under which id it is kept. */
export function responseLine(
  result: Pick<Result, "id" | "recalled" | "tokens" | "cost" | "wallMs" | "simulated">,
  { model, unpriced }: { readonly model: string; readonly unpriced: readonly string[] },
): string {
  const { id, recalled, tokens, cost, wallMs, simulated } = result;
  const memory = recalled && recalled.engrams + recalled.facts > 0 ? [memoryWords(recalled)] : [];
  return [
    simulated ? `${oneLine(model, 60)} (simulated)` : oneLine(model, 60),
    ...memory,
    formatTokens(tokens),
    formatCost(cost, unpriced),
    ...(wallMs === null ? [] : [formatDuration(wallMs)]),
    id,
  ].join(" · ");
}

const memoryWords = ({ engrams, facts }: NonNullable<Result["recalled"]>): string =>
  [
    ...(engrams > 0 ? [pluralize(engrams, "engram")] : []),
    ...(facts > 0 ? [pluralize(facts, "pinned fact")] : []),
  ].join(", ");
