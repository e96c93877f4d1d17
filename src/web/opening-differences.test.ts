import { expect, it } from "vitest";
import type { Opening } from "../kernel/index.ts";
import { openingDifferences } from "./opening-differences.ts";

const ann = {
  id: "ann",
  seat: "member",
  model: "sim/ada",
  persona: { name: "Ann", instructions: "1111111111" },
};
const opening = (changes: object = {}): Opening =>
  ({
    ...{ question: "Q", protocol: { name: "council", version: 2 }, seed: "s", budget: {}, context: [] },
    settings: { mode: "vote", strategy: { name: "balanced", sees: [] } },
    templates: { draft: "aaaaaaaaaaaa" },
    participants: [ann],
    ...changes,
  }) as unknown as Opening; // as much as the fold reads

it("finds nothing between a run and its like", () => {
  expect(openingDifferences(opening(), opening({ question: "Other" }))).toEqual([]);
});

it("names settings by their path, caps, members, and texts that are not the same", () => {
  const other = opening({
    settings: { mode: "vote", strategy: { name: "risk-averse", sees: [] } },
    budget: { usd: 1 },
    templates: { draft: "bbbbbbbbbbbb" },
    participants: [],
  });
  expect(openingDifferences(opening(), other)).toEqual([
    { name: "strategy.name", a: "balanced", b: "risk-averse" },
    { name: "members", a: "Ann (sim/ada)", b: null },
    { name: "instructions.ann", a: "11111111", b: null },
    { name: "template.draft", a: "aaaaaaaa", b: "bbbbbbbb" },
    { name: "budget.usd", a: null, b: "1" },
  ]);
});

it("tells members apart by what their models are asked with", () => {
  const asked = (options?: object) =>
    opening({ participants: [{ ...ann, model: "a/b?effort=low", options }] });
  expect(openingDifferences(asked(), asked({ body: { seed: 7 } }))).toEqual([
    { name: "members", a: "Ann (a/b?effort=low)", b: 'Ann (a/b?effort=low, body {"seed":7})' },
  ]);
});
