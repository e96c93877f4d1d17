import type * as z from "zod";
import type { ContestReading, MemoryReport } from "../contract/knowledge.ts";
import { MIN_COMPARISONS } from "../app/memory.ts";
import type { TextStyle } from "../reports/answer.ts";
import { INTENTS } from "../reports/words.ts";
import { NOTHING_REMEMBERED } from "./memory-text.ts";
import { oneLine } from "../reports/printable.ts";
import { styleOf, type Style } from "../reports/style.ts";
import { wrapped } from "../reports/text-width.ts";
import { pluralize, formatNumber } from "../text/format.ts";

/** The part of a memory's statistics that is shown. */
export type StatsShown = Omit<z.input<typeof MemoryReport>, "user">;
type ConfigurationShown = StatsShown["configurations"][number];

/** What is remembered, and how each configuration has done by kind of question: shares with their 95 % intervals. Ends in a newline. */
export function memoryStatsText(stats: StatsShown, { color, width }: TextStyle): string {
  const style = styleOf(color);
  const most = Math.max(20, width);
  const { configurations: all, episodic, pinned, forgotten } = stats;
  if (episodic + pinned + forgotten === 0) return `${wrapped(NOTHING_REMEMBERED, most).join("\n")}\n`;
  // Of one kind alone, every kind says the same again.
  const single = new Set(all.flatMap(({ intent }) => intent ?? [])).size < 2;
  const configurations = single ? all.filter(({ intent }) => intent !== null) : all;
  const kinds = [...new Set(configurations.map(({ intent }) => intent))].sort(nullLast);
  const sections = kinds.flatMap((kind) => [
    "",
    style.bold(kind === null ? "Every kind of question" : `Asked for ${INTENTS[kind]}`),
    ...configurations
      .filter(({ intent }) => intent === kind)
      .flatMap((row) => configurationLines(row, { most, style })),
  ]);
  const foot =
    configurations.length === 0 ? [] : ["", ...notes(configurations).flatMap((one) => wrapped(one, most))];
  return `${[...wrapped(heldWords(stats), most), ...sections, ...foot].join("\n")}\n`;
}

const nullLast = (a: string | null, b: string | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1;

const heldWords = ({ episodic, pinned, retired, judged, forgotten, clusters }: StatsShown): string =>
  [
    `${pluralize(episodic, "answer")} in ${pluralize(clusters, "cluster")}`,
    `${formatNumber(judged)} judged`,
    pluralize(pinned, "pinned fact"),
    ...(retired > 0 ? [`${formatNumber(retired)} retired`] : []),
    ...(forgotten > 0 ? [`${formatNumber(forgotten)} forgotten`] : []),
  ].join(", ");

function configurationLines(
  row: ConfigurationShown,
  { most, style }: { readonly most: number; readonly style: Style },
): string[] {
  const { models, temperature, engrams, wins, losses, ties, won, lost, grade, claim } = row;
  const compared = wins + losses + ties;
  const name = `${models.length === 0 ? "unknown models" : models.map((one) => oneLine(one, 200)).join(", ")}${temperature === null ? "" : ` at ${temperature}`}`;
  const facts = [
    pluralize(engrams, "answer"),
    grade.mean === null ? "not graded" : `grade ${grade.mean.toFixed(1)} (${formatNumber(grade.n)} graded)`,
    ...(compared === 0
      ? ["never compared"]
      : [
          `of ${pluralize(compared, "comparison")} won ${shareWords(wins, won)}, lost ${shareWords(losses, lost)}, tied ${formatNumber(ties)}`,
        ]),
  ].join("; ");
  const { text, color } = CLAIMS[claim];
  const reading = compared === 0 ? [] : wrapped(text, most - 4).map((line) => `    ${style[color](line)}`);
  return [
    ...wrapped(name, most - 2).map((line) => `  ${line}`),
    ...wrapped(facts, most - 4).map((line) => `    ${line}`),
    ...reading,
  ];
}

type ClaimShown = { readonly text: string; readonly color: "green" | "red" | "dim" };

const CLAIMS: { readonly [claim in ContestReading]: ClaimShown } = {
  ahead: { text: "wins more than it loses", color: "green" },
  behind: { text: "loses more than it wins", color: "red" },
  "not-told-apart": { text: "no significant difference", color: "dim" },
  "too-few": { text: `not enough comparisons (${MIN_COMPARISONS} required)`, color: "dim" },
};

/** `12 (50 %, 31–69)`. */
const shareWords = (count: number, { value, low, high }: ConfigurationShown["won"]): string =>
  value === null
    ? formatNumber(count)
    : `${formatNumber(count)} (${percent(value)} %, ${percent(low)}–${percent(high)})`;

const percent = (share: number | null): string => ((share ?? 0) * 100).toFixed(0);

/** Which configuration is better for what, as far as it can be said, and what that rests on. */
function notes(configurations: readonly ConfigurationShown[]): string[] {
  const ahead = configurations.filter(({ claim }) => claim === "ahead");
  const named = ahead.map(
    ({ intent, models, temperature }) =>
      `for ${intent === null ? "every kind together" : INTENTS[intent]} ${oneLine(models.join(", "), 200)}${temperature === null ? "" : ` at ${temperature}`}`,
  );
  return [
    named.length === 0 ? "No configuration is significantly better yet." : `Better: ${named.join("; ")}.`,
    `Shares have 95 % Wilson intervals. Wins and losses are compared by the exact sign test with Holm's correction, from ${MIN_COMPARISONS} comparisons on.`,
  ];
}
