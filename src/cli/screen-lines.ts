import type { RunProgress, ProgressRow, StepView } from "../views/progress.ts";
import { oneLine, printable } from "../reports/printable.ts";
import { doingWords } from "../reports/doing-words.ts";
import { modelWords, tookWords, workWords } from "../reports/entry-words.ts";
import type { Style } from "../reports/style.ts";
import { cutTo, padTo, tailOf, widthOf, wrap } from "../reports/text-width.ts";
import { formatBill, formatDuration, formatNumber, pluralize } from "../text/format.ts";

/** What a screen shows at one moment. */
export type Moment = {
  readonly progress: RunProgress;
  readonly elapsedMs: number;
  /** Of the clock by which what calls do is timed. */
  readonly nowMs: number;
  /** Drafts that are in and can be shown by a key. */
  readonly unshown?: number;
  /** Counts up, for the spinner. */
  readonly tick: number;
};

export type Space = { readonly columns: number; readonly rows: number; readonly style: Style };

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** On fewer cells there is no place for a row. */
const NARROWEST = 20;
/** Maximum lines shown of what the chair writes. */
const CHAIR_LINES = 6;

/**
 * The whole screen as lines: the question, the phase and the time; a row for each participant; the end of
 * what each writes now; calls, tokens and cost. Where the space is short, the texts go first, then the rows
 * of those who are not at work.
 */
export function screenLines(moment: Moment, { columns, rows, style }: Space): string[] {
  const { progress, elapsedMs } = moment;
  const seated = progress.rows.filter(isSeated(progress.rows));
  const phase = `${phaseWords(progress)} · ${formatDuration(elapsedMs)}`;
  const first = style.bold(cutTo(oneLine(progress.question, 2_000), columns));
  const second = style.dim(cutTo(phase, columns));
  const { unshown = 0 } = moment;
  const key = unshown > 0 ? `d shows ${pluralize(unshown, "finished text")}` : "";
  const last = style.dim(cutTo([key, spentWords(progress.spent)].filter(Boolean).join(" · "), columns));
  if (rows < 4 || columns < NARROWEST) return [second, first].slice(0, Math.max(0, rows));

  const shown = fitting(seated, rows - 3);
  const texts = textsFor(shown, rows - 3 - shown.length - (shown.length < seated.length ? 1 : 0));
  const body = shown.flatMap((row) => [
    rowLine(row, { moment, columns, style, names: seated }),
    ...textLines(row, texts.get(row.id) ?? 0, columns).map(style.dim),
  ]);
  const hidden = seated.length - shown.length;
  const more = hidden > 0 ? [style.dim(cutTo(`  and ${hidden} more`, columns))] : [];
  return [first, second, ...body, ...more, last].filter((line) => line !== "").slice(0, rows);
}

/** What is left on the screen of a deliberation that ran: one line. */
export function closingLine({ progress, elapsedMs }: Moment, { columns, style }: Space): string {
  const { closed, spent } = progress;
  const well = closed === "answered" || closed === "answered-degraded";
  const words = cutTo(
    [outcomeWords(closed, elapsedMs), spentWords(spent)].filter(Boolean).join(" · "),
    columns - 2,
  );
  return `${well ? style.green("✓") : style.red("✗")} ${style.dim(words)}`;
}

/** `Done in 6.4 s`, `Paused after 2.0 s`, `Failed after 350 ms`. */
export function outcomeWords(closed: string | undefined, elapsedMs: number): string {
  const time = formatDuration(elapsedMs);
  if (closed === undefined) return `Paused after ${time}`;
  if (closed === "answered") return `Done in ${time}`;
  if (closed === "answered-degraded") return `Done in ${time}, degraded`;
  return `${closed.charAt(0).toUpperCase()}${closed.slice(1).replaceAll("-", " ")} after ${time}`;
}

/** `7 calls · 9,548 tokens · $0.0126`; nothing before the first call has ended. */
export function spentWords({ calls, unknown, tokens, cost }: RunProgress["spent"]): string {
  if (calls + unknown === 0) return "";
  const both = tokens.in === null || tokens.out === null ? null : tokens.in + tokens.out;
  return [
    pluralize(calls, "call"),
    both === null ? "tokens unknown" : `${formatNumber(both)} tokens`,
    formatBill(
      { calls, unknown, usd: cost.usd },
      cost.source === "subscription" ? "subscription" : undefined,
    ),
  ].join(" · ");
}

/** Those who stand in for a chair are shown when they come to it. */
const isSeated =
  (rows: readonly ProgressRow[]) =>
  (row: ProgressRow): boolean =>
    row.seat !== "chair" || row.steps.length > 0 || rows.find(({ seat }) => seat === "chair") === row;

const current = ({ steps }: ProgressRow): StepView | undefined => steps.at(-1);

/** Whether people can read what a step writes: prose, and no JSON in its place. */
export const isReadable = (step: StepView | undefined): boolean =>
  step !== undefined &&
  workWords(step.work).isProse === true &&
  !/^\s*(?:[[{]|(?:```|~~~)[ \t]*json\b)/i.test(step.text.slice(0, 200));

const isBusy = (step: StepView | undefined): boolean =>
  step?.state === "calling" || step?.state === "writing";

/** `reviewing, 1 of 3 done` */
function phaseWords({ rows, closed }: RunProgress): string {
  if (closed !== undefined) return closed.replaceAll("-", " ");
  const steps = rows.flatMap((row) => row.steps);
  const work = (steps.find(isBusy) ?? rows.flatMap((row) => current(row) ?? []).at(-1))?.work;
  if (work === undefined) return "opening";
  const same = steps.filter((step) => step.work === work);
  const { doing, isProse = false } = workWords(work);
  if (same.length < 2) return doing;
  const ended = same.filter((step) => !isBusy(step)).length;
  return isProse ? `${doing}, ${ended} of ${same.length} done` : `${doing} ${ended} of ${same.length}`;
}

/** As many rows as there is space for, in their order; those at work are kept first. */
function fitting(rows: readonly ProgressRow[], space: number): readonly ProgressRow[] {
  if (rows.length <= space) return rows;
  const byNeed = [...rows].sort((a, b) => Number(isBusy(current(b))) - Number(isBusy(current(a))));
  const kept = new Set(byNeed.slice(0, Math.max(0, space - 1)));
  return rows.filter((row) => kept.has(row));
}

/** How many lines of its text each row gets: one for everybody who writes, what is left for a chair. */
function textsFor(rows: readonly ProgressRow[], space: number): ReadonlyMap<string, number> {
  const writing = rows.filter((row) => current(row)?.state === "writing" && isReadable(current(row)));
  const given = new Map<string, number>(writing.slice(0, Math.max(0, space)).map(({ id }) => [id, 1]));
  const chair = writing.find((row) => row.seat === "chair" && given.has(row.id));
  if (chair) given.set(chair.id, Math.min(CHAIR_LINES, 1 + space - given.size));
  return given;
}

type RowSpace = {
  readonly moment: Moment;
  readonly columns: number;
  readonly style: Style;
  readonly names: readonly ProgressRow[];
};

function rowLine(row: ProgressRow, { moment, columns, style, names }: RowSpace): string {
  const step = current(row);
  const nameCells = Math.min(
    columns < 60 ? 12 : 18,
    Math.max(...names.map(({ name }) => widthOf(oneLine(name, 100)))),
  );
  const modelCells =
    columns < 60
      ? 0
      : Math.min(columns < 100 ? 26 : 40, Math.max(...names.map(({ model }) => widthOf(modelWords(model)))));
  const name = padTo(cutTo(oneLine(row.name, 100), nameCells), nameCells);
  const model = modelCells === 0 ? "" : `${padTo(cutTo(modelWords(row.model), modelCells), modelCells)}  `;
  const stateCells = columns - 2 - nameCells - 2 - widthOf(model);
  const state = cutTo(
    step ? stateWords(step, { nowMs: moment.nowMs, isShort: columns < 60 }) : "waiting",
    Math.max(0, stateCells),
  );
  const paint =
    step === undefined || step.state === "done" ? style.dim : step.state === "failed" ? style.red : plain;
  return `${mark(step, { tick: moment.tick, style })} ${name}  ${style.dim(model)}${paint(state)}`;
}

const plain = (text: string): string => text;

function mark(
  step: StepView | undefined,
  { tick, style }: { readonly tick: number; readonly style: Style },
): string {
  if (step === undefined) return style.dim("·");
  if (step.state === "done") return style.green("✓");
  if (step.state === "failed" || step.state === "stopped") return style.red("✗");
  return style.cyan(SPINNER[tick % SPINNER.length] ?? "*");
}

/** The end of what a row writes now, in at most `most` lines. */
function textLines(row: ProgressRow, most: number, columns: number): string[] {
  const step = current(row);
  const text = step?.text ?? "";
  const cells = columns - 2;
  if (most < 1 || cells < 8 || !isReadable(step)) return [];
  // Only what can be on the screen is looked at, however long the text has become.
  if (most === 1) return [`  ${tailOf(oneLine(readableTail(text.slice(-cells * 12)), 100_000), cells)}`];
  // It begins at a multiple of what is enough, so that lines stay as they were broken while text is added.
  const enough = cells * CHAIR_LINES * 4;
  const from = Math.max(0, Math.floor(text.length / enough) - 1) * enough;
  const near = readableTail(printable(text.slice(from))).replaceAll("\t", "  ");
  const lines = wrap(near.normalize("NFC"), cells).filter((line) => line.trim() !== "");
  return lines.slice(-most).map((line) => `  ${line.trimEnd()}`);
}

/** What is read of a text while it is written: without marks of Markdown, and without what is meant for a program. */
const readableTail = (text: string): string =>
  text
    .replaceAll(/^[ \t]*(```|~~~)[ \t]*json\b[^]*?(?:^[ \t]*\1[ \t]*$|$(?![^]))/gim, "")
    .replaceAll(/^[ \t]*(?:`{3,}|~{3,}).*$/gm, "")
    .replaceAll(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)/gm, "")
    .replaceAll(/^[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*$/gm, "")
    .replaceAll(/[ \t]*(?<!\\)\|[ \t]*/g, " ")
    .replaceAll(/\*{2,3}|~~|`|(?<![\p{L}\d])[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?![\p{L}\d])/gu, "");

/** Where a step is, for a participant's row. */
function stateWords(
  { work, state, text, attempt, doing: before, again: repeated, why, ...took }: StepView,
  told: { readonly nowMs: number; readonly isShort: boolean },
): string {
  const { doing, done } = workWords(work);
  const again = repeated ? " again" : "";
  const retried = attempt > 1 ? `, attempt ${attempt}` : "";
  switch (state) {
    case "calling":
      return before
        ? `${doingWords(before, { ...told, usual: `${doing}${again}…` })}${before.again ? "" : retried}`
        : `${doing}${again}…${retried}`;
    case "writing":
      return `${doing}${again}… ${formatNumber(text.length)} characters${retried}`;
    case "done":
      return `${done} done${tookWords(took)}`;
    case "stopped":
      return `${done} stopped`;
    case "failed":
      return `${done} failed: ${oneLine(why ?? "for an unknown reason", 300)}`;
  }
}
