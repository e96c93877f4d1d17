import {
  isEvent,
  type DeliberationId,
  type Engram,
  type Entry,
  type Event,
  type Fault,
} from "../kernel/index.ts";
import { failureIn, type ReactorState, type WatchReport } from "../views/reactor-state.ts";
import { speakerOf } from "../views/spending.ts";
import { align } from "../reports/labelled-rows.ts";
import { oneLine } from "../reports/printable.ts";
import { type Style, styleOf } from "../reports/style.ts";
import { cutTo, widthOf } from "../reports/text-width.ts";
import { shortAge } from "../reports/words.ts";
import { NO_DELIBERATIONS } from "./list-text.ts";
import { pluralize, formatDuration, formatNumber } from "../text/format.ts";
import { createLive, type Lifecycle, type ScreenTime, type TerminalOutput } from "./terminal.ts";

/** A space for lines, in cells. */
export type WatchSpace = { readonly width: number; readonly style: Style };

/** How much is watched, in one line. */
export function watchHead({ deliberations, end, at }: WatchReport, { width, style }: WatchSpace): string {
  const many = deliberations === 0 ? NO_DELIBERATIONS : pluralize(deliberations, "deliberation");
  const place = deliberations === 0 && end === 0 ? "" : ` · journal at ${formatNumber(end)} · ${clock(at)}`;
  return style.bold(cutTo(many + place, width));
}

type Column = { readonly head: string; readonly of: (state: ReactorState, nowMs: number) => string };

/** What gives way first where the space is narrow stands last in `GIVING_WAY`. */
const COLUMNS = [
  { head: "REACTOR", of: ({ reactor }) => reactor },
  { head: "STATE", of: ({ state }) => state },
  { head: "LAG", of: ({ behind }) => formatNumber(behind) },
  { head: "PASSED", of: ({ passed }) => formatNumber(passed) },
  { head: "OLDEST", of: ({ oldestMs }) => (oldestMs === null ? "" : shortAge(oldestMs)) },
  { head: "WORKER", of: describeServing },
  { head: "EVENTS", of: ({ said }) => formatNumber(said) },
  { head: "LAST", of: describeLast },
] as const satisfies readonly Column[];
const GIVING_WAY = ["LAST", "EVENTS", "WORKER", "OLDEST", "PASSED"];
/** On fewer cells a line has no room for a deliberation's id. */
const NARROW = 60;

/** A row a reactor under a head. Columns that find no room are left out whole; the others stay in line. */
export function watchTable(watched: WatchReport, { width, style }: WatchSpace): string[] {
  // Parsing a recorded time reads no clock.
  const nowMs = Date.parse(watched.at);
  const rowsOf = (columns: readonly Column[]): string[][] => [
    columns.map(({ head }) => head),
    ...watched.reactors.map((state) => columns.map((column) => oneLine(column.of(state, nowMs), 80))),
  ];
  const isPassing = watched.reactors.some(({ passed }) => passed > 0);
  let columns: readonly Column[] = COLUMNS.filter(({ head }) => head !== "PASSED" || isPassing);
  for (const head of GIVING_WAY) {
    if (cellsOf(rowsOf(columns)) <= width) break;
    columns = columns.filter((column) => column.head !== head);
  }
  const [head = "", ...rows] = align(rowsOf(columns), width);
  return [style.dim(head), ...rows.map((row, index) => colorRow(row, watched.reactors[index]?.state, style))];
}

const cellsOf = (rows: readonly (readonly string[])[]): number =>
  (rows[0] ?? []).reduce(
    (sum, _head, column) => sum + 2 + Math.max(...rows.map((row) => widthOf(row[column] ?? ""))),
    -2,
  );

const colorRow = (row: string, state: ReactorState["state"] | undefined, style: Style): string => {
  if (state === "error") return style.red(row);
  if (state === "receiving") return style.yellow(row);
  return state === undefined || state === "idle" ? row : style.cyan(row);
};

/** The last error of each reactor that had one, a line each, the latest last. */
export function watchErrors({ reactors }: WatchReport, { width, style }: WatchSpace): string[] {
  return reactors
    .flatMap(({ reactor, lastError }) => (lastError ? [{ reactor, ...lastError }] : []))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ reactor, at, deliberation, why }) => {
      const where = width < NARROW ? "" : `${deliberation} `;
      return style.red(cutTo(oneLine(`✗ ${clock(at)} ${where}${reactor}: ${why}`, 600), width));
    });
}

export function reactorLine(state: ReactorState, at: string): string {
  const { reactor, state: word, at: event, behind, oldestMs, passed } = state;
  const parts = [
    event ? `${word} ${event.type} of ${event.deliberation}` : word,
    behind === 0 ? "" : `${formatNumber(behind)} behind`,
    passed === 0 ? "" : `${formatNumber(passed)} of them passed over`,
    oldestMs === null ? "" : `the oldest since ${formatDuration(oldestMs)}`,
    isServed(state) ? `served by ${describeServing(state)}` : "no worker",
    word === "error" && state.lastError ? oneLine(state.lastError.why, 300) : "",
  ];
  return oneLine(`${clock(at)} ${reactor}: ${parts.filter(Boolean).join(" · ")}`, 600);
}

/** An entry as one line: when (UTC), where, what, who, and a few words. An answer of respondent B says so. On a narrow line it is not said where. */
export function watchLine(entry: Entry, width = 400): string {
  const type = entry.type === "unknown" ? entry.data.type : entry.type;
  const where = width < NARROW ? "" : entry.deliberation;
  const parts = [clock(entry.at), where, type, whoOf(entry), describeEntry(entry)];
  const line = parts
    .map((part) => oneLine(part, 600))
    .filter(Boolean)
    .join("  ");
  return cutTo(line, width);
}

/** A deliberation that is passed over, and why. */
export const unreadableLine = (id: DeliberationId, { message }: Fault): string =>
  oneLine(`Passed over ${id}: ${message}`, 600);

/** Who stands behind an entry: `B bob`, `critic`; empty where the type says it. */
function whoOf(entry: Entry): string {
  const { origin } = entry;
  if (isEvent(entry, "answer-given") && entry.data.respondent !== undefined) {
    const { by, respondent } = entry.data;
    return by === respondent ? respondent : `${respondent} ${by}`;
  }
  if (origin.by === "reactor") return origin.reactor;
  if (entry.type === "unknown") return "";
  const speaker = speakerOf(entry);
  return speaker === entry.type ? "" : speaker === "unknown" ? origin.by : speaker;
}

function describeEntry(entry: Entry): string {
  const failed = failureIn(entry);
  if (failed !== null) return `✗ ${failed}`;
  switch (entry.type) {
    case "unknown":
      return "of a type that this version does not know";
    case "deliberation-opened":
      return `${entry.data.protocol.name}: ${entry.data.question}`;
    case "answer-given":
    case "critique-given":
    case "synthesis-given":
    case "summary-made":
      return entry.data.text;
    case "grade-given":
      return `${entry.data.score ?? "–"}/5 ${entry.data.feedback}`;
    case "feedback-summarized":
      return `${entry.data.persona}: ${[...entry.data.strengths, ...entry.data.weaknesses].map(({ text }) => text).join(" ")}`;
    case "persona-bred":
      return `${entry.data.name}: ${entry.data.description}`;
    case "trial-decided":
    case "persona-decided":
      return `${entry.data.persona}: ${entry.data.why}`;
    case "preference-given":
      return describePreference(entry);
    case "engrams-recalled":
      return `${pluralize(entry.data.engrams.length, "engram")}, ${pluralize(entry.data.facts.length, "fact")}: ${entry.data.how}`;
    case "engram-written":
      return describeEngram(entry.data.engram);
    case "engram-annotated":
      return `${describeAnnotation(entry)}${entry.data.retires === undefined ? "" : `; retired: ${entry.data.retires}`}`;
    case "feedback-given":
      return [entry.data.thumb, entry.data.outcome, entry.data.text].filter(Boolean).join(" ");
    case "tool-called":
      return entry.data.tool;
    case "note-taken":
      return `${entry.data.topic}: ${entry.data.reason}`;
    case "rung-decided":
    case "confidence-given":
      return entry.data.reason;
    case "requirements-read":
      return `${entry.data.major.length} major, ${entry.data.minor.length} minor`;
    case "degradation-noted":
      return `${entry.data.what}: ${entry.data.why}`;
    case "reply-received":
      return entry.data.why;
    case "seat-opened":
      return `waits for ${entry.data.person}`;
    case "seat-answered":
      return `${entry.data.person} answered`;
    case "seat-expired":
      return entry.data.why;
    case "clarification-asked":
      return entry.data.questions.map(({ text }) => text).join(" ");
    case "roster-fixed":
      return `${entry.data.phase}: ${entry.data.in.length} in, ${entry.data.out.length} out`;
    case "deliberation-closed":
      return entry.data.outcome.replaceAll("-", " ");
    case "clarification-answered":
    case "evaluation-given":
    case "turns-chosen":
    case "reply-stopped":
    case "reaction-failed": // which is told as a failure
    case "review-given":
    case "comparison-given":
    case "standing-reached":
    case "round-closed":
    case "gate-decided":
    case "contribution-measured":
      return ""; // who and what is enough
  }
}

function describePreference({ data }: Event<"preference-given">): string {
  const { winner, orderSensitive, reason } = data;
  const order = orderSensitive ? " (by the order in which they were shown)" : "";
  return `${winner === "tie" ? "a tie" : `${winner} is better`}${order}: ${reason}`;
}

const describeEngram = ({ respondent, summary }: Engram): string =>
  respondent === null ? summary : `of ${respondent}: ${summary}`;

function describeAnnotation({ data }: Event<"engram-annotated">): string {
  const { what, by } = data.annotation;
  switch (what.kind) {
    case "grade":
      return `grade ${what.score}/5 by ${by}`;
    case "preference":
      return `${what.result} by ${by}`;
    case "thumb":
      return `thumb ${what.thumb} by ${by}`;
    case "outcome":
      return `turned out ${what.outcome}, says ${by}`;
    case "comment":
    case "retired":
      return `${what.kind} by ${by}`;
  }
}

const isServed = ({ servedBy: { worker, drains } }: ReactorState): boolean => worker !== null || drains > 0;

/** Whoever runs a reactor now, `–` where there is none; of a worker, how far on the journal it has got. */
function describeServing(state: ReactorState): string {
  if (!isServed(state)) return "–";
  const { cursor, servedBy } = state;
  const { worker, drains } = servedBy;
  const commands = pluralize(drains, "command");
  if (worker === null) return commands;
  const place = cursor === null ? "worker" : `worker at ${formatNumber(cursor)}`;
  return drains === 0 ? place : `${place}, ${commands}`;
}

function describeLast({ lastSaid }: ReactorState, nowMs: number): string {
  if (!lastSaid) return "nothing yet";
  // Parsing a recorded time reads no clock.
  return `${lastSaid.failed ? "✗ " : ""}${lastSaid.type} ${shortAge(nowMs - Date.parse(lastSaid.at))} ago`;
}

/** The time of day of an ISO 8601 time in UTC. */
const clock = (at: string): string => `${at.slice(11, 19)}Z`;

export type WatchScreenOptions = {
  readonly output: TerminalOutput;
  readonly color: boolean;
  /** What a person may press. */
  readonly hint: string;
  readonly time?: Pick<ScreenTime, "every">;
  readonly lifecycle?: Lifecycle;
};

/** More stand on no screen. */
const MAX_LINES = 200;

/** The reactors' states, live, with the last events below them. Nothing is written before the first state. */
export function createWatchScreen({ output, color, hint, time, lifecycle }: WatchScreenOptions) {
  const style = styleOf(color);
  const events: WatchEvent[] = [];
  let latest: WatchReport | undefined;
  const live = createLive({
    ...{ output, lifecycle, redrawMs: 100, every: time?.every },
    lines: (cells) => (latest ? watchLines({ watched: latest, events, hint }, { ...cells, style }) : []),
    closing: () => [],
  });
  const push = (event: WatchEvent): void => {
    events.push(event);
    if (events.length > MAX_LINES) events.shift();
  };
  return {
    state(watched: WatchReport): void {
      latest = watched;
      live.start();
    },
    entry: (entry: Entry): void => push(watchEvent(entry)),
    /** A printable line among the events. */
    line: (text: string): void => push((width) => cutTo(text, width)),
    stop: live.stop,
  };
}

/** An event as it stands on a line of any width. */
export type WatchEvent = (width: number) => string;

const NARROW_CELLS = 59;

/** Keeps two lines of the entry, and not the entry, which may be large. */
export function watchEvent(entry: Entry): WatchEvent {
  const [wide, narrow] = [watchLine(entry), watchLine(entry, NARROW_CELLS)];
  return (width) => cutTo(width > NARROW_CELLS ? wide : narrow, width);
}

/** The whole screen as lines; `events` are oldest first. Where the space is short, events go first, then errors, then reactors. */
export function watchLines(
  {
    watched,
    events,
    hint,
  }: { readonly watched: WatchReport; readonly events: readonly WatchEvent[]; readonly hint: string },
  { columns, rows, style }: { readonly columns: number; readonly rows: number; readonly style: Style },
): string[] {
  const space = { width: columns, style };
  const table = [watchHead(watched, space), ...watchTable(watched, space)];
  const last = style.dim(cutTo(hint, columns));
  const left = rows - table.length - 1;
  if (left < 0) return table.slice(0, Math.max(0, rows));
  const errors = watchErrors(watched, space);
  const shown = errors.slice(Math.max(0, errors.length - Math.ceil(left / 2)));
  const lines = left - shown.length;
  const below = lines > 0 ? events.slice(-lines).map((event) => event(columns)) : [];
  return [...table, ...shown, ...below, last];
}
