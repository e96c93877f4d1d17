import type { CostColumn, CostTable } from "./costs.ts";
import type { ElementTree } from "../../../../../kernel/index.ts";
import { element } from "../../../../../reports/element.ts";
import { line, px, text } from "../../../../../reports/plot.ts";
import { formatNumber, formatUsd } from "../../../../../text/format.ts";

const WIDTH = 480;
const LEFT = 76;
const RIGHT = WIDTH - 12;
/** Two plots under each other over the same columns: confidence has a scale of its own. */
const UPPER = { top: 30, bottom: 140 };
const LOWER = { top: 180, bottom: 270 };
const HEIGHT = 308;
const MAX_LABELS = 12;

/**
 * Confidence and cost by round as an inline SVG that the page's style paints; undefined where there is nothing to draw.
 * Costs are in dollars where all are known and any was paid, else in tokens; a question mark stands for what is unknown. It says no more than the table beside it.
 */
export function debateChart({ columns, simulated }: CostTable): ElementTree | undefined {
  const cost = costOf(columns);
  const known = columns.some(({ confidence }) => confidence !== null);
  if (!known && !cost) return undefined;
  const step = (RIGHT - LEFT) / columns.length;
  const middle = (index: number) => LEFT + step * (index + 0.5);
  const of = simulated ? " (simulated models)" : "";
  const viewBox = `0 0 ${WIDTH} ${HEIGHT}`;
  return element(
    "svg",
    { class: "chart", viewBox, role: "img", "aria-labelledby": "chart-title chart-desc" },
    element("title", { id: "chart-title" }, `Confidence and cost by round${of}`),
    element("desc", { id: "chart-desc" }, description(columns, cost)),
    text({ x: LEFT, y: UPPER.top - 13 }, `The judge's confidence${of}`),
    ...[0, 50, 100].flatMap((value) => gridLine(confidenceAt(value), String(value))),
    ...confidences(columns, middle),
    text({ x: LEFT, y: LOWER.top - 13 }, cost?.label ?? "Cost: none is known"),
    ...(cost ? bars(columns, cost, { middle, width: Math.min(48, step * 0.6) }) : []),
    ...gridLine(LOWER.bottom, cost ? "0" : ""),
    ...axis(columns, middle),
  );
}

type CostAxis = {
  readonly label: string;
  readonly most: number;
  /** null where it is unknown. */
  readonly of: (column: CostColumn) => number | null;
  readonly words: (value: number) => string;
};

function costOf(columns: readonly CostColumn[]): CostAxis | undefined {
  const mostOf = (figure: CostAxis["of"]) => Math.max(0, ...columns.map((one) => figure(one) ?? 0));
  const usd: CostAxis["of"] = (one) => one.usd;
  const tokens: CostAxis["of"] = (one) => one.tokens;
  if (mostOf(usd) > 0 && columns.every((one) => usd(one) !== null))
    return { label: "Cost, US dollars", most: mostOf(usd), of: usd, words: formatUsd };
  return mostOf(tokens) > 0
    ? { label: "Tokens", most: mostOf(tokens), of: tokens, words: formatNumber }
    : undefined;
}

const confidenceAt = (value: number): number =>
  UPPER.bottom - (Math.min(100, Math.max(0, value)) / 100) * (UPPER.bottom - UPPER.top);

/** Points, joined where two neighbours are known: nothing is drawn over a gap. */
function confidences(columns: readonly CostColumn[], middle: (index: number) => number): ElementTree[] {
  const at = columns.map(({ confidence }, index) =>
    confidence === null ? undefined : { x: middle(index), y: confidenceAt(confidence) },
  );
  const lines = at.flatMap((to, index) => {
    const from = at[index - 1];
    return from && to ? [line({ x1: from.x, y1: from.y, x2: to.x, y2: to.y }, "trend")] : [];
  });
  const dots = at.flatMap((one) =>
    one ? [element("circle", { class: "dot", cx: px(one.x), cy: px(one.y), r: 4.5 })] : [],
  );
  return [...lines, ...dots];
}

function bars(
  columns: readonly CostColumn[],
  cost: CostAxis,
  { middle, width }: { readonly middle: (index: number) => number; readonly width: number },
): ElementTree[] {
  return [
    ...gridLine(LOWER.top, cost.words(cost.most)),
    ...columns.map((column, index) => {
      const value = cost.of(column);
      if (value === null) return text({ x: middle(index), y: LOWER.bottom - 6, anchor: "middle" }, "?");
      const height = (value / cost.most) * (LOWER.bottom - LOWER.top);
      const place = { x: px(middle(index) - width / 2), y: px(LOWER.bottom - height) };
      return element("rect", { class: "bar", ...place, width: px(width), height: px(height) });
    }),
  ];
}

/** Every so many columns are named, the last one always. */
function axis(columns: readonly CostColumn[], middle: (index: number) => number): ElementTree[] {
  const every = Math.ceil(columns.length / MAX_LABELS);
  const last = columns.length - 1;
  const named = (index: number) => index === last || (index % every === 0 && last - index >= every);
  return columns.flatMap(({ label }, index) =>
    named(index) ? [text({ x: middle(index), y: LOWER.bottom + 20, anchor: "middle" }, label)] : [],
  );
}

const gridLine = (y: number, label: string): ElementTree[] => [
  line({ x1: LEFT, y1: y, x2: RIGHT, y2: y }, "grid"),
  text({ x: LEFT - 8, y: y + 5, anchor: "end" }, label),
];

/** What is to be seen, in words, for whoever does not see it. */
function description(columns: readonly CostColumn[], cost: CostAxis | undefined): string {
  const parts = columns.map((column) => {
    const confidence = column.confidence === null ? "no confidence" : `confidence ${column.confidence}`;
    const value = cost?.of(column) ?? null;
    const figure = value === null || !cost ? "unknown" : cost.words(value);
    return `${column.name}: ${confidence}${cost ? `, ${figure}` : ""}`;
  });
  return `${cost ? `Bars: ${cost.label}. ` : ""}${parts.join("; ")}.`;
}
