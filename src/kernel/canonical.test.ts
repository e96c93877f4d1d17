import { describe, expect, it } from "vitest";
import { canonical } from "./canonical.ts";

// DESIGN section 3, point 4; RFC 8785.

describe("the canonical form", () => {
  it("is the one of RFC 8785, section 3.2.2", () => {
    const sample = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonical(sample)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("sorts members by UTF-16 code units (RFC 8785, section 3.2.3)", () => {
    const sample = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    // Read back, `JSON.parse` would put "1" first: the order is in the text.
    expect(
      canonical(sample)
        .match(/"[^"]*"(?=:)/g)
        ?.map((key) => JSON.parse(key) as unknown),
    ).toEqual(["\r", "1", "\u0080", "\u00f6", "\u20ac", "\ud83d\ude00", "\ufb33"]);
  });

  it.each([
    [0, "0"],
    [-0, "0"],
    [5e-324, "5e-324"],
    [-5e-324, "-5e-324"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [9007199254740992, "9007199254740992"],
    [295147905179352830000, "295147905179352830000"],
    [1e21, "1e+21"],
    [9.999999999999997e22, "9.999999999999997e+22"],
    [1e23, "1e+23"],
    [0.000001, "0.000001"],
    [1e-7, "1e-7"],
    [333333333.33333325, "333333333.33333325"],
    [Number("1424953923781206.25"), "1424953923781206.2"],
  ])("writes the number %d as ECMAScript does (RFC 8785, appendix B)", (number, text) => {
    expect(canonical(number)).toBe(text);
    expect(JSON.parse(canonical(number))).toBe(number === 0 ? 0 : number);
  });

  it("carries every string there and back, but for lone surrogates, which become U+FFFD", () => {
    for (const text of ["", "\0", "\u2028\u2029", "\ud83d\ude00", "\u007f", '"\\', "é", "e\u0301"]) {
      expect(JSON.parse(canonical(text))).toBe(text);
    }
    expect(canonical(["\ud800", "a\udc00b", "\ude00\ud83d"])).toBe('["\ufffd","a\ufffdb","\ufffd\ufffd"]');
    expect(canonical({ "\ud800": 1 })).toBe('{"\ufffd":1}');
    expect(() => canonical({ "\ud800": 1, "\udc00": 2 })).toThrow("two members");
  });

  it("leaves undefined members out, and knows `__proto__` as a name like any other", () => {
    expect(canonical({ b: undefined, a: 1 })).toBe('{"a":1}');
    expect(canonical(JSON.parse('{"__proto__":{"x":1},"a":2}'))).toBe('{"__proto__":{"x":1},"a":2}');
    expect(canonical(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });

  it.each([
    ["NaN", NaN],
    ["infinity", [-Infinity]],
    ["undefined", undefined],
    ["undefined in an array", [undefined]],
    // eslint-disable-next-line no-sparse-arrays -- the hole is what is tested
    ["a hole in an array", [1, , 2]],
    ["a function", { f: () => 1 }],
    ["a symbol", Symbol("s")],
    ["a bigint", 1n],
    ["a map", new Map([["a", 1]])],
    ["a set", { s: new Set() }],
    ["a date", new Date(0)],
    ["a boxed string", new String("s")],
    ["bytes", new Uint8Array(2)],
  ])("refuses %s", (_what, value) => {
    expect(() => canonical(value)).toThrow(TypeError);
  });
});
