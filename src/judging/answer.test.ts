import { describe, expect, it } from "vitest";
import { Answer, sameAnswer } from "./answer.ts";

const number = (value: string): Answer => ({ kind: "number", value });
const text = (value: string): Answer => ({ kind: "text", value });
const choice = (value: string): Answer => ({ kind: "choice", value });

describe("sameAnswer", () => {
  it.each([
    [number("1,000"), number("1000")],
    [number("1000"), number("1e3")],
    [number("0.5"), number("1/2")],
    [number("$18"), number("18 dollars")],
    [number("18."), number("18")],
    [text("three"), number("3")],
    [text("The Nile"), text("nile.")],
    [text("Saint-Exupéry"), text("saint exupéry")],
    [text("U.S."), text("us")],
    [text("Ｐaris"), text("Paris")],
    [choice("b"), choice("B")],
  ])("%o is %o", (a, b) => {
    expect(sameAnswer(a, b)).toBe(true);
    expect(sameAnswer(b, a)).toBe(true);
  });
  it.each([
    [number("0.333"), number("1/3")],
    [number("12345678901234567890"), number("12345678901234567891")],
    [number("-5"), number("5")],
    [text("C++"), text("C")],
    [text("C#"), text("C")],
    [text("not Paris"), text("Paris")],
    [text("The"), text("A")],
    [choice("B"), text("B")],
    [choice("A"), choice("B")],
    [text("$5M"), number("5")],
  ])("%o is not %o", (a, b) => {
    expect(sameAnswer(a, b)).toBe(false);
    expect(sameAnswer(b, a)).toBe(false);
  });
  it("has a closed schema", () => {
    expect(Answer.safeParse({ kind: "number", value: "1", more: 1 }).success).toBe(false);
  });
});
