import { sameAnswer, type Answer } from "./answer.ts";
import { readTail, splitLines, type TextLine } from "../text/fences.ts";
import {
  blankTags,
  findTagged,
  isAsserted,
  listItem,
  opening,
  isCorrected,
  isUnfilled,
  readObjectAnswer,
  restateForms,
  withoutAside,
} from "./captions.ts";
import { readOwn } from "./quoted.ts";
import { type CaptionedValue, endsWithBlock, MAX_LOOK_LENGTH, valueAfter, valueIn } from "./value-block.ts";
import {
  asciiDigits,
  ownTurn,
  splitAtEndMarks,
  readChoice,
  cleanValue,
  firstSentence,
  readNumberInSentence,
  readNumberAnswer,
  readTextAnswer,
} from "./final-value.ts";

// A form is looked for from the end, and so often at most: an extraction stays cheap whatever the text repeats.
const MAX_TRIES = 20;
const MAX_LINE_LENGTH = 2_000;
/** What a reply comes down to stands at its end. */
const MAX_READ_LENGTH = 256 * 1024;
const MAX_SHORT_WORDS = 8;
const LONG_REPLY_WORDS = 150;

const finalAnswer = /\bfinal\s{1,3}answer\b/gi;
/** What makes `final answer` more than a mention: a colon, an `is`, or the end of its line. */
const declares =
  /^[*_]{0,3}\s{0,3}(?:\([^)\n]{0,60}\)\s?)?(?:(is(?![\w:]|\s?:))|is\s?:|[:：=–—→]|-\s|[*_]{0,3}\s{0,10}\n)/i;
const answerLine =
  /^[\s#*_>-]{0,20}(?:(?:so|hence|thus|therefore),?\s)?(?:(?:the|my|correct)\s){0,3}answer[\s*_]{0,4}(?:[:：=]|[-–—](?=\s))/i;
const answerIs =
  /\b(?:(?:answer|correct (?:option|choice)|option|choice)(?: to [^.\n]{1,120}?)? (?:is|would be|must be|=)(?![\w])|answer(?=,? [*_]{0,3}\([A-Z]\)))[\s:,]{0,3}/gi;
/** A sentence around an answer that is already announced: `Final answer: The answer is …`. */
const clause =
  /^[*_]{0,3}(?:(?:so|therefore|thus|hence),? )?(?:(?:the|my|our|correct|right|best|final|closest|most likely)\s){1,4}(?:answer|option|choice)(?: here)?\s?(?:is|would be|must be|:)[\s:]{0,3}(?=\S)/i;
const letterIs =
  /\(([A-Z])\)[*_]{0,3},? (?:is|would be) (?:therefore |thus |clearly )?the (?:correct|right|best|most likely) (?:answer|option|choice)\b/g;
/** What a line of any of these forms holds. */
const mentions = /answer|option|choice/i;
/** A sentence that comes to a letter: `The most likely explanation is (C).`, `…, i.e., (F)`. */
const endsWithLetter =
  /(?:\b(?:is|are|or|answer|option|choice|to|i\.e\.|[Ss]o|[Tt]herefore|[Tt]hus|[Hh]ence)|:),? [*_]{0,3}\(([A-Z])(?:\)|$)[*_.!\s]*$/;
/** Before `answer is`, behind a final answer: that a sentence says it of the whole, and not of a part or another option. */
const opensSentence =
  /(?:^|[.!?:]\s)[\s*_#>]{0,6}(?:(?:so|thus|hence|therefore|then),?\s)?(?:(?:the|my|our|correct|right|final|actual)\s){1,4}$/i;
/** Of a sentence around a box: that it belongs to the working. */
const denial =
  /\b(?:no|not|never|cannot|without|wrong|incorrect|first|previous|initial|earlier|tempting|naive)\b[^.!?,;:\n]{0,30}$|n['’]t\b[^.!?,;:\n]{0,30}$/i;
const working =
  /\b(?:check|verif\w{1,10}|first|steps?|earlier|intermediate|differs?|ignor\w{1,6}|guess|wrong|incorrect|note|notice|idea|previous(?:ly)?|initial(?:ly)?|would be)\b/i;
/** Behind a declaration whose text was cut off: that it may not have been the last word. */
const open =
  /\b(?:if|assuming|unless|provided|when|but|however|wait|actually|although|though|otherwise|suppose|hold on|let me)\b/i;
const bracketedLetter = /\(([A-Z])(?:\)|$)/g;
/** `B. Paris`: no sentence that ends behind its first letter. */
const captionedOption = /^[*_]{0,3}[A-Z]\.\s+\S[^\n]{0,300}/;
const concluding = /^[\s*_]{0,4}(?:so|therefore|thus|hence|in total|altogether|finally)\b/i;
const totalLine = /^[\s*_]{0,4}(?:result|total)[\s*_]{0,4}[:=][*_]{0,3}/i;
/** What a short sentence says of its subject: `It is 7`, `So the argument is valid`. */
const complement =
  /^(?:(?:so|therefore|thus|hence),? )?(?:the|it|this|that)\b.{0,80}? (?:is|was|are|were) (\S+(?: \S+){0,2})$/i;
/** A last line that is an answer however long the reply is. */
const bareAnswer = /^(?:yes|no|true|false|valid|invalid|\([A-Z]\)|-?\d{1,15}(?:\.\d{1,10})?)$/i;
const decline =
  /^(?:i\b|i'm|sorry|as an\b|(?:it|that|this|the answer) depends|unknown|none given|n\/a|no answer|not sure)/i;

/** A declared answer and where its declaration stands; null where it goes on for several lines that are not compared. */
type DeclaredAnswer = { readonly answer: Answer | null; readonly at: number };
const locateAnswer = (answer: Answer | null, at: number): DeclaredAnswer | null => answer && { answer, at };
const asText = (value: string | null): Answer | null => (value === null ? null : { kind: "text", value });

/** What a caption declares: its line as `read` reads it, or its lines. */
function readCaptioned(value: CaptionedValue, at: number, read: (line: string) => Answer | null) {
  return "whole" in value ? { answer: asText(value.whole), at } : locateAnswer(read(value.line), at);
}

function readValue(given: string, maxWords: number): Answer | null {
  const box = findBoxed(given);
  if (box !== null) return readValue(cleanValue(box.value), maxWords);
  if (isCorrected(given)) return null;
  const value = cleanValue(withoutAside(cleanValue(given.replace(clause, ""))));
  return value === "" || isUnfilled(value)
    ? null
    : (readChoice(value) ??
        readNumberAnswer(value) ??
        readStatement(value) ??
        readTextAnswer(value, maxWords));
}

const readExact = (value: string): Answer | null => readChoice(value) ?? readNumberAnswer(value);
const readShort = (given: string): Answer | null => readValue(given, MAX_SHORT_WORDS);

/** One sentence that holds one number, unless it is so short that it is itself the answer (`Apollo 11`); several hold none. */
function readStatement(value: string): Answer | null {
  const sentence = firstSentence(value);
  if (/[\p{L}\p{N}]/u.test(value.slice(sentence.length))) return null;
  return sentence.split(/\s+/).length <= 25 ? readNumberInSentence(sentence) : null;
}

/** A reply: `own` without what it quotes and what stands in its JSON, where no caption counts, and `text` as it came, where values stand. */
type OwnReply = { readonly own: string; readonly text: string };

/** The last `final answer` that can be read. */
function findFinal({ own, text }: OwnReply): DeclaredAnswer | null {
  for (const mark of [...own.matchAll(finalAnswer)].slice(-MAX_TRIES).toReversed()) {
    const rest = text.slice(mark.index + mark[0].length, mark.index + MAX_LOOK_LENGTH);
    const declaration = declares.exec(rest);
    if (declaration === null || denial.test(text.slice(Math.max(0, mark.index - 60), mark.index))) continue;
    const read = declaration[1] === undefined ? readShort : readExact;
    const found = readCaptioned(valueAfter(rest), mark.index, read);
    if (found !== null) return found;
  }
  return null;
}

/** What follows `the answer is`, in its sentence or below it; words count where `maxWords` allows them. */
function readPhrase(rest: string, at: number, maxWords: number): DeclaredAnswer | null {
  const [line = ""] = rest.split("\n", 1);
  const sentence = captionedOption.exec(line)?.[0] ?? firstSentence(line);
  if (
    /^[\s*_]{0,4}(?:not|never|neither)\s(?:option |answer )?[*_]{0,3}\(?[A-Z](?![\w])/.test(rest) ||
    isCorrected(line)
  )
    return null;
  const captured = valueAfter(rest);
  const isBelow = !/\w/.test(line);
  const read = (said: string): Answer | null => {
    const value = cleanValue(withoutAside(cleanValue(said)));
    const answer = readExact(value);
    if (answer !== null) return answer;
    const [letter, other] = new Set([...sentence.matchAll(bracketedLetter)].map((match) => match[1]));
    if (letter !== undefined && other === undefined) return { kind: "choice", value: letter };
    return maxWords === 0 && !bareAnswer.test(value) ? null : readTextAnswer(value, Math.max(1, maxWords));
  };
  if ("whole" in captured || isBelow || captured.line !== cleanValue(line))
    return readCaptioned(captured, at, read);
  const answer = read(sentence);
  // Of several sentences, one of three words is not the answer.
  const isPart = /[\p{L}\p{N}]/u.test(line.slice(sentence.length)) && sentence.trim().split(/\s+/).length > 2;
  return isPart && answer?.kind === "text" && !bareAnswer.test(answer.value)
    ? null
    : locateAnswer(answer, at);
}

/**
 * The last `Answer: …` at the start of a line, `the answer is …` or `(C) is the correct answer`; words behind the second
 * count only at the end of a short reply. A letter goes before the numbers of later sentences: there are options.
 */
function findNamed({ own, text }: OwnReply, long: boolean, after: number): DeclaredAnswer | null {
  const lines = sayingLines(own);
  let last: DeclaredAnswer | null = null;
  let tries = 0;
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const { text: line = "", at: start = 0 } = lines[index] ?? {};
    const behind = (from: number) => text.slice(start + from, start + from + MAX_LOOK_LENGTH);
    if (!mentions.test(line)) continue;
    const mark = answerLine.exec(line.slice(0, 200));
    const skipped = Math.max(0, line.length - MAX_LINE_LENGTH);
    const tail = line.slice(skipped);
    const phrases = [...tail.matchAll(answerIs)].slice(-3).filter(({ index: at }) => {
      const before = tail.slice(Math.max(0, at - 60), at);
      return isAsserted(before) && (start + skipped + at < after || opensSentence.test(before));
    });
    const letters = [...tail.matchAll(letterIs)].slice(-1);
    if (mark === null && phrases.length + letters.length === 0) continue;
    if ((tries += 1) > MAX_TRIES) break;
    const maxWords = long || index < lines.length - 1 ? 0 : 6;
    const said = [
      ...(mark ? [readCaptioned(valueAfter(behind(mark[0].length)), start, readShort)] : []),
      ...letters.map((match) =>
        locateAnswer({ kind: "choice", value: match[1] ?? "" }, start + skipped + match.index),
      ),
      ...phrases.map((match) =>
        readPhrase(behind(skipped + match.index + match[0].length), start + skipped + match.index, maxWords),
      ),
    ]
      .filter((one) => one !== null)
      .toSorted((a, b) => b.at - a.at);
    const choice = said.find(({ answer }) => answer?.kind === "choice");
    if (choice && (last === null || last.answer?.kind === "number")) return choice;
    last ??= said[0] ?? null;
    if (last !== null && last.answer?.kind !== "number") return last;
  }
  return last;
}

/** What the last tag of an answer holds: a text of any length is declared by nothing more plainly, and a number of its sentence by nothing. */
function readTagged({ own, text }: OwnReply): DeclaredAnswer | null {
  const tagged = findTagged(own);
  if (tagged === null) return null;
  const value = text.slice(tagged.from, tagged.from + tagged.value.length);
  return /\S/.test(value) ? readCaptioned(valueIn(value), tagged.at, readPlain) : null;
}

/** What stands between tags or in a field: a letter, a number, or else the text whatever its length. */
function readPlain(line: string): Answer | null {
  const value = findBoxed(line)?.value ?? line;
  return isUnfilled(value) || isCorrected(value)
    ? null
    : (readChoice(value) ?? readNumberAnswer(value) ?? readTextAnswer(value, 1) ?? asText(value));
}

const readField = (text: string): Answer | null => readCaptioned(valueIn(text), 0, readPlain)?.answer ?? null;

/** What a reply declares: of `final answer`, `the answer is` and `\boxed{…}` the last, but no number in a box beats a declared letter. */
function readDeclared(given: OwnReply, long: boolean): DeclaredAnswer | null {
  const reply = { own: blankTags(given.own), text: blankTags(given.text) };
  const final = findFinal(reply);
  const named = findNamed(reply, long, final?.at ?? Infinity);
  const [declared = null] = [final, named, readTagged(given)]
    .filter((one) => one !== null)
    .toSorted((one, other) => other.at - one.at);
  const { text, own: said } = reply;
  const box = findBoxed(said);
  const found = box && { ...box, value: text.slice(box.at + 7, box.at + 7 + box.value.length) };
  const goesOn = found?.value.trim().includes("\n") === true;
  const boxed = found && (goesOn ? readField(found.value) : readShort(cleanValue(found.value)));
  // One of several boxes is not the answer; a line that has them all may be.
  if (declared === null && found?.value === "" && !/\\boxed[^\n]*$/.test(text.slice(0, found.at)))
    return { answer: null, at: found.at };
  if (!found || boxed === null) return declared;
  if (declared === null) return { answer: boxed, at: found.at };
  const around = text.slice(text.lastIndexOf("\n", found.at) + 1).split("\n", 1)[0] ?? "";
  const isWorking =
    declared.at < found.at &&
    working.test(around.slice(0, MAX_LINE_LENGTH)) &&
    !/\banswer\b/i.test(around.slice(0, 200));
  const options = declared.answer?.kind === "choice" && boxed.kind !== "choice";
  const own =
    text.indexOf(")", found.at) !== -1 &&
    /\([^()\n]{1,200}$/.test(text.slice(Math.max(0, found.at - 200), found.at).replace(/\\\(/g, ""));
  const beaten =
    declared.at > found.at || options || isWorking || (own && working.test(around.slice(-MAX_LINE_LENGTH)));
  return beaten ? declared : { answer: boxed, at: found.at };
}

/** The lines that say something: neither blank nor a fence. */
const sayingLines = (text: string): TextLine[] =>
  splitLines(text).filter(({ text: line }) => /[^\s\ufffc]/.test(line) && !/^ {0,3}(?:`{3}|~{3})/.test(line));

/** The last line, where it is nothing but a result or marks one in bold, and its last sentence, where that concludes. */
function readLastLine(line: string, long: boolean): Answer | null {
  const value = cleanValue(line.replace(totalLine, ""));
  if (long && bareAnswer.test(value))
    return readChoice(value) ?? readNumberAnswer(value) ?? readTextAnswer(value, 1);
  const words = value.split(/\s+/).length;
  const marked = !long || totalLine.test(line) || /^[*_$\\]/.test(line.trim());
  const number = words <= MAX_SHORT_WORDS && marked && !listItem.test(line) ? readNumberAnswer(value) : null;
  if (number !== null) return number;
  const bolds = [...line.slice(0, MAX_LINE_LENGTH).matchAll(/\*\*([^*]{1,100})\*\*/g)].map((match) =>
    cleanValue(match[1] ?? ""),
  );
  const [bold = "", second] = bolds;
  if (second === undefined && bold !== "") {
    if (bold === value)
      return readChoice(bold) ?? (long || /[:?!]\**\s*$/.test(line) ? null : readTextAnswer(bold, 4));
    if (concluding.test(line) && words <= 25) return readExact(bold);
  }
  const sentence = lastSentence(line);
  const letter = endsWithLetter.exec(sentence)?.[1];
  if (letter !== undefined && !/\b(?:wrong|incorrect) answers?\b/i.test(sentence))
    return { kind: "choice", value: letter };
  return concluding.test(sentence) ? readComplement(cleanValue(sentence)) : null;
}

const lastSentence = (line: string): string =>
  line
    .slice(-MAX_LINE_LENGTH)
    .trim()
    .split(/(?<=[.!?])\s+(?=\S)/)
    .at(-1) ?? "";

/** What a sentence of at most 8 words says of its subject. */
function readComplement(sentence: string): Answer | null {
  const said =
    sentence.split(/\s+/).length <= MAX_SHORT_WORDS && !/\b(?:wrong|incorrect) /i.test(sentence)
      ? complement.exec(sentence)?.[1]
      : undefined;
  return said === undefined ? null : (readChoice(said) ?? readNumberAnswer(said) ?? readTextAnswer(said, 3));
}

/** `A: 42` is the answer 42 to one model and the option A to another. */
const answerOrOption = /^[*_]{0,3}A[*_]{0,3}:\s*\S/;

/** A reply that is nothing but a short answer. */
function readWholeReply(line: string): Answer | null {
  const value = cleanValue(
    withoutAside(cleanValue(line.replace(/^(?:it|that)['’]s\s/i, "It is ").replace(opening, ""))),
  );
  if (
    value === "" ||
    isUnfilled(value) ||
    isCorrected(line) ||
    answerOrOption.test(value) ||
    /\bfinal answer\s?[:：]/i.test(value) ||
    value.split(/\s+/).length > MAX_SHORT_WORDS ||
    line.trimEnd().endsWith("?")
  )
    return null;
  const answer = readComplement(value) ?? readChoice(value) ?? readNumberAnswer(value);
  return answer ?? (decline.test(value) ? null : readTextAnswer(value, MAX_SHORT_WORDS));
}

/**
 * What a reply comes down to: from the last `final answer`, `answer: …`, `the answer is …` or `\boxed{…}` that can be
 * read; else from a last line that is a result and nothing else, has it in bold or concludes with it; else the reply itself
 * if it is one line of at most 8 words. Null for all other prose: no number is guessed from a text that declares none. In a
 * sentence (`Answer: Josh made $70,000.`) the number counts if it is the only one.
 *
 * `cutOff`: the reply reached its limit of tokens. Its last word may be half of one: only a letter is read from it.
 */
export function extractAnswer(reply: string, { cutOff = false } = {}): Answer | null {
  const whole = asciiDigits(splitAtEndMarks(ownTurn(readTail(reply, MAX_READ_LENGTH)))).trim();
  const object = cutOff ? undefined : readObjectAnswer(whole);
  if (object === null) return null;
  if (object?.trim().includes("\n")) return readField(object);
  if (object !== undefined) return readShort(object);
  const text = restateForms(whole);
  const lines = sayingLines(text);
  const last = lines.at(-1)?.text ?? "";
  const long = lines.length > 40 || text.split(/\s+/, LONG_REPLY_WORDS + 1).length > LONG_REPLY_WORDS;
  const { own, plain } = readOwn(text, "\ufffc");
  const ownAnswer = own === plain ? null : readDeclared({ own, text }, long);
  const declared = ownAnswer ?? readDeclared({ own: plain, text }, long);
  if (declared?.answer === null) return null;
  if (cutOff) {
    if (declared === null || text.startsWith("\\boxed", declared.at) || open.test(text.slice(declared.at)))
      return null;
    if (declared.answer.kind === "choice") return declared.answer;
    const before = extractAnswer(text.replace(/\S+$/, ""));
    return before && before.unit === declared.answer.unit && sameAnswer(declared.answer, before)
      ? declared.answer
      : null;
  }
  if (declared !== null) return declared.answer;
  if (endsWithBlock(text)) return null;
  return readLastLine(last, long) ?? (lines.length === 1 ? readWholeReply(last) : null);
}

const MAX_BOX_LENGTH = 2_000;

/** Before a box: another one that is given beside it, `\boxed{5} or x = \boxed{6}`, or above it. */
const beside =
  /\\boxed\{([^{}]{0,40})\}[\s$\\()[\].,;&]{0,20}(?:(?:and|or|y|o|et|ou|und|oder)\s)?[\s$\\()[\]]{0,12}(?:[^.,;:\s]{1,12}\s?[=≈:]\s?)?$/u;

const isOneOfSeveral = (before: string, value: string): boolean => {
  const [, other] = beside.exec(before) ?? [];
  return other !== undefined && other.trim() !== value.trim();
};

/** What stands between the braces of `\boxed{…}`, the last that closes within 2,000 characters, and where it starts. */
function findBoxed(text: string): { readonly value: string; readonly at: number } | null {
  let from = text.length;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const at = from < 0 ? -1 : text.lastIndexOf("\\boxed{", from);
    if (at === -1) return null;
    let depth = 0;
    for (let index = at + 6; index < Math.min(text.length, at + MAX_BOX_LENGTH); index += 1) {
      const character = text.charAt(index);
      if (character === "\\") index += 1;
      else if (character === "{") depth += 1;
      else if (character === "}") depth -= 1;
      if (depth === 0)
        return {
          value: isOneOfSeveral(text.slice(Math.max(0, at - 100), at), text.slice(at + 7, index))
            ? ""
            : text.slice(at + 7, index),
          at,
        };
    }
    from = at - 1;
  }
  return null;
}
