import type { Contributions } from "../contract.ts";
import type { PersonaShares } from "../../../contract/knowledge.ts";
import { MIN_RERUNS } from "./contributions.ts";
import { joinSections } from "../../../reports/answer.ts";
import { align, labelledRows, type LabelledRow } from "../../../reports/labelled-rows.ts";
import { oneLine } from "../../../reports/printable.ts";
import { styleOf, type Style } from "../../../reports/style.ts";
import { wrap } from "../../../reports/text-width.ts";
import { pluralize } from "../../../text/format.ts";
import { formatCost, formatTokens } from "../../../reports/words.ts";
import type { ElementTree } from "../../../kernel/index.ts";
import { csvHeader, csvLines, type CsvColumns } from "../../../reports/csv.ts";
import { element, svgFile } from "../../../reports/element.ts";
import { px, text } from "../../../reports/plot.ts";

type Member = Contributions["members"][number];

/** The JSON output has all dropped sentences, whole. */
const MAX_SENTENCES = 5;
const MAX_SENTENCE_LENGTH = 300;

/**
 * Formats contributions for a terminal: a table with a row for each member and a column for each method, what each metric
 * means or why it is missing, then the dropped sentences of each draft. Ends in a newline.
 */
export function contributionsText(
  contributions: Contributions,
  { color, width }: { readonly color: boolean; readonly width: number },
): string {
  const style = styleOf(color);
  const narrow = Math.max(20, width);
  const { id, members, finalAnswer, simulated } = contributions;
  const heading = `Contributions to ${id}${finalAnswer === null ? "" : `: ${oneLine(finalAnswer, 200)}`}`;
  const sections = [
    simulated ? [style.yellow("simulated models")] : [],
    wrap(heading, narrow).map(style.bold),
    align([HEAD, ...members.map(memberRow)], narrow).map((line, index) =>
      index === 0 ? style.dim(line) : line,
    ),
    labelledRows(meanings(contributions), { width: narrow, style }),
    ...members.map((member) => lostSection(member, { narrow, style })),
  ];
  return joinSections(sections);
}

const HEAD = ["member", "reported", "effect", "vote", "ranking", "overlap", "retained"];

function memberRow(member: Member): string[] {
  const { name, seat, drafted, claimed, leaveOneOut, vote, standing, overlap, kept } = member;
  return [
    seat === "member" ? `${name}${drafted ? "" : " (no draft)"}` : `${name} (${seat})`,
    figure(claimed),
    figure(leaveOneOut?.weight ?? null),
    figure(vote),
    figure(standing),
    figure(overlap),
    kept === null ? "-" : percent(kept),
  ];
}

/** Explains each column. */
function meanings(contributions: Contributions): LabelledRow[] {
  const { members, vote, standing, overlap, finalAnswer, decidedBy } = contributions;
  const name = (id: string | null) => members.find((member) => member.id === id)?.name ?? id ?? "no answer";
  const claims = members.some(({ claimed }) => claimed !== null);
  const elected = DECIDED[decidedBy];
  return [
    {
      label: "Reported",
      text: claims
        ? "self-reported by the chair, not measured"
        : "none: no chair reported it, or it could not be read",
    },
    {
      label: "Effect",
      text: `leave-one-out effect, how much the chair's answer changes without the member's draft and review: ${leftOutWords(contributions)}`,
    },
    ...rewritingRows(contributions),
    {
      label: "Vote",
      text:
        missing(vote) ??
        `exact Shapley value of the member's final answers in electing ${oneLine(finalAnswer ?? "the answer", 80)}${elected}; the values sum to ${figure(vote.total)}`,
    },
    {
      label: "Ranking",
      text:
        missing(standing) ??
        `exact Shapley value of a reviewer's ballot in ranking ${name(standing.first)} first, not of the reviewer's own draft; the values sum to ${figure(standing.total)}`,
    },
    {
      label: "Overlap",
      text: `share of the answer's content that is in the member's draft, by wording (paraphrases are missed); ${percent(overlap.unsupported ?? 0)} is in no draft`,
    },
    { label: "Retained", text: "share of the draft's sentences that the answer retains, by wording" },
    { label: "Usage", text: spentWords(contributions) },
  ];
}

const DECIDED: { readonly [by in Contributions["decidedBy"]]: string } = {
  chair: " (the chair decided, not the vote)",
  standing: " (the peer ranking decided, not the vote)",
  vote: "",
  nearness: "",
};

const missing = ({
  status,
  why,
}: Contributions["vote"] | Contributions["leaveOneOut"]): string | undefined =>
  status === "measured" ? undefined : `${STATUS[status]}${why === null ? "" : `: ${oneLine(why, 600)}`}`;

const STATUS: { readonly [status in Contributions["vote"]["status"]]: string } = {
  measured: "measured",
  "not-applicable": "not applicable",
  "not-asked": "not run",
  "over-budget": "budget exceeded",
  failed: "failed",
};

function leftOutWords({ members, leaveOneOut }: Contributions): string {
  const said = missing(leaveOneOut);
  if (said !== undefined) return said;
  const { noise, again } = leaveOneOut;
  const nobody = members.every(({ leaveOneOut: one }) => (one?.weight ?? 0) === 0);
  const weights = nobody ? "no member has an effect above it" : "the weights sum to 1";
  if (noise === null)
    return `the noise floor is not known, since the chair was not re-run with all drafts; ${weights}`;
  const what =
    again[0]?.changed === null
      ? `${percent(noise)} of the text removed`
      : noise === 0
        ? "same final answer"
        : "different final answer";
  const times = again.length === 1 ? "once" : `${again.length} times`;
  const claim =
    again.length < MIN_RERUNS
      ? `a member without effect exceeds it in one draw in ${again.length + 1}, so none is claimed below ${MIN_RERUNS} re-runs`
      : `a member without effect exceeds it in one draw in ${again.length + 1}`;
  return `above the noise floor (re-run ${times} with all drafts: ${what}); ${claim}; ${weights}`;
}

/** The raw metrics behind the weights, each with its fork. */
function rewritingRows({ members, leaveOneOut }: Contributions): LabelledRow[] {
  const row = (who: string, one: Contributions["leaveOneOut"]["again"][number], note = "") => [
    who,
    one.changed === null ? "" : one.changed ? "answer changed" : "answer unchanged",
    `${percent(one.gone)} removed`,
    one.fork,
    note,
  ];
  const table = [
    ...members.flatMap(({ name, leaveOneOut: one }) =>
      one ? [row(name, one, one.effect > 0 && one.withinNoise ? "within noise" : "")] : [],
    ),
    ...leaveOneOut.again.map((one) => row("all drafts", one, "noise floor")),
  ];
  return table.length > 0 ? [{ label: "", table }] : [];
}

const spentWords = ({ calls, tokens, ...spent }: Contributions): string =>
  calls + spent.unknown === 0
    ? "no calls"
    : `${pluralize(calls, "call")}; ${formatTokens(tokens)}; ${formatCost({ calls, ...spent })}`;

type Setting = { readonly narrow: number; readonly style: Style };

function lostSection({ name, drafted, lost }: Member, { narrow, style }: Setting): string[] {
  if (!drafted || lost.length === 0) return [];
  const shown = lost.slice(0, MAX_SENTENCES).flatMap((sentence) => {
    const [first = "", ...rest] = wrap(oneLine(sentence, MAX_SENTENCE_LENGTH), narrow - 2);
    return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
  });
  const more = lost.length - MAX_SENTENCES;
  return [
    ...wrap(`Dropped from ${oneLine(name, 60)}'s draft`, narrow).map(style.bold),
    ...shown,
    ...(more > 0 ? wrap(`- and ${more} more, which the JSON output has`, narrow) : []),
  ];
}

/** Two decimals; zero has no sign. */
const figure = (value: number | null): string =>
  value === null ? "-" : (Math.round(value * 100) / 100 + 0).toFixed(2);

// What chairs report, what was measured, and votes stand side by side and are never mixed.

/** The methods of measurement, with the heads of their columns. */
const METHODS = [
  ["leave-one-out", "LEFT OUT"],
  ["shapley-vote", "VOTE"],
  ["shapley-standing", "STANDING"],
  ["text-overlap", "OVERLAP"],
] as const;

const NOTHING = "No chair has written an answer yet";
const ABOUT =
  "CLAIMED is the chair's own account, 0 to 1; the columns after it are measured by leaving the member out, by its vote, its reviewers and its wording. WINS are votes, apart: sessions in which it stood first. In brackets: of how many runs.";

const mean = (value: number | null | undefined, n: number | undefined): string =>
  value === null || value === undefined ? "-" : `${value.toFixed(2)} (${n ?? 0})`;
const percent = (share: number | null): string => (share === null ? "-" : `${Math.round(100 * share)} %`);

export function sharesText(rows: readonly PersonaShares[], width: number): string {
  if (rows.length === 0) return `${NOTHING}\n`;
  const isSplit = rows.some(({ strategy }) => strategy !== null);
  const methods = METHODS.filter(([method]) => rows.some(({ measured }) => measured[method]));
  const heads = [
    ...(isSplit ? ["STRATEGY"] : []),
    ...["PERSONA", "RUNS", "CLAIMED", ...methods.map(([, head]) => head), "WINS"],
  ];
  const cells = rows.map(({ persona, strategy, runs, claimed, measured, winRate, sessions }) => [
    ...(isSplit ? [strategy ?? ""] : []),
    ...[persona, String(runs), mean(claimed.mean, claimed.n)],
    ...methods.map(([method]) => mean(measured[method]?.mean, measured[method]?.n)),
    winRate === null ? "-" : `${percent(winRate)} (${sessions})`,
  ]);
  return `${[...align([heads, ...cells], width), "", ...wrap(ABOUT, width)].join("\n")}\n`;
}

const COLUMNS: CsvColumns<PersonaShares> = {
  persona: ({ persona }) => persona,
  strategy: ({ strategy }) => strategy,
  runs: ({ runs }) => runs,
  claimed_runs: ({ claimed }) => claimed.n,
  claimed_mean: ({ claimed }) => claimed.mean,
  claimed_sum: ({ claimed }) => claimed.sum,
  ...Object.fromEntries(
    METHODS.flatMap(([method]) => {
      const name = method.replaceAll("-", "_");
      return [
        [`${name}_runs`, ({ measured }: PersonaShares) => measured[method]?.n ?? 0],
        [`${name}_mean`, ({ measured }: PersonaShares) => measured[method]?.mean ?? null],
      ];
    }),
  ),
  sessions: ({ sessions }) => sessions,
  win_rate: ({ winRate }) => winRate,
};

export const sharesCsv = (rows: readonly PersonaShares[]): string =>
  csvHeader(COLUMNS) + csvLines(COLUMNS, rows);

const LEFT = 170;
const TOP = 92;
const CELL = { width: 118, height: 46 };

const STYLE = `
  svg { color-scheme: light dark; --paper: #ffffff; --ink: #1c1f24; --faint: #5c6470; --heat: #0b62a8; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14171b; --ink: #eceff3; --faint: #a5adb8; --heat: #2f7fc1; }
  }
  text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .head { font-size: 16px; font-weight: 600; }
  .faint { fill: var(--faint); font-size: 12px; }
  .cell { fill: var(--heat); stroke: var(--paper); stroke-width: 2; }
`;

/** The deepest fill: text on it is still readable. */
const DEEPEST = 0.55;

/** The figure as an SVG file. Ends in a newline. */
export const sharesSvg = (rows: readonly PersonaShares[]): string => svgFile(sharesFigure(rows), STYLE);

/** Personas by strategies: a cell is as deep as the claimed mean, with the measured one below; votes stand in a column of their own. */
export function sharesFigure(rows: readonly PersonaShares[]): ElementTree {
  const strategies = [...new Set(rows.map(({ strategy }) => strategy ?? "all"))];
  const personas = [...new Set(rows.map(({ persona }) => persona))];
  const columns = [...strategies, "votes"];
  const width = LEFT + columns.length * CELL.width + 24;
  const height = TOP + Math.max(1, personas.length) * CELL.height + 24;
  const at = (row: number, column: number) => ({ x: LEFT + column * CELL.width, y: TOP + row * CELL.height });
  const middle = CELL.width / 2;
  const label = (column: number, words: string) =>
    text({ x: at(0, column).x + middle, y: TOP - 10, class: "faint", anchor: "middle" }, words);
  const cells = rows.flatMap((row) => {
    const own = at(personas.indexOf(row.persona), strategies.indexOf(row.strategy ?? "all"));
    return heatCell(row, own);
  });
  const wins = personas.map((persona, index) => {
    const own = rows.filter((row) => row.persona === persona);
    const sessions = own.reduce((sum, row) => sum + row.sessions, 0);
    const won = own.reduce((sum, row) => sum + row.sessions * (row.winRate ?? 0), 0);
    const { x, y } = at(index, columns.length - 1);
    const words = sessions === 0 ? "-" : `${percent(won / sessions)} of ${sessions}`;
    return text({ x: x + middle, y: y + 27, anchor: "middle" }, words);
  });
  return element(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" },
    element("title", {}, "Contributions by persona and strategy"),
    element("rect", { class: "paper", width, height }),
    text({ x: 16, y: 28, class: "head" }, "Contributions by persona and strategy"),
    text(
      { x: 16, y: 48, class: "faint" },
      "claimed by the chair, over runs; below it measured by leaving out",
    ),
    ...columns.map((name, column) => label(column, oneLine(name, 16))),
    ...personas.map((name, row) => text({ x: 16, y: at(row, 0).y + 27 }, oneLine(name, 20))),
    ...(rows.length === 0 ? [text({ x: 16, y: TOP + 27 }, NOTHING)] : []),
    ...cells,
    ...wins,
  );
}

function heatCell(
  { persona, strategy, runs, claimed, measured }: PersonaShares,
  { x, y }: { readonly x: number; readonly y: number },
): ElementTree[] {
  const left = measured["leave-one-out"];
  const depth = (DEEPEST * Math.min(1, Math.max(0, claimed.mean ?? 0))).toFixed(3);
  const title = `${persona}, ${strategy ?? "all strategies"}: claimed ${mean(claimed.mean, claimed.n)}, left out ${mean(left?.mean, left?.n)}, ${runs} runs`;
  const center = x + CELL.width / 2;
  return [
    element(
      "rect",
      { class: "cell", x: px(x), y: px(y), ...CELL, "fill-opacity": depth },
      element("title", {}, title),
    ),
    text({ x: center, y: y + 20, anchor: "middle" }, mean(claimed.mean, claimed.n)),
    text({ x: center, y: y + 37, class: "faint", anchor: "middle" }, mean(left?.mean, left?.n)),
  ];
}
