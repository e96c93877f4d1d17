import { describe, expect, it } from "vitest";
import { splitSentences } from "./sentences.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

describe("sentencesOf", () => {
  it("ends a sentence at a stop before a space, with the quotes and brackets that close it", () => {
    expect(splitSentences('It works. "Really?" Yes! (So they say.) **Use it.** Wait… Then go')).toEqual([
      "It works.",
      '"Really?"',
      "Yes!",
      "(So they say.)",
      "**Use it.**",
      "Wait…",
      "Then go",
    ]);
  });
  it.each([
    "Version 3.5 costs $1.20 at example.com.",
    "Caches, e.g. Redis, help.",
    "Compare Dr. Smith vs. Mr. Jones, cf. Fig. 3 (i.e. The Plot).",
    "It stores keys, values etc. and more.",
  ])("leaves %j whole", (sentence) => {
    expect(splitSentences(sentence)).toEqual([sentence]);
  });
  it("joins the lines of a paragraph, and ends it at a blank line", () => {
    expect(splitSentences("One goes\non here. Two\n\nstarts.\r\nThree")).toEqual([
      "One goes on here.",
      "Two",
      "starts.",
      "Three",
    ]);
  });
  it("begins anew with each list item, quotation and table row, without its mark", () => {
    const text = [
      "Reasons:",
      "- cheap",
      "  and fast",
      "* [x] simple. Very.",
      "1. first",
      "2) second",
      "(a) third",
      "> quoted and",
      "> on",
      "",
      "| name | cost |",
      "|------|-----:|",
      "| a | 3 |",
    ].join("\n");
    expect(splitSentences(text)).toEqual([
      "Reasons:",
      "cheap and fast",
      "simple.",
      "Very.",
      "first",
      "second",
      "third quoted and on",
      "name | cost |",
      "a | 3 |",
    ]);
  });
  it("passes over headings and rules", () => {
    expect(splitSentences("# Title\nText\n## Next\n***\nMore\n===\n")).toEqual(["Text", "More"]);
  });
  it("takes each line of a code block as it is, and goes on behind it", () => {
    expect(splitSentences("Run this:\n```ts\n# const a = 1. Then\n\n- b\n```\nDone. Good.")).toEqual([
      "Run this:",
      "# const a = 1. Then",
      "- b",
      "Done.",
      "Good.",
    ]);
  });
  it("ends sentences of scripts without spaces", () => {
    expect(splitSentences("今日は。元気？はい")).toEqual(["今日は。", "元気？", "はい"]);
  });
  it("cuts what never ends, at a space where there is one", () => {
    const pieces = splitSentences("word ".repeat(400));
    expect(pieces.every((piece) => piece.length <= 600 && /^(?:word ?)+$/.test(piece))).toBe(true);
    expect(pieces.join(" ")).toBe("word ".repeat(400).trim());
    expect(splitSentences("x".repeat(1_500)).map((piece) => piece.length)).toEqual([600, 600, 300]);
  });
  it("finds nothing in nothing", () => {
    expect(splitSentences("")).toEqual([]);
    expect(splitSentences(" \n\n---\n")).toEqual([]);
  });
  it("takes linear time on much of one thing", () => {
    const pieces = [
      ...[
        ".",
        "!?",
        "(",
        ">",
        "> ",
        "- ",
        "1. ",
        "#",
        "`",
        "```\n",
        "*",
        " ",
        "\n",
        "e.g.",
        "。",
        "|",
        "a. ",
      ],
    ];
    expectLinearReading((text) => splitSentences(text), pieces);
    expectLinearReading((text) => splitSentences(`${"x".repeat(10)}${text}x`), pieces);
  });
});
