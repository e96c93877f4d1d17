import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRubricText } from "./rubrics.ts";

const TEXT = "[Is it kind?]\nScore 1: no\nScore 2: hardly\nScore 3: in part\nScore 4: mostly\nScore 5: yes\n";
const anchors = { 1: "no", 2: "hardly", 3: "in part", 4: "mostly", 5: "yes" };

describe("a rubric as a block of text", () => {
  it("has its criteria in brackets and an anchor for each score", () => {
    expect(parseRubricText(TEXT, "mine")).toEqual({
      ok: true,
      rubric: { name: "mine", criteria: "Is it kind?", anchors },
    });
  });

  it("may be indented, in another order, with empty lines, other line ends and lines that go on", () => {
    const lines = TEXT.trimEnd().split("\n");
    const turned = [lines[0], ...lines.slice(1).toReversed()].map((line) => `  ${line}`).join("\r\n\r\n");
    expect(parseRubricText(turned, "mine")).toEqual(parseRubricText(TEXT, "mine"));
    const wrapped = TEXT.replace("Is it kind", "Is it\nkind").replace("in part", "in\n  part");
    expect(parseRubricText(wrapped, "mine")).toEqual(parseRubricText(TEXT, "mine"));
  });

  it.each([
    [TEXT.replace("[Is it kind?]\n", ""), "it does not begin with its criteria in brackets: […]"],
    [TEXT.replace("kind?]", "kind?"), "it does not begin with its criteria in brackets: […]"],
    [TEXT.replace("Score 3: in part\n", ""), 'it has no line "Score 3: …"'],
    [`${TEXT}Score 6: more`, 'it has a line "Score 6: …", and grades go from 1 to 5'],
    [TEXT.replace("Score 2", "Score 1"), 'it has two lines "Score 1: …"'],
    [TEXT.replace("hardly", ""), "anchors.2 is not valid: nothing is written here"],
    [TEXT.replace("[Is it kind?]", "[]"), "criteria is not valid: nothing is written here"],
    [TEXT.replace("hardly", "x".repeat(2_001)), "anchors.2 is not valid: more than 2,000 characters"],
    ["", "it does not begin with its criteria in brackets: […]"],
  ])("is refused where something is missing or too much: %#", (text, reason) => {
    expect(parseRubricText(text, "mine")).toEqual({ ok: false, reason });
  });

  it("is read or refused, whatever it is", () => {
    const piece = fc.constantFrom(
      "[",
      "]",
      "[a]",
      "Score 1: b",
      "Score 5:",
      "Score",
      "\n",
      "x",
      "\u0000",
      "6",
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const read = parseRubricText(pieces.join(""), "mine");
        expect(read.ok || read.reason !== "").toBe(true);
      }),
    );
  });
});
