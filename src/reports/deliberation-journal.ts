import { callOf, timeOf, type Entry, type Event, type Origin, type ReportPart } from "../kernel/index.ts";
import { formatDuration, formatNumber, formatUsd } from "../text/format.ts";
import type { Result } from "../views/result.ts";
import { speakerOf } from "../views/spending.ts";
import { figures, part, points, table, words } from "./part.ts";
import { callTimeline } from "./timeline.ts";

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
    ];
    return [
      [
        String(entry.seq),
        `+${formatDuration(Math.max(0, timeOf(entry) - timeOf(first)))}`,
        describeOrigin(entry.origin),
        entry.type,
        call ? nameOf(speakerOf(entry)) : "",
        call ? formatDuration(call.latencyMs) : "",
        call?.tokens.out == null ? "" : `${formatNumber(call.tokens.out)} out`,
        notes.filter(Boolean).join(", "),
      ],
    ];
  });
  const heads = ["#", "after", "step", "event", "by", "latency", "tokens", "notes"];
  const events: ReportPart = { ...part("Every event", table(heads, rows)), folds: true };
  return { ...part("Timeline", ...figures(callTimeline(entries, nameOf))), parts: [events] };
}

function describeOrigin(origin: Origin): string {
  if (origin.by === "client") return `client: ${origin.request}`;
  if (!("step" in origin)) return origin.by;
  return origin.by === "reactor" ? `${origin.reactor}: ${origin.step}` : origin.step;
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
