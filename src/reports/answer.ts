import type { Result } from "../views/result.ts";
import { labelledRows, type LabelledRow } from "./labelled-rows.ts";
import { oneLine, printable } from "./printable.ts";
import { styledMarkdown, styleOf, type Style } from "./style.ts";
import { wrapped } from "./text-width.ts";
import { pluralize, formatDuration, formatUsd } from "../text/format.ts";
import {
  describeAgreement,
  describeBaseline,
  formatCost,
  formatFamily,
  formatScore,
  formatTokens,
} from "./words.ts";

export type AnswerStyle = {
  /** Whether it may be styled: a terminal, and no `NO_COLOR`. */
  readonly color: boolean;
  /** Cells of a line; our own block is wrapped to it, a model's text never. */
  readonly width: number;
  /** The models without a known price, as `unpricedModels` tells them. */
  readonly unpriced?: readonly string[];
};

/** So many points of a section are printed, and so much of each; the whole is in the deliberation's document. */
const POINTS = 20;
const POINT_CHARACTERS = 2_000;

/**
 * What a person reads when a deliberation has ended (or stands open): what is missing, first of all; the
 * answer, whole; what the chair kept beside it; and how it came about. Model text is made printable. Ends in
 * a newline.
 */
export function answerText(result: Result, { color, width, unpriced = [] }: AnswerStyle): string {
  const style = styleOf(color);
  const narrow = Math.max(20, width);
  const warnings = warningLines(result).flatMap((line) => wrapped(line, narrow).map(style.yellow));
  const body = printable(result.answer ?? "")
    .replace(/^\n+/, "")
    .trimEnd();
  // Without color it is passed on as it is written: to a file, or to another program.
  const answer = result.answer === null ? [] : [color ? styledMarkdown(body, style) : body];
  const footer = result.footer === null ? [] : [style.dim(oneLine(result.footer))];
  const { id } = result;
  const vetoed = result.vetoed.map((one) => `${nameOf(result, one.id)}: ${one.flaw}`);
  const block = labelledRows(rowsOf(result, unpriced), { width: narrow, style });
  const sections = [
    warnings,
    answer,
    footer,
    points("Contradictions among the drafts", contradictionLines(result), { id, style }),
    points("Dissent", result.dissent, { id, style }),
    points("Unique insights", result.insights, { id, style }),
    points("Vetoed", vetoed, { id, style }),
    ...assessed(result).map(([title, texts]) => points(title, texts, { id, style })),
    [style.dim("─".repeat(Math.min(narrow, 40))), ...block],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** What the reader has to know before reading the answer: one line each. */
export function warningLines({ id, status, degraded, answer, simulated }: Result): string[] {
  const ended = OUTCOMES[status];
  const lines = degraded.map(({ what, why }) =>
    what === status && ended !== undefined
      ? `${ended}: ${oneLine(why, 1_000)}`
      : `Degraded: ${oneLine(what, 200)}: ${oneLine(why, 600)}`,
  );
  if (status === "open") lines.unshift(`Open: it has not come to its end; go on with parley resume ${id}`);
  else if (answer === null) lines.push("There is no answer.");
  else if (status === "answered-degraded" && lines.length === 0)
    lines.push("Degraded: no reason was recorded");
  return simulated ? [...lines, "simulated models"] : lines;
}

const OUTCOMES: { readonly [status: string]: string | undefined } = {
  failed: "Failed",
  cancelled: "Cancelled",
  "stopped-by-budget": "Stopped by budget",
  inconclusive: "Inconclusive",
};

type Pointing = { readonly id: string; readonly style: Style };

function points(title: string, texts: readonly string[], { id, style }: Pointing): string[] {
  if (texts.length === 0) return [];
  const shown = texts.slice(0, POINTS).map((text) => {
    const clean = printable(text).trim();
    const cut =
      clean.length > POINT_CHARACTERS ? `${clean.slice(0, POINT_CHARACTERS).toWellFormed()}…` : clean;
    return `- ${cut.replaceAll("\n", "\n  ")}`;
  });
  const more = texts.length - shown.length;
  return [style.bold(title), ...shown, ...(more > 0 ? [`- and ${more} more: parley show ${id} --all`] : [])];
}

function rowsOf(result: Result, unpriced: readonly string[]): LabelledRow[] {
  const { answer, finalAnswer, standing, calls, wallMs, id } = result;
  const rows: (LabelledRow | undefined)[] = [
    finalAnswer !== null && finalAnswer !== answer?.trim()
      ? { label: "In short", text: finalAnswer }
      : undefined,
    // A climb that ended before the chair had neither mode nor strategy.
    result.mode === null || (result.ladder.length > 0 && result.strategy === null && result.mode !== "vote")
      ? undefined
      : { label: "Mode", text: modeWords(result) },
    // One respondent alone has no control: it is one.
    answer === null || (result.control === null && result.members.length === 0)
      ? undefined
      : { label: "Control", text: describeBaseline(result.control, result.members) },
    ...climbRows(result),
    ...debateRows(result),
    standing.length > 0
      ? { label: result.mode === "vote" ? "Voted" : "Standing", table: standingTable(result) }
      : undefined,
    standing.length > 0 ? { label: "Agreement", text: describeAgreement(result) } : undefined,
    ...contributionRows(result),
    result.members.length === 0
      ? undefined
      : { label: result.debate ? "Agents" : "Members", table: result.members.map(memberRow) },
    result.grade === null ? undefined : { label: "Grade", text: gradeWords(result.grade) },
    result.recalled === null ? undefined : { label: "Recalled", text: recalledWords(result.recalled) },
    {
      label: "Spent",
      text: [pluralize(calls, "call"), formatTokens(result.tokens), formatCost(result.cost, unpriced)].join(
        "; ",
      ),
    },
    {
      label: "Time",
      text: `${wallMs === null ? "" : `${formatDuration(wallMs)} in all; `}critical path ${formatDuration(result.criticalPathMs)}`,
    },
    { label: "Id", text: id },
    { label: "Next", text: nextWords(result) },
  ];
  return rows.filter((row) => row !== undefined);
}

const gradeWords = ({ score, feedback, rubric, by, why }: NonNullable<Result["grade"]>): string =>
  score === null
    ? `none: ${why ?? "no reason was recorded"}`
    : `${score}/5 by ${by ?? "a judge"}, by the rubric ${rubric}: ${feedback}`;

const recalledWords = ({ engrams, facts, how }: NonNullable<Result["recalled"]>): string =>
  `${pluralize(engrams, "engram")}, ${pluralize(facts, "pinned fact")}; ${how}`;

/** What a judge lists beside its solution; what is unfulfilled first. */
const assessed = ({ debate }: Result): readonly (readonly [title: string, texts: readonly string[]])[] =>
  debate?.assessment
    ? [
        ["Unfulfilled major requirements", debate.assessment.unfulfilledMajorRequirements],
        ["Trade-offs", debate.assessment.tradeoffs],
        ["Recommendations", debate.assessment.recommendations],
        ["Open questions", debate.assessment.openQuestions],
      ]
    : [];

function debateRows({ debate }: Result): LabelledRow[] {
  if (!debate) return [];
  const { rounds, withoutCoverage, assessment } = debate;
  const bare =
    withoutCoverage === 0
      ? ""
      : `; ${pluralize(withoutCoverage, "text")} without a word on how the requirements are covered`;
  const sure =
    assessment === null
      ? []
      : [
          {
            label: "Judge",
            text: `confidence ${assessment.confidence ?? "unknown"} of 100, as it says itself`,
          },
        ];
  return [{ label: "Debate", text: `${pluralize(rounds, "round")}${bare}` }, ...sure];
}

/** How far it climbed, and how members voted on the way. */
function climbRows({ ladder, votes }: Result): LabelledRow[] {
  const rungs = ladder.map(({ rung, reason, calls, usd }, index) => {
    const price = usd === null || usd === 0 ? "" : `, ${formatUsd(usd)}`;
    const found = reason === null ? "" : `: ${reason}`;
    return {
      label: index === 0 ? "Ladder" : "",
      text: `${rung}, ${pluralize(calls, "call")}${price}${found}`,
    };
  });
  const split = votes.length > 1 ? votes : [];
  const ballots = split.map(({ answer, first, last }) => [
    oneLine(answer, 60),
    `${first.length} at first`,
    `${last.length} at last`,
  ]);
  return [...rungs, ...(ballots.length > 0 ? [{ label: "Votes", table: ballots }] : [])];
}

/** What the drafts contradict each other in, as the comparison found it. */
const contradictionLines = ({ comparison, ...result }: Result): string[] =>
  (comparison?.contradictions ?? []).map(({ topic, stances }) => {
    const sides = stances.map(
      ({ claim, members }) => `${members.map((id) => nameOf(result, id)).join(", ")}: ${claim}`,
    );
    return `${topic}\n${sides.join("\n")}`;
  });

/** The method that measures what a member did as a reviewer; all others measure its own part in the answer. */
export const BALLOT_METHOD = "shapley-standing";

function contributionRows(result: Result): LabelledRow[] {
  const { claimed, measured } = result.contributions;
  const weight = ({ id, weight: share }: { readonly id: string; readonly weight: number }) => [
    nameOf(result, id),
    share.toFixed(2),
  ];
  const claims = claimed.map((one) => [...weight(one), one.reason]);
  return [
    ...(claims.length > 0
      ? [
          { label: "Claimed", text: "by the chair, not measured:" },
          { label: "", table: claims },
        ]
      : []),
    ...(measured.length > 0 ? [{ label: "Measured", table: measuredTable(result) }] : []),
    ...(measured.some(({ method }) => method === BALLOT_METHOD)
      ? [{ label: "", text: "* the value of a reviewer's ballot, not of its own draft" }]
      : []),
  ];
}

/** A row a member, a column a method. */
function measuredTable(result: Result): string[][] {
  const { measured } = result.contributions;
  const methods = [...new Set(measured.map(({ method }) => method))];
  const ids = [...new Set(measured.map(({ id }) => id))];
  const cell = (id: string, method: string) =>
    measured.find((one) => one.id === id && one.method === method)?.weight.toFixed(2) ?? "-";
  return [
    ["", ...methods.map((method) => (method === BALLOT_METHOD ? `${method}*` : method))],
    ...ids.map((id) => [nameOf(result, id), ...methods.map((method) => cell(id, method))]),
  ];
}

function modeWords({ mode, strategy, standing, members }: Result): string {
  if (mode !== "vote") return strategy === null ? `${mode}` : `${mode}, strategy ${strategy}`;
  const [best] = standing.filter(({ place, score }) => place === 1 && score !== null);
  if (!best) return "vote, without a readable ranking";
  const name = members.find(({ id }) => id === best.id)?.name ?? best.id;
  const tied = best.tiedWith.length > 0 ? ", tied; the answer is the draft of the first seat" : "";
  return `vote: ${name} came first${tied}`;
}

const standingTable = (result: Result): string[][] =>
  result.standing.map(({ id, place, score, low, high, tiedWith }) => [
    score === null ? "-" : String(place),
    nameOf(result, id),
    `${formatScore(score)}${low === null || high === null ? "" : ` (${formatScore(low)} to ${formatScore(high)})`}`,
    tiedWith.length > 0 ? `tied with ${tiedWith.map((other) => nameOf(result, other)).join(", ")}` : "",
  ]);

const memberRow = ({ name, model, family, answer }: Result["members"][number]): string[] => [
  name,
  model,
  formatFamily(family),
  answer === null ? "no draft" : "",
];

const nextWords = ({ id, status, debate }: Result): string => {
  if (status === "open") return `parley resume ${id} goes on; parley show ${id} --all shows what there is`;
  return debate
    ? `parley report ${id} shows every round; --output FILE.html writes a page`
    : `parley show ${id} --all shows drafts, reviews and every step`;
};

const nameOf = ({ members }: Pick<Result, "members">, id: string): string =>
  members.find((member) => member.id === id)?.name ?? id;
