import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine, printable } from "./printable.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

describe("printable", () => {
  it.each([
    ["colors", "\u001b[31mred\u001b[0m", "red"],
    ["a cursor move and a cleared screen", "a\u001b[2J\u001b[1;1Hb", "ab"],
    ["a title set by OSC", "a\u001b]0;owned\u0007b", "ab"],
    ["a link by OSC 8", "\u001b]8;;http://evil.test\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["a device control string", "a\u001bPq#0;2\u001b\\b", "ab"],
    ["eight-bit introducers", "a\u009b31mb\u009d0;t\u009cc", "abc"],
    ["an unfinished sequence", "a\u001b[31", "a31"],
    ["a sequence within a sequence", "\u001b\u001b[31m[31mx", "[31mx"],
    ["lone controls", "a\u0000b\u0008c\u007fd\u0085e", "abcde"],
    ["overrides of direction", "a\u202eb\u2066c", "abc"],
    ["carriage returns", "over\rwritten\r\nline", "over\nwritten\nline"],
    ["a lone surrogate", "a\ud800b", "a\ufffdb"],
  ])("removes %s", (_, hostile, clean) => {
    expect(printable(hostile)).toBe(clean);
  });

  it("keeps newlines, tabs, emoji and combining marks", () => {
    const text = "a\tb\n👩‍👩‍👧 e\u0301 日本";
    expect(printable(text)).toBe(text);
  });

  it("leaves no control character, whatever comes in", () => {
    const piece = fc.constantFrom(
      "\u001b",
      "[",
      "]",
      "\u009b",
      "\u009d",
      "\u0007",
      "\r",
      "3",
      ";",
      "m",
      "\\",
      "x",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ unit: "binary" }))), (pieces) => {
        expect(printable(pieces.join(""))).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
    );
  });

  it("takes linear time on much of one sequence", () => {
    expectLinearReading(printable, ["\u001b]", "\u009d", "\u009b0", "\u001b[0;"]);
  });
});

describe("oneLine", () => {
  it("is one line, cut with an ellipsis", () => {
    expect(oneLine(" a\n\n b\tc ")).toBe("a b c");
    expect(oneLine("x".repeat(500), 10)).toBe(`${"x".repeat(9)}…`);
    expect(oneLine("x".repeat(10), 10)).toBe("x".repeat(10));
  });

  it("does not cut through a surrogate pair", () => {
    expect(oneLine("😀".repeat(10), 4).isWellFormed()).toBe(true);
  });
});
