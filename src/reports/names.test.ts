import { expect, it } from "vitest";
import { isEvent } from "../kernel/index.ts";
import { inSeatOrder } from "./names.ts";
import { sampleDebate } from "../../test/support/sample-debate.ts";

it("orders entries by their speakers' seats and their steps' keys, whatever order a race left them in", () => {
  const { entries } = sampleDebate();
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const critiques = entries.filter((entry) => isEvent(entry, "critique-given"));
  const people = (opened?.data.participants ?? []).map(({ id, persona }) => ({ id, name: persona.name }));
  const stepsOf = (of: typeof critiques) =>
    inSeatOrder(people, of).map(({ origin }) => ("step" in origin ? origin.step : ""));
  const inOrder = stepsOf(critiques);
  expect(inOrder.length).toBeGreaterThan(2);
  expect(stepsOf([...critiques].reverse())).toEqual(inOrder);
  expect(stepsOf([...critiques].sort((a, b) => (a.id < b.id ? 1 : -1)))).toEqual(inOrder);
});
