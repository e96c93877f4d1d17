import { expect, it } from "vitest";
import { createRecent } from "./recent.ts";

it("lets go of the key whose last use is longest ago", () => {
  const recent = createRecent<string, number>(2);
  recent.set("a", 1);
  recent.set("b", 2);
  expect(recent.get("a")).toBe(1);
  recent.set("c", 3);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([1, undefined, 3]);
  recent.set("a", 4);
  expect([recent.get("c"), recent.get("a")]).toEqual([3, 4]);
});
