import { describe, expect, it } from "vitest";
import { printable } from "../../../reports/printable.ts";
import { liveText } from "./answer-view.ts";

const written = (pieces: readonly string[]): string => {
  const live = liveText();
  return pieces.map((piece) => live.add(piece)).join("") + live.end();
};

describe("live text", () => {
  const hostile =
    "plain \u001b[31mred\u001b[0m, \u001b]0;title\u0007 a \ud83d\ude00 b\r\nc \u009b2J d \u001b]8;;http://x\u001b\\link e";

  it("writes the same whatever the pieces, and what `printable` makes of the whole", () => {
    for (let size = 1; size <= hostile.length; size += 1) {
      const pieces = Array.from({ length: Math.ceil(hostile.length / size) }, (_, index) =>
        hostile.slice(index * size, (index + 1) * size),
      );
      expect(written(pieces), `pieces of ${size}`).toBe(printable(hostile));
    }
  });

  it("writes plain text as it comes", () => {
    const live = liveText();
    expect([live.add("It "), live.add("is "), live.add("391.")]).toEqual(["It ", "is ", "391."]);
  });

  it("does not wait for ever for the end of a sequence that has none", () => {
    const live = liveText();
    expect(live.add(`\u001b]0;${"x".repeat(300)}`)).not.toContain("\u001b");
    expect(live.add("after")).toBe("after");
  });
});
