import { callOf, timeOf, type Entry, type Event, type Origin } from "../kernel/index.ts";
import { speakerOf } from "../views/spending.ts";
import { bullets, fencedBlock, section, table } from "./markdown.ts";
import type { Names } from "./names.ts";
import { formatDuration, formatNumber } from "../text/format.ts";

/** Every event in the order of its recording, with what its call took. */
export function timelineSection(entries: readonly Entry[], names: Names): string {
  const [first] = entries;
  const rows = entries.flatMap((entry) => {
    if (entry.type === "unknown" || !first) return [];
    const call = callOf(entry);
    return [
      [
        String(entry.seq),
        `+${formatDuration(timeOf(entry) - timeOf(first))}`,
        originWords(entry.origin),
        entry.type,
        call ? names.of(speakerOf(entry)) : "",
        call ? formatDuration(call.latencyMs) : "",
        call?.tokens.out == null ? "" : `${formatNumber(call.tokens.out)} out`,
        [
          entry.origin.by === "adopted" ? "taken over" : "",
          call && call.attempts > 1 ? `${call.attempts} attempts` : "",
          call && !call.ok ? call.failure.code : "",
          call?.ok && call.finish === "length" ? "cut at its limit" : "",
        ]
          .filter(Boolean)
          .join(", "),
      ],
    ];
  });
  const heads = ["#", "after", "step", "event", "by", "latency", "tokens", "notes"];
  return section("## Timeline", table(heads, rows));
}

const originWords = (origin: Origin): string => {
  switch (origin.by) {
    case "protocol":
    case "adopted":
      return origin.step;
    case "reactor":
      return `${origin.reactor}: ${origin.step}`;
    case "open":
    case "close":
      return origin.by;
    case "client":
      return `client: ${origin.request}`;
  }
};

/** What is needed to find, replay and fork it. */
export function journalSection(entries: readonly Entry[], opened: Event<"deliberation-opened">): string {
  const { data, deliberation, at } = opened;
  const { protocol, parent, series, previous, budget, context } = data;
  const unknown = entries.filter(({ type }) => type === "unknown").length;
  const limits = [
    budget.usd === undefined ? "" : `$${budget.usd}`,
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
  return section(
    "## Journal",
    bullets(facts),
    "Settings:",
    fencedBlock(JSON.stringify(data.settings, undefined, 2), "json"),
  );
}
