import { type Dissent, type ReportBlock, type ReportPart, isVoice } from "../kernel/index.ts";
import { groupBy } from "../stats/numbers.ts";
import { formatDuration, formatNumber, pluralize } from "../text/format.ts";
import type { Result } from "../views/result.ts";
import { labelledRows, type LabelledRow } from "./labelled-rows.ts";
import { oneLine, printable } from "./printable.ts";
import { sourceLines } from "./material.ts";
import { styleOf, type Style } from "./style.ts";
import { cutTo, widthOf, wrap } from "./text-width.ts";
import { describeBaseline, formatCost, formatFamily, formatOptions, formatTokens } from "./words.ts";

export type TextStyle = {
  /** Whether it may be styled: a terminal, and no `NO_COLOR`. */
  readonly color: boolean;
  /** Cells of a line; our own block is wrapped to it, a model's text where there is `markdown`. */
  readonly width: number;
  /** Renders a model's text for a terminal; without it, it is passed on as it is written, as to a file or another program. */
  readonly markdown?: ((text: string, width: number) => readonly string[]) | undefined;
  /** The models without a known price, as `unpricedModels` tells them. */
  readonly unpriced?: readonly string[];
};

/** A result, and what its protocol's report says about the section. */
export type ShownResult = {
  readonly result: Result;
  readonly parts: readonly ReportPart[];
  /** How many models agree, and on what they differ, on one line. */
  readonly agreement?: string | undefined;
  readonly dissent?: Dissent | undefined;
  /** What a reader has to know before the answer, beside what is missing. */
  readonly cautions?: readonly string[] | undefined;
  /** Where a picture that was attached is found, by its digest: an address, or its bytes as one. */
  readonly pictures?: ((digest: string) => string | undefined) | undefined;
  /** The turns before this one in its conversation, oldest first, with what each came to; of a summary the question is empty. */
  readonly earlier?: readonly { readonly question: string; readonly gist: string }[];
  /** What was said, in a document, where the protocol tells it all itself: in place of drafts, critiques and reviews. */
  readonly course?: (() => readonly ReportPart[]) | undefined;
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
export function answerText(shown: ShownResult, face: TextStyle): string {
  const { result, parts } = shown;
  const style = styleOf(face.color);
  const width = Math.max(20, face.width);
  const warnings = [...parts.flatMap(partWarnings), ...warningLines(shown)];
  const rows = [...summaryRows(shown), ...parts.flatMap(partRows), ...accountRows(result, face.unpriced)];
  const above = [
    warnings.flatMap((line) => wrap(line, width).map(style.yellow)),
    answerLines(result, face),
    sourceLines(result, width),
    ...parts.flatMap((part) => textLines(part, { ...face, style, width })),
  ].filter((lines) => lines.length > 0);
  const rule = above.length > 0 ? [style.dim("─".repeat(Math.min(width, 40)))] : [];
  return joinSections([...above, [...rule, ...labelledRows(rows, { width, style })]]);
}

/** The answer with what is missing above it and at most three lines below it. Ends in a newline. */
export function briefAnswerText(shown: ShownResult, face: TextStyle, footer?: AnswerFooter): string {
  const style = styleOf(face.color);
  const width = Math.max(20, face.width);
  return joinSections([
    warningLines(shown).flatMap((line) => wrap(line, width).map(style.yellow)),
    answerLines(shown.result, face),
    sourceLines(shown.result, width),
    dissentLines(shown).flatMap((line) => wrap(line, width)),
    footer ? footerLines(shown, { ...face, ...footer, width }).map(style.dim) : [],
  ]);
}

/** What a surface offers next, shown behind the id. */
export type AnswerFooter = { readonly next: readonly string[] };

/**
 * What is said below an answer, a line each: what models agree on and what not deliberating would have come to; what it took
 * and who took part; its id and what to do next. What does not fit into the width is left out.
 */
export function footerLines(
  { result, agreement = "", dissent }: ShownResult,
  { unpriced = [], width, next }: Pick<TextStyle, "unpriced" | "width"> & AnswerFooter,
): string[] {
  const { answer, finalAnswer, id, wallMs, calls, unknown, tokens } = result;
  const isNamed = finalAnswer === null || finalAnswer === answer?.trim() || agreement.includes(finalAnswer);
  const baseline = baselineWords(result);
  const both = tokens.in === null || tokens.out === null ? null : tokens.in + tokens.out;
  const models = modelWords(result);
  return [
    [
      agreement,
      isNamed ? "" : `Final answer: ${finalAnswer}`,
      baseline === undefined ? "" : `Baseline: ${baseline.replace(" with the answer", "")}`,
      dissent?.points.length === 0 ? (dissent.from ?? "") : "",
    ],
    [
      ...billWords(result, unpriced),
      wallMs === null ? "" : formatDuration(wallMs),
      models,
      both === null || calls + unknown === 0 ? "" : `${formatNumber(both)} tokens`,
    ],
    [id, ...next],
  ].flatMap((parts) => {
    const line = fitting(parts.map((one) => oneLine(one, 600)).filter(Boolean), width);
    return line === "" ? [] : [line];
  });
}

/** Parts next to each other as far as they fit; the first loses its last clauses, and is cut, where even it does not. */
function fitting(parts: readonly string[], width: number): string {
  const [whole = "", ...rest] = parts;
  const clauses = whole.split(", ");
  while (clauses.length > 1 && widthOf(clauses.join(", ")) > width) clauses.pop();
  const first = clauses.join(", ");
  return rest.reduce(
    (line, part) => {
      const longer = `${line} · ${part}`;
      return widthOf(longer) <= width ? longer : line;
    },
    cutTo(first, width),
  );
}

/** `Models: gpt-5-mini, gpt-5, claude-sonnet-4-5 (2 of 3 from openai)` */
function modelWords({ participants }: Result): string {
  const voices = participants.filter(isVoice);
  const asked = voices.length > 0 ? voices : participants;
  const refs = asked.map(({ model }) => model.replace(/(?:\/default)?(?:\?.*)?$/, ""));
  const names = [...new Set(refs.map((ref) => ref.replace(/^[^/]*\//, "")))];
  const families = asked.flatMap(({ family }) => family ?? []);
  const counts = [...new Set(families)].map((family) => ({
    family,
    count: families.filter((one) => one === family).length,
  }));
  const most = counts.sort((a, b) => b.count - a.count)[0];
  const same = most && most.count > 1 ? ` (${most.count} of ${asked.length} from ${most.family})` : "";
  return names.length === 0 ? "" : `${names.length > 1 ? "Models" : "Model"}: ${names.join(", ")}${same}`;
}

/** The answer with its dissent and nothing else, for a file or another program. Ends in a newline. */
export const bareAnswerText = (shown: ShownResult): string =>
  joinSections([
    answerLines(shown.result, { color: false, width: 0 }),
    sourceLines(shown.result, 0),
    dissentLines(shown),
  ]);

/** Points of dissent that stand with the answer, and characters of each: the answer comes first. */
const MAX_DISSENT = 4;
const MAX_DISSENT_LENGTH = 200;

/** Nothing where nobody disagrees: then whose inputs the answer is from is told with the agreement. */
function dissentLines({ dissent, result: { answer } }: ShownResult): string[] {
  if (answer === null || dissent === undefined || dissent.points.length === 0) return [];
  const { points, from } = dissent;
  const more = points.length - MAX_DISSENT;
  const lines = [...points.slice(0, MAX_DISSENT), ...(more > 0 ? [`and ${more} more`] : []), from];
  return lines.flatMap((line) => (line === null ? [] : [oneLine(line, MAX_DISSENT_LENGTH)]));
}

/** Sections that have lines, with a blank line between them. */
export const joinSections = (sections: readonly (readonly string[])[]): string =>
  `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;

function answerLines({ answer }: Result, { markdown, width }: TextStyle): readonly string[] {
  if (answer === null) return [];
  const body = printable(answer).replace(/^\n+/, "").trimEnd();
  return markdown ? markdown(body, width) : [body];
}

/** What the reader has to know before reading the answer: one line each. */
export function warningLines({
  result: { status, degraded, answer, simulated, participants },
  isVerdict = false,
  cautions = [],
}: ShownResult): string[] {
  const ended = OUTCOMES[status];
  const lines = group(degraded).map(({ what, why }) =>
    what === status && ended !== undefined
      ? `${ended}: ${oneLine(why, 1_000)}`
      : `Degraded: ${oneLine(what, 200)}: ${oneLine(why, 600)}`,
  );
  if (status === "waiting") lines.unshift("Waiting for a person to answer (see the inbox)");
  else if (status === "open") lines.unshift("Open: this run has not ended");
  else if (answer === null && !isVerdict) lines.push("There is no answer.");
  else if (status === "answered-degraded" && lines.length === 0)
    lines.push("Degraded: no reason was recorded");
  const searchless = participants.flatMap(({ name, without }) => (without.includes("search") ? [name] : []));
  if (searchless.length > 0) lines.push(`Search was refused to: ${searchless.join(", ")}`);
  return [...lines, ...cautions, ...(simulated ? ["simulated models"] : [])];
}

/** What is missing of one kind for one reason, together: `3 critiques in round 2`. */
function group(degraded: Result["degraded"]): readonly Pick<Result["degraded"][number], "what" | "why">[] {
  const partOf = (what: string) => /^(\w+) by [^ ]+(?: in (round \d+))?$/.exec(what);
  const keyOf = ({ what, why }: Result["degraded"][number]) => {
    const [, kind, round = ""] = partOf(what) ?? [];
    return JSON.stringify(kind === undefined ? [what, why] : [kind, round, why]);
  };
  return [...groupBy(degraded, keyOf).values()].flatMap((own) => {
    const [, kind = "", round] = partOf(own[0]?.what ?? "") ?? [];
    if (own.length < 3 || kind === "") return own;
    const what = `${pluralize(own.length, kind)}${round === undefined ? "" : ` in ${round}`}`;
    return [{ what, why: own[0]?.why ?? "" }];
  });
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

type Layout = Pick<TextStyle, "markdown" | "width"> & { readonly style: Style };

/** What stands as a text of its own: points and foreign texts, and words without a heading. */
const textLines = (part: ReportPart, setting: Layout): string[][] =>
  flat(part).map(({ heading, blocks }) => {
    const { style, width, markdown } = setting;
    const lines = blocks.flatMap((block): readonly string[] => {
      if (block.kind === "points") return pointLines(block.texts, setting);
      if (block.kind === "text") {
        const text = printable(block.text).trim();
        return markdown ? markdown(text, width) : [text];
      }
      return block.kind === "words" && heading === "" ? wrap(oneLine(block.text), width).map(style.dim) : [];
    });
    return lines.length === 0 || heading === "" ? lines : [style.bold(oneLine(heading, 200)), ...lines];
  });

function pointLines(texts: readonly string[], { markdown, width }: Layout): string[] {
  const lines = texts.slice(0, MAX_POINTS).flatMap((text) => {
    const clean = printable(text).trim();
    const cut =
      clean.length > MAX_POINT_LENGTH ? `${clean.slice(0, MAX_POINT_LENGTH).toWellFormed()}…` : clean;
    const shown = markdown ? markdown(cut, width - 2) : cut.split("\n");
    return shown.map((line, index) => `${index === 0 ? "- " : "  "}${line}`);
  });
  const more = texts.length - Math.min(texts.length, MAX_POINTS);
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

/** What the answer comes to, how far models agree on it, and what not deliberating would have come to. */
function summaryRows({ result, agreement = "" }: ShownResult): LabelledRow[] {
  const { answer, finalAnswer } = result;
  const isShort = finalAnswer !== null && finalAnswer !== answer?.trim();
  const baseline = baselineWords(result);
  return [
    ...(isShort ? [{ label: "Final answer", text: finalAnswer }] : []),
    ...(agreement === "" ? [] : [{ label: "Agreement", text: agreement }]),
    ...(baseline === undefined ? [] : [{ label: "Baseline", text: baseline }]),
  ];
}

/** One model alone has no baseline: it is one. */
const baselineWords = ({ answer, control, participants }: Result): string | undefined =>
  answer !== null && (control !== null || participants.some(isVoice))
    ? describeBaseline(control, participants)
    : undefined;

/** `7 calls` and `$0.0126 (list price) + 1 call unknown`. */
const billWords = (result: Result, unpriced: readonly string[]): [string, string] | ["no calls"] =>
  result.calls + result.unknown === 0
    ? ["no calls"]
    : [
        // What a subscription pays for is counted in calls itself.
        result.cost.source === "subscription" && result.unknown === 0 ? "" : pluralize(result.calls, "call"),
        formatCost(result, unpriced),
      ];

function usageText(result: Result, unpriced: readonly string[]): string {
  const [calls, cost] = billWords(result, unpriced);
  return [calls, ...(cost === undefined ? [] : [formatTokens(result.tokens), cost])]
    .filter(Boolean)
    .join(" · ");
}

/** Who took part, what it took, and under which id it is kept. */
function accountRows(result: Result, unpriced: readonly string[] = []): LabelledRow[] {
  const { participants, grade, pack, wallMs, id } = result;
  const models = participants.map(({ name, seat, model, family }) => [
    name,
    seat,
    model,
    formatFamily(family),
  ]);
  return [
    ...(pack === null ? [] : [{ label: "Pack", text: oneLine(pack) }]),
    { label: "Participants", table: models },
    ...askedRows(participants),
    ...(grade === null ? [] : [{ label: "Score", text: gradeText(grade) }]),
    { label: "Usage", text: usageText(result, unpriced) },
    ...(wallMs === null ? [] : [{ label: "Time", text: formatDuration(wallMs) }]),
    { label: "Run", text: id },
  ];
}

/** What providers were sent, and what they do not take; nothing where all were asked with their model alone. */
function askedRows(participants: Result["participants"]): LabelledRow[] {
  const rows = (label: string, told: (one: Result["participants"][number]) => string): LabelledRow[] => {
    const texts = new Set(participants.map(told).filter(Boolean));
    return [...texts].map((text) => {
      const names = participants.filter((one) => told(one) === text).map(({ name }) => name);
      return { label, text: oneLine(`${text} (${names.join(", ")})`, 400) };
    });
  };
  return [
    ...rows("Asked with", ({ options }) => formatOptions(options)),
    ...rows("Asked without", ({ without }) =>
      without.length === 0 ? "" : `${without.join(", ")}, which the provider does not take`,
    ),
  ];
}

const gradeText = ({ score, feedback, rubric, by, why }: NonNullable<Result["grade"]>): string =>
  score === null
    ? `none: ${why ?? "no reason was recorded"}`
    : `${score}/5 (${by ?? "judge"}, rubric ${rubric}): ${feedback}`;
