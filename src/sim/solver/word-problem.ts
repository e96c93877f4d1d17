import { inDigits } from "./arithmetic.ts";
import { evaluate, write } from "./expression.ts";
import type { WorkedSolution, Solver } from "./solution.ts";

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

function solveWritten(written: string): WorkedSolution | null {
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
    return solveWritten(written.replaceAll(",", ""));
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
  return terms.length < 2 ? null : solveWritten(terms.join(" "));
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
