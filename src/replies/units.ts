import { readTable } from "./expression.ts";

// What stands behind a number: whether it is a unit, and which units are the same.

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
  /^(?:[ap]m|bce?|ad|ce|minus|negative|plus|times|x|mod|modulo|divided|pi|e|alpha|beta|gamma|delta|theta|lambda|mu|sigma|tau|phi|psi|omega|sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|factorial|squared|cubed|dozens?|scores?|hundreds?|tenths?|hundredths?|thousandths?|hal(?:f|ves)|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|thousands?|millions?|billions?|trillions?|lakhs?|crores?|more|less|fewer|lower|below|above|under|over|(?:in|de)creases?|drop|loss|lost|deficit|debt|short|ago|before|after|later|earlier|early|north|south|east|west|right|down|(?:anti|counter)?clockwise|morning|afternoon|evening|night|not|no|never|yes|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)$/i;
const joining = /^(?:and|but|if|or|to|versus|vs)$/i;

const exponent = String.raw`(?:\^?(-?[1-4])|([²³])|\^[{(](-?\d)[)}])?`;
const symbol = new RegExp(String.raw`^(\p{L}+|%)${exponent}$`, "u");
const UNIT_WORD = /^\p{Ll}[\p{Ll}'’-]{1,29}$/u;

/** `km`, `m^2`, `m/s²`, `kWh`. */
function isSymbol(text: string): boolean {
  return text.split(/[/·*]/).every((part) => symbols.has(symbol.exec(part)?.[1] ?? ""));
}

/** One lower-case word of what was counted, also `dollars/day`. */
function isNoun(text: string): boolean {
  return text
    .split("/")
    .every(
      (part) =>
        symbols.has(part) || (UNIT_WORD.test(part) && !part.split("-").some((word) => changing.test(word))),
    );
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

const plural = /[^su]s$|ss?es$|^(?:people|children|men|women|feet|mice|geese|teeth|fish|sheep)$/;
/** What may follow what was counted: `eggs in total`, `years old`, `dollars per day`, `cups of flour`. */
const extending =
  /^(?:per|a|an|each|every|of|in|total|altogether|overall|left|remaining|remain|old|long|tall|high|wide|deep|away|apart|cent|points?|Celsius|Fahrenheit|[CFK])$/;

/** Whether words name one thing that was counted and say nothing of it: not `people said no`. */
function nameOneThing(words: readonly string[]): boolean {
  const head = words.findIndex((word) => plural.test(word) || isSymbol(word));
  const next = words[(head === -1 ? 0 : head) + 1];
  return next === undefined || extending.test(next) || isSymbol(next) || (head === -1 && words.length === 2);
}

/**
 * Whether what follows a number is its unit: a sign (`%`, `°C`, `€`), a unit's symbol, or up to four words that say what
 * was counted. A variable, an operator and a word that changes the value are none, nor is anything in doubt.
 */
export function isUnit(text: string): boolean {
  const [, sign = "", rest = ""] =
    /^(\s?(?:[%‰$€£¥₹]|°(?:\s?[CFK](?![\p{L}\p{N}]))?))?(.*)$/su.exec(text) ?? [];
  if (rest === "") return true;
  const parts = rest.trimStart().split(/\s/);
  if (parts.length > (sign === "" ? 4 : 3)) return false;
  const attached = sign === "" && !/^\s/.test(rest);
  if (sign !== "" && !/^[\s/]/.test(rest)) return false;
  const [head = "", ...tail] = parts;
  const named = attached
    ? /^[-/]/.test(head)
      ? head.length > 3 && isNoun(head.slice(1))
      : head.length > 1 && isSymbol(head)
    : (head === "a" && tail.length > 0) || isWord(head.replace(/^\//, ""), sign === "");
  return named && tail.every((part) => isWord(part, false)) && nameOneThing(parts);
}

/** The unit that a sentence has behind a number: known ones, and a plural of what was counted; empty where there is none. */
export function unitIn(behind: string): string {
  const [said = ""] = /^[^,;:!?()]*/.exec(behind.slice(0, 100).replace(/\.(?=\s|$)[^]*/, "")) ?? [];
  const parts = said.split(/(?<=\S)(?=\s)/);
  for (let count = Math.min(parts.length, 4); count > 0; count -= 1) {
    const text = parts.slice(0, count).join("");
    const names = readUnit(text)
      .of.split(" ")
      .map((one) => one.replace(/\^-?\d+$/, ""));
    if (isUnit(text) && names.every((one) => knownUnits.has(one))) return text;
  }
  const [noun = ""] = /^\s\p{Ll}+/u.exec(said) ?? [];
  return isUnit(noun) &&
    plural.test(noun) &&
    !/^\s(?:as|is|was|has|this|thus|always|perhaps|besides|across|unless|plus|yes|its)$/.test(noun)
    ? noun
    : "";
}

/** A unit by what it measures, and how much of that it is: `km` and `m` measure the same, and differ by 1000. */
export type MeasuredUnit = { readonly of: string; readonly numerator: bigint; readonly denominator: bigint };

/** A unit's other names, as `name=count base`, `name=count/parts base` or `name=base`; only what holds exactly. */
const definitions = readTable(
  "mins=min|minute=min|sec=s|secs=s|second=s|hr=h|hrs=h|hour=h|day=d|yr=year|yrs=year|l=L|Celsius=°C|C=°C|" +
    "Fahrenheit=°F|F=°F|Kelvin=K|kelvin=K|celsius=°C|fahrenheit=°F|°=degree|deg=degree|percent=%|pct=%|lbs=lb|bits=bit|" +
    "byte=B|foot=ft|feet=ft|inch=in|yard=yd|mile=mi|kilo=kg|rev=revolution|USD=$|dollar=$|euro=€|EUR=€|GBP=£|" +
    "JPY=¥|yen=¥|INR=₹|rupee=₹|people=person|children=child|men=man|women=woman|" +
    "min=60 s|h=3600 s|d=86400 s|week=604800 s|year=12 month|in=127/5000 m|ft=381/1250 m|yd=1143/1250 m|mi=201168/125 m|" +
    "‰=1/10 %|ha=10000 m^2|tonne=1000000 g|bar=100000 Pa|" +
    "meter=m|metre=m|gram=g|gramme=g|liter=L|litre=L|watt=W|joule=J|volt=V|ampere=A|amp=A|newton=N|hertz=Hz|pascal=Pa",
  "=",
);
const knownUnits = new Set(
  "m g s L K A V W J N °C °F Ω B bit Pa Hz eV cal mol month degree % $ € £ ¥ ₹ lb oz atm psi rpm person".split(
    " ",
  ),
);
const compounds = new Map(
  Object.entries({ mph: "mi/h", kph: "km/h", kmh: "km/h", kWh: "kW*h", MWh: "MW*h", Wh: "W*h" }),
);
/** The power of ten that a prefix stands for. */
const prefixes = new Map(
  Object.entries({ k: 3, M: 6, G: 9, h: 2, d: -1, c: -2, m: -3, µ: -6, μ: -6, n: -9 }),
);
const prefixNames = readTable("kilo k|mega M|giga G|hecto h|deci d|centi c|milli m|micro µ|nano n");
const prefixedUnit = /^([kMGhdcmµμn])(m|g|s|l|L|W|J|V|A|N|Hz|Pa|eV|cal)$/;
const prefixedName =
  /^(kilo|mega|giga|hecto|deci|centi|milli|micro|nano)(meter|metre|gram|gramme|second|liter|litre|watt|joule|volt|ampere|amp|newton|hertz|pascal)$/;

function raise({ numerator, denominator }: MeasuredUnit, power: number): MeasuredUnit {
  const [over, under] = power < 0 ? [denominator, numerator] : [numerator, denominator];
  const times = BigInt(Math.abs(power));
  return { of: "", numerator: over ** times, denominator: under ** times };
}

const dollars = new Map(Object.entries({ US$: "$", A$: "AUD", C$: "CAD", NZ$: "NZD", HK$: "HKD" }));

const singular = (word: string): string =>
  word
    .replace(/(?<=[a-z]{2})ies$/, "y")
    .replace(/(?<=ss|x|z|ch|sh)es$/, "")
    .replace(/(?<=[a-z]{2}[^su])s$/, "");

/** What one name measures: its base and how much of it; a name that nobody has defined is its own base. */
function define(name: string): MeasuredUnit {
  const definition = definitions.get(name);
  if (definition !== undefined) {
    const [, over = "1", under = "1", base = ""] = /^(?:(\d+)(?:\/(\d+))? )?(.+)$/.exec(definition) ?? [];
    const measured = define(base);
    return {
      of: measured.of,
      numerator: BigInt(over) * measured.numerator,
      denominator: BigInt(under) * measured.denominator,
    };
  }
  const [, long = "", base = ""] = prefixedName.exec(name) ?? [];
  if (long !== "") return define(`${prefixNames.get(long) ?? ""}${definitions.get(base) ?? base.charAt(0)}`);
  const [, prefix = "", of = ""] = prefixedUnit.exec(name) ?? [];
  const shift = prefixes.get(prefix);
  if (shift === undefined) return { of: name, numerator: 1n, denominator: 1n };
  return { ...raise({ of, numerator: 10n, denominator: 1n }, shift), of: of === "l" ? "L" : of };
}

/** `km^2`, `square meters`, `duck eggs`: the name in its singular, and its power. */
function readFactor(text: string): { readonly name: string; readonly power: number } {
  const [, dimension = "", bare = ""] = /^(?:(square|sq|cubic)\.?\s)?(.*)$/s.exec(text) ?? [];
  const words = bare.split(" ");
  const [, sign = "", plainPower, raised, braced] = symbol.exec(bare) ?? [];
  const written = plainPower ?? braced ?? (raised === "²" ? "2" : raised === "³" ? "3" : undefined);
  const given = dimension === "cubic" ? 3 : dimension === "" ? 1 : 2;
  if (written !== undefined) return { name: sign, power: Number(written) * given };
  const [last = ""] = words.slice(-1);
  const isKnown = symbols.has(bare) || definitions.has(bare);
  return { name: isKnown ? bare : [...words.slice(0, -1), singular(last)].join(" "), power: given };
}

/** Which unit a text names; two texts that name one unit give the same. */
export function readUnit(text: string): MeasuredUnit {
  const written = text
    .trim()
    .replace(/^-/, "")
    .replace(/^(?:US|A|C|NZ|HK)\$/, (sign) => dollars.get(sign) ?? sign)
    .replace(
      /^([$€£¥₹])\s?(?:(?:US|C|A|NZ|HK)D|EUR|GBP|JPY|INR|dollars?|euros?|yen|rupees?)\b/,
      (all, sign: string) => (/[CANH]\w?D$/.test(all) ? all.slice(-3) : sign),
    )
    .replace(/^(?:degrees?|deg|°)\s?(C|F|K)(?:elsius|ahrenheit|elvin)?(?!\p{L})/iu, (_, sign: string) =>
      sign.toUpperCase(),
    )
    .replace(/\bper cent\b/g, "percent")
    .replace(/\s(?:in total|in all|total|altogether|overall|left|remaining|remain)$/g, "")
    .replace(/\s?(?:\bper|\ban?|\bevery)\s/g, "/")
    .replace(/\s{1,9}/g, " ")
    .trim();
  const powers = new Map<string, number>();
  let [numerator, denominator] = [1n, 1n];
  const expanded = written.replace(/^([$€£¥₹%‰])\s?(?=[^\s/])/, "$1*");
  const parts = [...expanded.matchAll(/(^|[/·*])([^/·*]+)/g)].flatMap(([, joint, part = ""]) => {
    const compound = compounds.get(part);
    const inner = compound === undefined ? [part] : compound.split(/(?=[/*])/);
    return inner.map((one) => ({
      isBelow: (joint === "/") !== one.startsWith("/"),
      one: one.replace(/^[/*]/, ""),
    }));
  });
  for (const { isBelow, one } of parts) {
    const { name, power } = readFactor(one.trim());
    const base = define(name);
    const signed = isBelow ? -power : power;
    const scale = raise(base, signed);
    numerator *= scale.numerator;
    denominator *= scale.denominator;
    const [, of = base.of, inner = "1"] = /^(.+)\^(\d)$/.exec(base.of) ?? [];
    powers.set(of, (powers.get(of) ?? 0) + signed * Number(inner));
  }
  const of = [...powers]
    .filter(([, power]) => power !== 0)
    .map(([name, power]) => `${name}^${power}`)
    .toSorted()
    .join(" ");
  return { of, numerator, denominator };
}
