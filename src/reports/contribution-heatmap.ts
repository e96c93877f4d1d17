import type { PersonaShares } from "../contract/knowledge.ts";
import type { ElementTree } from "../kernel/index.ts";
import { csvHeader, csvLines, type CsvColumns } from "./csv.ts";
import { element, svgFile } from "./element.ts";
import { aligned } from "./labelled-rows.ts";
import { px, text } from "./plot.ts";
import { oneLine } from "./printable.ts";
import { wrapped } from "./text-width.ts";

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

/** A row for each persona, or for each strategy and persona. */
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
  return `${[...aligned([heads, ...cells], width), "", ...wrapped(ABOUT, width)].join("\n")}\n`;
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

/**
 * Personas by strategies: a cell is as deep as the claimed mean, with the measured one below; votes stand in a column of their
 * own.
 */
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
