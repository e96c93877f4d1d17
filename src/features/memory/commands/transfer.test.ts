import { expect, it } from "vitest";
import { boundedLines } from "./memory.ts";

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) yield await Promise.resolve(text);
}

async function linesOf(texts: readonly string[], longest = 8): Promise<string[]> {
  const lines = [];
  for await (const line of boundedLines(pieces(...texts), longest)) lines.push(line);
  return lines;
}

it("are the same however the text is cut into pieces", async () => {
  const lines = ["one", "", "two", "end"];
  const text = "one\n\ntwo\r\nend";
  expect(await linesOf([text])).toEqual(lines);
  expect(await linesOf([...text])).toEqual(lines);
  expect(await linesOf(["o", "ne\n\ntw", "o\r", "\nen", "d\n"])).toEqual(lines);
  expect(await linesOf([])).toEqual([]);
});

it("are cut one character beyond the longest, so that none is held whole, and the next is not lost", async () => {
  expect(await linesOf(["12345678\nx"])).toEqual(["12345678", "x"]);
  const long = await linesOf(["12345", "67890", "1".repeat(1_000), "\nx\n"]);
  expect(long).toEqual(["123456789", "x"]);
});

it.each([
  [["\uFEFFone\ntwo"], ["one", "two"]],
  [["\uFEFF", "one\n"], ["one"]],
  [["", "\uFEFFone"], ["one"]],
  [["\uFEFF"], []],
  [["\uFEFF\uFEFFa"], ["\uFEFFa"]],
  [["one\n\uFEFFtwo"], ["one", "\uFEFFtwo"]],
  [
    ["one\n", "\uFEFFtwo"],
    ["one", "\uFEFFtwo"],
  ],
])("are without a byte order mark at the very beginning: %j", async (texts, lines) => {
  expect(await linesOf(texts)).toEqual(lines);
});
