import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutExcerpt } from "./file-read.ts";

describe("excerpt", () => {
  it("gives lines with their ends, and says how to read on", () => {
    const text = "one\ntwo\r\n\nfour";
    expect(cutExcerpt(text, { from: 1, most: 100 })).toEqual({
      from_line: 1,
      to_line: 4,
      total_lines: 4,
      text,
    });
    expect(cutExcerpt(text, { from: 2, lines: 2, most: 100 })).toEqual({
      from_line: 2,
      to_line: 3,
      total_lines: 4,
      text: "two\r\n\n",
      note: "lines 2 to 3 of 4 are shown; read on with from_line 4",
    });
    expect(cutExcerpt(text, { from: 4, lines: 9, most: 100 })).toEqual({
      from_line: 4,
      to_line: 4,
      total_lines: 4,
      text: "four",
    });
    expect(cutExcerpt(text, { from: 5, most: 100 })).toBeNull();
  });

  it("counts no line behind the last line feed, and none in an empty text", () => {
    expect(cutExcerpt("one\n", { from: 1, most: 4 })).toEqual({
      from_line: 1,
      to_line: 1,
      total_lines: 1,
      text: "one\n",
    });
    expect(cutExcerpt("one\n", { from: 2, most: 4 })).toBeNull();
    expect(cutExcerpt("", { from: 1, most: 4 })).toEqual({
      from_line: 1,
      to_line: 0,
      total_lines: 0,
      text: "",
    });
    expect(cutExcerpt("", { from: 2, most: 4 })).toBeNull();
  });

  it("cuts between lines, and within a line only where it does not fit alone", () => {
    expect(cutExcerpt("aa\nbb\ncc", { from: 1, most: 7 })).toEqual({
      from_line: 1,
      to_line: 2,
      total_lines: 3,
      text: "aa\nbb\n",
      note: "lines 1 to 2 of 3 are shown; read on with from_line 3",
    });
    expect(cutExcerpt("a\n123456\nb", { from: 2, most: 5 })).toEqual({
      from_line: 2,
      to_line: 2,
      total_lines: 3,
      text: "12345",
      note: "line 2 is cut: 5 of its 7 characters are shown; lines 2 to 2 of 3 are shown; read on with from_line 3",
    });
    expect(cutExcerpt("1234567", { from: 1, most: 5 })?.note).toBe(
      "line 1 is cut: 5 of its 7 characters are shown",
    );
    expect(cutExcerpt("1234\u{1F600}", { from: 1, most: 5 })?.text).toBe("1234");
  });

  it("gives the whole text to one who reads on, as long as no line is cut", () => {
    const line = fc.string({ maxLength: 20, unit: fc.constantFrom("a", "\r", " ", "\u{1F600}") });
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 41, max: 90 }), (lines, most) => {
        const text = lines.join("\n");
        let read = "";
        let from = 1;
        for (
          let part = cutExcerpt(text, { from, most });
          part !== null;
          part = cutExcerpt(text, { from, most })
        ) {
          read += part.text;
          expect(part.text.length).toBeLessThanOrEqual(most);
          from = Math.max(part.to_line, from) + 1;
        }
        expect(read).toBe(text);
      }),
    );
  });
});
