import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutTo, padTo, tailOf, widthOf, wrap } from "./text-width.ts";

const WIDE = "日本語のテキスト";
const FAMILY = "👨‍👩‍👧";

describe("the width of a text", () => {
  it("counts two cells for wide characters and emoji, none for combining marks", () => {
    expect([widthOf("abc"), widthOf("日本"), widthOf(FAMILY), widthOf("e\u0301")]).toEqual([3, 4, 2, 1]);
  });

  it("cuts between characters, at the end or at the beginning", () => {
    expect(cutTo("abcdef", 4)).toBe("abc…");
    expect(cutTo(WIDE, 6)).toBe("日本…");
    expect(cutTo(`${FAMILY}${FAMILY}`, 3)).toBe(`${FAMILY}…`);
    expect(cutTo("abc", 3)).toBe("abc");
    expect(tailOf("abcdef", 4)).toBe("…def");
    expect(tailOf(WIDE, 6)).toBe("…スト");
    expect(tailOf(`a${FAMILY}`, 3)).toBe(`a${FAMILY}`);
    expect(padTo("日", 4)).toBe("日  ");
  });

  it("never gives more cells than asked for", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 40 }), (line, width) => {
        expect(widthOf(cutTo(line, width))).toBeLessThanOrEqual(width);
        expect(widthOf(tailOf(line, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("wraps words, breaks those that are too long, keeps newlines and loses nothing", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
    expect(wrap("one\ntwo", 20)).toEqual(["one", "two"]);
    expect(wrap("abcdefghij k", 4)).toEqual(["abcd", "efgh", "ij k"]);
    expect(wrap(WIDE, 5)).toEqual(["日本", "語の", "テキ", "スト"]);
  });
});
