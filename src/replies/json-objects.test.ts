import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonObjects } from "./json-objects.ts";

const texts = (text: string) => jsonObjects(text).map(({ start, end }) => text.slice(start, end));

describe("jsonObjects", () => {
  it("finds objects in prose, outermost only and in order", () => {
    expect(texts('first {"a": {"b": [1, -2.5e3, null]}} then {} and {"c": "}{"}.')).toEqual([
      '{"a": {"b": [1, -2.5e3, null]}}',
      "{}",
      '{"c": "}{"}',
    ]);
  });
  it("does not look into strings", () => {
    expect(texts('{"quoted": "{\\"a\\": 1}"}')).toEqual(['{"quoted": "{\\"a\\": 1}"}']);
  });
  it.each([
    "{a: 1}",
    '{"a": 01}',
    '{"a": 1,}',
    '{"a" 1}',
    '{"a": "\n"}',
    '{"a": "\\x"}',
    '{"a": [1}',
    "{'a': 1}",
  ])("finds none in %s", (text) => expect(texts(text)).toEqual([]));
  it.each([
    "{",
    '{"',
    '{"a": ',
    '{"a": [',
    '{"a": "b',
    "{ {",
    '{"x": "\\',
    "set {a, b} ",
    '{" quoted ',
    '{"a": "b", ',
  ])("finds the object behind the broken one %s", (broken) =>
    expect(texts(`${broken}\n{"real": 1} end`)).toContain('{"real": 1}'),
  );
  it("finds an object that opens inside what a broken one takes for a string", () => {
    expect(texts('{" quoted {"real": 1}')).toEqual(['{"real": 1}']);
  });
  it("finds every JSON object that JSON.stringify writes", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 0, max: 4 }),
        (value, indent) => {
          const json = JSON.stringify(value, null, indent);
          expect(texts(`before ${json} after`)).toEqual([json]);
        },
      ),
    );
  });
});
