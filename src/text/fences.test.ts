import { describe, expect, it } from "vitest";
import { fencedBlocks, splitLines } from "./fences.ts";

const contents = (text: string) =>
  fencedBlocks(text).map((block) => [
    block.language,
    text.slice(block.contentStart, block.contentEnd).trim(),
    block.closed,
  ]);

describe("fencedBlocks", () => {
  it("reads language and content, with LF and CR LF", () => {
    for (const end of ["\n", "\r\n"])
      expect(contents(["a", "```JSON title", "1", "```", "~~~", "2", "~~~", "b"].join(end))).toEqual([
        ["json", "1", true],
        ["", "2", true],
      ]);
  });
  it("takes a block in a longer fence as that fence's content", () => {
    expect(contents("````md\n```json\n1\n```\n````\n```json\n2\n```")).toEqual([
      ["md", "```json\n1\n```", true],
      ["json", "2", true],
    ]);
  });
  it.each(["```python\ncode", "````\nquote", "~~~~~~"])("is not swallowed by the unclosed %j", (unclosed) => {
    expect(contents(`${unclosed}\n\n\`\`\`json\n1\n\`\`\``)).toContainEqual(["json", "1", true]);
  });
  it("ends an unclosed block with the text", () => {
    expect(contents("x\n```json\n{")).toEqual([["json", "{", false]]);
    expect(contents("x\n```json")).toEqual([["json", "", false]]);
  });
  it("gives places that cut the block out whole", () => {
    const text = "a\n```json\n1\n```\nb";
    const [block] = fencedBlocks(text);
    expect(text.slice(block?.start, block?.end)).toBe("```json\n1\n```");
  });
});

describe("linesOf", () => {
  it("splits at LF, CR LF and CR and says where each line starts", () => {
    expect(splitLines("a\r\nb\nc\rd")).toEqual([
      { text: "a", at: 0 },
      { text: "b", at: 3 },
      { text: "c", at: 5 },
      { text: "d", at: 7 },
    ]);
  });
});
