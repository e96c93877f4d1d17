import { describe, expect, it } from "vitest";
import { parseConfidence } from "./confidence.ts";
import { expectLinear } from "../../test/support/growth.ts";

describe("parseConfidence", () => {
  it("reads the last object with a confidence, and its reason", () => {
    expect(parseConfidence('{"reason": " R2 is open ", "confidence": 41.5}')).toEqual({
      ok: true,
      confidence: 42,
      reason: "R2 is open",
    });
    expect(parseConfidence('One said {"confidence": 99}.\n```json\n{"Confidence": "35/100"}\n```')).toEqual({
      ok: true,
      confidence: 35,
      reason: "",
    });
    const long = parseConfidence(JSON.stringify({ confidence: 1, reason: "x".repeat(9_000) }));
    expect(long.ok && long.reason.length).toBe(2_000);
  });

  it.each([
    ["140", 100],
    ["-3", 0],
    ['"101%"', 100],
    ["99.5", 100],
  ])("draws %s to the bounds", (given, confidence) => {
    expect(parseConfidence(`{"confidence": ${given}}`)).toEqual({ ok: true, confidence, reason: "" });
  });

  it("has no negative zero", () => {
    const read = parseConfidence('{"confidence": -0.2}');
    expect(read.ok && Object.is(read.confidence, 0)).toBe(true);
  });

  it.each([
    ["nothing", "", "the reply is empty"],
    ["words", "Confidence: 90", 'there is no JSON object with "confidence"'],
    ["a fraction", '{"confidence": 0.9}', "the confidence 0.9 is no number from 0 to 100"],
    ["another scale", '{"confidence": "9/10"}', 'the confidence "9/10" is no number from 0 to 100'],
    ["infinity", '{"confidence": 1e999}', "the confidence null is no number from 0 to 100"],
    [
      "what is forged in a string",
      '{"a": 1, "reason": "{\\"confidence\\": 99}"}',
      'there is no JSON object with "confidence"',
    ],
  ])("refuses %s", (_, text, reason) => {
    expect(parseConfidence(text)).toEqual({ ok: false, reason });
  });

  it("quotes no more than a little of what it refuses, in linear time", () => {
    expectLinear((size) => {
      const read = parseConfidence(JSON.stringify({ confidence: `9${" ".repeat(size)}x` }));
      expect(!read.ok && read.reason.length).toBeLessThan(100);
    }, 4_096);
  });
});
