import type { ReportBlock, ReportPart } from "../../../kernel/index.ts";
import { points, quote, table, words } from "../../../reports/part.ts";
import type { DebateRecord } from "../view/record.ts";
import { namesOf } from "../../../reports/names.ts";
import { costTable, type CostTable } from "./costs.ts";
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

export type DebateDocument = {
  readonly title: string;
  readonly simulated: boolean;
  readonly blocks: readonly ReportBlock[];
  readonly parts: readonly ReportPart[];
  /** What the last part tabulates, for a chart beside it. */
  readonly costs: CostTable;
};

/** What a debate's report says, and in which order, for every format: a place that is empty says so. */
export function debateDocument(record: DebateRecord): DebateDocument {
  const nameOf = namesOf(peopleIn(record));
  const costs = costTable(record);
  return {
    title: titleOf(record),
    simulated: record.simulated,
    blocks: [...(record.simulated ? [SIMULATED] : []), { kind: "facts", rows: statusRows(record) }],
    parts: [
      problemPart(record),
      { heading: "Agents", blocks: [agentsBlock(record.agents, "No agents are recorded.")] },
      clarificationsPart(record, nameOf),
      {
        heading: "Judge",
        blocks: [agentsBlock(record.judge ? [record.judge] : [], "No judge is recorded.")],
      },
      ...(record.rounds.length > 0
        ? record.rounds.map((round, index) => roundPart(round, record.rounds[index - 1], nameOf))
        : [{ heading: "Rounds", blocks: [words("No round has begun.")] }]),
      synthesisPart(record, nameOf),
      missingPart(record),
      { heading: "Cost per round and total", blocks: [table(costs.heads, costs.rows)] },
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
  if (!requirements) return { heading: "Problem", blocks: [text, words("No requirements are recorded.")] };
  return {
    heading: "Problem",
    blocks: [text],
    parts: [
      {
        heading: "Major requirements",
        blocks: [points(requirements.major, "No major requirements were found in the problem.")],
      },
      {
        heading: "Minor requirements",
        blocks: [points(requirements.minor, "No minor requirements were found in the problem.")],
      },
    ],
  };
}

function clarificationsPart({ clarifications }: DebateRecord, nameOf: AgentNameOf): ReportPart {
  if (clarifications.length === 0)
    return { heading: "Clarifications", blocks: [words("No clarifications were asked for.")] };
  return {
    heading: "Clarifications",
    blocks: [],
    parts: clarifications.map(({ by, id, question, answer }) => ({
      heading: `${nameOf(by)} asks (${id})`,
      blocks: [
        quote(question),
        ...(answer === null ? [words("There is no answer.")] : [words("Answer:"), quote(answer)]),
      ],
    })),
  };
}

function synthesisPart({ synthesis, judgeSummary, judge }: DebateRecord, nameOf: AgentNameOf): ReportPart {
  const summary = judgeSummary
    ? [{ ...summaryPart(judgeSummary, nameOf), heading: "Summary that the judge read" }]
    : [];
  if (!synthesis)
    return {
      heading: "Final synthesis",
      blocks: [words(`There is no final synthesis${judge ? "" : ", and no judge to write one"}.`)],
      parts: summary,
    };
  const { confidence } = synthesis;
  return {
    heading: "Final synthesis",
    blocks: [words(`By ${nameOf(synthesis.by)}: ${takenWords(synthesis)}.`), quote(synthesis.text)],
    parts: [
      {
        heading: "The judge's assessment",
        blocks: [
          words(
            confidence === null
              ? "No confidence is recorded."
              : `Judge's self-reported confidence: ${confidence}/100`,
          ),
        ],
        parts: [
          {
            heading: "Unfulfilled major requirements",
            blocks: [points(synthesis.unfulfilledMajorRequirements, "None")],
          },
          { heading: "Trade-offs", blocks: [points(synthesis.tradeoffs, "None")] },
          {
            heading: "Recommendations",
            blocks: [points(synthesis.recommendations, "None")],
          },
          { heading: "Open questions", blocks: [points(synthesis.openQuestions, "None")] },
        ],
      },
      ...summary,
    ],
  };
}

const missingPart = ({ degraded, status }: DebateRecord): ReportPart => ({
  heading: "Warnings",
  blocks: [
    points(
      degraded.map(({ what, why }) => `${what}: ${why}`),
      status === "open" ? "None so far" : "None",
    ),
  ],
});
