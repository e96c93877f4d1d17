import type { DebateRecord } from "../view/record.ts";
import { costTable } from "./costs.ts";
import { points, words, type Block, type Part } from "./part.ts";
import { roundPart, summaryPart } from "./round.ts";
import {
  agentNames,
  agentRows,
  AGENT_HEADS,
  statusRows,
  takenWords,
  titleOf,
  type AgentNames,
} from "./words.ts";

export type DebateDocument = {
  readonly title: string;
  readonly simulated: boolean;
  readonly blocks: readonly Block[];
  readonly parts: readonly Part[];
};

/** What a debate's report says, and in which order, for every format: a place that is empty says so. */
export function debateDocument(record: DebateRecord): DebateDocument {
  const names = agentNames(record);
  return {
    title: titleOf(record),
    simulated: record.simulated,
    blocks: [...(record.simulated ? [SIMULATED] : []), { kind: "facts", rows: statusRows(record) }],
    parts: [
      problemPart(record),
      { heading: "Agents", blocks: [agentsBlock(record.agents, "No agents are recorded.")] },
      clarificationsPart(record, names),
      {
        heading: "Judge",
        blocks: [agentsBlock(record.judge ? [record.judge] : [], "No judge is recorded.")],
      },
      ...(record.rounds.length > 0
        ? record.rounds.map((round, index) => roundPart(round, record.rounds[index - 1], names))
        : [{ heading: "Rounds", blocks: [words("No round has begun.")] }]),
      synthesisPart(record, names),
      missingPart(record),
      { heading: "Cost by round and in all", blocks: [{ kind: "costs", costs: costTable(record) }] },
    ],
  };
}

const agentsBlock = (agents: DebateRecord["agents"], none: string): Block =>
  agents.length > 0 ? { kind: "table", heads: AGENT_HEADS, rows: agentRows(agents) } : words(none);

const SIMULATED: Block = {
  kind: "warning",
  title: "Simulated models.",
  text: "At least a part of this was said by simulated models. It shows how a debate runs; nothing in it is a real model's opinion.",
};

function problemPart({ problem, requirements }: DebateRecord): Part {
  const text: Block = { kind: "text", text: problem };
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

function clarificationsPart({ clarifications }: DebateRecord, names: AgentNames): Part {
  if (clarifications.length === 0)
    return { heading: "Clarifications", blocks: [words("No clarifications were asked for.")] };
  return {
    heading: "Clarifications",
    blocks: [],
    parts: clarifications.map(({ by, id, question, answer }) => ({
      heading: `${names.of(by)} asks (${id})`,
      blocks: [
        { kind: "text", text: question },
        ...(answer === null
          ? [words("There is no answer.")]
          : [words("Answer:"), { kind: "text", text: answer } as const]),
      ],
    })),
  };
}

function synthesisPart({ synthesis, judgeSummary, judge }: DebateRecord, names: AgentNames): Part {
  const summary = judgeSummary
    ? [{ ...summaryPart(judgeSummary, names), heading: "What the judge was given: a summary" }]
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
    blocks: [
      words(`By ${names.of(synthesis.by)}: ${takenWords(synthesis)}.`),
      { kind: "text", text: synthesis.text },
    ],
    parts: [
      {
        heading: "The judge's assessment",
        blocks: [
          words(
            confidence === null
              ? "Its confidence is not recorded."
              : `Its confidence: ${confidence} of 100, by its own account.`,
          ),
        ],
        parts: [
          {
            heading: "Unfulfilled major requirements",
            blocks: [points(synthesis.unfulfilledMajorRequirements, "The judge names none.")],
          },
          { heading: "Trade-offs", blocks: [points(synthesis.tradeoffs, "The judge names none.")] },
          {
            heading: "Recommendations",
            blocks: [points(synthesis.recommendations, "The judge gives none.")],
          },
          { heading: "Open questions", blocks: [points(synthesis.openQuestions, "The judge leaves none.")] },
        ],
      },
      ...summary,
    ],
  };
}

const missingPart = ({ degraded, status }: DebateRecord): Part => ({
  heading: "What is missing",
  blocks: [
    points(
      degraded.map(({ what, why }) => `${what}: ${why}`),
      status === "open" ? "Nothing is missing so far." : "Nothing is recorded as missing.",
    ),
  ],
});
