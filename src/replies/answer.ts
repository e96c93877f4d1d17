import { Answer } from "../kernel/index.ts";
import {
  greekWords,
  mathWords,
  plainExpression,
  readDate,
  readExpression,
  readTime,
  type Ratio,
} from "./expression.ts";
import { isUnit, readUnit, type MeasuredUnit } from "./units.ts";

/** A number as models write one, read exactly: its value is `numerator / denominator` in lowest terms. */
export type NumberValue = {
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** Without grouping, currency and unit: `70000`, `-0.5`, `1/2`, `1e3`. */
  readonly written: string;
  /** As written, with a currency in front of it: `km`, `$`, `$ per day`; empty for a bare number. */
  readonly unit: string;
};

const NUMBER_WORDS = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    .split(" ")
    .map((word, index) => [word, index]),
);
const magnitudes = new Map([
  ["thousand", 3],
  ["million", 6],
  ["billion", 9],
  ["trillion", 12],
  ["k", 3],
  ["m", 6],
  ["b", 9],
  ["bn", 9],
]);
const MAX_DIGITS = 200;
const MAX_EXPONENT = 400;

const space = "[ \\u00a0\\u2009\\u202f]";
const groupedDigits = `\\d{1,3}(?:,\\d{3})+(?!\\d)|\\d{1,3}(?:${space}\\d{3})+(?!\\d)`;
const plain = `(?:${groupedDigits}|\\d+)?(?:\\.\\d+)?`;
const money = "(?:US|A|C|NZ|HK)?[$€£¥₹]|(?:USD|EUR|GBP|CHF|JPY|INR)\\b";
/** sign, money, sign, digits, and one of an exponent, a power of ten or a denominator */
const pattern = new RegExp(
  `^([-−–+]?)\\s?(${money})?\\s?([-−–]?)(${plain})(?:[eE]([+-]?\\d{1,4})|\\s?[×x*·]\\s?10\\s?\\^\\s?\\{?\\(?([-−+]?\\d{1,4})\\)?\\}?|\\s?/\\s?(?=[.\\d])(${plain}))?`,
);
const about = /^(?:about|approximately|approx\.?|around|exactly|=)\s*/i;
/** A sign in words, before digits or a number word. */
const negative = /^(?:minus|negative)\s(?=\S)/i;

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

function reduce(numerator: bigint, denominator: bigint): Ratio {
  const shared = gcd(numerator < 0n ? -numerator : numerator, denominator) || 1n;
  return { numerator: numerator / shared, denominator: denominator / shared };
}

function removeGrouping(text: string): string {
  return text.replace(/[, \u00a0\u2009\u202f]/g, "");
}

function decimal(digits: string, exponent: number): { numerator: bigint; denominator: bigint } {
  const [whole = "", fraction = ""] = digits.split(".");
  const shift = exponent - fraction.length;
  const value = BigInt(`0${whole}${fraction}`);
  return shift >= 0
    ? { numerator: value * 10n ** BigInt(shift), denominator: 1n }
    : { numerator: value, denominator: 10n ** BigInt(-shift) };
}

/** A number word that stands alone or before one lower-case word (`three bolts`), in digits. */
function writeDigits(text: string): string {
  const [, word = "", rest = ""] = /^(\p{L}{3,9})((?: \p{Ll}{1,30})?)$/u.exec(text) ?? [];
  const value = NUMBER_WORDS.get(word.toLowerCase());
  return value === undefined ? text : `${value}${rest}`;
}

/** `2 million`, `$5M`, `1.5k`; a letter alone is a unit (meters, kelvin) unless it is that k or follows money. */
function readMagnitude(tail: string, isMoney: boolean): { exponent: number; rest: string } {
  const [all = "", name = ""] =
    /^\s?(thousand|million|billion|trillion)\b/i.exec(tail) ??
    (isMoney ? /^(k|m|b|bn)\b/i : /^(k)\b/).exec(tail) ??
    [];
  return { exponent: magnitudes.get(name.toLowerCase()) ?? 0, rest: tail.slice(all.length) };
}

/**
 * Reads a text that is one number and nothing else but currency, unit and hedge: `$70,000`, `−3.5 °C`, `about 18 eggs`,
 * `1/2`, `3 × 10^8 m/s`, `2 million`, `twelve`, `minus 7`. Null for any other and where in doubt (`5x`, `5!`, `3 pm`),
 * also over 200 digits or beyond 10^±400. A percent sign is a unit: 50% is 50.
 */
export function readNumber(text: string): NumberValue | null {
  const trimmed = text
    .trim()
    .slice(0, 1_000)
    .replace(about, "")
    .replace(/(?<![.,;:])[.,;:]$/, "");
  const given = writeDigits(trimmed.replace(negative, ""));
  const parts = pattern.exec(given);
  if (parts === null) return null;
  const [all, sign = "", currency, innerSign = "", digits = "", exponent, power, below] = parts;
  const number = removeGrouping(digits);
  const divisor = removeGrouping(below ?? "1");
  if (number === "" || divisor === "" || number.length + divisor.length > MAX_DIGITS) return null;
  const { exponent: magnitude, rest } = readMagnitude(given.slice(all.length), currency !== undefined);
  if (!isUnit(rest)) return null;
  const scale = Number((exponent ?? power ?? "0").replace("−", "-")) + magnitude;
  if (Math.abs(scale) > MAX_EXPONENT) return null;
  const top = decimal(number, scale);
  const bottom = decimal(divisor, 0);
  if (bottom.numerator === 0n) return null;
  const signs = [negative.test(trimmed) ? "-" : "", sign, innerSign].filter((one) => one !== "");
  if (signs.length > 1) return null;
  const isNegative = signs.length === 1 && sign !== "+";
  const suffix = `${scale === 0 ? "" : `e${scale}`}${below === undefined ? "" : `/${divisor}`}`;
  const value = top.numerator * bottom.denominator;
  return {
    ...reduce(isNegative ? -value : value, top.denominator * bottom.numerator),
    written: `${isNegative ? "-" : ""}${number}${suffix}`,
    unit: [currency ?? "", rest.trim()].filter((one) => one !== "").join(" "),
  };
}

export { Answer };

const articles = new Set(["a", "an", "the"]);

/** `**Paris**`, `_Paris_`, `` `Paris` ``: marks in pairs around something, not the ones in `A*` and `2*3`. */
const emphasis = /(?<![\p{L}\p{N}])([*_`]{1,3})(?=\S)([^*_`]{1,400})(?<=\S)\1(?![\p{L}\p{N}])/gu;
/** Brackets around words, not those of `f(x)`, `2(x+1)` and `(1,2)`. */
const bracketedWords = /(?<![\\\p{L}\p{N}^_)])[([{]([\p{L}\s]{2,400})[)\]}]/gu;
const loneLetter = /(?<!\p{L})\p{L}(?!\p{L})/u;

/** A word without the punctuation of its sentence: signs, dots, powers and the `!` of `n!` are its own. */
function bareWord(word: string): string {
  return word
    .replace(/^(?:\p{L}\.)+\p{L}?$/u, (initials) => initials.replaceAll(".", ""))
    .replace(/(?<=\p{L}{2})[.!?:]+$|[.?:]$/u, "")
    .replace(/^['‘]|(?<=\p{L})['’](?=\p{L})|(?<=\p{L}{2})['’]$/gu, "")
    .replace(/(?<=\p{L}{3})-(?=\p{L}{3})/gu, " ");
}

/** Short words and abbreviations that are written in either case. */
const shortWords = new Set(
  "no us up on in it he me we so ok is as at by do go if my of or to an am be uk eu un tv pc ai id pi mu nu xi uv".split(
    " ",
  ),
);
const ELEMENTS =
  "A[cglmrstu]|B[aehikr]?|C[adeflmnorsu]?|D[bsy]|E[rsu]|F[elmr]?|G[ade]|H[efgos]?|I[nr]?|Kr?|L[airuv]|M[cdgnot]|N[abdehiop]?|O[gs]?|P[abdmortu]?|R[abefghnu]|S[bcegimnr]?|T[abcehilm]|U|V|W|Xe|Yb?|Z[nr]";
/** A formula of chemistry in capitals and small letters: `NaCl`, `H2O`; not `USA`. */
const compound = new RegExp(
  `(?<![\\p{L}\\d])(?=[\\p{L}\\d]{0,20}[a-z\\d])(?:(?:${ELEMENTS})\\d{0,3}){2,12}(?![\\p{L}])`,
  "gu",
);

/** Whether a word in another case is another word: a symbol or a formula (`mW`, `Co`, `n`), except among ordinary words. */
function keepsCase(word: string, foldsAll: boolean): boolean {
  if (/^\p{Ll}\p{Lu}$/u.test(word) || word.replace(compound, "") === "") return true;
  return !foldsAll && /^\p{L}{1,2}(?!\p{L})/u.test(word) && !shortWords.has(word.toLowerCase());
}

/** Words in lower case without a leading article and the punctuation of sentences; what tells things apart stays. */
function plainText(text: string): string {
  const foldsAll = /\p{L}{3}/u.test(
    text.replace(mathWords, "").replace(greekWords, "").replace(compound, ""),
  );
  const words = text
    .replace(/[⁰¹²³⁴-⁹⁺⁻ⁿ]{1,20}/g, (power) => `^${power}`)
    .normalize("NFKC")
    .replace(/(?<![\p{L}\d])(?:\p{L}\.){2,}/gu, (initials) => initials.toLowerCase())
    .replace(/[\p{L}\d]+/gu, (word) => (keepsCase(word, foldsAll) ? word : word.toLowerCase()))
    .replace(/[‐-–−]|(?<=^|[\s([{])[—―](?=\S)/g, "-")
    .replace(emphasis, "$2")
    .replace(bracketedWords, (all, inner: string) => (loneLetter.test(inner) ? all : ` ${inner} `))
    .split(/[\s,;"“”„«»—―]+/)
    .map(bareWord)
    .filter((word) => word !== "");
  const [first = "", second] = words;
  const isArticle =
    articles.has(first.toLowerCase()) &&
    second !== undefined &&
    (first.toLowerCase() !== "a" || /^\p{L}{2}/u.test(second));
  return (isArticle ? words.slice(1) : words).join(" ");
}

/** A longer answer is a text, compared as it is written. */
const MAX_COMPARED_LENGTH = 2_000;

/** A number and its unit; in words, as a mixed number or as a power, too: `twenty-one km`, `2 1/2 cups`. */
function readAmount(value: string, plain: string): (Ratio & { readonly unit: string }) | null {
  const exact = readExpression(plain);
  if (exact !== null) return { ...exact, unit: "" };
  const number = readNumber(value) ?? readNumber(plain);
  if (number !== null) return number;
  const parts = plain.slice(0, 200).split(" ");
  for (let count = 1; count <= Math.min(4, parts.length - 1); count += 1) {
    const head = readExpression(parts.slice(0, -count).join(" "));
    const unit = parts.slice(-count).join(" ");
    if (head !== null && isUnit(` ${unit}`)) return { ...head, unit };
  }
  return null;
}

/** Numbers with commas between them: `(58.0, -130)`; their last zeros say nothing, unlike those of a version. */
const coordinates = /^[\s([{]{0,3}[-+−\d.\s]{1,40}(?:[,;][-+−\d.\s]{1,40}){1,40}[\s)\]}]{0,3}$/;
const numbers = /^[-+−\d.,;|\s]*$/;
const withoutZeros = (text: string): string =>
  text.replace(/(?<![\d.])(\d+)(?:\.0+|(\.\d*[1-9])0+)(?![\d.])/g, "$1$2");

type ComparedAnswer =
  { readonly key: string } | { readonly amount: Ratio; readonly unit: MeasuredUnit | null };

/** What an answer is compared by: a number and its unit, or a text that is the same for equal answers and only for these. */
function readAnswer({ kind, value, unit: known }: Answer): ComparedAnswer {
  if (kind === "choice") return { key: `choice ${value.trim().toUpperCase()}` };
  if (/\n|\\begin\{/.test(value))
    return { key: `lines ${numbers.test(value) ? withoutZeros(value) : value}` };
  if (value.length > MAX_COMPARED_LENGTH) return { key: `long ${value.trim().toLowerCase()}` };
  const date = readDate(value);
  if (date !== null) return { key: `date ${date}` };
  const plain = plainExpression(value);
  const time = readTime(value);
  if (time !== null) return { key: `text ${time}` };
  const amount = readAmount(value, plain);
  if (amount === null)
    return { key: `text ${plainText(coordinates.test(plain) ? withoutZeros(plain) : plain)}` };
  const unit = known ?? amount.unit;
  return { amount, unit: unit === "" ? null : readUnit(unit) };
}

const sameUnit = (one: MeasuredUnit, other: MeasuredUnit): boolean =>
  one.of === other.of && one.numerator * other.denominator === other.numerator * one.denominator;

/** The unit of all of these that have one; null where they have several, or none. */
function findOnlyUnit(readings: readonly ComparedAnswer[]): MeasuredUnit | null {
  const [first = null, ...others] = readings.flatMap((one) => ("unit" in one && one.unit ? [one.unit] : []));
  return first !== null && others.every((other) => sameUnit(first, other)) ? first : null;
}

function writeKey(reading: ComparedAnswer, onlyUnit: MeasuredUnit | null): string {
  if ("key" in reading) return reading.key;
  const unit = reading.unit ?? onlyUnit ?? { of: "", numerator: 1n, denominator: 1n };
  const { numerator, denominator } = reduce(
    reading.amount.numerator * unit.numerator,
    reading.amount.denominator * unit.denominator,
  );
  return `number ${numerator}/${denominator} ${unit.of}`;
}

// Answers with different units are different, unless one is an exact multiple of the other (5 km = 5000 m). A number without a unit has the
// unit of the answers that it is compared with, if these have one; else it equals no number that has a unit. So equality is an equivalence
// relation among the answers of one panel, and is asked for a panel.

/** Keys for the answers of one panel, in its order: equal answers have equal keys, and only these. */
export function answerKeys(panel: readonly Answer[]): string[] {
  const readings = panel.map(readAnswer);
  const onlyUnit = findOnlyUnit(readings);
  return readings.map((reading) => writeKey(reading, onlyUnit));
}

/**
 * Whether two answers say the same, as a panel of two (group more than two by `answerKeys`): numbers of exactly
 * equal value (1,000 = 1e3, 0.5 = 1/2, 2^10 = 1024, `twenty-one` = 21), days in whatever order they are written, choices of
 * the same letter, formulas in LaTeX or plain, texts alike but for case, the punctuation of sentences and a leading
 * article. Signs, dots within a word, powers and brackets of formulas count; what is in doubt is not the same. A choice and
 * a text are never the same; a text that reads as a number is that number.
 */
export function sameAnswer(a: Answer, b: Answer): boolean {
  const [one, other] = answerKeys([a, b]);
  return one === other;
}
