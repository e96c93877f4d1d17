import type { ElementTree } from "../../../kernel/index.ts";
import { element } from "../../../reports/element.ts";
import { line, linearScale, px, text, ticksTo } from "../../../reports/plot.ts";
import { signBounds, signRatios, type Sign, type SignTest } from "../../../stats/sequential-sign-test.ts";

const WIDTH = 640;
const HEIGHT = 240;
const PLOT = { left: 52, top: 34, right: 500, bottom: HEIGHT - 44 };
/** Free height beyond the bounds. */
const MARGIN = 0.4;

/** The words of a figure, in the reader's language. */
export type PathWords = {
  readonly title: string;
  readonly axis: string;
  readonly pairs: string;
  readonly upper: string;
  readonly lower: string;
  readonly number: (value: number) => string;
};

/** How the evidence of a sequential test grew, pair by pair, between the bounds at which it decides. */
export function pathFigure(signs: readonly Sign[], test: SignTest, words: PathWords): ElementTree {
  const { lower, upper } = signBounds(test);
  const ratios = [0, ...signRatios(signs, test)];
  const low = Math.min(lower, ...ratios) - MARGIN;
  const high = Math.max(upper, ...ratios) + MARGIN;
  const across = linearScale(ticksTo(Math.max(1, ratios.length - 1)), PLOT.left, PLOT.right);
  const up = linearScale([low, high], PLOT.bottom, PLOT.top);
  const level = (at: number, name: string) =>
    line({ x1: PLOT.left, x2: PLOT.right, y1: up.at(at), y2: up.at(at) }, name);
  const bound = (at: number, word: string): ElementTree[] => [
    level(at, "bound"),
    text({ x: PLOT.right + 8, y: up.at(at) + 4 }, word),
    text({ x: PLOT.left - 8, y: up.at(at) + 4, anchor: "end", class: "faint" }, words.number(at)),
  ];
  const last = ratios.at(-1) ?? 0;
  return element(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words.title },
    element("title", {}, words.title),
    text({ x: PLOT.left, y: 16, class: "faint" }, words.axis),
    level(0, "grid"),
    text({ x: PLOT.left - 8, y: up.at(0) + 4, anchor: "end", class: "faint" }, words.number(0)),
    ...bound(upper, words.upper),
    ...bound(lower, words.lower),
    ...across.ticks.map((tick) =>
      text({ x: across.at(tick), y: PLOT.bottom + 18, anchor: "middle", class: "faint" }, words.number(tick)),
    ),
    text({ x: PLOT.right + 28, y: PLOT.bottom + 18, class: "faint" }, words.pairs),
    element("polyline", {
      class: "trend",
      fill: "none",
      points: ratios.map((ratio, pair) => `${px(across.at(pair))},${px(up.at(ratio))}`).join(" "),
    }),
    element("circle", { class: "dot", cx: px(across.at(ratios.length - 1)), cy: px(up.at(last)), r: 4 }),
  );
}

/** A question of a trial; one without an answer is compared by judges. */
type TaskEntry = { readonly question: string; readonly answer?: string };

/** Reads one question a line, with its answer after the last ` => `. */
export function readTasks(text: string): readonly TaskEntry[] {
  return text.split("\n").flatMap((written) => {
    const line = written.trim();
    const at = line.lastIndexOf("=>");
    const question = at < 0 ? line : line.slice(0, at).trim();
    const answer = at < 0 ? "" : line.slice(at + 2).trim();
    if (question === "") return [];
    return [answer === "" ? { question } : { question, answer }];
  });
}
