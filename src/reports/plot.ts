import type { ElementTree } from "../kernel/index.ts";
import { element } from "./element.ts";

// The elements of an SVG plot. Foreign text stands in text elements and in titles only.

export type TextPosition = {
  readonly x: number;
  readonly y: number;
  readonly class?: string;
  readonly anchor?: "middle" | "end";
};

export const text = ({ x, y, class: name, anchor }: TextPosition, content: string): ElementTree =>
  element("text", { x: px(x), y: px(y), class: name, "text-anchor": anchor }, content);

export type LineEnds = { readonly x1: number; readonly y1: number; readonly x2: number; readonly y2: number };

export const line = ({ x1, y1, x2, y2 }: LineEnds, name: string): ElementTree =>
  element("line", { class: name, x1: px(x1), y1: px(y1), x2: px(x2), y2: px(y2) });

/** A coordinate in pixels, with at most one decimal. */
export const px = (value: number): number => Math.round(value * 10) / 10;

/** The tick values of an axis, and where a value lies on it. */
export type Scale = { readonly ticks: readonly number[]; readonly at: (value: number) => number };

/** A linear scale whose first tick lies at `from` and whose last tick lies at `to`. */
export function linearScale(ticks: readonly number[], from: number, to: number): Scale {
  const [first, last] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  return { ticks, at: (value) => from + ((value - first) / (last - first || 1)) * (to - from) };
}

/** Ticks from 0 to at least `max` in round steps: 1, 2 or 5 times a power of ten. */
export function ticksTo(max: number): number[] {
  if (max === 0) return [0, 1];
  const rough = max / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
  const count = Math.ceil((max * 1.04) / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
