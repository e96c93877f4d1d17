import { isUnit } from "./unit.ts";

/** A number as models write one, read exactly: its value is `numerator / denominator` in lowest terms. */
export type NumberValue = {
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** Without grouping, currency and unit: `70000`, `-0.5`, `1/2`, `1e3`. */
  readonly written: string;
};

const words = new Map(
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
const maximumDigits = 200;
const maximumExponent = 400;

const space = "[ \\u00a0\\u2009\\u202f]";
const grouped = `\\d{1,3}(?:,\\d{3})+(?!\\d)|\\d{1,3}(?:${space}\\d{3})+(?!\\d)`;
const plain = `(?:${grouped}|\\d+)?(?:\\.\\d+)?`;
const money = "(?:US|A|C|NZ|HK)?[$€£¥₹]|(?:USD|EUR|GBP|CHF|JPY|INR)\\b";
/** sign, money, sign, digits, and one of an exponent, a power of ten or a denominator */
const pattern = new RegExp(
  `^([-−–+]?)\\s?(${money})?\\s?([-−–]?)(${plain})(?:[eE]([+-]?\\d{1,4})|\\s?[×x*·]\\s?10\\s?\\^\\s?\\{?\\(?([-−+]?\\d{1,4})\\)?\\}?|\\s?/\\s?(${plain}))?`,
);
const about = /^(?:about|approximately|approx\.?|around|roughly|exactly|nearly|almost|~|≈|=)\s*/i;
/** A sign in words, before digits or a number word. */
const negative = /^(?:minus|negative)\s(?=\S)/i;

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));

const ratio = (numerator: bigint, denominator: bigint, written: string): NumberValue => {
  const shared = gcd(numerator < 0n ? -numerator : numerator, denominator) || 1n;
  return { numerator: numerator / shared, denominator: denominator / shared, written };
};

const digitsOf = (text: string): string => text.replace(/[, \u00a0\u2009\u202f]/g, "");

const decimal = (digits: string, exponent: number): { numerator: bigint; denominator: bigint } => {
  const [whole = "", fraction = ""] = digits.split(".");
  const shift = exponent - fraction.length;
  const value = BigInt(`0${whole}${fraction}`);
  return shift >= 0
    ? { numerator: value * 10n ** BigInt(shift), denominator: 1n }
    : { numerator: value, denominator: 10n ** BigInt(-shift) };
};

/** A number word that stands alone or before one lower-case word (`three bolts`), in digits. */
const inDigits = (text: string): string => {
  const [, word = "", rest = ""] = /^(\p{L}{3,9})((?: \p{Ll}{1,30})?)$/u.exec(text) ?? [];
  const value = words.get(word.toLowerCase());
  return value === undefined ? text : `${value}${rest}`;
};

/** `2 million`, `$5M`, `1.5k`; a letter alone is a unit (metres, kelvin) unless it is that k or follows money. */
const magnitudeOf = (tail: string, isMoney: boolean): { exponent: number; rest: string } => {
  const [all = "", name = ""] =
    /^\s?(thousand|million|billion|trillion)\b/i.exec(tail) ??
    (isMoney ? /^(k|m|b|bn)\b/i : /^(k)\b/).exec(tail) ??
    [];
  return { exponent: magnitudes.get(name.toLowerCase()) ?? 0, rest: tail.slice(all.length) };
};

/**
 * Reads a text that is one number and nothing else but currency, unit and hedge: `$70,000`, `−3.5 °C`, `about 18 eggs`,
 * `1/2`, `3 × 10^8 m/s`, `2 million`, `twelve`, `minus 7`. Null for any other and where in doubt (`5x`, `5!`, `3 pm`),
 * also over 200 digits or beyond 10^±400. A percent sign is a unit: 50% is 50.
 */
export const numberValue = (text: string): NumberValue | null => {
  const trimmed = text
    .trim()
    .slice(0, 1_000)
    .replace(about, "")
    .replace(/(?<![.,;:])[.,;:]$/, "");
  const given = inDigits(trimmed.replace(negative, ""));
  const parts = pattern.exec(given);
  if (parts === null) return null;
  const [all, sign = "", currency, innerSign = "", digits = "", exponent, power, below] = parts;
  const number = digitsOf(digits);
  const divisor = digitsOf(below ?? "1");
  if (number === "" || divisor === "" || number.length + divisor.length > maximumDigits) return null;
  const { exponent: magnitude, rest } = magnitudeOf(given.slice(all.length), currency !== undefined);
  if (!isUnit(rest)) return null;
  const scale = Number((exponent ?? power ?? "0").replace("−", "-")) + magnitude;
  if (Math.abs(scale) > maximumExponent) return null;
  const top = decimal(number, scale);
  const bottom = decimal(divisor, 0);
  if (bottom.numerator === 0n) return null;
  const signs = [negative.test(trimmed) ? "-" : "", sign, innerSign].filter((one) => one !== "");
  if (signs.length > 1) return null;
  const isNegative = signs.length === 1 && sign !== "+";
  const suffix = `${scale === 0 ? "" : `e${scale}`}${below === undefined ? "" : `/${divisor}`}`;
  const value = top.numerator * bottom.denominator;
  return ratio(
    isNegative ? -value : value,
    top.denominator * bottom.numerator,
    `${isNegative ? "-" : ""}${number}${suffix}`,
  );
};
