import type { ReportPart } from "../../../../kernel/index.ts";
import { part, table, words } from "../../../../reports/part.ts";
import { headingOf } from "../../../../text/instruction-parts.ts";
import type { PersonaSection } from "./view.ts";

export const isVerdict = true;

/** A child's parts, a summary's sentences, or a decision. */
export function sectionParts({ persona, parents, parts, feedback, decision }: PersonaSection): ReportPart[] {
  const lines = feedback
    ? (["strengths", "weaknesses", "unique"] as const).flatMap((kind) =>
        feedback[kind].map(({ text, sources }) => [kind, text, sources.join(", ")]),
      )
    : [];
  return [
    ...(parents.length === 0 ? [] : [part("Bred", words(`${persona}, from ${parents.join(" and ")}`))]),
    ...Object.entries(parts ?? {}).map(([name, text]) => part(headingOf(name), words(text))),
    ...(feedback ? [part(`Feedback on ${persona}`, table(["Kind", "What", "Remarks"], lines))] : []),
    ...(decision
      ? [part("Decision", words(`${persona} ${decision.decision} by ${decision.by}: ${decision.why}`))]
      : []),
  ];
}
