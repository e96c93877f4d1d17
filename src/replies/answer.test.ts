import { describe, expect, it } from "vitest";
import { writeAnswer } from "../text/format.ts";
import { Answer, answerKeys, sameAnswer } from "./answer.ts";

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
  ["x^{2y}", "x^2y"],
  ["2^{1}0", "2^{10}"],
  ["\\frac{1}{2x}", "\\frac{1}{2}x"],
  ["\\sqrt{2}x", "\\sqrt{2x}"],
  ["\\sqrt[3]{2}", "\\sqrt{2}"],
  ["2\\pi", "\\pi^2"],
  ["\\pi", "\\phi"],
  ["2 1/2", "21/2"],
  ["2 1/2", "1"],
  ["2 and 1/2 of 3", "2 1/2"],
  ["-2^2", "4"],
  ["2^-1", "2"],
  ["10^3", "10*3"],
  ["one twenty", "120"],
  ["twenty one hundred", "121"],
  ["five hundred", "5"],
  ["a third", "3"],
  ["three quarters", "3"],
  ["one hundred", "100 percentiles of 5"],
  ["July 4, 1776", "July 4, 1777"],
  ["July 4, 1776", "July 5, 1776"],
  ["July 4", "July 4, 1776"],
  ["04/07/1776", "4 July 1776"],
  ["May 12", "12"],
  ["{1, 2}", "(1, 2)"],
  ["{1, 2}", "{12}"],
  ["{1, 2}", "{1, 2, 3}"],
  ["1 2", "12"],
  ["x < 3", "x <= 3"],
  ["n_1", "n1"],
  // case of symbols and formulas
  ["O(n)", "o(n)"],
  ["\\Theta(n)", "\\theta(n)"],
  ["Π", "π"],
  ["\\Omega", "\\omega"],
  ["Co", "CO"],
  ["mW", "MW"],
  ["NaCl", "NACl"],
  ["v", "V"],
  ["x_1", "X_1"],
  ["ℝ", "R"],
  ["{1,2,2}", "{1,1,2}"],
  ["3:30 PM", "3:30"],
  ["x ∈ A", "x ∉ A"],
  // units
  ["3 kg", "3 mg"],
  ["20 °C", "20 °F"],
  ["5 km", "5 m"],
  ["5‰", "5%"],
  ["50%", "0.5"],
  ["7 wins", "7 losses"],
  ["$5", "€5"],
  ["A$5", "$5"],
  ["$18", "$18 per day"],
  ["5 m", "5 m^2"],
  ["9.81 m/s", "9.81 m/s²"],
  ["5 mW", "5 MW"],
  ["5 kWh", "5 kW"],
  ["5 Kb", "5 KB"],
  ["5 minutes", "5 m"],
  ["5 cents", "5 dollars"],
  ["twenty-one km", "21 miles"],
] as const;

describe("sameAnswer", () => {
  it.each<[Answer, Answer]>([
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
    // one unit in several spellings, and exact multiples
    ...(
      [
        ["42 km", "42"],
        ["$42", "42"],
        ["50%", "50"],
        ["5 km", "5000 m"],
        ["5‰", "0.5%"],
        ["$5", "US$5"],
        ["C$5", "5 CAD"],
        ["60 km/h", "60 kilometers per hour"],
        ["36 km/h", "10 m/s"],
        ["18 dollars a day", "$18 per day"],
        ["$18/day", "18 dollars per day"],
        ["5 square meters", "5 m²"],
        ["1 m^2", "10000 cm^2"],
        ["20 degrees Celsius", "20 °C"],
        ["10^{\\circ}C", "10 °C"],
        ["30\\%", "30 percent"],
        ["5\\,\\mathrm{m/s}", "5 m/s"],
        ["90 degrees", "90°"],
        ["2 1/2 cups", "2.5 cups"],
        ["twenty-one km", "21 km"],
        ["5 years", "60 months"],
        ["1 mile", "5280 ft"],
        ["18 eggs in total", "18 eggs"],
        ["5 people", "5 persons"],
      ] as const
    ).map(([one, other]): [Answer, Answer] => [text(one), text(other)]),
    // LaTeX without braces, and other fractions
    ...["\\frac12", "\\frac{1}{2}", "\\frac1{2}", "\\dfrac{1}2", "½", "one half", "0.5"].map(
      (one): [Answer, Answer] => [text(one), number("1/2")],
    ),
    [text("\\frac{\\pi}{4}"), text("π/4")],
    [text("\\frac{2\\pi}{3}"), text("2π/3")],
    [text("\\frac ab"), text("a/b")],
    [text("\\frac{x+1}{2}"), text("(x + 1)/2")],
    // mixed numbers
    ...["2 1/2", "2\\frac{1}{2}", "2½", "2 \\frac12", "two and a half"].map((one): [Answer, Answer] => [
      text(one),
      number("2.5"),
    ]),
    [text("-1 3/4"), number("-7/4")],
    // powers
    ...["2^{10}", "2^10", "2¹⁰", "2^{ 10 }", "1024"].map(
      (one): [Answer, Answer] => [text(one), text("2^(10)")] as [Answer, Answer],
    ),
    [text("10^{-3}"), number("0.001")],
    [text("x^{2}+1"), text("x^2 + 1")],
    [text("e^{-x}"), text("e^(-x)")],
    // roots
    ...["\\sqrt{3}", "\\sqrt3", "√3", "√(3)", "sqrt 3", "the square root of 3"].map(
      (one): [Answer, Answer] => [text(one), text("sqrt(3)")],
    ),
    ...["2\\sqrt{3}", "2√3", "2 \\sqrt 3", "2*sqrt(3)"].map((one): [Answer, Answer] => [
      text(one),
      text("2 \\cdot \\sqrt{3}"),
    ]),
    [text("\\sqrt{16}"), number("4")],
    // Greek letters
    ...["\\pi", "π", "Pi"].map((one): [Answer, Answer] => [text(one), text("pi")]),
    [text("2\\pi r"), text("2πr")],
    [text("\\lambda"), text("λ")],
    [text("\\theta = \\pi"), text("θ=π")],
    [text("\\infty"), text("infinity")],
    // sets
    ...["{1,2,3}", "{ 1, 2, 3 }", "{1 , 2 ,3}", "\\{1, 2, 3\\}", "\\left\\{ 1,2,3 \\right\\}"].map(
      (one): [Answer, Answer] => [text(one), text("{1, 2, 3}")],
    ),
    [text("( 1,2 ]"), text("(1, 2]")],
    [text("{ red , green }"), text("{red, green}")],
    // dates
    ...[
      "4 July 1776",
      "4th of July, 1776",
      "July 4th, 1776",
      "Thursday, July 4, 1776",
      "1776-07-04",
      "Jul 4, 1776",
      "the 4th of July 1776",
    ].map((one): [Answer, Answer] => [text(one), text("July 4, 1776")]),
    [text("May 12"), text("12 May")],
    // number words
    ...["twenty-one", "twenty one", "Twenty-One"].map((one): [Answer, Answer] => [text(one), number("21")]),
    [text("one hundred and five"), number("105")],
    [text("two thousand three hundred"), number("2300")],
    [text("three hundred thousand"), number("300000")],
    [text("minus forty"), number("-40")],
    [text("three quarters"), number("3/4")],
    // brackets, signs, indices and times
    ...(
      [
        ["\\left(\\frac12\\right)", "1/2"],
        ["\\frac{\\sqrt3}{2}", "√3/2"],
        ["\\sqrt 2", "\\sqrt{2}"],
        ["x\\le 3", "x ≤ 3"],
        ["x_1=2", "x₁ = 2"],
        ["H_2O", "H₂O"],
        ["\\mathbb{R}", "ℝ"],
        ["\\mathbb Z", "ℤ"],
        ["x \\in [0,1]", "x ∈ [0, 1]"],
        ["A \\cup B", "A ∪ B"],
        ["\\emptyset", "∅"],
        ["\\{\\}", "\\varnothing"],
        ["\\{3,2,1\\}", "{1,2,3}"],
        ["2**10", "1024"],
        ["3:30 PM", "15:30"],
        ["3 p.m.", "3:00 pm"],
        ["12:05 am", "00:05"],
        ["\\Sigma", "Σ"],
        ["NO", "no"],
        ["Vitamin C", "vitamin c"],
        ["PARIS", "Paris"],
        ["JavaScript", "Javascript"],
      ] as const
    ).map(([one, other]): [Answer, Answer] => [text(one), text(other)]),
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
  it.each([
    [
      ["42", "42 km", "5 km"],
      [0, 0, 2],
    ],
    [
      ["42", "42 km", "42 m"],
      [0, 1, 2],
    ],
    [
      ["42", "42 km", "7 miles"],
      [0, 1, 2],
    ],
    [
      ["42", "0.042 km", "42 m"],
      [0, 1, 1],
    ],
    [
      ["$42", "42", "42 dollars"],
      [0, 0, 0],
    ],
  ] as const)("groups %j as %j", (panel, groups) => {
    const keys = answerKeys(panel.map(text));
    expect(keys.map((key) => keys.indexOf(key))).toEqual(groups);
  });
  it.each([
    ["$", "-5", "-$5"],
    ["$ per day", "18", "$18 per day"],
    ["%", "50", "50%"],
    ["km", "5", "5 km"],
    ["", "5", "5"],
  ])("writes an answer with its unit: %s", (unit, value, written) => {
    expect(writeAnswer({ kind: "number", value, ...(unit !== "" && { unit }) })).toBe(written);
  });
  it("has a closed schema", () => {
    expect(Answer.safeParse({ kind: "number", value: "1", more: 1 }).success).toBe(false);
  });
});
