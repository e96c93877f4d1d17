import { namesOf } from "../../../../../reports/names.ts";
import { pageHtml } from "../../../../../reports/page.ts";
import { part, table } from "../../../../../reports/part.ts";
import type { DebateRecord } from "../view/record.ts";
import { assessedParts, clarificationsPart, courseOf } from "./document.ts";
import { agentRows, AGENT_HEADS, peopleIn, statusRows, titleOf } from "./words.ts";

/** A debate of which only a record is there, as a file of Dialectic's, as a page. Ends in a newline. */
export function debateHtml(record: DebateRecord): string {
  const { synthesis, degraded, problem, simulated, agents, judge } = record;
  const nameOf = namesOf(peopleIn(record));
  const status = statusRows(record).map(([label, text]) => `${label}: ${text}`);
  return pageHtml({
    ...{ title: titleOf(record), simulated, question: problem, answer: synthesis?.text ?? null, final: "" },
    summary: status.join(" · "),
    warnings: [
      ...(synthesis ? [] : ["There is no final synthesis."]),
      ...degraded.map(({ what, why }) => `Degraded: ${what}: ${why}`),
      ...(simulated ? ["simulated models"] : []),
    ],
    parts: [
      ...(synthesis ? assessedParts(synthesis, nameOf) : []),
      part("Agents", table(AGENT_HEADS, agentRows([...agents, ...(judge ? [judge] : [])]))),
      clarificationsPart(record, nameOf),
      ...courseOf(record),
    ],
  });
}
