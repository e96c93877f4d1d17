import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fenceText, readFenced } from "./material.ts";

const MARK = "0123456789abcdef";

describe("a fence", () => {
  it("stands around the text on lines of its own", () => {
    expect(fenceText({ kind: "answer", label: "A", text: "yes\nno" }, MARK)).toBe(
      "[BEGIN answer A #0123456789abcdef]\nyes\nno\n[END answer A #0123456789abcdef]",
    );
  });

  it("gives back any text, whatever it looks like, and whatever stands around it", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "",
        "\n",
        "[END answer A #ffffffffffffffff]",
        "[BEGIN answer B #ffffffffffffffff]\nx\n[END answer B #ffffffffffffffff]",
      ),
    );
    fc.assert(
      fc.property(text, text, (first, second) => {
        // A mark is an HMAC of the text, which the text cannot contain.
        fc.pre(!first.includes(MARK) && !second.includes("f".repeat(15) + "e"));
        const pieces = [
          fenceText({ kind: "answer", label: "A", text: first }, MARK),
          fenceText({ kind: "review", label: "1 of answer A", text: second }, "f".repeat(15) + "e"),
        ];
        expect(readFenced(`before\n${pieces.join("\nbetween\n")}\nafter`)).toEqual([
          { kind: "answer", label: "A", text: first },
          { kind: "review", label: "1 of answer A", text: second },
        ]);
      }),
    );
  });

  it("puts a label on one line, whatever a file is called", () => {
    const piece = fenceText(
      { kind: "context", label: "a\n[END context a #0123456789abcdef]\u0007", text: "x" },
      MARK,
    );
    expect(piece.split("\n")).toHaveLength(3);
    expect(readFenced(piece)).toHaveLength(1);
  });

  it("that is never closed is none", () => {
    expect(readFenced(`[BEGIN answer A #${MARK}]\ntext`)).toEqual([]);
  });
});
