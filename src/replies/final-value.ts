import { type Answer, readNumber } from "./answer.ts";
import { plainExpression } from "./expression.ts";
import { changesNumber, unitIn } from "./units.ts";

const MAX_VALUE_LENGTH = 400;
/** Turn and end marks that some models leave in their text: `</s>`, `[/INST]`, `<|im_end|>`, `<EOS_TOKEN>`, `<end_of_turn>`. */
const END_MARK =
  /<\/?s>|\[\/?(?:INST|OUT|ANS|SYS|EOS|END)\]|<[|｜][^|｜<>\n]{1,30}[|｜]>|<\/?(?:eo[a-z]|end)(?:_[a-z_]{1,20})?>/gi;

/** A mark that ends a turn, and not one that a turn begins with. */
const TURN_END =
  /<\/s>|\[(?:INST|EOS|END)\]|<[|｜](?:eot_id|eom_id|im_end|endoftext|end|return|eot|end▁of▁sentence)[|｜]>|<(?:eos|eot|eom|end)(?:_[a-z_]{1,20})?>/i;

/** A reply up to the first mark of its turn's end, without the reasoning that a model has put between `<think>` marks. */
export function ownTurn(text: string): string {
  const start = /^\s*(?:\[INST\]\s*)?/.exec(text)?.[0].length ?? 0;
  const end = text.slice(start).search(TURN_END);
  const own = end <= 0 || text.slice(start, start + end).trim() === "" ? text : text.slice(0, start + end);
  const thought = own.lastIndexOf("</think>");
  const said = thought === -1 ? "" : own.slice(thought + 8);
  return said.trim() === "" ? own : said;
}

const otherDigit = /(?![0-9])\p{Nd}/gu;
const isDigit = /^\p{Nd}$/u;

/** The value of a digit of any script: these stand in runs of ten, from nought to nine. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let first = code;
  while (isDigit.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

/** Full-width letters, signs and the digits of all scripts as those of ASCII: `４２`, `Ｂ`, `٤٢`. */
export const asciiDigits = (text: string): string =>
  text
    .replace(/[\uff01-\uff19\uff1b-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(/(?<=\p{Nd})[٫٬](?=\p{Nd})/gu, (mark) => (mark === "٫" ? "." : ","))
    .replace(otherDigit, digitOf);

/** The text with a line break for each mark of a turn's end. */
export const splitAtEndMarks = (text: string): string => text.replace(END_MARK, "\n");

const latex: readonly (readonly [RegExp, string])[] = [
  // A mixed number keeps its parts apart, a longer part its brackets.
  [/(?<=\d)\s?(?=\\[dt]?frac)/g, " "],
  [/(\\[dt]?frac)\s?\{(?!-?[\w.,]+\})([^{}()]{1,98})\}/g, "$1{($2)}"],
  [/(\\[dt]?frac\s?\{[^{}]{1,100}\})\s?\{(?!(?:[\d.,]+|[a-z])\})([^{}()]{1,98})\}/gi, "$1{($2)}"],
  [/\\[dt]?frac\s?\{([^{}]{1,100})\}\s?\{([^{}]{1,100})\}(?=\s?\.?\d)/g, "($1/$2)"],
  [/\\[dt]?frac\s?\{([^{}]{1,100})\}\s?\{([^{}]{1,100})\}/g, "$1/$2"],
  [/\\(?:text|mathrm|mathbf|textbf|boxed|fbox|mbox)\s?\{([^{}]{0,200})\}/g, "$1"],
  [/\\(?:times|cdot)(?![a-z])/g, "×"],
  [/\^\s?\{?\\circ\}?/g, "°"],
  [/\\[!,;: ]|\\(?:left|right|quad)(?![a-z])|\\[()[\]]/g, ""],
  [/\{,\}/g, ","],
  [/\\([$%#&_])/g, "$1"],
];

/** An exclamation mark that ends a sentence: `n!`, `5!` and `(n-1)!` are factorials. */
const exclamation = /(?<=\p{L}{2}["'”*_]{0,3})!$/u;
/** Where a sentence ends; the mark of a factorial ends none. */
const sentenceEnd = /\.(?:\s|$)|(?<=\p{L}{2}["'”*_]{0,3})!(?:\s|$)/u;

export function firstSentence(text: string): string {
  return text.split(sentenceEnd, 1)[0] ?? text;
}

/** The text without Markdown and LaTeX dressing, enclosing brackets and what ends a sentence. */
export function cleanValue(raw: string): string {
  let text = raw.trim().slice(0, MAX_VALUE_LENGTH);
  for (let previous = ""; previous !== text;) {
    previous = text;
    for (const [pattern, plain] of latex) text = text.replace(pattern, plain);
    text = text
      .replace(/^(\*\*|__|[*_`"“'])((?:(?!\1).)*)\1$/s, "$2")
      .replace(/^“([^“]*)”$/s, "$1")
      .replace(/^\${1,2}([^$]*)\${1,2}$/s, "$1")
      .replace(/^\[([^[\]]*)\]$/, "$1")
      .replace(/(?<!\.)[.;,:]$|[。．；，：]$|(?<!\*\*[^]*)\*\*$/, "")
      .replace(exclamation, "")
      .replace(/^(?:\*\*|__|[*:#=]\s?)/, "")
      .trim();
  }
  return text;
}

const several =
  /^[\W_]{0,3}[A-Z][\W_]{0,3}(?:,|[&/|;>→、]|\b(?:and|or|und|oder|et|ou|as well as)\b)(?:\s?(?:and|or|then|und|dann|et|puis|y|e)\s)?[\W_]{0,3}(?:[A-Z]|[IVX]{2,4})(?![\p{L}\p{N}])/u;
const choice =
  /^(?:(?:the\s+)?(?:option|choice|answer|letter)\s+)?[*_]{0,3}(?:\(\s?([A-Za-z])\s?(?:\)|$|[.:]\s)|\[([A-Za-z])\]|([A-Z])(?=[*_]{0,3}(?:$|[):,]|\.(?:$|[*_]{1,3}(?:\s|$))|\s[-–—(](?![>-])(?!\s?(?!a\s)\p{L}(?!\p{L}))|\s(?:because|since)\b|\sas\s(?:it|its|the|this|that|these|those|they|there|we|you|all|both|per|in|shown|stated|explained|option)\b|\sis\s(?:(?:the|my|clearly|therefore|thus)\s){0,2}(?:most\s)?(?:correct|right|best|answer|true|likely|valid)(?:\s(?:answer|option|choice|one|statement))?(?=[*_\s]*(?:$|[,.;:!(–—])|\s(?:because|since|as|for|here|due|given|in|based)\b)))|([b-j])$|([b-j])\))/iu;
/** `B. Paris`, `D. $45`, `A. within the past year`; not `E. coli` and `J. K. Rowling`. */
const captionedOption =
  /^(?:(?:option|choice|answer)\s+)?[*_]{0,3}([A-Z])\.\s+(?!\p{Lu}\.)(?!\p{Ll}+[.*_]*$)\S/u;

/** What may stand around a lone letter: marks of a list, of a quotation and of HTML, braces, emoji. */
const letterDress =
  /^(?:[-•>]\s{1,3}|\d{1,2}\.\s|<(?:b|strong|em|i|answer)>|\{|i (?:think|believe) (?:it is|it's|that it is)\s)?[*_]{0,3}(\(?[A-Z]\)?)[*_]{0,3}(?:<\/(?:b|strong|em|i|answer)>|\}|[\s\p{Extended_Pictographic}\ufe0f]{1,6})?$/iu;

/** A letter of which something is said: how it stands, and behind what another one stands that has the same. */
const labels: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^[\W_]{0,3}([A-Z])(?:\s?[:=]|\s(?:is|are|->|→|[-–—])\s|\s?\()/u,
    /(?<![\p{L}\p{N}])([B-HJ-Z])(?:\s?[:=]|\s(?:is|are|->|→|[-–—])\s)|(?:[,;.]|\b(?:and|then))\s([A-Z])\s?\(/gu,
  ],
  [/^[\W_]{0,3}([A-Za-z])[).]/u, /(?:[,;|/.]|\b(?:and|then|und|dann))\s{0,3}\(?([A-Za-z])[).]\s?[^\s,.)]/gu],
];
/** Whether a value says something of several letters: `A: Knight, B: Knave`, `A) 3, B) 4`, `A is here and B is there`. */
const namesLetters = (value: string): boolean =>
  labels.some(([head, others], index) => {
    const first = head.exec(value)?.[1]?.charCodeAt(0);
    if (first === undefined) return false;
    const said = value.split(/\b(?:because|since)\b/, 1)[0] ?? "";
    const letters = [...said.matchAll(others)].map((match) => (match[1] ?? match[2] ?? "").charCodeAt(0));
    return letters.some((other) => (index === 0 ? other !== first : other === first + 1));
  });

/** The letter of one choice: `B`, `(b)`, `B) Paris`, `B. Paris`, `option B`; a lone `a` is an article. */
export function readChoice(given: string): Answer | null {
  const bare = letterDress.exec(given)?.[1];
  const value = bare !== undefined && /[A-Z]/.test(bare) ? bare : given;
  if (several.test(value) || namesLetters(value)) return null;
  const [all, ...letters] = choice.exec(value) ?? captionedOption.exec(value) ?? [];
  const letter = letters.find((group) => group !== undefined);
  if (all === undefined || letter === undefined || value === "a") return null;
  if (letters[2] !== undefined && letter !== letter.toUpperCase() && !/^[b-z]\)/.test(value)) return null;
  return { kind: "choice", value: letter.toUpperCase() };
}

const name =
  /^(?:\p{L}|alpha|beta|gamma|delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega)(?:\d|_\{?\w{1,10}\}?|[₀-₉]{1,3})?(?:\([^()]{0,20}\))?$/u;
const inequality = /[<>!~]=|=[<>]|≠/;
const list = /[;&]|,(?!\d{3})|\b(?:and|or)\b/i;
const loneLetter = /(?<!\p{L})\p{L}(?!\p{L})/u;

/**
 * What an equation comes to: `17 * 23 = 391`, `x = 391`, `Total = 3 + 4 = 7`. Null where it has yet to be solved (`2x = 10`)
 * or is one of several (`x = 4, y = 6`).
 */
function solveEquation(equation: string): string | null {
  const [first = "", ...rest] = equation.split("=").map((side) => side.trim());
  if (inequality.test(equation) || list.test(equation)) return null;
  const solved =
    name.test(plainExpression(first)) ||
    !loneLetter.test(first.replace(/(?<=\d\s{0,2})x(?=\s{0,2}\d)/g, "×"));
  return solved ? (rest.at(-1) ?? null) : null;
}

/** A number alone, or what a short equation comes to: `391`, `$70,000`, `17 * 23 = 391`. */
export function readNumberAnswer(value: string): Answer | null {
  const said = value.includes("=") ? solveEquation(value.slice(0, 2 * MAX_VALUE_LENGTH)) : value;
  const number = said === null ? null : readNumber(said === value ? value : cleanValue(said));
  return (
    number && { kind: "number", value: number.written, ...(number.unit !== "" && { unit: number.unit }) }
  );
}

const inSentence =
  /(?:(?<![\p{L}\p{N}])(\p{L}{1,20})\s|([$€£]))[*_]{0,2}\(?\\?([-−–]?[$€£]?\d[\d,]{0,30}(?:\.\d{1,30})?)[*_]{0,2}(?![\p{L}\p{N}-])/gu;
const dating = new Set(
  (
    "in on since until during by step version type level not than least most below under above over before after " +
    "number statement item case page day year week question problem part section chapter line row figure table equation " +
    "room route rule point phase round stage plus times the a an this that these those each every"
  ).split(" "),
);
/** Before a number: what makes another one of it. */
const derivation =
  /\b(?:root|factorial|log|logarithm|half|third|quarter|square|cube|power|sine|cosine|tangent|reciprocal|inverse|multiple|divisor|factor)s?\sof[*_\s]{1,4}$|\bor\s(?:minus|negative)[*_\s]{1,4}$/i;
/** Before a number: what makes it a bound, a change or a lack, and functions of it. */
const shifting =
  /\b(?:up to|almost|nearly|roughly|short|shy|loss(?:es)?|lost|loses?|losing|(?:falls?|fell|fallen|drop(?:s|ped)?|ris(?:es?|en)|rose|(?:in|de)creas(?:es?|ed)|declin(?:es?|ed)|reduc(?:es?|ed|tion))(?! to\b)|debts?|deficit|owe[sd]?|shortfall|down|fewer|less|more|not|never|no|without|opposite)\b|(?:^|\s)(?:arc)?(?:sin|cos|tan|cot|sec|csc)h?\s|\b(?:log|ln|lg|exp|max|min|mod|det|lim|sup|inf|gcd|lcm|sqrt|root|cosine|sine|tangent|floor|ceil|zeta|gamma)[*_\s]{1,4}$/i;
/** Words that name an amount or say nothing of it: a noun alone in front of a number (`number 3`, `debt of 7`) makes another thing. */
const amount = /^(?:(?:a|an|the|in)\s)?(?:equals?|is|totals?|answer|result|exactly|only|just|total of)$/i;
const phrase = /^(?:(?:a|an|the)\s)?(?:\p{L}{1,20}\s){0,2}(?:of|for|to|by)$/iu;
/** Signs and LaTeX commands that are no formatting. */
const unread = /[\\±∓≤≥≠≈~<>¬√∫∑Σ∂∇∏∈^_=|]/;

/** A sentence about a letter: `A has 3 apples`, not `A train takes 3 hours` and `N is 3`. */
const letterFirst =
  /^(?:[B-HJ-Z]|A(?= (?:has|gets|had|needs|wins|pays|owes|earns|takes|makes)\b))\s(?!is\b|was\b|equals?\b)/;

/** Whether words before a number leave it as it is: a sentence with its subject, no function, sign, bound or change. */
function leadsTo(before: string, currency: string): boolean {
  const words = before.replace(/[*_]{2,3}/g, "").trim();
  if (letterFirst.test(before)) return false;
  if (shifting.test(`${words} `) || unread.test(words) || /(?:^|\s)(?!a\b)\p{L}$/iu.test(words)) return false;
  if (amount.test(words) || (words === "" && currency !== "")) return true;
  return /\s/.test(words) && !phrase.test(words);
}

/** Behind a number: more of a formula. */
const formula = /^\s?(?:[!^*×·/+=<>√π±\\]|[-−–]\s?\p{L}(?!\p{L}))|^[^,;.!?]{0,30}\s(?:below|under)\szero\b/u;

/** The number of a sentence that has exactly one, and that in the place of a result: `Josh made a profit of $70,000`. */
export function readNumberInSentence(sentence: string): Answer | null {
  if ((sentence.match(/\d[\d,]*(?:\.\d+)?/g) ?? []).length !== 1) return null;
  const [match] = [...sentence.matchAll(inSentence)];
  if (match === undefined) return null;
  const [all, word, currency, digits = ""] = match;
  const [before, behind] = [
    sentence.slice(0, match.index + all.lastIndexOf(digits)),
    sentence.slice(match.index + all.length),
  ];
  if (
    derivation.test(before) ||
    /(?<!\\)\([^()]*[^()\s$€£*_][^()]*$|(?<!\b(?:is|are|was|be|equals)|[=:])\s\([^()]*$/.test(before) ||
    formula.test(behind) ||
    !leadsTo(before.replace(/[$€£(\\\s*_]+$/, ""), currency ?? "")
  )
    return null;
  const [next = ""] = behind.trim().split(/[\s,;:.!?]/, 1);
  if (changesNumber(next)) return null;
  if (word !== undefined && currency === undefined && (dating.has(word) || word !== word.toLowerCase()))
    return null;
  const signed = /^(?:minus|negative)$/.test(word ?? "") ? `minus ${digits}` : digits;
  return readNumberAnswer(`${currency ?? ""}${signed}${unitIn(behind)}`);
}

/** A word before what is clearly its explanation, not `No solution`, `No. 5` and `true, if n is even`. */
const plainWord =
  /^(yes|no|true|false)(?=$|[,.;:!–—](?!\s?\d)|\s[-–—(]|\s(?:because|since|as)\b)(?!\W{1,4}(?:but|if|only|unless|except|when|provided|until|or|and|yes|no|true|false)\b)/i;
const heading =
  /^(?:(?:the|my|your|final|correct|short)\s){0,3}(?:answer|result|conclusion|explanation|summary)s?$/i;

/** Yes, no, true or false where a text begins with it, else the text, if it has at most `maxWords` words. */
export function readTextAnswer(value: string, maxWords: number): Answer | null {
  if (heading.test(value)) return null;
  const [, plain] = plainWord.exec(value) ?? [];
  const text = plain ?? value;
  if (text.length > 120) return null;
  const words = text.split(/\s+/).length;
  const says = /[\p{L}\p{N}∅]|\{\s?\\?\}/u.test(text) && !/[?\n]|\\boxed/.test(text);
  return says && words <= maxWords ? { kind: "text", value: text } : null;
}
