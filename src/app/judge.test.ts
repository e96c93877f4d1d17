import { expect, it } from "vitest";
import { recordedFirst } from "./judge.ts";

it("what a run has recorded comes first when another goes on from it, the rest in its order", () => {
  const items = ["item-1", "item-2", "item-3", "item-4"].map((name) => ({ name }));
  const ordered = recordedFirst(items, ["item-3", "item-4", "item-3"]);
  expect(ordered.map(({ name }) => name)).toEqual(["item-3", "item-4", "item-1", "item-2"]);
});
