import { inDigits } from "./arithmetic.ts";
import { yesOrNo } from "./counting.ts";
import { evaluate } from "./expression.ts";
import { compare, rational, write, type Rational } from "./rational.ts";
import type { Solution, Solver } from "./solution.ts";

const value = String.raw`-?\d[\d,]*(?:\.\d+)?(?:/\d+)?(?:\^\d+)?`;

type Term = { readonly written: string; readonly value: Rational };

const termOf = (written: string): Term | null => {
  const plain = written.trim().replace(/,$/, "");
  const read = evaluate(plain);
  return read && { written: plain, value: read };
};

const termsIn = (text: string): Term[] =>
  (text.match(new RegExp(value, "g")) ?? []).flatMap((one) => termOf(one) ?? []);

const chosen = (term: Term, others: readonly Term[], working: string): Solution => ({
  answer: term.written,
  working: (answer) => `${working} That gives ${answer}.`,
  wrong: others.map(({ written }) => written).filter((written) => written !== term.written),
});

const extreme: Solver = (question) => {
  const text = inDigits(question);
  const [, word = "", rest = ""] =
    /\b(?:which|what|find|give|name)\b[^?]{0,40}?\b(larger|largest|greater|greatest|bigger|biggest|higher|highest|maximum|max|more|smaller|smallest|lesser|least|lower|lowest|minimum|min|less)\b(.{0,2000})$/is.exec(
      text,
    ) ?? [];
  const terms = termsIn(rest);
  const [first, ...others] = terms;
  if (first === undefined || others.length === 0 || leftOver(rest) !== "") return null;
  const down = /^(?:small|less|least|low|min)/i.test(word);
  const best = others.reduce(
    (one, other) => (compare(other.value, one.value) * (down ? -1 : 1) > 0 ? other : one),
    first,
  );
  return chosen(best, terms, "Comparing them place by place.");
};

/** The words of a comparison that say more than that it is one. */
const leftOver = (rest: string): string =>
  rest
    .replaceAll(new RegExp(value, "g"), " ")
    .toLowerCase()
    .replaceAll(
      /\b(?:or|and|of|the|number|numbers|value|one|these|following|among|between|than|is|in|list|a|set|out|two|three)\b|[^\p{L}]+/gu,
      "",
    );

const than: Solver = (question) => {
  const [, left = "", word = "", right = ""] =
    new RegExp(
      String.raw`\bis (${value}) (larger|greater|bigger|higher|more|smaller|lower|less) than (${value})`,
      "i",
    ).exec(question) ?? [];
  const one = termOf(left);
  const other = termOf(right);
  if (one === null || other === null) return null;
  const order = compare(one.value, other.value);
  return yesOrNo(
    /^(?:small|low|less)/i.test(word) ? order < 0 : order > 0,
    `Comparing ${left} with ${right}.`,
  );
};

const divisible: Solver = (question) => {
  const [, left, right] =
    /\bis (\d{1,30}) (?:evenly )?(?:divisible by|a multiple of) (\d{1,15})\b/i.exec(question) ?? [];
  if (left === undefined || right === undefined || BigInt(right) === 0n) return null;
  return yesOrNo(
    BigInt(left) % BigInt(right) === 0n,
    `Dividing ${left} by ${right} and looking at the remainder.`,
  );
};

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

const divisor: Solver = (question) => {
  const [, name = "", left, right] =
    /\b(greatest common divisor|greatest common factor|gcd|gcf|least common multiple|lowest common multiple|lcm)\b(?: of)?[\s(]*(\d{1,30})\s*(?:,|and|,\s*and)\s*(\d{1,30})/i.exec(
      question,
    ) ?? [];
  if (left === undefined || right === undefined) return null;
  const [a, b] = [BigInt(left), BigInt(right)];
  const shared = gcd(a, b);
  if (shared === 0n) return null;
  const result = /^(?:l|least|lowest)/i.test(name) ? (a / shared) * b : shared;
  return {
    answer: String(result),
    working: (answer) => `By Euclid's algorithm on ${left} and ${right}: ${answer}.`,
    wrong: [],
  };
};

const gathered: Solver = (question) => {
  const [, name = "", rest = ""] =
    /\b(sum|total|product|average|mean|median)\b(?: value)? of\b(.{1,2000})$/is.exec(inDigits(question)) ??
    [];
  const terms = termsIn(rest);
  if (terms.length < 2 || leftOver(rest) !== "") return null;
  const values = terms.map((term) => term.value);
  const result = gatheredValue(name.toLowerCase(), values);
  return (
    result && {
      answer: write(result),
      working: (answer) => `Taking the ${name.toLowerCase()} of ${terms.length} numbers: ${answer}.`,
      wrong: [],
    }
  );
};

function gatheredValue(name: string, values: readonly Rational[]): Rational | null {
  const joined = (sign: string): Rational | null =>
    evaluate(values.map((one) => `(${one.top}/${one.bottom})`).join(sign));
  if (name === "product") return joined("*");
  const sum = joined("+");
  if (name === "sum" || name === "total" || sum === null) return sum;
  if (name !== "median") return rational(sum.top, sum.bottom * BigInt(values.length));
  const sorted = values.toSorted(compare);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low && high
    ? rational(low.top * high.bottom + high.top * low.bottom, 2n * low.bottom * high.bottom)
    : null;
}

/** Which of some numbers is largest, whether one is greater or divisible, common divisors, sums and means of lists. */
export const comparisonSolvers: readonly Solver[] = [divisor, gathered, than, divisible, extreme];
