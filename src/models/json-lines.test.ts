import { describe, expect, it } from "vitest";
import { MAX_EVENT_LENGTH, jsonLines } from "./framing.ts";

/** What comes out of `text` when its bytes come in pieces of `size`. */
const linesOf = (text: string, size: number): string[] => {
  const out: string[] = [];
  const stream = jsonLines.open({ onData: (data) => out.push(data), onTooLong: () => out.push("too long") });
  const bytes = Buffer.from(text, "utf8");
  for (let from = 0; from < bytes.length; from += size) stream.feed(bytes.subarray(from, from + size));
  stream.end();
  return out;
};

describe("lines of JSON", () => {
  it.each([1, 2, 3, 5, 7, 64])("come out whole when their bytes come %i at a time", (size) => {
    const text = '{"a":"naïve 🦜"}\n\n{"b":1}\r\n \t\r\n\r\n{"c":"x\u2028y\u0085z"}\n{"d":';
    expect(linesOf(text, size)).toEqual(['{"a":"naïve 🦜"}', '{"b":1}', '{"c":"x\u2028y\u0085z"}', '{"d":']);
  });

  it("are none where nothing came", () => {
    expect(linesOf("", 1)).toEqual([]);
    expect(linesOf("\n\r\n \n", 1)).toEqual([]);
  });

  it.each([
    ["with its end in one piece", `ok\n${"x".repeat(MAX_EVENT_LENGTH + 1)}\nmore\n`, 2 ** 24],
    ["without its end", `ok\n${"x".repeat(MAX_EVENT_LENGTH + 1)}`, 2 ** 16],
    ["with its end much later", `ok\n${"x".repeat(MAX_EVENT_LENGTH + 2 ** 17)}\nmore\n`, 2 ** 16],
  ])("end with one that is too long, %s", (_, text, size) => {
    expect(linesOf(text, size)).toEqual(["ok", "too long"]);
  });

  it("may be as long as any event", () => {
    const longest = "x".repeat(MAX_EVENT_LENGTH);
    expect(linesOf(`${longest}\n${longest}`, 2 ** 20)).toEqual([longest, longest]);
  });

  it.each([
    ["{", "undecided"],
    ["{\r", "undecided"],
    ["{\n", "whole"],
    ["{\r\n  ", "whole"],
    ["[", "whole"],
    ["<html>", "whole"],
    ['{"model"', "stream"],
    ["{ ", "stream"],
    ["data: {}", "stream"],
  ])("that begin with %j are in the form %s", (begin, form) => {
    expect(jsonLines.formOf(begin)).toBe(form);
  });
});
