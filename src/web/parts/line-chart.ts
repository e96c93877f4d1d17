import type { ElementTree } from "../../kernel/index.ts";
import { element } from "../../reports/element.ts";
import { line, linearScale, px, text, ticksTo } from "../../reports/plot.ts";

export type ChartLine = {
  readonly name: string;
  /** By the places of the labels; null where nothing is known, and nothing is drawn. */
  readonly values: readonly (number | null)[];
};

type LineChart = {
  /** Names the chart for whoever does not see it; the figures stand in a table beside it. */
  readonly title: string;
  readonly labels: readonly string[];
  readonly lines: readonly ChartLine[];
  /** The ticks of the axis; by default round ones from 0 up to the highest value. */
  readonly ticks?: readonly number[];
};

const WIDTH = 640;
const LEFT = 48;
const HEIGHT = 190;
const TOP = 14;
const FLOOR = HEIGHT - 28;
const KEY_WIDTH = 170;
const KEY_STEP = 18;
const MAX_LABELS = 10;
/** As many lines as differ by color and by dashes. */
const MAX_LINES = 8;

/** Values over what follows one another, a line each. Lines differ by their dashes as well as by color. */
export function lineChart({ title, labels, lines, ticks }: LineChart): ElementTree {
  const shown = lines.slice(0, MAX_LINES);
  const right = WIDTH - (shown.length > 1 ? KEY_WIDTH : 16);
  const known = shown.flatMap(({ values }) => values.filter((value) => value !== null));
  const y = linearScale(ticks ?? usualTicks(known), FLOOR, TOP);
  const x = (index: number) => LEFT + 12 + (index / Math.max(1, labels.length - 1)) * (right - LEFT - 24);
  const every = Math.ceil(labels.length / MAX_LABELS);
  return element(
    "svg",
    { class: "chart lines", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title },
    ...y.ticks.flatMap((tick) => [
      line({ x1: LEFT, y1: y.at(tick), x2: right, y2: y.at(tick) }, "grid"),
      text({ x: LEFT - 8, y: y.at(tick) + 4, anchor: "end" }, String(tick)),
    ]),
    ...labels.flatMap((label, index) =>
      index % every === 0 ? [text({ x: x(index), y: HEIGHT - 8, anchor: "middle" }, label)] : [],
    ),
    ...shown.flatMap((one, nth) => [
      ...lineMarks(one, { x, y: y.at, name: `line-${nth + 1}` }),
      ...(shown.length > 1 ? keyMarks(one.name, nth, right + 14) : []),
    ]),
  );
}

/** Counts have no ticks between them. */
function usualTicks(known: readonly number[]): readonly number[] {
  const usual = ticksTo(Math.max(0, ...known));
  return known.every(Number.isInteger) ? usual.filter(Number.isInteger) : usual;
}

type LinePlace = {
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
  readonly name: string;
};

/** Points, joined where two neighbors are known: nothing is drawn over a gap. */
function lineMarks({ values }: ChartLine, { x, y, name }: LinePlace): readonly ElementTree[] {
  return values.flatMap((value, index) => {
    if (value === null) return [];
    const before = values[index - 1] ?? null;
    const dot = element("circle", { class: `dot ${name}`, cx: px(x(index)), cy: px(y(value)), r: 3.5 });
    if (before === null) return [dot];
    return [line({ x1: x(index - 1), y1: y(before), x2: x(index), y2: y(value) }, `trend ${name}`), dot];
  });
}

function keyMarks(name: string, nth: number, left: number): readonly ElementTree[] {
  const top = TOP + 8 + nth * KEY_STEP;
  return [
    line({ x1: left, y1: top - 4, x2: left + 26, y2: top - 4 }, `trend line-${nth + 1}`),
    text({ x: left + 34, y: top }, name.length > 16 ? `${name.slice(0, 15)}…` : name),
  ];
}
