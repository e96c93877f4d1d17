import { evaluate, hasOperator, write } from "./expression.ts";
import type { Solver, WorkedSolution } from "./solution.ts";

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

/** An expression of the numbers `N` of a story, and the story: a regular expression in which `_` is any few words. */
const templates: readonly (readonly [expression: string, pattern: RegExp])[] = String.raw`
$1*$2 N (?:boxes|bags|packs|rows|shelves|tables|teams|groups|cars|buses|pages)\b_\b(?:with|of|holds?|holding|contain|containing|have|seats?)\s+N\b_how many
$1*$2 \b(?:costs?|priced at) N(?: dollars| euros| cents)? (?:each|apiece)\b_how much\b_\bN
$1*$2 \b(?:travels?|drives?|goes|flies|runs|walks|cycles)\b_\bN\s*(?:kph|mph|m/s|K(?:/h| (?:per|an) hour))\b_\bfor N\s*(?:hours?|h|seconds?|s)\b_how far
$1/$2 how (?:long|many hours)\b_\bN\s*K\b_\bat N\s*(?:kph|mph|K(?:/h| (?:per|an) hour))
$1/$2 \b(?:shares?|divides?|splits?) N\b_\b(?:among|between|into)\s+N\b_how (?:many|much)
$1*$2 \b(?:rectangle|room|field|garden)\b_\bN\s*\w{0,12}\s*(?:by|x|×)\s*N\b_\barea`
  .trim()
  .split("\n")
  .map((row) => {
    const [, expression = "", story = ""] = /^(\S+) (.*)$/.exec(row) ?? [];
    const pattern = story
      .replaceAll("_", ".{0,80}?")
      .replaceAll("K", "(?:km|kilomet(?:er|re)s|miles)")
      .replaceAll("N", String.raw`\$?(\d+(?:,\d{3})*(?:\.\d+)?)`);
    return [expression, new RegExp(pattern, "is")] as const;
  });

function solveStory(written: string): WorkedSolution | null {
  const value = evaluate(written);
  if (value === null) return null;
  return { answer: write(value), working: (result) => `From the story: ${written} = ${result}.`, wrong: [] };
}

const story: Solver = (question) => {
  const text = inDigits(question);
  for (const [expression, pattern] of templates) {
    const [, ...numbers] = pattern.exec(text) ?? [];
    if (numbers.length === 0) continue;
    const written = expression.replaceAll(/\$(\d)/g, (_, digit: string) => numbers[Number(digit) - 1] ?? "");
    return solveStory(written.replaceAll(",", ""));
  }
  return null;
};

const holds = /\b(?:has|have|had|starts? with|there (?:are|were|is)|owns?)\s+(?:\w+ )?\d/i;
const gains =
  /\b(?:buys?|bought|gets?|got|finds?|found|receives?|received|picks?|picked|adds?|added|earns?|earned|wins?|won|makes?|made|arrives?|joins?|gives? (?:him|her|them|me)|gave (?:him|her|them|me))\b/i;
const losses =
  /\b(?:gives?|gave|eats?|ate|sells?|sold|loses?|lost|uses?|used|spends?|spent|breaks?|broke|throws?|threw|drops?|dropped|leaves?|left|removes?|removed|dies?|died)\b/i;

/** `Ada has 5 apples. She buys 3 more and eats 2. How many apples does she have?`: a running total. */
const total: Solver = (question) => {
  const text = inDigits(question);
  const asks = text.search(/\bhow (?:many|much)\b.*\b(?:has|have|left|remain\w*|now|there|total)\b/is);
  if (asks < 0 || /\beach\b|%|\bper\b/i.test(text)) return null;
  const terms: string[] = [];
  for (const clause of text.slice(0, asks).split(/[.;,!]\s*|\b(?:then|and|but)\b/i)) {
    const [amount, other] = clause.match(/\d+/g) ?? [];
    if (amount === undefined) continue;
    const isFirst = terms.length === 0;
    const sign = isFirst ? holds.test(clause) && "" : gains.test(clause) ? "+" : losses.test(clause) && "-";
    if (other !== undefined || sign === false) return null;
    terms.push(sign + amount);
  }
  return terms.length < 2 ? null : solveStory(terms.join(" "));
};

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const weekday: Solver = (question) => {
  const text = inDigits(question);
  const day = DAYS.findIndex((name) => new RegExp(`\\b(?:today|it) is ${name}`, "i").test(text));
  const [, after, before] = /\bin (\d{1,9}) days?\b|\b(\d{1,9}) days? ago/i.exec(text) ?? [];
  const shift = after ?? (before === undefined ? undefined : `-${before}`);
  if (day < 0 || shift === undefined || !/\b(?:what|which) day\b/i.test(text)) return null;
  const at = (((day + Number(shift)) % 7) + 7) % 7;
  return {
    answer: DAYS[at] ?? "",
    working: (result) => `Counting ${shift} days on and leaving out whole weeks one comes to ${result}.`,
    wrong: [DAYS[(at + 1) % 7] ?? "", DAYS[(at + 6) % 7] ?? ""],
  };
};

/** Short stories with a number in the end. */
export const storySolvers: readonly Solver[] = [weekday, story, total];
