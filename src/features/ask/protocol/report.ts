import type { Dissent, ReportPart } from "../../../kernel/index.ts";
import { namesOf } from "../../../reports/names.ts";
import { panelAgreement, panelDissent, panelParts } from "../../../reports/panel.ts";
import { part, points } from "../../../reports/part.ts";
import { formatUsd, pluralize } from "../../../text/format.ts";
import type { Result } from "../../../views/result.ts";
import type { AskSection } from "./view.ts";

/** The steps that were taken, what the drafts contradict each other in, and what a panel tells. */
export function sectionParts(section: AskSection, result: Result): ReportPart[] {
  const { ladder } = section;
  const steps = ladder.map(({ rung, reason, calls, usd }) => {
    const price = usd === null || usd === 0 ? "" : `, ${formatUsd(usd)}`;
    const outcome = reason === null ? "" : `: ${reason}`;
    return [rung, `${pluralize(calls, "call")}${price}${outcome}`] as const;
  });
  return [
    part("Steps", { kind: "facts", rows: steps }),
    ...comparisonParts(section, namesOf(result.participants)),
    ...panelParts(section, result),
  ];
}

/** Of drafts that were compared, how much is common to them and on what they differ; else what the panel tells. */
export function agreement(section: AskSection, result: Result): string {
  const { comparison } = section;
  if (!comparison) return panelAgreement(section, result);
  const { agreements, contradictions } = comparison;
  const topics = contradictions.map(({ topic }) => topic);
  return [
    agreements.length === 0 ? "" : `Models agree on ${pluralize(agreements.length, "point")}`,
    topics.length === 0 ? "no contradictions" : `disagree on ${topics.join("; ")}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** Who holds what of what the drafts contradict each other in, and what a panel tells. */
export function dissent(section: AskSection, result: Result): Dissent {
  const nameOf = namesOf(result.participants);
  const disputed = section.comparison?.contradictions ?? [];
  const stances = disputed.map(({ topic, stances }) => {
    const sides = stances.map(({ claim, members }) => `${members.map(nameOf).join(", ")}: ${claim}`);
    return `Disputed: ${topic}: ${sides.join("; ")}`;
  });
  const { points, from } = panelDissent(section, result);
  return { points: [...stances, ...points], from };
}

/** The drafts' claims against each other, by their authors' names. */
function comparisonParts({ comparison }: AskSection, nameOf: (id: string) => string): ReportPart[] {
  if (!comparison) return [];
  const claims = (heading: string, rows: typeof comparison.unique): ReportPart =>
    part(heading, points(rows.map(({ claim, members }) => `${members.map(nameOf).join(", ")}: ${claim}`)));
  return [
    ...comparison.contradictions.map(({ topic, stances }) => claims(`Contradiction: ${topic}`, stances)),
    claims("Common to several drafts", comparison.agreements),
    claims("Only in one draft", comparison.unique),
  ];
}
