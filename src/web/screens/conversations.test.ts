import { expect, it } from "vitest";
import type { ListedRun } from "../../contract/runs.ts";
import { conversationsOf } from "./conversations.ts";

const run = (id: string, series: string | null = null): ListedRun => ({
  ...{ id, series, protocol: "ask", question: id, openedAt: "2026-01-01T00:00:00Z" },
  ...{ status: "answered", seq: 1 },
});
const idsOf = (runs: readonly ListedRun[], isOne = false) =>
  conversationsOf(runs, { isOne }).map((turns) => turns.map(({ id }) => id));

it("puts the turns of a conversation together, with the run that it is named by", () => {
  const runs = [run("f", "a"), run("e"), run("d", "c"), run("c"), run("b", "a"), run("a"), run("x", "other")];
  expect(idsOf(runs)).toEqual([["f", "b", "a"], ["e"], ["d", "c"], ["x"]]);
});

it("lists the turns of one conversation apart", () => {
  expect(idsOf([run("b", "a"), run("a")], true)).toEqual([["b"], ["a"]]);
  expect(idsOf([])).toEqual([]);
});
