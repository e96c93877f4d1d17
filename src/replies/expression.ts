// What answers write in several ways and mean the same by: dates, numbers in words, powers, mixed numbers, LaTeX.

/** A rational number; `denominator` is positive. */
export type Ratio = { readonly numerator: bigint; readonly denominator: bigint };
const whole = (numerator: bigint): Ratio => ({ numerator, denominator: 1n });

/** A table that is written as text: rows with `|` between them, each a key, a sign and a value. */
export function readTable(text: string, sign = " "): ReadonlyMap<string, string> {
  const table = new Map<string, string>();
  for (const row of text.split("|")) table.set(...(row.split(sign, 2) as [string, string])); // every row has the sign
  return table;
}

const GREEK =
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega";
const greekNames = new Map([
  ["ϕ", "phi"],
  ["ϵ", "epsilon"],
  ["ς", "sigma"],
  ["∞", "infinity"],
]);
for (const [index, name] of GREEK.split(" ").entries())
  greekNames.set("αβγδεζηθικλμνξοπρστυφχψω".charAt(index), name);
/** Commands of LaTeX and the signs that mean the same. */
const signs = readTable(
  "in ∈|notin ∉|cup ∪|cap ∩|subset ⊂|subseteq ⊆|approx ≈|sim ∼|neg ¬|lnot ¬|land ∧|wedge ∧|lor ∨|vee ∨|to →|rightarrow →|emptyset ∅|varnothing ∅|mp ∓|forall ∀|exists ∃|partial ∂|nabla ∇|int ∫|sum ∑|deg °",
);
const capitals = new Map(
  [..."ΓΔΘΛΞΠΣΥΦΨΩ"].map((sign): [string, string] => {
    const name = greekNames.get(sign.toLowerCase()) ?? "";
    return [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, sign];
  }),
);
const vulgar = /[¼½¾⅐-⅞]/g;

/** LaTeX and signs to the plain form of a formula, in order. Grouping braces are gone at the end; those of sets stay. */
const plain: readonly (readonly [RegExp, string])[] = [
  [/\\([$%#&])/g, "$1"],
  [/\s?\^\s?\{?(?:\\circ|∘|°)(?![a-z])\s?\}?/g, "°"],
  [/\\(?:left|right|displaystyle|quad|qquad|,|;|!|:|(?=\s))(?![a-z])/g, " "],
  [/\\\{/g, "⦃"],
  [/\\\}/g, "⦄"],
  [/\\(?:text|mathrm|mathbf|textbf|operatorname|mbox|boxed)\s?\{([^{}]{0,200})\}/g, "$1"],
  [/\\mathbb\s?\{?([RNZQC])\}?/g, "⟦$1⟧"],
  [/_\s?\{(\w{1,10})\}/g, "_$1"],
  [/\\(?:cdot|times)(?![a-z])|[×·⋅∙]/g, "*"],
  [/\\(?:leq?|leqslant)(?![a-z])|≤|⩽/g, "<="],
  [/\\(?:geq?|geqslant)(?![a-z])|≥|⩾/g, ">="],
  [/\\(?:neq?)(?![a-z])|≠/g, "!="],
  [/\\pm(?![a-z])/g, "±"],
  [/\\infty(?![a-z])|∞/g, "infinity"],
  [
    /\\(?:var)?(alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega)(?![a-z])\s?/g,
    "$1",
  ],
  [/\\(sin|cos|tan|cot|sec|csc|log|ln|exp|max|min)(?![a-z])/g, "$1"],
  [/\\[dt]?frac\s?(?=[\d{a-z\\])/g, "\\frac"],
  [/(?<=\d)\s?(?=\\frac\s?\{?\d)/g, " "],
  [/\\frac\s?(\d|[a-z])/g, "\\frac{$1}"],
  [/(\\frac\{[^{}]{1,100}\})\s?(\d|[a-z](?![a-z]))/g, "$1{$2}"],
  [/\\sqrt\s?\[\s?(\d)\s?\]\s?\{([^{}]{1,100})\}/g, "root$1($2)"],
  [/∛\s?\(?(\d+)\)?/g, "root3($1)"],
  [/(?:\\sqrt|√|\bsqrt)\s?\{([^{}]{1,100})\}/g, "sqrt($1)"],
  [/(?:\\sqrt|√|\bsqrt)\s?\(([^()]{1,100})\)/g, "sqrt($1)"],
  [/(?:√|\bsqrt)\s?(\d+(?:\.\d+)?|[a-z](?![a-z]))|\\sqrt\s?(\d|[a-z](?![a-z]))/gi, "sqrt($1$2)"],
  [/\^\s?\{([^{}]{1,100})\}/g, "^($1)"],
  [/\\frac\s?\{([^{}]{1,100})\}\s?\{([^{}]{1,100})\}/g, "($1)/($2)"],
  [/(?<![a-z\d)])\((-?(?:\d+(?:\.\d+)?|[a-z]|pi))\)\//gi, "$1/"],
  [/\/\((\d+(?:\.\d+)?|[a-z]|pi)\)(?![\da-z(])/gi, "/$1"],
  [/\^\((-?(?:\d+|[a-z]))\)(?!\d)/gi, "^$1"],
  [/(^|[=(,+])\(((?:\d+|[a-z]|pi|sqrt\(\d+\)|\*)+)\)\//gi, "$1$2/"],
  [/(?<=\d)\s?\*\s?(?=[a-z(])/gi, ""],
  [/(?<=\d) (?=(?:sqrt\(|root\d\(|pi\b|theta\b))/g, ""],
  [/⦃/g, "{"],
  [/⦄/g, "}"],
];
export const mathWords = /\b(?:sqrt|root\d|sin|cos|tan|cot|sec|csc|log|ln|exp|max|min|infinity)\b/g;
export const greekWords = new RegExp(`(?<![a-z])(?:${GREEK.replaceAll(" ", "|")})(?![a-z])`, "gi");

/** A formula without LaTeX and without spaces that mean nothing, in one spelling; prose stays as it is. */
export function plainExpression(text: string): string {
  let written = text
    .replace(/(?<!\\)\{\s{1,9}|\s{1,9}(?<!\\)\}/g, (brace) => brace.trim())
    .replace(vulgar, (sign) => ` ${sign.normalize("NFKC").replace("⁄", "/")}`)
    .replace(/[−–](?=[\s\d\p{L}\\(])/gu, "-")
    .replace(/[⁰¹²³⁴-⁹⁺⁻ⁿ]{1,20}/g, (power) => `^${power.normalize("NFKC").replace("−", "-")}`)
    .replace(/[₀-₉]{1,20}/g, (index) => `_${index.normalize("NFKC")}`)
    .replace(/[ℝℕℤℚℂ]/g, (set) => `⟦${set.normalize("NFKC")}⟧`)
    .replace(/^([^*]{0,200}[\w)])\*\*([\w(][^*]{0,200})$/, "$1^$2")
    .replace(
      /\\([A-Za-z]{2,10})(?![A-Za-z])/g,
      (all, name: string) => signs.get(name) ?? capitals.get(name) ?? all,
    )
    .replace(/\p{Script=Greek}/gu, (letter) => greekNames.get(letter) ?? letter);
  for (const [pattern, form] of plain) written = written.replace(pattern, form);
  written = written
    .trim()
    .replace(/(?<=[([{])\s+|\s+(?=[)\]},])/g, "")
    .replace(/^(?:the )?square root of (\d{1,30})$/i, "sqrt($1)");
  const isFormula = !/\p{L}{3}/u.test(written.replace(mathWords, "").replace(greekWords, ""));
  return isFormula ? sortSet(written.replace(/\s*([-+*/^=<>∈∉∪∩⊂⊆→])\s*/g, "$1")) : sortSet(written);
}

/** A set in one order, `{}` as `∅`, and a number without the brackets around it. */
function sortSet(text: string): string {
  if (/^\{\s?\}$/.test(text)) return "∅";
  const number = /^\(([-\d.^/ ]{1,60})\)$/.exec(text)?.[1];
  const members = /^\{([^{}()[\]]{1,400})\}$/.exec(text)?.[1]?.split(/\s?,\s?/);
  return number ?? (members && members.length > 1 ? `{${members.toSorted().join(", ")}}` : text);
}

const clock = /^(\d{1,2})(?::(\d{2}))?\s?([ap])\.?\s?m\.?$/i;

/** A time of day with `am` or `pm` on the clock of 24 hours: `3:30 PM` as `15:30`. Null for any other text. */
export function readTime(text: string): string | null {
  const [, hours = "", minutes = "00", half = ""] = clock.exec(text.trim().slice(0, 20)) ?? [];
  if (hours === "" || Number(hours) < 1 || Number(hours) > 12 || Number(minutes) > 59) return null;
  return `${String((Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0)).padStart(2, "0")}:${minutes}`;
}

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);
const month = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`;
const day = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const weekday = String.raw`(?:(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?`;
const monthFirst = new RegExp(String.raw`^${weekday}(?:the )?${month} ${day}(?:,? (\d{3,4}))?$`, "i");
const dayFirst = new RegExp(String.raw`^${weekday}(?:the )?${day}(?: of)? ${month}(?:,? (\d{3,4}))?$`, "i");
const MAX_DATE_LENGTH = 200;
const yearFirst = /^(\d{4})[-/](\d{2})[-/](\d{2})$/;

/** A day, as `1776-07-04` or `--07-04`. Null for what is none and for days written in numbers whose order is a custom. */
export function readDate(text: string): string | null {
  if (text.length > MAX_DATE_LENGTH) return null;
  const said = text
    .trim()
    .replace(/\s{1,9}/g, " ")
    .replace(/\.$/, "");
  const numbers = yearFirst.exec(said);
  const first = monthFirst.exec(said);
  const [, date = "", name = "", year = ""] = first
    ? [null, first[2], first[1], first[3]]
    : (dayFirst.exec(said) ?? []);
  const named = 1 + MONTHS.findIndex((one) => one.startsWith(name.slice(0, 3).toLowerCase()));
  const parts = numbers
    ? numbers.slice(1)
    : name === ""
      ? []
      : [year && year.padStart(4, "0"), String(named), date];
  const [years = "", months = "", days = ""] = parts;
  if (months === "" || Number(months) < 1 || Number(months) > 12 || Number(days) < 1 || Number(days) > 31)
    return null;
  return `${years || "-"}-${months.padStart(2, "0")}-${days.padStart(2, "0")}`;
}

const UNITS = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    .split(" ")
    .map((word, value) => [word, BigInt(value)]),
);
const TENS = new Map(
  "twenty thirty forty fifty sixty seventy eighty ninety"
    .split(" ")
    .map((word, index) => [word, BigInt(20 + 10 * index)]),
);
const SCALES = new Map([
  ["thousand", 1_000n],
  ["million", 1_000_000n],
  ["billion", 1_000_000_000n],
  ["trillion", 1_000_000_000_000n],
]);
const PARTS = new Map(
  "half third quarter fourth fifth sixth seventh eighth ninth tenth"
    .split(" ")
    .map((word, index) => [word, [2n, 3n, 4n, 4n, 5n, 6n, 7n, 8n, 9n, 10n][index] ?? 1n]),
);

/** A whole number in words: `twenty-one`, `one hundred and five`, `two thousand three hundred`. */
function readWhole(words: readonly string[]): bigint | null {
  let total = 0n;
  let group = 0n;
  let room = 1_000n; // what the next word has to be less than: `twenty one` is a number, `one twenty` is none
  let scale = 1_000_000_000_000_000n;
  for (const [index, word] of words.entries()) {
    const [unit, ten, large] = [UNITS.get(word), TENS.get(word), SCALES.get(word)];
    const last = index === words.length - 1;
    if (word === "and" && index > 0 && !last && room === 100n) continue;
    if (
      unit !== undefined &&
      room >= 10n &&
      (unit < 10n || room >= 100n) &&
      (unit > 0n || words.length === 1)
    ) {
      group += unit;
      room = room === 1_000n && unit < 10n ? 2n : 1n;
    } else if (ten !== undefined && room >= 100n) {
      group += ten;
      room = 10n;
    } else if (word === "hundred" && room === 2n) {
      group *= 100n;
      room = 100n;
    } else if (large !== undefined && large < scale && group > 0n) {
      total += group * large;
      [group, room, scale] = [0n, 1_000n, large];
    } else return null;
  }
  return words.length === 0 || words.at(-1) === "and" ? null : total + group;
}

/** `twenty-one`, `minus one hundred and five`, `three quarters`, `two and a half`. */
function readWords(text: string): Ratio | null {
  if (!/^[a-z]{2,9}(?:[\s-][a-z]{1,9}){0,24}$/i.test(text)) return null;
  const all = text.toLowerCase().split(/[\s-]/);
  const negative = all[0] === "minus" || all[0] === "negative";
  const words = negative ? all.slice(1) : all;
  const half = words.length > 3 && words.slice(-3).join(" ") === "and a half";
  const part = PARTS.get((words.at(-1) ?? "").replace(/s$|ves$/, (end) => (end === "ves" ? "f" : "")));
  const parts = words.length === 2 && part !== undefined;
  const value = readWhole(half ? words.slice(0, -3) : parts ? words.slice(0, 1) : words);
  if (value === null) return null;
  const ratio = half
    ? { numerator: value * 2n + 1n, denominator: 2n }
    : { numerator: value, denominator: parts ? part : 1n };
  return negative ? { ...ratio, numerator: -ratio.numerator } : ratio;
}

const mixedNumber = /^(-?)(\d{1,15}) (\d{1,6})\/(\d{1,6})$/;
const power = /^(\d{1,6})\^(-?)(\d{1,3})$/;
const root = /^sqrt\((\d{1,15})\)$/;

/**
 * The exact value of a number that is written in words, as a mixed number (`2 1/2`), as a power of whole numbers (`2^10`) or
 * as the root of a square. Null for all others.
 */
export function readExpression(text: string): Ratio | null {
  const [, sign, units, over, under] = mixedNumber.exec(text) ?? [];
  if (units !== undefined && over !== undefined && under !== undefined) {
    const [numerator, denominator] = [BigInt(over), BigInt(under)];
    if (numerator >= denominator) return null;
    const value = BigInt(units) * denominator + numerator;
    return { numerator: sign === "-" ? -value : value, denominator };
  }
  const [, base, inverse, exponent] = power.exec(text) ?? [];
  if (base !== undefined && exponent !== undefined) {
    if (BigInt(base) === 0n || base.length * Number(exponent) > 1_000) return null;
    const value = BigInt(base) ** BigInt(exponent);
    return inverse === "-" ? { numerator: 1n, denominator: value } : whole(value);
  }
  const square = root.exec(text)?.[1];
  const side = square === undefined ? null : BigInt(Math.round(Math.sqrt(Number(square))));
  if (square !== undefined && side !== null && side * side === BigInt(square)) return whole(side);
  return readWords(text);
}
