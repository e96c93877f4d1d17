import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCut, excerpt } from "./passages.ts";

describe("excerptOf", () => {
  it.each([
    ["short enough", 12, "short enough"],
    ["  trimmed \n", 7, "trimmed"],
    ["First point. Second point. Third one", 30, "First point. Second point. …"],
    ["First point, a second point and a third", 30, "First point, a second point …"],
    ["one line\nanother line that goes on", 20, "one line\nanother …"],
    ["one line that is longer\nanother line", 30, "one line that is longer …"],
    ["costs 3.14 euros in all and some more", 20, "costs 3.14 euros …"],
    ["第一点很重要。第二点也很重要", 10, "第一点很重要。 …"],
    ["unbreakablewordthatgoeson", 10, "unbreaka …"],
    ["😀😀😀😀", 7, "😀😀 …"],
    ["\ud800 alone", 20, "\ufffd alone"],
    ["long enough", 3, "l …"],
    ["long enough", 2, "…"],
    ["long enough", 1, "…"],
    ["long enough", 0, ""],
    ["long enough", -1, ""],
    ["", 5, ""],
  ])("of %j in %i characters is %j", (text, maxLength, expected) => {
    expect(excerpt(text, maxLength)).toBe(expected);
  });

  it("is never longer than it may be, trimmed, well-formed, and the text's own beginning", () => {
    const units = fc.array(fc.constantFrom("a", ". ", " ", "\n", "。", "\ud83d", "\ude00", "😀"), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(units, fc.nat(90), (pieces, maxLength) => {
        const text = pieces.join("");
        const cut = excerpt(text, maxLength);
        expect(cut.length).toBeLessThanOrEqual(maxLength);
        expect(cut.trim()).toBe(cut);
        expect(cut.isWellFormed()).toBe(true);
        const whole = text.toWellFormed().trim();
        expect(whole.startsWith(whole.length <= maxLength ? cut : cut.slice(0, -1).trimEnd())).toBe(true);
      }),
    );
  });
});

describe("cutAt", () => {
  it("counts from where it begins, and goes no further than the text", () => {
    const text = "One sentence. Another one. A third";
    expect(findCut(text, 14, 14)).toBe(26);
    expect(findCut(text, 27, 100)).toBe(text.length);
  });

  it("leaves the first half alone", () => {
    expect(findCut("A. bcdefghijklmnop", 0, 10)).toBe(10);
  });
});
