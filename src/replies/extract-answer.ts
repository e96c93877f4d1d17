import type { Answer } from "./answer.ts";
import { splitLines } from "../text/fences.ts";
import {
  readChoice,
  cleanValue,
  firstSentence,
  readNumberInSentence,
  readNumberAnswer,
  readTextAnswer,
} from "./final-value.ts";

// A form is looked for from the end, and so often at most: an extraction stays cheap whatever the text repeats.
const MAX_TRIES = 20;
const MAX_LOOK_LENGTH = 2_000;
const MAX_SHORT_WORDS = 8;
const LONG_REPLY_WORDS = 150;

const finalAnswer = /\bfinal\s{1,3}answer\b/gi;
/** What makes `final answer` more than a mention: a colon, an `is`, or the end of its line. */
const declares =
  /^[*_]{0,3}\s{0,3}(?:\([^)\n]{0,60}\)\s?)?(?:(is(?![\w:]|\s?:))|is\s?:|[:：=–—]|[*_]{0,3}\s{0,10}(?:\r|\n))/i;
const answerLine = /^[\s#*_>-]{0,20}(?:(?:the|my|correct)\s){0,3}answer[\s*_]{0,4}[:：]/i;
const answerIs =
  /\b(?:answer|correct (?:option|choice)|option|choice)(?: to [^.\n]{1,120}?)? (?:is|would be|must be|=)(?![\w])[\s:]{0,3}/gi;
const concluding = /^[\s*_]{0,4}(?:so|therefore|thus|hence|in total|altogether|finally)\b/i;
const totalled = /^[\s*_]{0,4}(?:result|total)[\s*_]{0,4}[:=][*_]{0,3}/i;
const decline = /^(?:i\b|i'm|sorry|as an\b|it depends|unknown|none given|n\/a|no answer|not sure)/i;

/** What stands between the braces of `\boxed{…}`, the last that closes within 2,000 characters, and where it starts. */
function findBoxed(text: string): { readonly value: string; readonly at: number } | null {
  let from = text.length;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const at = from < 0 ? -1 : text.lastIndexOf("\\boxed{", from);
    if (at === -1) return null;
    let depth = 0;
    for (let index = at + 6; index < Math.min(text.length, at + MAX_LOOK_LENGTH); index += 1) {
      const character = text.charAt(index);
      if (character === "\\") index += 1;
      else if (character === "{") depth += 1;
      else if (character === "}") depth -= 1;
      if (depth === 0) return { value: text.slice(at + 7, index), at };
    }
    from = at - 1;
  }
  return null;
}

/** The rest of the line, or the next line where there is no rest. */
function valueAfter(text: string): string {
  const lines = text.slice(0, MAX_LOOK_LENGTH).split(/\r\n|\n|\r/, 20);
  const own = cleanValue(
    (lines[0] ?? "").replace(/^[\s*_]{0,4}(?:is|:|：)?[\s*_:]{0,6}(?:\(.{0,60}?\):)?/i, ""),
  );
  if (own !== "") return own;
  return cleanValue(
    lines.slice(1).find((line) => line.trim() !== "" && !/^\s*\\[[\]]\s*$|^ {0,3}`{3}/.test(line)) ?? "",
  );
}

function readValue(value: string, maxWords: number): Answer | null {
  const box = findBoxed(value);
  if (box !== null) return readValue(cleanValue(box.value), maxWords);
  return value === ""
    ? null
    : (readChoice(value) ??
        readNumberAnswer(value) ??
        readStatement(value) ??
        readTextAnswer(value, maxWords));
}

/** A sentence of an answer that holds one number, unless it is so short that it is itself the answer (`Apollo 11`). */
function readStatement(value: string): Answer | null {
  const sentence = firstSentence(value);
  return sentence.split(/\s+/).length <= 25 ? readNumberInSentence(sentence) : null;
}

/** `\boxed{…}` and `final answer`, whichever comes last and can be read. */
function readDeclared(text: string): Answer | null {
  const box = findBoxed(text);
  const marks = [...text.matchAll(finalAnswer)].slice(-MAX_TRIES).toReversed();
  for (const mark of marks) {
    if (box !== null && box.at > mark.index) break;
    const rest = text.slice(mark.index + mark[0].length, mark.index + MAX_LOOK_LENGTH);
    const declaration = declares.exec(rest);
    if (declaration === null) continue;
    const value = valueAfter(rest);
    const answer =
      declaration[1] === undefined
        ? readValue(value, MAX_SHORT_WORDS)
        : (readChoice(value) ?? readNumberAnswer(value));
    if (answer !== null) return answer;
  }
  return box === null ? null : readValue(cleanValue(box.value), MAX_SHORT_WORDS);
}

/** `Answer: …` at the start of a line and `the answer is …`; words behind the latter count only at the end of a short reply. */
function readNamed(lines: readonly string[], long: boolean): Answer | null {
  let tries = 0;
  for (const [index, line] of [...lines.entries()].toReversed()) {
    const mark = answerLine.exec(line.slice(0, 200));
    const phrases = [...line.slice(-MAX_LOOK_LENGTH).matchAll(answerIs)].slice(-3).toReversed();
    if (mark === null && phrases.length === 0) continue;
    if ((tries += 1) > MAX_TRIES) return null;
    if (mark !== null) {
      const rest = `${line.slice(mark[0].length)}\n${lines.slice(index + 1, index + 4).join("\n")}`;
      const answer = readValue(valueAfter(rest), MAX_SHORT_WORDS);
      if (answer !== null) return answer;
    }
    for (const phrase of phrases) {
      const rest = line.slice(-MAX_LOOK_LENGTH).slice(phrase.index + phrase[0].length);
      const value = cleanValue(firstSentence(rest));
      const answer =
        readChoice(value) ??
        readNumberAnswer(value) ??
        (long || index < lines.length - 1 ? null : readTextAnswer(value, 6));
      if (answer !== null) return answer;
    }
  }
  return null;
}

/** The last line, where it is nothing but a result or marks one in bold. */
function readLastLine(line: string, long: boolean): Answer | null {
  const value = cleanValue(line.replace(totalled, ""));
  const words = value.split(/\s+/).length;
  const number = words <= MAX_SHORT_WORDS ? readNumberAnswer(value) : null;
  if (number !== null) return number;
  const bolds = [...line.slice(0, MAX_LOOK_LENGTH).matchAll(/\*\*([^*]{1,100})\*\*/g)].map((match) =>
    cleanValue(match[1] ?? ""),
  );
  const [bold = "", second] = bolds;
  if (second !== undefined || bold === "") return null;
  if (bold === value)
    return readChoice(bold) ?? (long || /[:?!]\**\s*$/.test(line) ? null : readTextAnswer(bold, 4));
  return concluding.test(line) && words <= 25 ? (readChoice(bold) ?? readNumberAnswer(bold)) : null;
}

/** A reply that is nothing but a short answer. */
const readWholeReply = (line: string): Answer | null => {
  const value = cleanValue(line);
  if (value === "" || value.split(/\s+/).length > MAX_SHORT_WORDS || line.trimEnd().endsWith("?"))
    return null;
  const complement = /^(?:the|it|this|that)\b.{0,80}? (?:is|was|are|were) (\S+(?: \S+){0,2})$/i.exec(
    value,
  )?.[1];
  if (complement !== undefined)
    return readChoice(complement) ?? readNumberAnswer(complement) ?? readTextAnswer(complement, 3);
  const answer = readChoice(value) ?? readNumberAnswer(value);
  return answer ?? (decline.test(value) ? null : readTextAnswer(value, MAX_SHORT_WORDS));
};

/**
 * What a reply comes down to: from the last `\boxed{…}` or `final answer` that can be read; else from `answer: …` or
 * `the answer is …`; else from a last line that is a result and nothing else or has it in bold; else the reply
 * itself if it is one line of at most 8 words. Null for all other prose: no number is guessed from a text that
 * declares none. In a sentence (`Answer: Josh made $70,000.`) the number counts if it is the only one.
 */
export function extractAnswer(text: string): Answer | null {
  const trimmed = text.trim();
  const answer = readDeclared(trimmed);
  if (answer !== null) return answer;
  const lines = splitLines(trimmed)
    .map((line) => line.text)
    .filter((line) => line.trim() !== "" && !/^ {0,3}(?:`{3}|~{3})/.test(line));
  const [last = ""] = lines.slice(-1);
  const long = lines.length > 40 || trimmed.split(/\s+/, LONG_REPLY_WORDS + 1).length > LONG_REPLY_WORDS;
  return (
    readNamed(lines, long) ?? readLastLine(last, long) ?? (lines.length === 1 ? readWholeReply(last) : null)
  );
}
