import { inDigits } from "./arithmetic.ts";
import type { Solution, Solver } from "./solution.ts";

const counted = (count: number, working: string): Solution => ({
  answer: String(count),
  working: (answer) => `${working} That makes ${answer}.`,
  wrong: [count - 1, count + 1, count + 2].filter((one) => one >= 0).map(String),
});

const quote = `["'“”‘’«»\`]`;
const quoted = new RegExp(`${quote}(.{1,2000}?)${quote}(?=[\\s?.,:;!)]|$)`, "su");

const letters: Solver = (question) => {
  const [, letter, plural, tail] =
    /how (?:many|often)(?: times)?(?: does| do)? (?:the )?(?:letters? )?["'“‘`]?(\p{L})(?:["'”’`]*|['’]s)( s)?(?:s)?\b["'”’`]*(?:['’]?s)?\s+(?:are there |are |is |appears? |occurs? |(?:can you )?find )*(?:there )?in\s+(.+)$/isu.exec(
      question,
    ) ?? [];
  if (letter === undefined || tail === undefined || plural !== undefined) return null;
  const word = wordIn(tail);
  const count = [...word.toLowerCase()].filter((character) => character === letter.toLowerCase()).length;
  return word === "" ? null : counted(count, `Going through “${word}” letter by letter for “${letter}”.`);
};

/** What is counted in: a quotation, or what stands behind `the word` or alone at the end. */
const wordIn = (tail: string): string =>
  (
    quoted.exec(tail)?.[1] ??
    tail
      .replace(/^(?:the )?(?:english )?(?:word|sentence|phrase|name|string|text)s?\s*:?\s*/i, "")
      .replace(/[?.!\s]+$/, "")
  ).trim();

const allLetters: Solver = (question) => {
  const [, what = "", tail = ""] =
    /how many (letters|characters|vowels|consonants|digits|syllables)\s+(?:are |does |do )?(?:there )?(?:are )?(?:in |has )?(?:in )?(.+)$/is.exec(
      question,
    ) ?? [];
  const word = wordIn(tail.replace(/\s+(?:have|contain|has)\s*\?*$/i, ""));
  const kinds: { readonly [what: string]: RegExp } = {
    letters: /\p{L}/gu,
    characters: /./gsu,
    vowels: /[aeiou]/gi,
    consonants: /[b-df-hj-np-tv-z]/gi,
    digits: /\d/g,
  };
  const pattern = kinds[what.toLowerCase()];
  if (pattern === undefined || word === "") return null;
  return counted(
    word.match(pattern)?.length ?? 0,
    `Counting the ${what.toLowerCase()} of “${word}” one by one.`,
  );
};

const words: Solver = (question) => {
  const [, tail = ""] = /how many words\b(?: are)?(?: there)? (?:are )?in\s+(.+)$/is.exec(question) ?? [];
  const sentence = quoted.exec(tail)?.[1] ?? /^[^:\n]{0,60}:\s*(.+)$/s.exec(tail)?.[1];
  if (sentence === undefined) return null;
  return counted(sentence.trim().split(/\s+/).length, "Counting the words one after another.");
};

const items: Solver = (question) => {
  const [, before = "", after = ""] =
    /how many (?:items|elements|things|entries|numbers|names|words|animals|fruits|colou?rs|members)\b([^:?]{0,80}?)(?::|\?)\s*(.+)$/is.exec(
      question,
    ) ?? [];
  if (!/list|set|here|there|follow|this|these|^\s*(?:are)?\s*$/i.test(before) || after === "") return null;
  const list = after
    .replace(/[{}[\]()]/g, "")
    .replace(/[.?!\s]+$/, "")
    .split(/\s*[,;\n]\s*(?:and\s+)?|\s+and\s+/)
    .filter((item) => item.trim() !== "");
  return list.length > 1 ? counted(list.length, "Going through the list item by item.") : null;
};

const isPrime = (value: number): boolean => {
  if (value < 2) return false;
  for (let divisor = 2; divisor * divisor <= value; divisor += 1) if (value % divisor === 0) return false;
  return true;
};

const kinds: { readonly [kind: string]: (value: number) => boolean } = {
  even: (value) => value % 2 === 0,
  odd: (value) => value % 2 !== 0,
  prime: isPrime,
};

const numbers: Solver = (question) => {
  const text = inDigits(question);
  const [, kind = "", divisor, low, high] =
    /how many (?:(even|odd|prime|whole) )?(?:numbers|integers|primes|multiples of (\d{1,6}))\b.{0,30}?\b(?:between|from) (\d{1,6}) (?:and|to|through) (\d{1,6})/i.exec(
      text,
    ) ?? [];
  if (low === undefined || high === undefined) return null;
  const name = /primes/i.test(text) ? "prime" : kind.toLowerCase();
  const by = Number(divisor ?? 1);
  const fits = kinds[name] ?? ((value: number) => by > 0 && value % by === 0);
  const open = /exclusive|strictly/i.test(text) ? 1 : 0;
  let count = 0;
  for (let value = Number(low) + open; value <= Number(high) - open; value += 1) if (fits(value)) count += 1;
  return counted(count, `Going from ${low} to ${high} and keeping those that fit.`);
};

const prime: Solver = (question) => {
  const [, digits] = /\bis (\d{1,12}) (?:a )?prime\b/i.exec(question) ?? [];
  if (digits === undefined) return null;
  return yesOrNo(isPrime(Number(digits)), `Trying each divisor of ${digits} up to its root.`);
};

/** A yes or a no with the opposite as the mistake. */
export const yesOrNo = (yes: boolean, working: string): Solution => ({
  answer: yes ? "yes" : "no",
  working: (answer) => `${working} So the answer is ${answer}.`,
  wrong: [yes ? "no" : "yes"],
});

/** Letters of a word, words of a sentence, items of a list, numbers of a kind within a range. */
export const countingSolvers: readonly Solver[] = [letters, allLetters, words, items, numbers, prime];
