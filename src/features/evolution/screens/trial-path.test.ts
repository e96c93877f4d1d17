import { expect, it } from "vitest";
import type { ElementTree } from "../../../kernel/index.ts";
import { checkElement } from "../../../reports/element.ts";
import { TRIAL_TEST, type Sign } from "../../../stats/sequential-sign-test.ts";
import { pathFigure } from "./trial.ts";

const words = {
  ...{ title: "Path", axis: "ratio", pairs: "pairs", upper: "better", lower: "not better" },
  number: (value: number) => value.toFixed(1),
};
const figure = (signs: readonly Sign[]) => pathFigure(signs, TRIAL_TEST, words);
const nodes = (tree: ElementTree | string): readonly ElementTree[] =>
  typeof tree === "string" ? [] : [tree, ...tree.children.flatMap(nodes)];
const find = (tree: ElementTree, name: string) =>
  nodes(tree).filter(({ attributes }) => attributes["class"] === name);
const pointsOf = (tree: ElementTree) =>
  String(find(tree, "trend")[0]?.attributes["points"])
    .split(" ")
    .map((point) => point.split(",").map(Number));

it("draws the path from zero to the pair that decides, which lies at or beyond its bound", () => {
  const wins = Array.from({ length: 30 }, (): Sign => "win");
  const tree = figure(wins);
  const points = pointsOf(tree);
  expect(points).toHaveLength(13);
  const [top = NaN, bottom = NaN] = find(tree, "bound").map(({ attributes }) => Number(attributes["y1"]));
  expect(top).toBeLessThan(bottom);
  expect(points.at(-1)?.[1]).toBeLessThanOrEqual(top);
  expect(points.at(-2)?.[1]).toBeGreaterThan(top);
  expect(points.map(([x]) => x)).toEqual(points.map(([x]) => x).toSorted((a, b) => Number(a) - Number(b)));
});

it("stays level for ties, falls for losses, and draws a test without pairs", () => {
  const [start, tied, lost] = pointsOf(figure(["tie", "loss"]));
  expect(tied?.[1]).toBe(start?.[1]);
  expect(Number(lost?.[1])).toBeGreaterThan(Number(tied?.[1]));
  expect(pointsOf(figure([]))).toHaveLength(1);
});

it("has only elements and attributes that a page may have", () => {
  for (const node of nodes(figure(["win", "tie", "loss"]))) checkElement(node);
});
