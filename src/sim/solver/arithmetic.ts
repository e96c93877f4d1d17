import { evaluate, hasOperator, write } from "./expression.ts";
import type { WorkedSolution, Solver } from "./solution.ts";

const formatNumber = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    .split(" ")
    .map((word, value) => [word, String(value)]),
);
"thirty forty fifty sixty seventy eighty ninety"
  .split(" ")
  .forEach((word, index) => formatNumber.set(word, String(30 + 10 * index)));
formatNumber.set("hundred", "100").set("thousand", "1000").set("half", "1/2");

const wordPattern = new RegExp(`\\b(?:${[...formatNumber.keys()].join("|")})\\b`, "gi");

/** Number words as digits: `seven times twelve`. Tens and units may be joined, `twenty-three`. */
export const inDigits = (text: string): string =>
  text
    .replaceAll(
      /\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ](one|two|three|four|five|six|seven|eight|nine)\b/gi,
      (_, tens: string, unit: string) =>
        String(Number(formatNumber.get(tens.toLowerCase())) + Number(formatNumber.get(unit.toLowerCase()))),
    )
    .replaceAll(wordPattern, (word) => formatNumber.get(word.toLowerCase()) ?? word);

const number = String.raw`[-]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?`;

/** Words for signs, in the order in which they are replaced. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/[×⋅·∙]|\\(?:times|cdot)\b/g, "*"],
  [/÷/g, "/"],
  [/[−–]/g, "-"],
  [/²/g, "^2"],
  [/³/g, "^3"],
  [/(?<=[\d)])\s*[xX]\s*(?=[\d(])/g, "*"],
  [/\b(?:the\s+)?(?:square\s+root|sqrt)\s+of\b|\bsqrt\b/gi, "√"],
  [/\bto the power (?:of )?|\braised to(?: the power(?: of)?)?\s/gi, "^"],
  [/\bsquared\b/gi, "^2"],
  [/\bcubed\b/gi, "^3"],
  [/\b(?:multiplied by|times)\b/gi, "*"],
  [/\b(?:divided by|over)\b/gi, "/"],
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\bmod(?:ulo)?\b/gi, "mod"],
  [/\s*(?:percent|per cent)\b/gi, "%"],
  [new RegExp(String.raw`(${number})%\s+of\s+`, "gi"), "$1/100*"],
  [/\b1\/2\s+of\b/gi, "1/2*"],
  [/\b(?:double|twice)\b/gi, "2*"],
];

/** Sentences that say an operation around their numbers. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [new RegExp(String.raw`\b(?:sum|total) of (${number}) and (${number})`, "i"), "$1+$2"],
  [new RegExp(String.raw`\bproduct of (${number}) and (${number})`, "i"), "$1*$2"],
  [new RegExp(String.raw`\bdifference (?:between|of) (${number}) and (${number})`, "i"), "$1-$2"],
  [
    new RegExp(String.raw`\bremainder (?:when|of|if) (${number})(?: is)? (?:/|divided by) (${number})`, "i"),
    "$1 mod $2",
  ],
  [new RegExp(String.raw`\b(?:increase|raise) (${number}) by (${number})%`, "i"), "$1*(100+$2)/100"],
  [new RegExp(String.raw`\b(?:decrease|reduce|lower) (${number}) by (${number})%`, "i"), "$1*(100-$2)/100"],
  [new RegExp(String.raw`\badd (${number}) (?:and|to) (${number})`, "i"), "$1+$2"],
  [new RegExp(String.raw`\bsubtract (${number}) from (${number})`, "i"), "$2-$1"],
  [new RegExp(String.raw`\bmultiply (${number}) (?:by|and|with) (${number})`, "i"), "$1*$2"],
  [new RegExp(String.raw`\bdivide (${number}) by (${number})`, "i"), "$1/$2"],
];

/** What may stand around an expression in a question that asks for nothing else. */
const around = new Set(
  "what whats is s the value of calculate compute evaluate work out find give me tell please answer result how much many does do equal equals it to a an in can you exactly simplify solve this expression following number only with just as by reply and show your steps step".split(
    " ",
  ),
);

const expression = /[-+(√.]*\s*\d[\d\s.,+*/^%()!√-]*(?:mod[\d\s.,+*/^%()!√-]*)*/g;

/** Arithmetic in signs or in words: `17 * 23`, `15% of 240`, `the sum of 3 and 4`, `2 to the power of 10`. */
export const arithmetic: Solver = (question) => {
  let text = inDigits(question.slice(0, 4_000));
  for (const [pattern, sign] of signs) text = text.replaceAll(pattern, sign);
  for (const [pattern, form] of phrases) {
    const [phrase] = pattern.exec(text) ?? [];
    const solution = phrase === undefined ? null : solveWritten(phrase, phrase.replace(pattern, form));
    if (solution) return solution;
  }
  const spans = [...text.matchAll(expression)].map(([span]) => span);
  const rest = spans.reduce((left, span) => left.replace(span, " "), text);
  const words = rest.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const [written, other] = spans.map(trim).filter(hasOperator);
  if (written === undefined || other !== undefined || words.some((word) => word !== "" && !around.has(word)))
    return null;
  return solveWritten(written, written);
};

const trim = (span: string): string => span.replace(/^[\s.,]+(?!\d)/, "").replace(/[\s.,+*/^-]+$/, "");

function solveWritten(written: string, form: string): WorkedSolution | null {
  const value = evaluate(form);
  const working = (result: string) =>
    `Working it out: ${written.replaceAll(/\s+/g, " ").trim()} = ${result}.`;
  return value && { answer: write(value), working, wrong: [] };
}
