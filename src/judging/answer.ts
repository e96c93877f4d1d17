import { Answer } from "../kernel/index.ts";
import { numberValue } from "./number-value.ts";

export { Answer };

const articles = new Set(["a", "an", "the"]);

/** `**Paris**`, `_Paris_`, `` `Paris` ``: marks in pairs around something, not the ones in `A*` and `2*3`. */
const emphasis = /(?<![\p{L}\p{N}])([*_`]{1,3})(?=\S)([^*_`]{1,400})(?<=\S)\1(?![\p{L}\p{N}])/gu;
/** Brackets around words, not those of `f(x)`, `2(x+1)` and `(1,2)`. */
const bracketed = /(?<![\\\p{L}\p{N}^_)])[([{]([\p{L}\s]{2,400})[)\]}]/gu;
const loneLetter = /(?<!\p{L})\p{L}(?!\p{L})/u;

/** A word without the punctuation of its sentence: signs, dots, powers and the `!` of `n!` are its own. */
const bareWord = (word: string): string =>
  word
    .replace(/^(?:\p{L}\.)+\p{L}?$/u, (initials) => initials.replaceAll(".", ""))
    .replace(/(?<=\p{L}{2})[.!?:]+$|[.?:]$/u, "")
    .replace(/^['‘]|(?<=\p{L})['’](?=\p{L})|(?<=\p{L}{2})['’]$/gu, "")
    .replace(/(?<=\p{L}{3})-(?=\p{L}{3})/gu, " ");

/** Words in lower case without a leading article and the punctuation of sentences; what tells things apart stays. */
const plainText = (text: string): string => {
  const words = text
    .replace(/[⁰¹²³⁴-⁹⁺⁻ⁿ]{1,20}/g, (power) => `^${power}`)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[‐-–−]|(?<=^|[\s([{])[—―](?=\S)/g, "-")
    .replace(emphasis, "$2")
    .replace(bracketed, (all, inner: string) => (loneLetter.test(inner) ? all : ` ${inner} `))
    .split(/[\s,;"“”„«»—―]+/)
    .map(bareWord)
    .filter((word) => word !== "");
  const [first = "", second] = words;
  const isArticle =
    articles.has(first) && second !== undefined && (first !== "a" || /^\p{L}{2}/u.test(second));
  return (isArticle ? words.slice(1) : words).join(" ");
};

/** The same string for equal answers and only for these. */
const keyOf = ({ kind, value }: Answer): string => {
  const number = kind === "choice" ? null : numberValue(value);
  if (number !== null) return `number ${number.numerator}/${number.denominator}`;
  return kind === "choice" ? `choice ${value.trim().toUpperCase()}` : `text ${plainText(value)}`;
};

/**
 * Whether two answers say the same: numbers of exactly equal value (1,000 = 1e3, 0.5 = 1/2; unit and currency are not
 * compared), choices of the same letter, texts alike but for case, the punctuation of sentences and a leading article.
 * Signs, dots within a word, powers and brackets of formulas count; what is in doubt is not the same. A choice and a
 * text are never the same; a text that reads as a number is that number. An equivalence relation.
 */
export const sameAnswer = (a: Answer, b: Answer): boolean => keyOf(a) === keyOf(b);
