import type { BenchReport } from "../projections/index.ts";
import { costAxis, shareWords, type CostAxis } from "./bench-words.ts";
import { oneLine } from "./printable.ts";

// V1. No two labels overlap, and none covers a point or its interval, as far as there is room.
// V2. Foreign text stands escaped, and nowhere but in text elements.

type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
type Point = {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly top: number;
  readonly bottom: number;
  readonly title: string;
};

const WIDTH = 760;
const HEIGHT = 460;
const PLOT: Box = { left: 70, top: 64, right: WIDTH - 28, bottom: HEIGHT - 64 };
const RADIUS = 5;
const CAP = 5;
/** Of a letter of a label, in pixels: wide enough for the usual sans serif faces at 13 px. */
const LETTER = 7.4;
const LINE = 17;

const STYLE = `
  svg { color-scheme: light dark; --paper: #ffffff; --ink: #1c1f24; --faint: #5c6470; --grid: #e3e6ea; --mark: #0b62a8; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14171b; --ink: #eceff3; --faint: #a5adb8; --grid: #2c323a; --mark: #6cb8f5; }
  }
  text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .head { font-size: 16px; font-weight: 600; }
  .label { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
  .faint { fill: var(--faint); font-size: 12px; }
  .grid { stroke: var(--grid); }
  .leader { stroke: var(--faint); stroke-dasharray: 2 2; }
  .bar { stroke: var(--mark); stroke-width: 1.6; }
  .dot { fill: var(--mark); stroke: var(--paper); stroke-width: 1.5; }`;

/** Accuracy over cost per question as a picture: one point an arm, with its 95 % interval. Ends in a newline. */
export function benchSvg(report: BenchReport): string {
  const axis = costAxis(report);
  const arms = report.arms.flatMap(({ name, accuracy: { value, low, high, n }, ...arm }) => {
    const cost = axis.of({ name, accuracy: { value, low, high, n }, ...arm });
    return value === null || low === null || high === null || cost === null
      ? []
      : [{ name, value, low, high, n, cost }];
  });
  const across = scale(ticksTo(Math.max(0, ...arms.map(({ cost }) => cost))), PLOT.left, PLOT.right);
  const up = scale(shares(arms), PLOT.bottom, PLOT.top);
  const points = arms.map(({ name, value, low, high, n, cost }): Point => {
    const interval = `${shareWords(value)} % (95 %: ${shareWords(low)} to ${shareWords(high)}, n = ${n})`;
    return {
      name,
      x: across.at(cost),
      y: up.at(value),
      top: up.at(high),
      bottom: up.at(low),
      title: `${name}: ${interval} at ${axis.words(cost)} ${axis.label}`,
    };
  });
  const subtitle = `${report.simulated ? "simulated models · " : ""}${report.tasks.count} tasks · bars are 95 % Wilson intervals`;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    `<title>Accuracy over cost${report.simulated ? " (simulated models)" : ""}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" width="${WIDTH}" height="${HEIGHT}"/>`,
    text({ x: PLOT.left, y: 26, class: "head" }, "Accuracy over cost"),
    text({ x: PLOT.left, y: 46, class: "faint" }, subtitle),
    ...grid(across, up, axis),
    ...(points.length === 0
      ? [text({ x: (PLOT.left + PLOT.right) / 2, y: 230, anchor: "middle" }, "No question is finished yet")]
      : []),
    ...points.map(bar),
    ...labels(points),
    ...points.map(dot),
    "</svg>",
  ].join("\n")}\n`;
}

type Scale = { readonly ticks: readonly number[]; readonly at: (value: number) => number };

function scale(ticks: readonly number[], from: number, to: number): Scale {
  const [least, most] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  return { ticks, at: (value) => from + ((value - least) / (most - least || 1)) * (to - from) };
}

/** From 0 to at least `most` in round steps: 1, 2 or 5 times a power of ten. */
function ticksTo(most: number): number[] {
  if (most === 0) return [0, 1];
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
  const count = Math.ceil((most * 1.04) / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Shares in steps of a tenth, or of a twentieth, around all intervals. */
function shares(arms: readonly { readonly low: number; readonly high: number }[]): number[] {
  const [low, high] = [
    Math.min(1, ...arms.map((arm) => arm.low)),
    Math.max(0, ...arms.map((arm) => arm.high)),
  ];
  const per = high - low < 0.3 && arms.length > 0 ? 20 : 10;
  const [first, last] = arms.length > 0 ? [Math.floor(low * per), Math.ceil(high * per)] : [0, per];
  return Array.from({ length: Math.max(2, last - first + 1) }, (_, index) => (first + index) / per);
}

function grid(across: Scale, up: Scale, axis: CostAxis): string[] {
  return [
    ...up.ticks.flatMap((share) => {
      const y = up.at(share);
      return [
        line({ x1: PLOT.left, y1: y, x2: PLOT.right, y2: y }, "grid"),
        text({ x: PLOT.left - 10, y: y + 4, class: "faint", anchor: "end" }, `${Math.round(share * 100)} %`),
      ];
    }),
    ...across.ticks.flatMap((cost) => {
      const x = across.at(cost);
      return [
        line({ x1: x, y1: PLOT.top, x2: x, y2: PLOT.bottom }, "grid"),
        text({ x, y: PLOT.bottom + 20, class: "faint", anchor: "middle" }, axis.words(cost)),
      ];
    }),
    text({ x: (PLOT.left + PLOT.right) / 2, y: PLOT.bottom + 46, anchor: "middle" }, axis.label),
  ];
}

const bar = ({ x, top, bottom }: Point): string =>
  [
    line({ x1: x, y1: top, x2: x, y2: bottom }, "bar"),
    ...[top, bottom].map((y) => line({ x1: x - CAP, y1: y, x2: x + CAP, y2: y }, "bar")),
  ].join("\n");

const dot = ({ x, y, title }: Point): string =>
  `<circle class="dot" cx="${px(x)}" cy="${px(y)}" r="${RADIUS}"><title>${escaped(title)}</title></circle>`;

/** Beside its point where that is free (V1), else further away at the end of a line that leads past the other points. */
function labels(points: readonly Point[]): string[] {
  const taken: Box[] = points.map(({ x, top, bottom }) => ({
    left: x - CAP - 2,
    right: x + CAP + 2,
    top: top - 2,
    bottom: bottom + 2,
  }));
  return points.flatMap((point) => {
    const name = oneLine(point.name, 40);
    const others = points.filter((other) => other !== point);
    const boxes = places(point, name.length * LETTER).filter(inside);
    const free = boxes.filter((box) => !taken.some((other) => overlap(box, other)));
    const box =
      free.find((one) => others.every((other) => clears(leader(point, one), other))) ?? free[0] ?? boxes[0];
    if (!box) return [];
    taken.push(box);
    const ends = leader(point, box);
    const away = Math.hypot(ends.x2 - ends.x1, ends.y2 - ends.y1) > 16;
    return [
      ...(away ? [line(ends, "leader")] : []),
      text(
        {
          ...(box.left > point.x ? { x: box.left } : { x: box.right, anchor: "end" }),
          y: (box.top + box.bottom) / 2 + 4.5,
          class: "label",
        },
        name,
      ),
    ];
  });
}

/** From a point to the near edge of its label. */
const leader = ({ x, y }: Point, box: Box): Ends => ({
  x1: x,
  y1: y,
  x2: box.left > x ? box.left - 3 : box.right + 3,
  y2: (box.top + box.bottom) / 2,
});

/** Whether a line passes a point by far enough not to be taken for its own. */
function clears({ x1, y1, x2, y2 }: Ends, { x, y }: Point): boolean {
  const [along, up] = [x2 - x1, y2 - y1];
  const share = Math.min(1, Math.max(0, ((x - x1) * along + (y - y1) * up) / (along ** 2 + up ** 2 || 1)));
  return (
    Math.hypot(x - x1 - share * along, y - y1 - share * up) > 2 * RADIUS ||
    Math.hypot(x - x1, y - y1) <= 2 * RADIUS
  );
}

/** Where a label may stand, the nearest first: right and left of the point, then further away on every side. */
function places({ x, y }: Point, width: number): Box[] {
  const steps = Array.from({ length: 80 }, (_, index) => Math.ceil(index / 2) * (index % 2 === 0 ? 1 : -1));
  const asides = Array.from({ length: 8 }, (_, index) => 14 + index * 45);
  return asides
    .flatMap((aside) => steps.map((step) => ({ aside, down: (step * LINE) / 2 })))
    .sort((a, b) => a.aside + Math.abs(a.down) - (b.aside + Math.abs(b.down)))
    .flatMap(({ aside, down }) =>
      [x + aside, x - aside - width].map((left) => ({
        left,
        right: left + width,
        top: y + down - LINE / 2,
        bottom: y + down + LINE / 2,
      })),
    );
}

const inside = (box: Box): boolean =>
  box.left >= PLOT.left && box.right <= WIDTH - 4 && box.top >= PLOT.top - 12 && box.bottom <= PLOT.bottom;

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

type Ends = { readonly x1: number; readonly y1: number; readonly x2: number; readonly y2: number };
const line = ({ x1, y1, x2, y2 }: Ends, kind: string): string =>
  `<line class="${kind}" x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}"/>`;

type Place = { readonly x: number; readonly y: number; readonly class?: string; readonly anchor?: string };
const text = ({ x, y, class: kind, anchor }: Place, content: string): string =>
  `<text x="${px(x)}" y="${px(y)}"${kind === undefined ? "" : ` class="${kind}"`}${anchor === undefined ? "" : ` text-anchor="${anchor}"`}>${escaped(content)}</text>`;

const px = (value: number): string => String(Math.round(value * 10) / 10);

const ENTITIES: { readonly [character: string]: string | undefined } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
const escaped = (content: string): string =>
  oneLine(content, 400).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
