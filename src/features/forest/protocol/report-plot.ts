import type { ElementTree } from "../../../kernel/index.ts";
import { element } from "../../../reports/element.ts";
import { line, linearScale, px, text, ticksTo } from "../../../reports/plot.ts";
import { oneLine } from "../../../reports/printable.ts";
import type { Forest, LeafKind, Tree } from "./state.ts";
import { cycleNumber } from "./state.ts";

/** A forest after each of its cycles, oldest first. */
export type ForestCycles = readonly Forest[];

const WIDTH = 640;
const LEFT = 48;
const RIGHT = 500;
const HEIGHT = 150;
const MAX_TREES = 8;
const MAX_CYCLES = 200;

/** Colors that can be told apart without seeing red and green (Okabe and Ito, 2008). */
const COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#f0e442"];

/** What paints the plot in a file of its own. */
export const FOREST_PLOT_STYLE =
  'text{font:12px system-ui,"DejaVu Sans",sans-serif;fill:#1c1f24}.grid{stroke:#d9dde3}svg{background:#fff}';

type PlottedSeries = { readonly name: string; readonly values: readonly number[] };

/** Allocations to trees, and fruits and leaves in all, over the cycles, as two charts of one SVG; undefined for fewer than two cycles. */
export function forestPlot(cycles: ForestCycles): ElementTree | undefined {
  const shown = cycles.slice(-MAX_CYCLES);
  const last = shown.at(-1);
  if (shown.length < 2 || !last) return undefined;
  const numbers = shown.map(({ cycle_id }) => cycleNumber(cycle_id));
  const trees = last.trees.slice(0, MAX_TREES);
  const shares = trees.map(({ tree_id, name }): PlottedSeries => ({
    name: name === "" ? tree_id : name,
    values: shown.map(
      ({ trees: then }) => 100 * (then.find((one) => one.tree_id === tree_id)?.recent_budget_share ?? 0),
    ),
  }));
  const kinds: readonly (readonly [LeafKind, string])[] = [
    ["fruit", "fruits"],
    ["golden_leaf", "golden leaves"],
    ["normal_leaf", "normal leaves"],
    ["dead_leaf", "dead leaves"],
    ["sick_leaf", "sick leaves"],
  ];
  const leaves = kinds.map(([kind, name]): PlottedSeries => ({
    name,
    values: shown.map(({ trees: then }) => countOf(then, kind)),
  }));
  const viewBox = `0 0 ${WIDTH} ${2 * HEIGHT + 140}`;
  const label = `Allocations, fruits and leaves over ${shown.length} cycles`;
  return element(
    "svg",
    { class: "chart", viewBox, role: "img", "aria-labelledby": "forest-plot-title" },
    element("title", { id: "forest-plot-title" }, label),
    ...chart({ title: "Share of the slots, %", top: 0, series: shares, numbers }),
    ...chart({ title: "Fruits and leaves so far", top: HEIGHT + 80, series: leaves, numbers }),
  );
}

const countOf = (trees: readonly Tree[], kind: LeafKind): number =>
  trees.reduce(
    (sum, { branches }) => sum + branches.filter((branch) => branch.result_classification === kind).length,
    0,
  );

type Chart = {
  readonly title: string;
  readonly top: number;
  readonly series: readonly PlottedSeries[];
  readonly numbers: readonly number[];
};

function chart({ title, top, series, numbers }: Chart): ElementTree[] {
  const floor = top + 30 + HEIGHT;
  const y = linearScale(ticksTo(Math.max(0, ...series.flatMap(({ values }) => values))), floor, top + 30);
  const x = linearScale([numbers[0] ?? 0, numbers.at(-1) ?? 1], LEFT, RIGHT);
  const step = Math.max(1, Math.ceil(numbers.length / 10));
  return [
    text({ x: LEFT, y: top + 18 }, title),
    ...y.ticks.flatMap((tick) => [
      line({ x1: LEFT, y1: y.at(tick), x2: RIGHT, y2: y.at(tick) }, "grid"),
      text({ x: LEFT - 6, y: y.at(tick) + 4, anchor: "end" }, String(tick)),
    ]),
    ...numbers
      .filter((_, index) => index % step === 0)
      .map((number) => text({ x: x.at(number), y: floor + 18, anchor: "middle" }, String(number))),
    ...series.flatMap(({ name, values }, index) => {
      const color = COLORS[index % COLORS.length] ?? "#000000";
      const points = values.map((value, at) => `${px(x.at(numbers[at] ?? 0))},${px(y.at(value))}`).join(" ");
      const label = oneLine(name, 20);
      const dashes = index % 2 === 1 ? "6 5" : undefined;
      const stroke = { fill: "none", stroke: color, "stroke-width": 2, "stroke-dasharray": dashes };
      const key = top + 40 + index * 18;
      return [
        element("polyline", { points, ...stroke }, element("title", {}, label)),
        element("rect", { x: RIGHT + 14, y: key - 9, width: 10, height: 10, fill: color }),
        text({ x: RIGHT + 30, y: key }, label),
      ];
    }),
  ];
}
