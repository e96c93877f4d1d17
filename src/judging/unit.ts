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
  /^(?:[ap]m|bce?|ad|ce|minus|negative|plus|times|x|mod|modulo|divided|pi|e|alpha|beta|gamma|delta|theta|lambda|mu|sigma|tau|phi|psi|omega|sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|factorial|squared|cubed|dozens?|scores?|hundreds?|tenths?|hundredths?|thousandths?|hal(?:f|ves)|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|thousands?|millions?|billions?|trillions?|lakhs?|crores?|less|fewer|lower|below|under|decreases?|drop|loss|lost|deficit|debt|short|ago|before|early|north|south|east|west|right|down|(?:anti|counter)?clockwise|morning|afternoon|evening|night)$/i;
const joining = /^(?:and|but|if|or|to|versus|vs)$/i;

const power = String.raw`(?:\^?-?[23]|[²³]|\^\{?-?\d\}?)?`;
const symbol = new RegExp(String.raw`^(\p{L}+)${power}$`, "u");
const words = /^\p{Ll}[\p{Ll}'’-]{1,29}$/u;

/** `km`, `m^2`, `m/s²`, `kWh`. */
const isSymbol = (text: string): boolean =>
  text.split(/[/·*]/).every((part) => symbols.has(symbol.exec(part)?.[1] ?? ""));

/** One lower-case word of what was counted, also `dollars/day` and `(people)`. */
const isNoun = (text: string): boolean =>
  text.split("/").every((part) => words.test(part) && !part.split("-").some((word) => changing.test(word)));

const isWord = (text: string, first: boolean): boolean => {
  if (changing.test(text) || joining.test(text)) return false;
  if (isSymbol(text)) return true;
  return first ? text.length > 2 && isNoun(text) : text === "a" || isNoun(text);
};

/** A word that changes the value of the number before it, as `pm`, `dozen`, `squared`, and any lone letter but a unit's. */
export const changesNumber = (word: string): boolean =>
  changing.test(word) || (/^\p{L}$/u.test(word) && word !== "a" && !symbols.has(word));

/**
 * Whether what follows a number is its unit: a sign (`%`, `°C`, `€`), a unit's symbol, or up to four words that say what
 * was counted. A variable, an operator and a word that changes the value are none, nor is anything in doubt.
 */
export const isUnit = (text: string): boolean => {
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
};
