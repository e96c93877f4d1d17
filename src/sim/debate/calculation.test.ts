import { describe, expect, it } from "vitest";
import { findCalculations, isAsked } from "./checks.ts";
import { expectLinearReading } from "../../../test/support/growth.ts";

const one = (text: string) => findCalculations(text)[0];

describe("a calculation that a text writes out", () => {
  it.each([
    [
      "Working it out: 17 * 23 = 391.",
      { written: "17 * 23 = 391", left: "17 * 23", value: "391", holds: true },
    ],
    ["So 17 × 23 = 381, I think", { written: "17 * 23 = 381", left: "17 * 23", value: "391", holds: false }],
    [
      "In 2024. 5 * 1,000 = 5,000 requests",
      { written: "5 * 1,000 = 5,000", left: "5 * 1,000", value: "5000", holds: true },
    ],
    ["(2 + 3) * 4 = -20", { written: "(2 + 3) * 4 = -20", left: "(2 + 3) * 4", value: "20", holds: false }],
    ["10 / 3 = 3.33", { written: "10 / 3 = 3.33", left: "10 / 3", value: "10/3", holds: true }],
    ["10 / 3 = 3.4", { written: "10 / 3 = 3.4", left: "10 / 3", value: "10/3", holds: false }],
  ])("is done again: %s", (text, expected) => {
    expect(findCalculations(text)).toEqual([expected]);
  });

  it.each([
    "x = 5",
    "5 = 5",
    "2 + 2 == 5",
    "5 != 3",
    "2 * 3 = 6%",
    "2 * 3 = 5k",
    "2 * 3 = 3 * 2",
    "1 / 0 = 7",
    "=",
  ])("is none that could be judged: %s", (text) => {
    expect(findCalculations(text)).toEqual([]);
  });

  it("is looked for in linear time, and not for ever", () => {
    const find = (text: string) => expect(findCalculations(text).length).toBeLessThanOrEqual(20);
    expectLinearReading(find, ["=", "1+", "9 * 9 = 81. "]);
    expectLinearReading((text) => find(`${text}=1`), ["("]);
    expect(findCalculations("9 * 9 = 81. ".repeat(100)).length).toBe(20);
  });

  it.each([
    ["What is 17 * 23?", true],
    ["What is 17×23.", true],
    ["What is 17 * 23 + 4?", false],
    ["What is 2 - 17 * 23?", false],
    ["What is 117 * 23?", false],
    ["What is 17 * 23.5?", false],
    ["What is 7 * 11?", false],
    ["", false],
  ])("is what a question asks for, all of it: %s", (question, asked) => {
    const calculation = one("17 * 23 = 391");
    expect(calculation && isAsked(calculation, question)).toBe(asked);
  });
});
