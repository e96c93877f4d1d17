import type { Assessment, ReportBlock, ReportPart, ElementTree } from "../../../../../kernel/index.ts";
import { figures, part, points, quote, table, words } from "../../../../../reports/part.ts";
import type { DebateRecord, DebateRound } from "../view/record.ts";
import { namesOf } from "../../../../../reports/names.ts";
import { costTable, type CostColumn, type CostTable } from "./costs.ts";
import {
  agentRows,
  AGENT_HEADS,
  statusRows,
  takenWords,
  titleOf,
  peopleIn,
  type AgentNameOf,
} from "./words.ts";
import { formatNumber, formatUsd } from "../../../../../text/format.ts";
import { element } from "../../../../../reports/element.ts";
import { line, px, text } from "../../../../../reports/plot.ts";

/** What a debate's Markdown says, in the order in which it was debated; what is empty is left out. */
export function debateDocument(record: DebateRecord) {
  const nameOf = namesOf(peopleIn(record));
  return {
    title: titleOf(record),
    blocks: [...(record.simulated ? [SIMULATED] : []), { kind: "facts", rows: statusRows(record) } as const],
    parts: [
      problemPart(record),
      part("Agents", table(AGENT_HEADS, agentRows(record.agents))),
      clarificationsPart(record, nameOf),
      part("Judge", table(AGENT_HEADS, agentRows(record.judge ? [record.judge] : []))),
      ...roundParts(record, nameOf),
      synthesisPart(record, nameOf),
      missingPart(record),
      costPart(record),
    ],
  };
}

/** What a page tells of a debate below its answer: the rounds, the summary that the judge read, and what each round took. */
export function courseOf(record: DebateRecord): ReportPart[] {
  const nameOf = namesOf(peopleIn(record));
  return [
    { ...requirementsPart(record), folds: true },
    ...roundParts(record, nameOf),
    ...judgeSummaryParts(record, nameOf),
    costPart(record),
  ];
}

const roundParts = ({ rounds }: DebateRecord, nameOf: AgentNameOf): ReportPart[] =>
  rounds.map((round, index) => roundPart(round, rounds[index - 1], nameOf));

function costPart(record: DebateRecord): ReportPart {
  const costs = costTable(record);
  return part("Cost per round and total", ...figures(debateChart(costs)), table(costs.heads, costs.rows));
}

const SIMULATED: ReportBlock = {
  kind: "warning",
  title: "Simulated models.",
  text: "At least a part of this was said by simulated models. It shows how a debate runs; nothing in it is a real model's opinion.",
};

const problemPart = (record: DebateRecord): ReportPart => ({
  ...part("Problem", quote(record.problem)),
  parts: requirementsPart(record).parts ?? [],
});

const requirementsPart = ({ requirements }: DebateRecord): ReportPart => ({
  ...part("Requirements"),
  parts: [
    part("Major requirements", points(requirements?.major ?? [])),
    part("Minor requirements", points(requirements?.minor ?? [])),
  ],
});

export function clarificationsPart({ clarifications }: DebateRecord, nameOf: AgentNameOf): ReportPart {
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

const judgeSummaryParts = ({ judgeSummary }: DebateRecord, nameOf: AgentNameOf): ReportPart[] =>
  judgeSummary ? [{ ...summaryPart(judgeSummary, nameOf), heading: "Summary that the judge read" }] : [];

function synthesisPart(record: DebateRecord, nameOf: AgentNameOf): ReportPart {
  const { synthesis, judge } = record;
  const summary = judgeSummaryParts(record, nameOf);
  if (!synthesis) {
    const why = judge ? "" : ", and no judge to write one";
    return { ...part("Final synthesis", words(`There is no final synthesis${why}.`)), parts: summary };
  }
  const by = words(`By ${nameOf(synthesis.by)}: ${takenWords(synthesis)}.`);
  return {
    ...part("Final synthesis", by, { kind: "text", text: synthesis.text, isOwn: true }),
    parts: [...assessedParts(synthesis, nameOf), ...summary],
  };
}

export function assessedParts(
  synthesis: NonNullable<DebateRecord["synthesis"]>,
  nameOf: AgentNameOf,
): ReportPart[] {
  const said =
    synthesis.confidence === null
      ? ""
      : `Self-reported confidence of ${nameOf(synthesis.by)}: ${confidenceText(synthesis)}`;
  return [{ ...part("The judge's assessment", words(said)), parts: assessmentParts(synthesis) }];
}

const missingPart = ({ degraded }: DebateRecord): ReportPart =>
  part("Warnings", points(degraded.map(({ what, why }) => `${what}: ${why}`)));

/** `78/100`; `95/100, capped at 40: 1 major requirement is not fulfilled`. */
export const confidenceText = ({ confidence, capped }: Pick<Assessment, "confidence" | "capped">): string =>
  capped === undefined
    ? `${confidence ?? "unknown"}/100`
    : `${capped.said}/100, capped at ${confidence ?? "unknown"}: ${capped.why}`;

/** The lists of a judge's assessment. */
export const assessmentParts = (assessment: Assessment): ReportPart[] => [
  part("Unfulfilled major requirements", points(assessment.unfulfilledMajorRequirements)),
  part("Trade-offs", points(assessment.tradeoffs)),
  part("Recommendations", points(assessment.recommendations)),
  part("Open questions", points(assessment.openQuestions)),
];

/** One round, in the order of its phases; `before` is the round before it, where there was one. */
function roundPart(round: DebateRound, before: DebateRound | undefined, nameOf: AgentNameOf): ReportPart {
  const group = (heading: string, parts: readonly ReportPart[]): ReportPart => ({ ...part(heading), parts });
  const critiquePart = (one: DebateRound["critiques"][number]) =>
    foldedPart(`${nameOf(one.by)} on ${nameOf(one.of)}`, words(`${takenWords(one)}.`), quote(one.text));
  return {
    ...foldedPart(
      `Round ${round.round}`,
      ...(round.closed ? [] : [words("This round has not come to its end.")]),
    ),
    parts: [
      group(
        "Summaries",
        round.summaries.map((summary) => summaryPart(summary, nameOf)),
      ),
      group(
        "Proposals",
        round.proposals.map((proposal) => proposalPart(proposal, before, nameOf)),
      ),
      group("Critiques", round.critiques.map(critiquePart)),
      group(
        "Refinements",
        round.refinements.map((answer) => answerPart(answer, nameOf)),
      ),
      group(
        "Tool calls",
        round.tools.map((call) => toolPart(call, nameOf)),
      ),
      confidencePart(round),
    ],
  };
}

const foldedPart = (heading: string, ...blocks: ReportPart["blocks"]): ReportPart => ({
  ...part(heading, ...blocks),
  folds: true,
});

const summaryPart = (summary: NonNullable<DebateRecord["judgeSummary"]>, nameOf: AgentNameOf): ReportPart => {
  const { method, charactersBefore, charactersAfter, temperature } = summary;
  const lengths = `${formatNumber(charactersBefore)} characters to ${formatNumber(charactersAfter)}`;
  const warmth = temperature === null ? "" : `, temperature ${temperature}`;
  const taken = words(`Method ${method}, ${lengths}; ${takenWords(summary)}${warmth}.`);
  return foldedPart(`For ${nameOf(summary.for)}`, taken, quote(summary.text));
};

type AnswerRow = DebateRound["refinements"][number];

const answerPart = (answer: AnswerRow, nameOf: AgentNameOf): ReportPart =>
  foldedPart(nameOf(answer.by), words(`${takenWords(answer)}.${coverageWords(answer)}`), quote(answer.text));

function proposalPart(
  proposal: DebateRound["proposals"][number],
  before: DebateRound | undefined,
  nameOf: AgentNameOf,
): ReportPart {
  if (!proposal.carried) return answerPart(proposal, nameOf);
  const heading = nameOf(proposal.by);
  const same = (one: AnswerRow) => one.by === proposal.by && one.text === proposal.text;
  const kind = before?.refinements.some(same)
    ? "Refinement"
    : before?.proposals.some(same)
      ? "Proposal"
      : undefined;
  // What stands word for word above is not told twice.
  return kind === undefined || before === undefined
    ? foldedPart(heading, words("Carried over from an earlier round (no call)."), quote(proposal.text))
    : part(heading, words(`${kind} carried over from round ${before.round} (no call).`));
}

const coverageWords = ({ coverage }: AnswerRow): string =>
  coverage === null
    ? ""
    : coverage
      ? " Requirements coverage: included."
      : " Requirements coverage: missing.";

const toolPart = (call: DebateRound["tools"][number], nameOf: AgentNameOf): ReportPart =>
  foldedPart(
    `${nameOf(call.by)} calls ${call.tool}${call.during === null ? "" : ` (${call.during})`}`,
    words("With:"),
    quote(call.arguments),
    ...(call.result === null ? [words("No result is recorded.")] : [words("Result:"), quote(call.result)]),
  );

const confidencePart = ({ confidence, confidenceReason }: DebateRound): ReportPart =>
  confidence === null
    ? part("Confidence")
    : part(
        "Confidence",
        words(`Judge's self-reported confidence after this round: ${confidence}/100`),
        ...(confidenceReason === null ? [] : [quote(confidenceReason)]),
      );

const WIDTH = 480;
const LEFT = 76;
const RIGHT = WIDTH - 12;
/** Two plots under each other over the same columns: confidence has a scale of its own. */
const UPPER = { top: 30, bottom: 140 };
const LOWER = { top: 180, bottom: 270 };
const HEIGHT = 308;
const MAX_LABELS = 12;

/**
 * Confidence and cost by round as an inline SVG that the page's style paints; undefined where there is nothing to draw.
 * Costs are in dollars where all are known and any was paid, else in tokens; a question mark stands for what is unknown. It says no more than the table beside it.
 */
export function debateChart({ columns, simulated }: CostTable): ElementTree | undefined {
  const cost = costOf(columns);
  const known = columns.some(({ confidence }) => confidence !== null);
  if (!known && !cost) return undefined;
  const step = (RIGHT - LEFT) / columns.length;
  const middle = (index: number) => LEFT + step * (index + 0.5);
  const of = simulated ? " (simulated models)" : "";
  const viewBox = `0 0 ${WIDTH} ${HEIGHT}`;
  return element(
    "svg",
    { class: "chart", viewBox, role: "img", "aria-labelledby": "chart-title chart-desc" },
    element("title", { id: "chart-title" }, `Confidence and cost by round${of}`),
    element("desc", { id: "chart-desc" }, description(columns, cost)),
    text({ x: LEFT, y: UPPER.top - 13 }, `The judge's confidence${of}`),
    ...[0, 50, 100].flatMap((value) => gridLine(confidenceAt(value), String(value))),
    ...confidences(columns, middle),
    text({ x: LEFT, y: LOWER.top - 13 }, cost?.label ?? "Cost: none is known"),
    ...(cost ? bars(columns, cost, { middle, width: Math.min(48, step * 0.6) }) : []),
    ...gridLine(LOWER.bottom, cost ? "0" : ""),
    ...axis(columns, middle),
  );
}

type CostAxis = {
  readonly label: string;
  readonly most: number;
  /** null where it is unknown. */
  readonly of: (column: CostColumn) => number | null;
  readonly words: (value: number) => string;
};

function costOf(columns: readonly CostColumn[]): CostAxis | undefined {
  const mostOf = (figure: CostAxis["of"]) => Math.max(0, ...columns.map((one) => figure(one) ?? 0));
  const usd: CostAxis["of"] = (one) => one.usd;
  const tokens: CostAxis["of"] = (one) => one.tokens;
  if (mostOf(usd) > 0 && columns.every((one) => usd(one) !== null))
    return { label: "Cost, US dollars", most: mostOf(usd), of: usd, words: formatUsd };
  return mostOf(tokens) > 0
    ? { label: "Tokens", most: mostOf(tokens), of: tokens, words: formatNumber }
    : undefined;
}

const confidenceAt = (value: number): number =>
  UPPER.bottom - (Math.min(100, Math.max(0, value)) / 100) * (UPPER.bottom - UPPER.top);

/** Points, joined where two neighbours are known: nothing is drawn over a gap. */
function confidences(columns: readonly CostColumn[], middle: (index: number) => number): ElementTree[] {
  const at = columns.map(({ confidence }, index) =>
    confidence === null ? undefined : { x: middle(index), y: confidenceAt(confidence) },
  );
  const lines = at.flatMap((to, index) => {
    const from = at[index - 1];
    return from && to ? [line({ x1: from.x, y1: from.y, x2: to.x, y2: to.y }, "trend")] : [];
  });
  const dots = at.flatMap((one) =>
    one ? [element("circle", { class: "dot", cx: px(one.x), cy: px(one.y), r: 4.5 })] : [],
  );
  return [...lines, ...dots];
}

function bars(
  columns: readonly CostColumn[],
  cost: CostAxis,
  { middle, width }: { readonly middle: (index: number) => number; readonly width: number },
): ElementTree[] {
  return [
    ...gridLine(LOWER.top, cost.words(cost.most)),
    ...columns.map((column, index) => {
      const value = cost.of(column);
      if (value === null) return text({ x: middle(index), y: LOWER.bottom - 6, anchor: "middle" }, "?");
      const height = (value / cost.most) * (LOWER.bottom - LOWER.top);
      const place = { x: px(middle(index) - width / 2), y: px(LOWER.bottom - height) };
      return element("rect", { class: "bar", ...place, width: px(width), height: px(height) });
    }),
  ];
}

/** Every so many columns are named, the last one always. */
function axis(columns: readonly CostColumn[], middle: (index: number) => number): ElementTree[] {
  const every = Math.ceil(columns.length / MAX_LABELS);
  const last = columns.length - 1;
  const named = (index: number) => index === last || (index % every === 0 && last - index >= every);
  return columns.flatMap(({ label }, index) =>
    named(index) ? [text({ x: middle(index), y: LOWER.bottom + 20, anchor: "middle" }, label)] : [],
  );
}

const gridLine = (y: number, label: string): ElementTree[] => [
  line({ x1: LEFT, y1: y, x2: RIGHT, y2: y }, "grid"),
  text({ x: LEFT - 8, y: y + 5, anchor: "end" }, label),
];

/** What is to be seen, in words, for whoever does not see it. */
function description(columns: readonly CostColumn[], cost: CostAxis | undefined): string {
  const parts = columns.map((column) => {
    const confidence = column.confidence === null ? "no confidence" : `confidence ${column.confidence}`;
    const value = cost?.of(column) ?? null;
    const figure = value === null || !cost ? "unknown" : cost.words(value);
    return `${column.name}: ${confidence}${cost ? `, ${figure}` : ""}`;
  });
  return `${cost ? `Bars: ${cost.label}. ` : ""}${parts.join("; ")}.`;
}
