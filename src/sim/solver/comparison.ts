import { inDigits } from "./arithmetic.ts";
import { evaluate, compare, write, type Rational } from "./expression.ts";
import { yesOrNo, type Solver } from "./solution.ts";

const value = String.raw`-?\d[\d,]*(?:\.\d+)?(?:/\d+)?(?:\^\d+)?`;

type Term = { readonly written: string; readonly value: Rational };

const readTerm = (written: string): Term[] => {
  const plain = written.trim().replace(/,$/, "");
  const read = evaluate(plain);
  return read ? [{ written: plain, value: read }] : [];
};

const readTerms = (text: string): Term[] => (text.match(new RegExp(value, "g")) ?? []).flatMap(readTerm);

/** Whether a list of numbers says more than that it is one. */
const saysMore = (list: string): boolean =>
  list
    .replaceAll(new RegExp(value, "g"), " ")
    .replaceAll(/\b(?:or|and|of|the|numbers?|values?|one|these|following|among|between|than|is|in)\b/gi, "")
    .search(/\p{L}/u) >= 0;

const extreme: Solver = (question) => {
  const [, word = "", rest = ""] =
    /\b(?:which|what|find|give|name)\b[^?]{0,40}?\b(large[rs]t?|great(?:er|est)|bigg(?:er|est)|high(?:er|est)|maximum|more|smalle[rs]t?|least|low(?:er|est)|minimum|less)\b(.{0,2000})$/is.exec(
      inDigits(question),
    ) ?? [];
  const terms = readTerms(rest);
  if (terms.length < 2 || saysMore(rest)) return null;
  const sign = /^(?:small|le|low|min)/i.test(word) ? 1 : -1;
  const [best, ...others] = terms.toSorted((one, other) => sign * compare(one.value, other.value));
  if (best === undefined) return null;
  return {
    answer: best.written,
    working: (answer) => `Comparing them place by place. That gives ${answer}.`,
    wrong: others.map(({ written }) => written).filter((written) => written !== best.written),
  };
};

const than: Solver = (question) => {
  const [, left = "", word = "", right = ""] =
    new RegExp(
      String.raw`\bis (${value}) (larger|greater|bigger|higher|more|smaller|lower|less) than (${value})`,
      "i",
    ).exec(question) ?? [];
  const [one, other] = [left, right].flatMap(readTerm);
  if (one === undefined || other === undefined) return null;
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
  const [, name = "", left = "0", right = "0"] =
    /\b(greatest common (?:divisor|factor)|gcd|(?:least|lowest) common multiple|lcm)\b(?: of)?[\s(]*(\d{1,30})\s*(?:,|and)\s*(\d{1,30})/i.exec(
      question,
    ) ?? [];
  const [a, b] = [BigInt(left), BigInt(right)];
  const shared = gcd(a, b);
  if (shared === 0n) return null;
  return {
    answer: String(/^l/i.test(name) ? (a / shared) * b : shared),
    working: (answer) => `By Euclid's algorithm on ${left} and ${right}: ${answer}.`,
    wrong: [],
  };
};

const mean: Solver = (question) => {
  const [, name = "", rest = ""] =
    /\b(sum|average|mean|median) of\b(.{1,2000})$/is.exec(inDigits(question)) ?? [];
  const sorted = readTerms(rest).toSorted((one, other) => compare(one.value, other.value));
  const count = sorted.length;
  if (count < 2 || saysMore(rest)) return null;
  const terms = /median/i.test(name)
    ? sorted.slice(Math.ceil(count / 2) - 1, Math.floor(count / 2) + 1)
    : sorted;
  const sum = terms.map(({ written }) => `(${written})`).join("+");
  const result = evaluate(/sum/i.test(name) ? sum : `(${sum})/${terms.length}`);
  if (result === null) return null;
  return {
    answer: write(result),
    working: (answer) => `Taking the ${name.toLowerCase()} of ${count} numbers: ${answer}.`,
    wrong: [],
  };
};

/** Which of some numbers is largest, whether one is greater or divisible, common divisors, sums and means of lists. */
export const comparisonSolvers: readonly Solver[] = [divisor, mean, than, divisible, extreme];
