import { yesOrNo, type WorkedSolution, type Solver } from "./solution.ts";

const countedAs = (count: number, working: string): WorkedSolution => ({
  answer: String(count),
  working: (answer) => `${working} That makes ${answer}.`,
  wrong: [count - 1, count + 1, count + 2].filter((one) => one >= 0).map(String),
});

const quoted = /["'“‘](.{1,2000}?)["'”’](?=[\s?.,:;!)]|$)/su;

/** What is counted in: a quotation, or what stands behind `the word` or alone at the end. */
const readWord = (tail: string): string =>
  quoted.exec(tail)?.[1] ??
  tail.replace(/^(?:the )?(?:word|sentence|phrase|name|text)\s*:?\s*/i, "").replace(/[?.!\s]+$/, "");

const signs: { readonly [kind: string]: RegExp } = {
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
  const pattern = signs[kind.toLowerCase()];
  if (word === "" || (kind.toLowerCase() === "words" && !quoted.test(tail))) return null;
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
