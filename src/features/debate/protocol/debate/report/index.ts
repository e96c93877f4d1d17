import type { Entry, ReportPart } from "../../../../../kernel/index.ts";
import { part, words } from "../../../../../reports/part.ts";
import { pluralize } from "../../../../../text/format.ts";
import { debateRecord } from "../view/debated.ts";
import type { DebateSection } from "../view/index.ts";
import { assessmentParts, confidenceText, courseOf } from "./document.ts";

/** How long it was debated, and what the judge says of its own solution. */
export function sectionParts({ rounds, withoutCoverage, assessment }: DebateSection): ReportPart[] {
  const uncovered =
    withoutCoverage === 0 ? "" : `; ${pluralize(withoutCoverage, "text")} without requirements coverage`;
  const debate = part("Debate", words(`${pluralize(rounds, "round")}${uncovered}`));
  if (!assessment) return [debate];
  const judge = part("Judge", words(`self-reported confidence: ${confidenceText(assessment)}`));
  return [...assessmentParts(assessment), debate, judge];
}

/** What was said, round by round. */
export const courseParts = (entries: readonly Entry[]): ReportPart[] => courseOf(debateRecord(entries));

/** What its agents came to, as the judge tells it. */
export function agreement({ rounds, assessment }: DebateSection): string {
  const open = assessment?.unfulfilledMajorRequirements.length ?? 0;
  return [
    pluralize(rounds, "round"),
    assessment ? `judge's own confidence ${confidenceText(assessment)}` : "",
    open === 0 ? "" : `${pluralize(open, "requirement")} unfulfilled`,
  ]
    .filter(Boolean)
    .join(", ");
}
