import type { AnswerGrade } from "../views/answer-event.ts";
import { oneLine } from "./printable.ts";
import type { Style } from "./style.ts";
import { cutTo, widthOf } from "./text-width.ts";

const COLORS = { 5: "green", 4: "green", 3: "yellow", 2: "red", 1: "red" } as const;

/** `● 4/5`: green for 5 and 4, amber for 3, red for 2 and 1; nothing without a score. */
export function scoreBadge(score: number | null, style: Style): string {
  // A score is 1 to 5, as its schema says.
  const color = score === null ? undefined : COLORS[score as keyof typeof COLORS];
  return color === undefined ? "" : style[color](`● ${score}/5`);
}

/** The badge with what it was given for, on one line of at most `width` cells; undefined for nothing to show. */
export function scoreLine(
  { score, feedback, rubric }: Pick<AnswerGrade, "score" | "feedback" | "rubric">,
  { style, width }: { readonly style: Style; readonly width: number },
): string | undefined {
  if (score === null) return undefined;
  const badge = `● ${score}/5`;
  const rest = cutTo(
    [oneLine(rubric, 60), oneLine(feedback)].filter(Boolean).join("  "),
    width - widthOf(badge) - 3,
  );
  return `${scoreBadge(score, style)}  ${style.dim(rest)}`.trimEnd();
}
