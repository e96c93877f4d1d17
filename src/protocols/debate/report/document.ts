import type { ReportBlock, ReportPart } from "../../../kernel/index.ts";
import { part, points, quote, table, words } from "../../../reports/part.ts";
import type { DebateRecord } from "../view/record.ts";
import { namesOf } from "../../../reports/names.ts";
import { costTable } from "./costs.ts";
import { assessmentParts, confidenceText } from "./index.ts";
import { roundPart, summaryPart } from "./round.ts";
import {
  agentRows,
  AGENT_HEADS,
  statusRows,
  takenWords,
  titleOf,
  peopleIn,
  type AgentNameOf,
} from "./words.ts";

/**
 * What a debate's report says, and in which order, for every format: a place that is empty says so. `costs` are what the
 * last part tabulates, for a chart beside it.
 */
export function debateDocument(record: DebateRecord) {
  const nameOf = namesOf(peopleIn(record));
  const costs = costTable(record);
  return {
    title: titleOf(record),
    simulated: record.simulated,
    blocks: [...(record.simulated ? [SIMULATED] : []), { kind: "facts", rows: statusRows(record) } as const],
    parts: [
      problemPart(record),
      part("Agents", agentsBlock(record.agents, "No agents are recorded.")),
      clarificationsPart(record, nameOf),
      part("Judge", agentsBlock(record.judge ? [record.judge] : [], "No judge is recorded.")),
      ...(record.rounds.length > 0
        ? record.rounds.map((round, index) => roundPart(round, record.rounds[index - 1], nameOf))
        : [part("Rounds", words("No round has begun."))]),
      synthesisPart(record, nameOf),
      missingPart(record),
      part("Cost per round and total", table(costs.heads, costs.rows)),
    ],
    costs,
  };
}

const agentsBlock = (agents: DebateRecord["agents"], none: string): ReportBlock =>
  agents.length > 0 ? table(AGENT_HEADS, agentRows(agents)) : words(none);

const SIMULATED: ReportBlock = {
  kind: "warning",
  title: "Simulated models.",
  text: "At least a part of this was said by simulated models. It shows how a debate runs; nothing in it is a real model's opinion.",
};

function problemPart({ problem, requirements }: DebateRecord): ReportPart {
  const text = quote(problem);
  if (!requirements) return part("Problem", text, words("No requirements are recorded."));
  const { major, minor } = requirements;
  return {
    ...part("Problem", text),
    parts: [
      part("Major requirements", points(major, "No major requirements were found in the problem.")),
      part("Minor requirements", points(minor, "No minor requirements were found in the problem.")),
    ],
  };
}

function clarificationsPart({ clarifications }: DebateRecord, nameOf: AgentNameOf): ReportPart {
  if (clarifications.length === 0) return part("Clarifications", words("No clarifications were asked for."));
  return {
    ...part("Clarifications"),
    parts: clarifications.map(({ by, id, question, answer }) =>
      part(
        `${nameOf(by)} asks (${id})`,
        quote(question),
        ...(answer === null ? [words("There is no answer.")] : [words("Answer:"), quote(answer)]),
      ),
    ),
  };
}

function synthesisPart({ synthesis, judgeSummary, judge }: DebateRecord, nameOf: AgentNameOf): ReportPart {
  const summary = judgeSummary
    ? [{ ...summaryPart(judgeSummary, nameOf), heading: "Summary that the judge read" }]
    : [];
  if (!synthesis) {
    const why = judge ? "" : ", and no judge to write one";
    return { ...part("Final synthesis", words(`There is no final synthesis${why}.`)), parts: summary };
  }
  const { confidence } = synthesis;
  const said =
    confidence === null
      ? "No confidence is recorded."
      : `Judge's self-reported confidence: ${confidenceText(synthesis)}`;
  const by = words(`By ${nameOf(synthesis.by)}: ${takenWords(synthesis)}.`);
  return {
    ...part("Final synthesis", by, quote(synthesis.text)),
    parts: [
      { ...part("The judge's assessment", words(said)), parts: assessmentParts(synthesis, "None") },
      ...summary,
    ],
  };
}

function missingPart({ degraded, status }: DebateRecord): ReportPart {
  const texts = degraded.map(({ what, why }) => `${what}: ${why}`);
  return part("Warnings", points(texts, status === "open" || status === "waiting" ? "None so far" : "None"));
}
