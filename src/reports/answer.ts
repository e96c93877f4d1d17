import type { ReportBlock, ReportPart } from "../kernel/index.ts";
import { isVoice } from "../kernel/index.ts";
import { formatDuration, pluralize } from "../text/format.ts";
import type { Result } from "../views/result.ts";
import { labelledRows, type LabelledRow } from "./labelled-rows.ts";
import { oneLine, printable } from "./printable.ts";
import { styledMarkdown, styleOf, type Style } from "./style.ts";
import { wrapped } from "./text-width.ts";
import { describeBaseline, formatCost, formatFamily, formatTokens } from "./words.ts";

export type TextStyle = {
  /** Whether it may be styled: a terminal, and no `NO_COLOR`. */
  readonly color: boolean;
  /** Cells of a line; our own block is wrapped to it, a model's text never. */
  readonly width: number;
  /** The models without a known price, as `unpricedModels` tells them. */
  readonly unpriced?: readonly string[];
};

/** A result, and what its protocol's report says about the section. */
export type ShownResult = {
  readonly result: Result;
  readonly parts: readonly ReportPart[];
  /** Whether the section is what was asked for, so that no answer is missed. */
  readonly isVerdict?: boolean;
};

/** Points of a section that are printed, and characters of each; all of them are in the document. */
const MAX_POINTS = 20;
const MAX_POINT_LENGTH = 2_000;

/**
 * What a person reads of a result: what is missing, first of all; the answer, whole; what its protocol tells beside it; and
 * how it came about. Foreign text is made printable. Ends in a newline.
 */
export function answerText(shown: ShownResult, { color, width, unpriced = [] }: TextStyle): string {
  const { result, parts } = shown;
  const style = styleOf(color);
  const narrow = Math.max(20, width);
  const warnings = [...parts.flatMap(partWarnings), ...warningLines(shown)];
  const rows = [...summaryRows(result), ...parts.flatMap(partRows), ...accountRows(result, unpriced)];
  const above = [
    warnings.flatMap((line) => wrapped(line, narrow).map(style.yellow)),
    answerLines(result, color),
    ...parts.flatMap((part) => textLines(part, { style, width: narrow })),
  ].filter((lines) => lines.length > 0);
  const rule = above.length > 0 ? [style.dim("─".repeat(Math.min(narrow, 40)))] : [];
  return joined([...above, [...rule, ...labelledRows(rows, { width: narrow, style })]]);
}

/** The answer with what is missing above it and at most two lines below it. Ends in a newline. */
export function briefAnswerText(shown: ShownResult, face: TextStyle): string {
  const style = styleOf(face.color);
  const narrow = Math.max(20, face.width);
  return joined([
    warningLines(shown).flatMap((line) => wrapped(line, narrow).map(style.yellow)),
    answerLines(shown.result, face.color),
    briefLines(shown, face).map(style.dim),
  ]);
}

/** What is said below an answer: what it comes to beside its baseline, and what it took. */
export function briefLines(
  { result }: ShownResult,
  { unpriced = [] }: Pick<TextStyle, "unpriced">,
): string[] {
  const summary = summaryRows(result).map((row) => `${row.label}: ${"text" in row ? row.text : ""}`);
  const time = result.wallMs === null ? [] : [formatDuration(result.wallMs)];
  return [summary.join(" · "), [usageText(result, unpriced), ...time].join(" · ")]
    .filter(Boolean)
    .map((line) => oneLine(line, 600));
}

/** The answer and nothing else, for a file or another program. Ends in a newline. */
export const bareAnswerText = ({ result }: ShownResult): string => joined([answerLines(result, false)]);

const joined = (sections: readonly (readonly string[])[]): string =>
  `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;

function answerLines({ answer }: Result, color: boolean): string[] {
  if (answer === null) return [];
  const body = printable(answer).replace(/^\n+/, "").trimEnd();
  // Without color it is passed on as it is written: to a file, or to another program.
  return [color ? styledMarkdown(body, styleOf(color)) : body];
}

/** What the reader has to know before reading the answer: one line each. */
export function warningLines({
  result: { status, degraded, answer, simulated },
  isVerdict = false,
}: ShownResult): string[] {
  const ended = OUTCOMES[status];
  const lines = degraded.map(({ what, why }) =>
    what === status && ended !== undefined
      ? `${ended}: ${oneLine(why, 1_000)}`
      : `Degraded: ${oneLine(what, 200)}: ${oneLine(why, 600)}`,
  );
  if (status === "waiting") lines.unshift("Waiting: its questions are unanswered");
  else if (status === "open") lines.unshift("Open: this run has not ended");
  else if (answer === null && !isVerdict) lines.push("There is no answer.");
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

/** A part and those below it, without blocks in which nothing stands. */
const flat = (part: ReportPart): ReportPart[] => [
  { ...part, blocks: part.blocks.filter((block) => !isEmpty(block)) },
  ...(part.parts ?? []).flatMap(flat),
];

const isEmpty = (block: ReportBlock): boolean =>
  block.kind === "words" ? block.text === "" : block.kind === "table" && block.rows.length === 0;

const partWarnings = (part: ReportPart): string[] =>
  flat(part).flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === "warning" ? [`${block.title} ${block.text}`.trim()] : [])),
  );

/** What stands as a text of its own: points and foreign texts, and words without a heading. */
const textLines = (
  part: ReportPart,
  { style, width }: { readonly style: Style; readonly width: number },
): string[][] =>
  flat(part).map(({ heading, blocks }) => {
    const lines = blocks.flatMap((block): string[] => {
      if (block.kind === "points") return pointLines(block.texts);
      if (block.kind === "text") return [printable(block.text).trim()];
      return block.kind === "words" && heading === ""
        ? wrapped(oneLine(block.text), width).map(style.dim)
        : [];
    });
    return lines.length === 0 || heading === "" ? lines : [style.bold(oneLine(heading, 200)), ...lines];
  });

function pointLines(texts: readonly string[]): string[] {
  const lines = texts.slice(0, MAX_POINTS).map((text) => {
    const clean = printable(text).trim();
    const cut =
      clean.length > MAX_POINT_LENGTH ? `${clean.slice(0, MAX_POINT_LENGTH).toWellFormed()}…` : clean;
    return `- ${cut.replaceAll("\n", "\n  ")}`;
  });
  const more = texts.length - lines.length;
  return more > 0 ? [...lines, `- and ${more} more`] : lines;
}

/** What stands in the block of rows: words, facts and tables. */
const partRows = (part: ReportPart): LabelledRow[] =>
  flat(part).flatMap(({ heading, blocks }) =>
    heading === ""
      ? []
      : blocks.flatMap(blockRows).map((row, index) => ({ ...row, label: index === 0 ? heading : "" })),
  );

function blockRows(block: ReportBlock): LabelledRow[] {
  if (block.kind === "words") return [{ label: "", text: block.text }];
  if (block.kind === "facts")
    return block.rows.map(([label, text]) => ({ label: "", text: `${label}: ${text}` }));
  if (block.kind !== "table") return [];
  const heads = block.heads.some((head) => head !== "") ? [block.heads] : [];
  return [{ label: "", table: [...heads, ...block.rows] }];
}

/** What the answer comes to, and what not deliberating would have come to. */
function summaryRows({ answer, finalAnswer, control, participants }: Result): LabelledRow[] {
  const isShort = finalAnswer !== null && finalAnswer !== answer?.trim();
  // One model alone has no baseline: it is one.
  const hasBaseline = answer !== null && (control !== null || participants.some(isVoice));
  return [
    ...(isShort ? [{ label: "Final answer", text: finalAnswer }] : []),
    ...(hasBaseline ? [{ label: "Baseline", text: describeBaseline(control, participants) }] : []),
  ];
}

const usageText = ({ calls, tokens, cost }: Result, unpriced: readonly string[]): string =>
  calls === 0
    ? "no calls"
    : [pluralize(calls, "call"), formatTokens(tokens), formatCost(cost, unpriced)].join(" · ");

/** Who took part, what it took, and under which id it is kept. */
function accountRows(result: Result, unpriced: readonly string[]): LabelledRow[] {
  const { participants, grade, wallMs, id } = result;
  const models = participants.map(({ name, seat, model, family }) => [
    name,
    seat,
    model,
    formatFamily(family),
  ]);
  return [
    { label: "Participants", table: models },
    ...(grade === null ? [] : [{ label: "Score", text: gradeText(grade) }]),
    { label: "Usage", text: usageText(result, unpriced) },
    ...(wallMs === null ? [] : [{ label: "Time", text: formatDuration(wallMs) }]),
    { label: "Run", text: id },
  ];
}

const gradeText = ({ score, feedback, rubric, by, why }: NonNullable<Result["grade"]>): string =>
  score === null
    ? `none: ${why ?? "no reason was recorded"}`
    : `${score}/5 (${by ?? "judge"}, rubric ${rubric}): ${feedback}`;
