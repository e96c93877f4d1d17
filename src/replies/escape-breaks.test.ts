import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeBreaks } from "./json-objects.ts";

describe("escapeBreaks", () => {
  it("escapes breaks and tabs in strings, and nowhere else", () => {
    expect(escapeBreaks('So\n"it":\n{\n\t"a": "one\r\n\ttwo",\n"b": 1}\n')).toBe(
      'So\n"it":\n{\n\t"a": "one\\r\\n\\ttwo",\n"b": 1}\n',
    );
  });

  it("is not led astray by escaped quotation marks and backslashes", () => {
    expect(JSON.parse(escapeBreaks('{"a": "x \\"\n\\\\", "b":\n"y"}'))).toEqual({ a: 'x "\n\\', b: "y" });
  });

  it.each(["", "no JSON\n", '{"a": "\\'])("leaves %j as it is", (text) => {
    expect(escapeBreaks(text)).toBe(text);
  });

  it("changes no JSON", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 0, max: 2 }),
        (value, indent) => {
          const json = JSON.stringify(value, null, indent);
          expect(escapeBreaks(`Here:\n${json}\n`)).toBe(`Here:\n${json}\n`);
        },
      ),
    );
  });
});
