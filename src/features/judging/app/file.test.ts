import { describe, expect, it } from "vitest";
import { readLabeledFile } from "./tasks.ts";
import { refusalOf, scratch } from "../../../../test/support/scratch.ts";

const pair = { question: "Why?", a: "one", b: "two", label: "A" };
const single = { question: "Why?", answer: "one", label: 4 };
const lines = (...rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

describe("a file of labelled items", () => {
  it("has pairs, one a line; blank lines and a byte order mark do not count", () => {
    using place = scratch({
      "project/pairs.jsonl": `\ufeff${lines(pair)}\r\n\n${lines({ ...pair, models: { a: "openai/gpt-5", b: "meta" } })}`,
    });
    expect(readLabeledFile("pairs.jsonl", place)).toEqual({
      kind: "preference",
      rows: [pair, { ...pair, models: { a: "openai/gpt-5", b: "meta" } }],
    });
  });

  it("has single answers with a grade", () => {
    using place = scratch({
      "project/grades.jsonl": lines(single, { ...single, reference: "r", model: "m" }),
    });
    expect(readLabeledFile("grades.jsonl", place)).toMatchObject({
      kind: "grade",
      rows: [single, { model: "m" }],
    });
  });

  it.each(["array", "object"])("is read as LLMBar writes it: %s", (form) => {
    const items = [{ input: "Why?", output_1: "one", output_2: "two", label: 2 }];
    using place = scratch({
      "project/bar.json": JSON.stringify(
        form === "array" ? items : { "LLMBar/Natural": items },
        undefined,
        1,
      ),
    });
    expect(readLabeledFile("bar.json", place)).toEqual({
      kind: "preference",
      rows: [{ ...pair, label: "B" }],
    });
  });

  it.each([
    ["", "bad.jsonl has no items; a line is"],
    ["[]", "bad.jsonl has no items"],
    ["\n\n", "bad.jsonl has no items"],
    [`${lines(pair)}{"question": "Why?"\n`, "bad.jsonl:2: this is no JSON object"],
    [`${lines(pair)}\n"text"\n`, "bad.jsonl:3: this is no JSON object"],
    [
      lines(pair, { ...pair, lable: "A", label: undefined }),
      'bad.jsonl:2: unknown key "lable"; did you mean label?',
    ],
    [lines({ ...pair, label: undefined }), "bad.jsonl:1: label is missing"],
    [lines({ ...pair, label: 1 }), "bad.jsonl:1: label must be A, B or tie (got 1)"],
    [lines({ ...single, label: 6 }), "bad.jsonl:1: label must be at most 5 (got 6)"],
    [lines({ ...single, label: 4.5 }), "bad.jsonl:1: label must be an integer (got 4.5)"],
    [lines({ ...pair, question: "" }), "bad.jsonl:1: question must not be empty"],
    [lines({ ...pair, models: { a: "x" } }), "bad.jsonl:1: models.b is missing"],
    [lines(pair, single), "bad.jsonl:2: a single answer among pairs; put them into a file of their own"],
    [lines(single, pair), "bad.jsonl:2: a pair among single answers"],
    [
      JSON.stringify([{ input: "q", output_1: "1", output_2: "2", label: 3 }]),
      "bad.jsonl, item 1: label is not valid",
    ],
    [
      lines(...Array.from({ length: 5_001 }, () => pair)),
      "bad.jsonl has 5001 items, more than 5000; split it",
    ],
  ])("is refused with the line and the reason: %#", async (text, message) => {
    using place = scratch({ "project/bad.jsonl": text });
    expect(await refusalOf(() => readLabeledFile("bad.jsonl", place), place)).toContain(message);
  });
});
