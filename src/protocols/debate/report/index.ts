import type { ReportPart } from "../../../kernel/index.ts";
import { pluralize } from "../../../text/format.ts";
import type { DebateSection } from "../view/index.ts";

/** How long it was debated, and what the judge says of its own solution. */
export function sectionParts({ rounds, withoutCoverage, assessment }: DebateSection): ReportPart[] {
  const uncovered =
    withoutCoverage === 0 ? "" : `; ${pluralize(withoutCoverage, "text")} without requirements coverage`;
  const words = (heading: string, text: string): ReportPart => ({
    heading,
    blocks: [{ kind: "words", text }],
  });
  const debate = words("Debate", `${pluralize(rounds, "round")}${uncovered}`);
  if (!assessment) return [debate];
  const lists = [
    ["Unfulfilled major requirements", assessment.unfulfilledMajorRequirements],
    ["Trade-offs", assessment.tradeoffs],
    ["Recommendations", assessment.recommendations],
    ["Open questions", assessment.openQuestions],
  ] as const;
  return [
    ...lists.map(([heading, texts]): ReportPart => ({
      heading,
      blocks: texts.length > 0 ? [{ kind: "points", texts }] : [],
    })),
    debate,
    words("Judge", `self-reported confidence: ${assessment.confidence ?? "unknown"}/100`),
  ];
}
