import type { ElementTree } from "../../../kernel/index.ts";
import { benchPlotWords, costAxis, type BenchPlotWords, type PlottedArm } from "./report-words.ts";
import { element, svgFile } from "../../../reports/element.ts";
import { line, linearScale, px, text, ticksTo, type Scale } from "../../../reports/plot.ts";
import { oneLine } from "../../../reports/printable.ts";

// Foreign text is escaped, and stands in text elements only.

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
  readonly href: string | undefined;
};

/** How a plot stands: as a file with a legend, or on a page beside a table that names the arms by their numbers. */
type PlotFrame = {
  readonly width: number;
  readonly height: number;
  /** The right end of the axis. */
  readonly right: number;
  readonly top: number;
  /** Where the legend begins; undefined for none. */
  readonly legend?: number;
};
const FILE_FRAME: PlotFrame = { width: 760, height: 460, right: 540, top: 64, legend: 564 };
/** Narrow, so that its texts can be read on a phone. */
const PAGE_FRAME: PlotFrame = { width: 480, height: 340, right: 448, top: 14 };

const LEFT = 70;
const FLOOR = 64;
const LEGEND_STEP = 38;
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

type PlottedBench = {
  readonly simulated: boolean;
  readonly tasks: { readonly count: number };
  readonly arms: readonly PlottedArm[];
};

/** Plots accuracy over cost per question as a file: a numbered point for each arm, with its 95 % interval. Ends in a newline. */
export function benchSvg({ simulated, tasks, arms }: PlottedBench): string {
  const words = benchPlotWords(simulated, tasks.count);
  const size = { width: FILE_FRAME.width, height: FILE_FRAME.height };
  const plot = element(
    "svg",
    { viewBox: `0 0 ${size.width} ${size.height}`, ...size, role: "img" },
    element("title", {}, `${words.title}${simulated ? " (simulated models)" : ""}`),
    element("rect", { class: "paper", ...size }),
    text({ x: LEFT, y: 26, class: "head" }, words.title),
    text({ x: LEFT, y: 46, class: "faint" }, words.subtitle),
    ...marks(arms, FILE_FRAME, { words }),
  );
  return svgFile(plot, STYLE);
}

type PlotOptions = {
  readonly words: BenchPlotWords;
  /** Where a click on an arm's point leads. */
  readonly hrefFor?: (arm: string) => string;
};

/** The same for a page, which has a heading and a table of the arms beside it, in the order of their numbers. */
export function benchFigure(arms: readonly PlottedArm[], options: PlotOptions): ElementTree {
  const { width, height } = PAGE_FRAME;
  const label = `${options.words.title}: ${options.words.subtitle}`;
  return element(
    "svg",
    { class: "chart accuracy", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label },
    ...marks(arms, PAGE_FRAME, options),
  );
}

function marks(all: readonly PlottedArm[], frame: PlotFrame, { words, hrefFor }: PlotOptions): ElementTree[] {
  const axis = costAxis(all);
  const arms = all.flatMap((arm, index) => {
    const { value, low, high, n } = arm.accuracy;
    const cost = axis.of(arm);
    return value === null || low === null || high === null || cost === null
      ? []
      : [{ number: index + 1, name: arm.name, value, low, high, n, cost }];
  });
  const costs = ticksTo(Math.max(0, ...arms.map(({ cost }) => cost)));
  const across = linearScale(costs, LEFT, frame.right);
  const up = linearScale(shareTicks(arms), frame.height - FLOOR, frame.top);
  const points = arms.map(({ number, name, value, low, high, n, cost }): Point => {
    const [share, least, most] = [value, low, high].map((one) => words.share(one, 1));
    const price = words.cost(cost, axis.unit);
    return {
      ...{ number, name, x: across.at(cost), y: up.at(value), top: up.at(high), bottom: up.at(low) },
      figures: `${share} · ${price}`,
      title: `${name}: ${share} (95 %: ${least} – ${most}, n = ${n}), ${price} ${words.axis[axis.unit]}`,
      href: hrefFor?.(name),
    };
  });
  const middle = (LEFT + frame.right) / 2;
  const legend = (point: Point, index: number) => legendEntry(point, index, frame);
  return [
    ...rows(up, frame, words),
    ...columns(across, frame, (cost) => words.cost(cost, axis.unit)),
    text({ x: middle, y: frame.height - FLOOR + 46, anchor: "middle" }, words.axis[axis.unit]),
    ...(points.length === 0
      ? [text({ x: middle, y: frame.height / 2, anchor: "middle" }, words.nothing)]
      : []),
    ...[bar, dot, legend].flatMap((part) => points.flatMap(part)),
  ];
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

const rows = (up: Scale, { right }: PlotFrame, { share: write }: BenchPlotWords): ElementTree[] =>
  up.ticks.flatMap((share) => [
    line({ x1: LEFT, y1: up.at(share), x2: right, y2: up.at(share) }, "grid"),
    text({ x: LEFT - 10, y: up.at(share) + 4, class: "faint", anchor: "end" }, write(share, 0)),
  ]);

function columns(across: Scale, frame: PlotFrame, write: (cost: number) => string): ElementTree[] {
  const bottom = frame.height - FLOOR;
  // Labels of costs are up to seven characters long.
  const every = Math.ceil((across.ticks.length * 56) / (frame.right - LEFT));
  return across.ticks.flatMap((cost, index) => {
    const x = across.at(cost);
    return [
      line({ x1: x, y1: frame.top, x2: x, y2: bottom }, "grid"),
      ...(index % every === 0
        ? [text({ x, y: bottom + 20, class: "faint", anchor: "middle" }, write(cost))]
        : []),
    ];
  });
}

const bar = ({ x, top, bottom }: Point): ElementTree[] => [
  line({ x1: x, y1: top, x2: x, y2: bottom }, "bar"),
  ...[top, bottom].map((y) => line({ x1: x - CAP, y1: y, x2: x + CAP, y2: y }, "bar")),
];

function dot({ number, x, y, title, href }: Point): ElementTree[] {
  const shape = [
    element("circle", { class: "dot", cx: px(x), cy: px(y), r: RADIUS }, element("title", {}, title)),
    text({ x, y: y + 4, class: "number", anchor: "middle" }, String(number)),
  ];
  return href === undefined ? shape : [element("a", { href, "aria-label": `${number}. ${title}` }, ...shape)];
}

function legendEntry(
  { number, name, figures }: Point,
  index: number,
  { legend, top }: PlotFrame,
): ElementTree[] {
  if (legend === undefined) return [];
  const y = top + 8 + index * LEGEND_STEP;
  return [
    text({ x: legend, y, class: "key" }, String(number)),
    text({ x: legend + 20, y, class: "label" }, oneLine(name, MAX_NAME_LENGTH)),
    text({ x: legend + 20, y: y + 16, class: "faint" }, figures),
  ];
}
