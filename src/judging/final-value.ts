import type { Answer } from "./answer.ts";
import { numberValue } from "./number-value.ts";

const maximumValue = 400;
/** Turn and end marks that some models leave in their text, as `</s>`, `[/INST]` and `<|im_end|>`. */
const leftover = /\s*(?:<\/?s>|\[\/?(?:INST|OUT|ANS|SYS)\]|<\|[^|>]{1,30}\|>)\s*$/;
const latex: readonly (readonly [RegExp, string])[] = [
  [/\\[dt]?frac\s?\{([^{}]{1,100})\}\s?\{([^{}]{1,100})\}/g, "$1/$2"],
  [/\\(?:text|mathrm|mathbf|textbf|boxed|fbox|mbox)\s?\{([^{}]{0,200})\}/g, "$1"],
  [/\\(?:times|cdot)(?![a-z])/g, "×"],
  [/\^\s?\{?\\circ\}?/g, "°"],
  [/\\[!,;: ]|\\(?:left|right|quad)(?![a-z])|\\[()[\]]/g, ""],
  [/\{,\}/g, ","],
  [/\\([$%#&_])/g, "$1"],
];

/** The text without Markdown and LaTeX dressing, enclosing brackets and what ends a sentence. */
export const cleaned = (raw: string): string => {
  let text = raw.trim().slice(0, maximumValue);
  for (let previous = ""; previous !== text;) {
    previous = text;
    text = text.replace(leftover, "").trim();
    for (const [pattern, plain] of latex) text = text.replace(pattern, plain);
    text = text
      .replace(/^(\*\*|__|[*_`"“'])(.*)\1$/s, "$2")
      .replace(/^“(.*)”$/s, "$1")
      .replace(/^\${1,2}([^$]*)\${1,2}$/s, "$1")
      .replace(/^\[([^[\]]*)\]$/, "$1")
      .replace(/[.!;,:]$|\*\*$/, "")
      .replace(/^(?:\*\*|__|[*:>#=]\s?)/, "")
      .trim();
  }
  return text;
};

const several = /^[\W_]{0,3}[A-J][\W_]{0,3}(?:,|&|\/|\band\b|\bor\b)[\W_]{0,3}[A-J](?![\p{L}\p{N}])/u;
const choice =
  /^(?:(?:option|choice|answer)\s+)?(?:\(([A-Ja-j])\)|\[([A-Ja-j])\]|([A-J])(?=$|[):,]|\.(?:$|\s*$)|\s[-–—(]|\s(?:because|since|as|is)\b)|([b-j])$|([b-j])\))/i;

/** The letter of one choice: `B`, `(b)`, `B) Paris`, `option B`; a lone `a` is an article. */
export const choiceOf = (value: string): Answer | null => {
  if (several.test(value)) return null;
  const [all, ...letters] = choice.exec(value) ?? [];
  const letter = letters.find((group) => group !== undefined);
  if (all === undefined || letter === undefined || value === "a") return null;
  if (letters[2] !== undefined && letter !== letter.toUpperCase()) return null;
  return { kind: "choice", value: letter.toUpperCase() };
};

/** A number alone, or what a short equation comes to: `391`, `$70,000`, `17 * 23 = 391`. */
export const numberOf = (value: string): Answer | null => {
  const equals = value.lastIndexOf("=");
  const number = numberValue(equals === -1 ? value : cleaned(value.slice(equals + 1)));
  return number === null ? null : { kind: "number", value: number.written };
};

const inSentence =
  /(?:(?<![\p{L}\p{N}])(\p{L}{1,20})\s|([$€£]))[*_]{0,2}\(?\\?([$€£]?\d[\d,]{0,30}(?:\.\d{1,30})?)[*_]{0,2}(?![\p{L}\p{N}-])/gu;
const dating = new Set([
  "in",
  "on",
  "since",
  "until",
  "during",
  "by",
  "step",
  "version",
  "type",
  "level",
  "not",
  "than",
]);

/** The number of a sentence that has exactly one, and that in the place of a result: `Josh made a profit of $70,000`. */
export const numberInSentence = (sentence: string): Answer | null => {
  if ((sentence.match(/\d[\d,]*(?:\.\d+)?/g) ?? []).length !== 1) return null;
  const [match] = [...sentence.matchAll(inSentence)];
  const [, word, currency, digits] = match ?? [];
  if (digits === undefined) return null;
  if (word !== undefined && currency === undefined && (dating.has(word) || word !== word.toLowerCase()))
    return null;
  return numberOf(digits);
};

/** Yes, no, true or false where a text begins with it, else the text, if it has at most `maximumWords` words. */
export const textOf = (value: string, maximumWords: number): Answer | null => {
  const [, plain] = /^(yes|no|true|false)(?=$|[\s,.;:–—-])/i.exec(value) ?? [];
  const text = plain ?? value;
  const words = text.split(/\s+/).length;
  const says = /[\p{L}\p{N}]/u.test(text) && !/[?\n]|\\boxed/.test(text);
  return says && words <= maximumWords && text.length <= 120 ? { kind: "text", value: text } : null;
};
