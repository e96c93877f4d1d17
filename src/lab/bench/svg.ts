import { oneLine } from "../../reports/printable.ts";
import type { ElementTree } from "../../kernel/index.ts";
import { element, svgFile } from "../../reports/element.ts";
import { line, linearScale, px, text, ticksTo, type Scale } from "../../reports/plot.ts";
import type { BenchReport } from "./report.ts";
import { costAxis, formatShare, type BenchCostAxis } from "./words.ts";

// PLOT-1. Every arm has a number in the plot and an entry in the legend; no two entries overlap.
// PLOT-2. Foreign text is escaped, and stands in text elements only.

type Point = {
  readonly number: number;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly top: number;
  readonly bottom: number;
  /** The figures behind the point. */
  readonly figures: string;
  readonly title: string;
};

const WIDTH = 760;
const HEIGHT = 460;
const PLOT = { left: 70, top: 64, right: 540, bottom: HEIGHT - 64 };
const MIDDLE = (PLOT.left + PLOT.right) / 2;
const NOTHING = "No arm has finished a question yet";
const LEGEND = { left: 564, top: PLOT.top + 8, step: 38 };
const RADIUS = 9;
const CAP = 5;
const MAX_NAME_LENGTH = 22;

const STYLE = `
  svg { color-scheme: light dark; --paper: #ffffff; --ink: #1c1f24; --faint: #5c6470; --grid: #e3e6ea; --mark: #0b62a8; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14171b; --ink: #eceff3; --faint: #a5adb8; --grid: #2c323a; --mark: #6cb8f5; }
  }
  text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .head { font-size: 16px; font-weight: 600; }
  .number { font-size: 11px; font-weight: 600; fill: var(--paper); }
  .key { font-weight: 600; fill: var(--mark); }
  .faint { fill: var(--faint); font-size: 12px; }
  .grid { stroke: var(--grid); }
  .bar { stroke: var(--mark); stroke-width: 1.6; }
  .dot { fill: var(--mark); stroke: var(--paper); stroke-width: 1.5; }
`;

/** Plots accuracy over cost per question: a numbered point for each arm, with its 95 % interval. Ends in a newline. */
export function benchSvg(report: BenchReport): string {
  const axis = costAxis(report);
  const arms = report.arms.flatMap((arm) => {
    const { value, low, high, n } = arm.accuracy;
    const cost = axis.of(arm);
    return value === null || low === null || high === null || cost === null
      ? []
      : [{ name: arm.name, value, low, high, n, cost }];
  });
  const across = linearScale(ticksTo(Math.max(0, ...arms.map(({ cost }) => cost))), PLOT.left, PLOT.right);
  const up = linearScale(shareTicks(arms), PLOT.bottom, PLOT.top);
  const points = arms.map(({ name, value, low, high, n, cost }, index): Point => {
    const interval = `${formatShare(value)} % (95 %: ${formatShare(low)} to ${formatShare(high)}, n = ${n})`;
    return {
      number: index + 1,
      name,
      x: across.at(cost),
      y: up.at(value),
      top: up.at(high),
      bottom: up.at(low),
      figures: `${formatShare(value)} % · ${axis.words(cost)}`,
      title: `${name}: ${interval} at ${axis.words(cost)} ${axis.label}`,
    };
  });
  const subtitle = `${report.simulated ? "simulated models · " : ""}${report.tasks.count} tasks · bars are 95 % Wilson intervals`;
  const size = { width: WIDTH, height: HEIGHT };
  const plot = element(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, ...size, role: "img" },
    element("title", {}, `Accuracy over cost${report.simulated ? " (simulated models)" : ""}`),
    element("rect", { class: "paper", ...size }),
    text({ x: PLOT.left, y: 26, class: "head" }, "Accuracy over cost"),
    text({ x: PLOT.left, y: 46, class: "faint" }, subtitle),
    ...grid(across, up, axis),
    ...(points.length === 0 ? [text({ x: MIDDLE, y: 230, anchor: "middle" }, NOTHING)] : []),
    ...[bar, dot, legendEntry].flatMap((part) => points.flatMap(part)),
  );
  return svgFile(plot, STYLE);
}

/** Shares in steps of 0.1, or of 0.05 where the intervals are close together. */
function shareTicks(arms: readonly { readonly low: number; readonly high: number }[]): number[] {
  const low = Math.min(1, ...arms.map((arm) => arm.low));
  const high = Math.max(0, ...arms.map((arm) => arm.high));
  const perUnit = high - low < 0.3 && arms.length > 0 ? 20 : 10;
  const [first, last] =
    arms.length > 0 ? [Math.floor(low * perUnit), Math.ceil(high * perUnit)] : [0, perUnit];
  return Array.from({ length: Math.max(2, last - first + 1) }, (_, index) => (first + index) / perUnit);
}

function grid(across: Scale, up: Scale, axis: BenchCostAxis): ElementTree[] {
  const { left, right, top, bottom } = PLOT;
  const rows = up.ticks.map((share) => ({ y: up.at(share), share: `${Math.round(share * 100)} %` }));
  const columns = across.ticks.map((cost) => ({ x: across.at(cost), cost: axis.words(cost) }));
  return [
    ...rows.flatMap(({ y, share }) => [
      line({ x1: left, y1: y, x2: right, y2: y }, "grid"),
      text({ x: left - 10, y: y + 4, class: "faint", anchor: "end" }, share),
    ]),
    ...columns.flatMap(({ x, cost }) => [
      line({ x1: x, y1: top, x2: x, y2: bottom }, "grid"),
      text({ x, y: bottom + 20, class: "faint", anchor: "middle" }, cost),
    ]),
    text({ x: MIDDLE, y: bottom + 46, anchor: "middle" }, axis.label),
  ];
}

const bar = ({ x, top, bottom }: Point): ElementTree[] => [
  line({ x1: x, y1: top, x2: x, y2: bottom }, "bar"),
  ...[top, bottom].map((y) => line({ x1: x - CAP, y1: y, x2: x + CAP, y2: y }, "bar")),
];

const dot = ({ number, x, y, title }: Point): ElementTree[] => [
  element("circle", { class: "dot", cx: px(x), cy: px(y), r: RADIUS }, element("title", {}, title)),
  text({ x, y: y + 4, class: "number", anchor: "middle" }, String(number)),
];

function legendEntry({ number, name, figures }: Point, index: number): ElementTree[] {
  const y = LEGEND.top + index * LEGEND.step;
  const x = LEGEND.left + 20;
  return [
    text({ x: LEGEND.left, y, class: "key" }, String(number)),
    text({ x, y, class: "label" }, oneLine(name, MAX_NAME_LENGTH)),
    text({ x, y: y + 16, class: "faint" }, figures),
  ];
}
