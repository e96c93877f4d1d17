import type { Assessment, ReportPart } from "../../../kernel/index.ts";
import { part, points, words } from "../../../reports/part.ts";
import { pluralize } from "../../../text/format.ts";
import type { DebateSection } from "../view/index.ts";

/** How long it was debated, and what the judge says of its own solution. */
export function sectionParts({ rounds, withoutCoverage, assessment }: DebateSection): ReportPart[] {
  const uncovered =
    withoutCoverage === 0 ? "" : `; ${pluralize(withoutCoverage, "text")} without requirements coverage`;
  const debate = part("Debate", words(`${pluralize(rounds, "round")}${uncovered}`));
  if (!assessment) return [debate];
  const judge = part("Judge", words(`self-reported confidence: ${confidenceText(assessment)}`));
  return [...assessmentParts(assessment), debate, judge];
}

/** `78/100`; `95/100, capped at 40: 1 major requirement is not fulfilled`. */
export const confidenceText = ({ confidence, capped }: Pick<Assessment, "confidence" | "capped">): string =>
  capped === undefined
    ? `${confidence ?? "unknown"}/100`
    : `${capped.said}/100, capped at ${confidence ?? "unknown"}: ${capped.why}`;

/** What its agents came to, as the judge tells it. */
export function agreement({ rounds, assessment }: DebateSection): string {
  const open = assessment?.unfulfilledMajorRequirements.length ?? 0;
  return [
    pluralize(rounds, "round"),
    assessment ? `judge's self-reported confidence: ${confidenceText(assessment)}` : "",
    open === 0 ? "" : `${pluralize(open, "requirement")} unfulfilled`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** The lists of a judge's assessment; an empty one says `none`. */
export const assessmentParts = (assessment: Assessment, none = ""): ReportPart[] => [
  part("Unfulfilled major requirements", points(assessment.unfulfilledMajorRequirements, none)),
  part("Trade-offs", points(assessment.tradeoffs, none)),
  part("Recommendations", points(assessment.recommendations, none)),
  part("Open questions", points(assessment.openQuestions, none)),
];
