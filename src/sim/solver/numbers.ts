import { inDigits } from "./arithmetic.ts";
import { compare, evaluate, gcd, write, type Rational } from "./expression.ts";
import { yesOrNo, type Solver, type WorkedSolution } from "./solution.ts";

const countedAs = (count: number, working: string): WorkedSolution => ({
  answer: String(count),
  working: (answer) => `${working} That makes ${answer}.`,
  wrong: [count - 1, count + 1, count + 2].filter((one) => one >= 0).map(String),
});

const quotation = /["'“‘](.{1,2000}?)["'”’](?=[\s?.,:;!)]|$)/su;

/** What is counted in: a quotation, or what stands behind `the word` or alone at the end. */
const readWord = (tail: string): string =>
  quotation.exec(tail)?.[1] ??
  tail.replace(/^(?:the )?(?:word|sentence|phrase|name|text)\s*:?\s*/i, "").replace(/[?.!\s]+$/, "");

const countedSigns: { readonly [kind: string]: RegExp } = {
  letters: /\p{L}/gu,
  characters: /./gsu,
  vowels: /[aeiou]/gi,
  consonants: /[b-df-hj-np-tv-z]/gi,
  digits: /\d/g,
  words: /\S+/g,
};

/** `How many r's are in strawberry?`, `How many vowels are in the word education?` */
const letters: Solver = (question) => {
  const [, kind = "", letter = "", tail = ""] =
    /how (?:many|often)(?: times)?(?: does)? (?:the )?(?:(letters|characters|vowels|consonants|digits|words)|(?:letter )?["'“‘]?(\p{L})(?:["'”’]?s)?["'”’]?)(?!\p{L})(?:\s+(?:are|is|there|appears?|occurs?))*\s+in\s+(.+)$/isu.exec(
      question,
    ) ?? [];
  const word = readWord(tail).trim();
  const pattern = countedSigns[kind.toLowerCase()];
  if (word === "" || (kind.toLowerCase() === "words" && !quotation.test(tail))) return null;
  if (pattern)
    return countedAs(
      word.match(pattern)?.length ?? 0,
      `Counting the ${kind.toLowerCase()} of “${word}” one by one.`,
    );
  const count = [...word.toLowerCase()].filter((character) => character === letter.toLowerCase()).length;
  return countedAs(count, `Going through “${word}” letter by letter for “${letter}”.`);
};

export function isPrime(value: number): boolean {
  if (value < 2) return false;
  for (let divisor = 2; divisor * divisor <= value; divisor += 1) if (value % divisor === 0) return false;
  return true;
}

const kinds: { readonly [kind: string]: (value: number) => boolean } = {
  even: (value) => value % 2 === 0,
  odd: (value) => value % 2 !== 0,
  prime: isPrime,
};

const numbers: Solver = (question) => {
  const [, kind = "", low, high] =
    /how many (?:(even|odd|prime|whole) )?(?:numbers|integers)\b.{0,30}?\b(?:between|from) (\d{1,6}) (?:and|to) (\d{1,6})/i.exec(
      question,
    ) ?? [];
  if (low === undefined || high === undefined) return null;
  const fits = kinds[kind.toLowerCase()] ?? (() => true);
  let count = 0;
  for (let value = Number(low); value <= Number(high); value += 1) if (fits(value)) count += 1;
  return countedAs(count, `Going from ${low} to ${high} and keeping those that fit.`);
};

const prime: Solver = (question) => {
  const [, digits] = /\bis (\d{1,12}) (?:a )?prime\b/i.exec(question) ?? [];
  return digits === undefined
    ? null
    : yesOrNo(isPrime(Number(digits)), `Trying each divisor of ${digits} up to its root.`);
};

/** Letters of a word, words of a sentence, numbers of a kind within a range. */
export const countingSolvers: readonly Solver[] = [letters, numbers, prime];

const valuePattern = String.raw`-?\d[\d,]*(?:\.\d+)?(?:/\d+)?(?:\^\d+)?`;

type Term = { readonly written: string; readonly value: Rational };

const readTerm = (written: string): Term[] => {
  const plain = written.trim().replace(/,$/, "");
  const read = evaluate(plain);
  return read ? [{ written: plain, value: read }] : [];
};

const readTerms = (text: string): Term[] =>
  (text.match(new RegExp(valuePattern, "g")) ?? []).flatMap(readTerm);

/** Whether a list of numbers says more than that it is one. */
const saysMore = (list: string): boolean =>
  list
    .replaceAll(new RegExp(valuePattern, "g"), " ")
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
      String.raw`\bis (${valuePattern}) (larger|greater|bigger|higher|more|smaller|lower|less) than (${valuePattern})`,
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

const average: Solver = (question) => {
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
export const comparisonSolvers: readonly Solver[] = [divisor, average, than, divisible, extreme];
