import {
  callOf,
  timeOf,
  type Entry,
  type Event,
  type ReportPart,
  type ElementTree,
} from "../kernel/index.ts";
import { formatDuration, formatNumber, formatThought, formatUsd, pluralize } from "../text/format.ts";
import type { Result } from "../views/result.ts";
import { speakerOf } from "../views/spending.ts";
import { describeOrigin } from "./entry-words.ts";
import { figures, part, points, table, words } from "./part.ts";
import { element } from "./element.ts";
import { line, linearScale, px, text, ticksTo } from "./plot.ts";
import { oneLine } from "./printable.ts";

/** A deliberation's entries in order, with its result and its participants' names. */
export type JournalSection = {
  readonly entries: readonly Entry[];
  readonly result: Result;
  readonly nameOf: (id: string) => string;
};

/** Every event in the order of its recording, with what its call took. */
export function timelinePart({ entries, nameOf }: JournalSection): ReportPart {
  const [first] = entries;
  const rows = entries.flatMap((entry) => {
    if (entry.type === "unknown" || !first) return [];
    const call = callOf(entry);
    const notes = [
      entry.origin.by === "adopted" ? "reused" : "",
      call && call.attempts > 1 ? `${call.attempts} attempts` : "",
      call && !call.ok ? call.failure.code : "",
      call?.ok && call.finish === "length" ? "cut at its limit" : "",
      call?.without ? `without ${call.without.join(", ")}` : "",
    ];
    return [
      [
        String(entry.seq),
        `+${formatDuration(Math.max(0, timeOf(entry) - timeOf(first)))}`,
        describeOrigin(entry.origin),
        entry.type,
        call ? nameOf(speakerOf(entry)) : "",
        call ? formatDuration(call.latencyMs) : "",
        call?.tokens.out == null
          ? ""
          : `${formatNumber(call.tokens.out)} out${formatThought(call.tokens.reasoning)}`,
        notes.filter(Boolean).join(", "),
      ],
    ];
  });
  const heads = ["#", "after", "step", "event", "by", "latency", "tokens", "notes"];
  const events: ReportPart = { ...part("Every event", table(heads, rows)), folds: true };
  return { ...part("Timeline", ...figures(callTimeline(entries, nameOf))), parts: [events] };
}

/** What is needed to find, replay and fork it. */
export function journalPart(
  entries: readonly Entry[],
  { data, deliberation, at }: Event<"deliberation-opened">,
): ReportPart {
  const { protocol, parent, series, previous, budget, context } = data;
  const unknown = entries.filter(({ type }) => type === "unknown").length;
  const limits = [
    budget.usd === undefined ? "" : formatUsd(budget.usd),
    budget.tokens === undefined ? "" : `${formatNumber(budget.tokens)} tokens`,
    budget.calls === undefined ? "" : `${formatNumber(budget.calls)} calls`,
    budget.timeMs === undefined ? "" : formatDuration(budget.timeMs),
  ].filter(Boolean);
  const facts = [
    `id: ${deliberation}`,
    `opened: ${at}`,
    `protocol: ${protocol.name}, version ${protocol.version}`,
    `seed: ${data.seed}`,
    ...(data.prices ?? []).map(({ source, date }) => `prices: ${source}${date === null ? "" : `, ${date}`}`),
    parent ? `forked from: ${parent.id}, up to its event ${parent.upToSeq}` : "",
    series ? `series: ${series.id}, number ${series.index}` : "",
    previous === undefined ? "" : `previous: ${previous}`,
    `budget: ${limits.length > 0 ? limits.join(", ") : "no limit"}`,
    ...context.map(({ name, text }) => `context: ${name} (SHA-256 ${text})`),
    `events: ${formatNumber(entries.length)}`,
    unknown > 0 ? `not shown here, because this version does not know their types: ${unknown}` : "",
  ].filter(Boolean);
  const text = JSON.stringify(data.settings, undefined, 2);
  const settings = { kind: "text", text, verbatim: "json" } as const;
  return { ...part("Journal", points(facts), words("Settings:"), settings), folds: true };
}

const WIDTH = 480;
const LEFT = 4;
const RIGHT = WIDTH - 12;
const TOP = 8;
const NAME_HEIGHT = 20;
const BAR_HEIGHT = 9;
/** A longer journal's first calls are drawn, and the title says so. */
const MAX_CALLS = 400;
const MAX_ROWS = 40;

type TimedCall = {
  readonly by: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly ok: boolean;
  readonly label: string;
};

/**
 * The calls of a run over its time as an inline SVG that the page's style paints: a row a participant, calls at the same time below
 * each other; undefined where there is no call. It says no more than the table of events.
 */
export function callTimeline(
  entries: readonly Entry[],
  nameOf: (id: string) => string,
): ElementTree | undefined {
  const all = callsIn(entries);
  const calls = all.slice(0, MAX_CALLS);
  const people = [...new Set(calls.map(({ by }) => by))].slice(0, MAX_ROWS);
  const firstMs = calls.reduce((first, { fromMs }) => Math.min(first, fromMs), Infinity);
  const lastMs = calls.reduce((last, { toMs }) => Math.max(last, toMs), -Infinity);
  const seconds = (lastMs - firstMs) / 1_000;
  if (people.length === 0 || !(seconds > 0)) return undefined;
  const scale = linearScale([0, seconds], LEFT, RIGHT);
  let y = TOP;
  const rows = people.flatMap((id) => {
    const lanes = lanesOf(calls.filter(({ by }) => by === id));
    const top = y + NAME_HEIGHT;
    y = top + lanes.length * BAR_HEIGHT + 6;
    const bars = lanes.flatMap((lane, index) =>
      lane.map(({ fromMs, toMs, ok, label }) => {
        const x = scale.at((fromMs - firstMs) / 1_000);
        const width = Math.max(1.5, scale.at((toMs - firstMs) / 1_000) - x);
        const place = { x: px(x), y: px(top + index * BAR_HEIGHT), width: px(width), height: BAR_HEIGHT - 2 };
        return element("rect", { class: ok ? "bar" : "failed", ...place }, element("title", {}, label));
      }),
    );
    return [text({ x: LEFT, y: top - 5 }, oneLine(nameOf(id), 48)), ...bars];
  });
  const ticks = ticksTo(seconds).filter((tick) => tick <= seconds);
  const some = all.length > calls.length ? `, the first ${calls.length}` : "";
  const title = `${pluralize(all.length, "model call")} in ${formatDuration(lastMs - firstMs)}${some}`;
  const viewBox = `0 0 ${WIDTH} ${px(y + 26)}`;
  return element(
    "svg",
    { class: "chart", viewBox, role: "img", "aria-labelledby": "timeline-title" },
    element("title", { id: "timeline-title" }, title),
    ...ticks.map((tick) => line({ x1: scale.at(tick), y1: TOP, x2: scale.at(tick), y2: y }, "grid")),
    ...rows,
    ...ticks.map((tick, index) =>
      text(
        { x: scale.at(tick), y: y + 18, class: "faint", ...(index === 0 ? {} : { anchor: "middle" }) },
        formatDuration(tick * 1_000),
      ),
    ),
  );
}

/** Calls that this run made itself, each from its start, in the order of their starts. */
function callsIn(entries: readonly Entry[]): TimedCall[] {
  const calls = entries.flatMap((entry) => {
    const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
    if (!call || call.attempts === 0) return [];
    const toMs = timeOf(entry);
    const step = "step" in entry.origin ? entry.origin.step : entry.type;
    const label = `${step}: ${formatDuration(call.latencyMs)}${call.ok ? "" : `, ${call.failure.code}`}`;
    return [{ by: speakerOf(entry), fromMs: toMs - call.latencyMs, toMs, ok: call.ok, label }];
  });
  return calls.sort((a, b) => a.fromMs - b.fromMs);
}

/** Calls that overlap stand in lanes of their own. */
function lanesOf(calls: readonly TimedCall[]): readonly (readonly TimedCall[])[] {
  const lanes: TimedCall[][] = [];
  for (const call of calls) {
    const free = lanes.find((lane) => (lane.at(-1)?.toMs ?? 0) <= call.fromMs);
    if (free) free.push(call);
    else lanes.push([call]);
  }
  return lanes;
}
