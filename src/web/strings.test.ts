import { expect, it } from "vitest";
import { wordFor } from "./strings.ts";

it("says a name that others choose by its word, and one that has none as it is", () => {
  const words = { open: "Open" };
  expect(["open", "closed", "constructor", "__proto__"].map((name) => wordFor(words, name))).toEqual([
    ...["Open", "closed", "constructor", "__proto__"],
  ]);
  expect(wordFor(words, "toString", "other")).toBe("other");
});
