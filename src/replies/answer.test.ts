import { describe, expect, it } from "vitest";
import { Answer, sameAnswer } from "./answer.ts";

const number = (value: string): Answer => ({ kind: "number", value });
const text = (value: string): Answer => ({ kind: "text", value });
const choice = (value: string): Answer => ({ kind: "choice", value });

/** What differs in a sign, a dot, a power, a bracket or a word that looks small. */
const DIFFERENT = [
  ["pi", "-pi"],
  ["(-1,2)", "(1,2)"],
  ["(1,2)", "(1,-2)"],
  ["(1,2)", "[1,2]"],
  ["2(x+1)", "2x+1"],
  ["3 pm", "3 am"],
  ["10 BC", "10 AD"],
  ["minus 5", "5"],
  ["-x", "x"],
  ["x - y", "x y"],
  ["-\\sqrt{3}", "\\sqrt{3}"],
  ["e^{-x}", "e^{x}"],
  ["infinity", "-infinity"],
  ["Python 3.1", "Python 31"],
  ["version 1.10", "version 11.0"],
  ["n!", "n"],
  ["5!", "5"],
  ["f'(x)", "f(x)"],
  ["x = 2*3", "x = 23"],
  ["x²", "x2"],
  ["A*", "A"],
  ["0.333...", "0.333"],
  ["Vitamin A", "Vitamin"],
  ["A + B", "B"],
  ["a x", "x"],
  ["(p or q) and r", "p or (q and r)"],
  ["2 dozen", "2"],
  ["5 degrees below zero", "5 degrees"],
  ["--5", "-5"],
] as const;

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
    [text("don't"), text("dont")],
    [text("**Paris** (France)."), text("paris france")],
    [text("(1,2)"), text("(1, 2)")],
    [text("3 p.m."), text("3 pm")],
    [text("−π"), text("-π")],
    [text("x²"), text("x^2")],
    [number("minus 5"), number("-5")],
    [text("negative five"), number("-5")],
    [number("3 kg"), number("3 mg")],
    [number("20 °C"), number("20 °F")],
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
    ...DIFFERENT.map(([a, b]): [Answer, Answer] => [text(a), text(b)]),
  ])("%o is not %o", (a, b) => {
    expect(sameAnswer(a, b)).toBe(false);
    expect(sameAnswer(b, a)).toBe(false);
  });
  it("has a closed schema", () => {
    expect(Answer.safeParse({ kind: "number", value: "1", more: 1 }).success).toBe(false);
  });
});
