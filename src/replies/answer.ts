import { Answer } from "../kernel/index.ts";
import { greekWords, mathWords, plainExpression, readDate, readExpression, readTime } from "./expression.ts";

/** Symbols of units and currencies. A single letter counts only behind a space: `5m` may be a formula, `5 m` is a length. */
const symbols = new Set(
  [
    "m s g h d l L K A V W J N C F T Ω",
    "km dm cm mm nm µm μm in ft yd mi sq kg mg µg μg lb lbs oz ml mL dl dL cl cL ha",
    "min mins sec secs hr hrs yr yrs ms ns mph kph kmh rpm Hz kHz MHz GHz",
    "Pa kPa MPa hPa bar atm psi kJ MJ cal kcal kW MW GW Wh kWh MWh mV kV mA Ah mAh kN eV keV MeV GeV mol dB",
    "KB kB MB GB TB Kb Mb Gb bit bits KiB MiB GiB bps kbps Mbps Gbps Celsius Fahrenheit Kelvin",
    "USD EUR GBP CHF JPY INR CAD AUD NZD HKD CNY",
  ]
    .join(" ")
    .split(" "),
);

/** Words behind a number that make it another one, or only half of an answer. */
const changing =
  /^(?:[ap]m|bce?|ad|ce|minus|negative|plus|times|x|mod|modulo|divided|pi|e|alpha|beta|gamma|delta|theta|lambda|mu|sigma|tau|phi|psi|omega|sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|factorial|squared|cubed|dozens?|scores?|hundreds?|tenths?|hundredths?|thousandths?|hal(?:f|ves)|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|thousands?|millions?|billions?|trillions?|lakhs?|crores?|less|fewer|lower|below|under|decreases?|drop|loss|lost|deficit|debt|short|ago|before|early|north|south|east|west|right|down|(?:anti|counter)?clockwise|morning|afternoon|evening|night|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)$/i;
const joining = /^(?:and|but|if|or|to|versus|vs)$/i;

const power = String.raw`(?:\^?-?[23]|[²³]|\^\{?-?\d\}?)?`;
const symbol = new RegExp(String.raw`^(\p{L}+)${power}$`, "u");
const UNIT_WORD = /^\p{Ll}[\p{Ll}'’-]{1,29}$/u;

/** `km`, `m^2`, `m/s²`, `kWh`. */
function isSymbol(text: string): boolean {
  return text.split(/[/·*]/).every((part) => symbols.has(symbol.exec(part)?.[1] ?? ""));
}

/** One lower-case word of what was counted, also `dollars/day` and `(people)`. */
function isNoun(text: string): boolean {
  return text
    .split("/")
    .every((part) => UNIT_WORD.test(part) && !part.split("-").some((word) => changing.test(word)));
}

function isWord(text: string, first: boolean): boolean {
  if (changing.test(text) || joining.test(text)) return false;
  if (isSymbol(text)) return true;
  return first ? text.length > 2 && isNoun(text) : text === "a" || isNoun(text);
}

/** A word that changes the value of the number before it, as `pm`, `dozen`, `squared`, and any lone letter but a unit's. */
export function changesNumber(word: string): boolean {
  return changing.test(word) || (/^\p{L}$/u.test(word) && word !== "a" && !symbols.has(word));
}

/**
 * Whether what follows a number is its unit: a sign (`%`, `°C`, `€`), a unit's symbol, or up to four words that say what
 * was counted. A variable, an operator and a word that changes the value are none, nor is anything in doubt.
 */
function isUnit(text: string): boolean {
  const [, sign = "", rest = ""] =
    /^(\s?(?:[%‰$€£¥₹]|°(?:\s?[CFK](?![\p{L}\p{N}]))?))?(.*)$/su.exec(text) ?? [];
  if (rest === "") return true;
  const parts = rest.trimStart().split(/\s/);
  if (parts.length > (sign === "" ? 4 : 3)) return false;
  const attached = sign === "" && !/^\s/.test(rest);
  if (sign !== "" && !/^\s/.test(rest)) return false;
  const [head = "", ...tail] = parts;
  const named = attached
    ? /^-/.test(head)
      ? head.length > 3 && isNoun(head.slice(1))
      : head.length > 1 && isSymbol(head)
    : isWord(head, sign === "");
  return named && tail.every((part) => isWord(part, false));
}

/** A number as models write one, read exactly: its value is `numerator / denominator` in lowest terms. */
export type NumberValue = {
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** Without grouping, currency and unit: `70000`, `-0.5`, `1/2`, `1e3`. */
  readonly written: string;
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
const grouped = `\\d{1,3}(?:,\\d{3})+(?!\\d)|\\d{1,3}(?:${space}\\d{3})+(?!\\d)`;
const plain = `(?:${grouped}|\\d+)?(?:\\.\\d+)?`;
const money = "(?:US|A|C|NZ|HK)?[$€£¥₹]|(?:USD|EUR|GBP|CHF|JPY|INR)\\b";
/** sign, money, sign, digits, and one of an exponent, a power of ten or a denominator */
const pattern = new RegExp(
  `^([-−–+]?)\\s?(${money})?\\s?([-−–]?)(${plain})(?:[eE]([+-]?\\d{1,4})|\\s?[×x*·]\\s?10\\s?\\^\\s?\\{?\\(?([-−+]?\\d{1,4})\\)?\\}?|\\s?/\\s?(${plain}))?`,
);
const about = /^(?:about|approximately|approx\.?|around|exactly|=)\s*/i;
/** A sign in words, before digits or a number word. */
const negative = /^(?:minus|negative)\s(?=\S)/i;

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

function ratio(numerator: bigint, denominator: bigint, written: string): NumberValue {
  const shared = gcd(numerator < 0n ? -numerator : numerator, denominator) || 1n;
  return { numerator: numerator / shared, denominator: denominator / shared, written };
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
  return ratio(
    isNegative ? -value : value,
    top.denominator * bottom.numerator,
    `${isNegative ? "-" : ""}${number}${suffix}`,
  );
}

export { Answer };

const articles = new Set(["a", "an", "the"]);

/** `**Paris**`, `_Paris_`, `` `Paris` ``: marks in pairs around something, not the ones in `A*` and `2*3`. */
const emphasis = /(?<![\p{L}\p{N}])([*_`]{1,3})(?=\S)([^*_`]{1,400})(?<=\S)\1(?![\p{L}\p{N}])/gu;
/** Brackets around words, not those of `f(x)`, `2(x+1)` and `(1,2)`. */
const bracketed = /(?<![\\\p{L}\p{N}^_)])[([{]([\p{L}\s]{2,400})[)\]}]/gu;
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
    .replace(bracketed, (all, inner: string) => (loneLetter.test(inner) ? all : ` ${inner} `))
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

/** The same string for equal answers and only for these. */
function answerKey({ kind, value }: Answer): string {
  if (kind === "choice") return `choice ${value.trim().toUpperCase()}`;
  if (value.length > MAX_COMPARED_LENGTH) return `long ${value.trim().toLowerCase()}`;
  const date = readDate(value);
  if (date !== null) return `date ${date}`;
  const plain = plainExpression(value);
  const time = readTime(value);
  if (time !== null) return `text ${time}`;
  const exact = readExpression(plain) ?? readNumber(value) ?? readNumber(plain);
  if (exact === null) return `text ${plainText(plain)}`;
  const { numerator, denominator } = ratio(exact.numerator, exact.denominator, "");
  return `number ${numerator}/${denominator}`;
}

/**
 * Whether two answers say the same: numbers of exactly equal value (1,000 = 1e3, 0.5 = 1/2, 2^10 = 1024, `twenty-one` = 21;
 * unit and currency are not compared), days in whatever order they are written, choices of the same letter, formulas in LaTeX
 * or plain, texts alike but for case, the punctuation of sentences and a leading article. Signs, dots within a word, powers
 * and brackets of formulas count; what is in doubt is not the same. A choice and a text are never the same; a text that
 * reads as a number is that number. An equivalence relation.
 */
export function sameAnswer(a: Answer, b: Answer): boolean {
  return answerKey(a) === answerKey(b);
}
