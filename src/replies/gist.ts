import { writeAnswerLine } from "../text/format.ts";
import { contentWords } from "../text/words.ts";
import { extractAnswer } from "./extract-answer.ts";
import { fencedBlocks, readEnds, splitLines } from "../text/fences.ts";
import { splitSentences } from "../text/sentences.ts";

/** Maximum UTF-16 units read from the start and from the end of an answer. */
const READ_LENGTH = 50_000;
const MAX_LENGTH = 1_000;
const MAX_SENTENCES = 4;
/** What one sentence gets at least while others are still to come. */
const MIN_CUT = 200;
const CODE_LINE = 80;

/** What an answer comes to, on a line: its final answer, else its first sentence. */
export function outcomeLine(answer: string): string {
  const final = extractAnswer(answer);
  return final ? writeAnswerLine(final) : (answer.trim().split(/\n|(?<=[.!?])\s/, 1)[0] ?? "");
}

/** What only greets, announces or offers: it says nothing of the question. */
const filler =
  /^(?:(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|hello|hi|thanks|thank you|you(?:'|’)re welcome)(?: there)?[.!,:\s]*|(?:great|good|excellent|interesting) question\b.{0,20}|(?:sure|certainly|of course|absolutely)\b.{0,120}:|here(?:'|’)?s?\b.{0,120}:|(?:please )?let me know\b.*|(?:i )?hope (?:this|that|it) helps\b.*|(?:please )?feel free to (?:ask|reach out|let me know)\b.*|if you\b.{0,200}\b(?:let me know|feel free|(?:just|please) (?:ask|tell me|say)|i can|i(?:'|’)d be (?:happy|glad)|i(?:'|’)m happy)\b.*|(?:would|do) you (?:like|want) me to\b.*\?|(?:is there )?anything else\b.*\?)$/i;

/**
 * At most `most` UTF-16 units of a well-formed text, an ellipsis in the last of them where it was cut; at a space where one is near the
 * cut, never within a code point.
 */
export function shorten(text: string, most: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= most) return whole;
  if (most < 1) return "";
  let end = most - 1;
  if ((whole.codePointAt(end - 1) ?? 0) > 0xffff) end -= 1;
  const space = whole.lastIndexOf(" ", end);
  return `${whole.slice(0, space > end - 40 && space > 0 ? space : end).trimEnd()}…`;
}

/** A code block in one line: its language, how long it is, and how it begins. */
function describeCode(content: string, language: string): string {
  const lines = splitLines(content).filter((line) => line.text.trim() !== "");
  const count = lines.length === 1 ? "1 line" : `${lines.length} lines`;
  const begins = shorten((lines[0]?.text ?? "").replaceAll(/\s+/g, " ").trim(), CODE_LINE);
  return `[${[language, "code"].filter((word) => word !== "").join(" ")}, ${count}: ${begins}]`;
}

/** Sentences in order, a code block as one. */
function splitParts(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { start, contentStart, contentEnd, end, language } of fencedBlocks(text)) {
    parts.push(...splitSentences(text.slice(from, start)));
    const content = text.slice(contentStart, contentEnd);
    if (content.trim() !== "") parts.push(describeCode(content, language.slice(0, 20)));
    from = end;
  }
  parts.push(...splitSentences(text.slice(from)));
  return parts
    .map((part) => part.replaceAll(/\s+/g, " ").trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
}

/** How much of the whole each part says: the mean weight of its words, a word weighing how many parts have it. */
function weighParts(parts: readonly string[]): number[] {
  const words = parts.map(contentWords);
  const counts = new Map<string, number>();
  for (const own of words) for (const word of own) counts.set(word, (counts.get(word) ?? 0) + 1);
  return words.map((own) =>
    own.length < 3 ? 0 : own.reduce((total, word) => total + (counts.get(word) ?? 0), 0) / own.length,
  );
}

/** Which parts to keep, the most needed first. */
function chooseParts(parts: readonly string[], answer: string | null): number[] {
  const weights = weighParts(parts);
  const last = parts.length - 1;
  const declared = answer === null ? -1 : parts.findLastIndex((part) => part.includes(answer));
  const code = parts.findIndex((part) => /^\[(?:\S+ )?code, \d/.test(part));
  const central = [...parts.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  const order = [0, last, declared, code, ...central].filter((index) => index >= 0);
  return [...new Set(order)].slice(0, MAX_SENTENCES);
}

/**
 * What an answer says, shortened, the same for the same text: up to four of its sentences in their order: the first and the last that
 * say something, the last that has the final answer, the first code block in one line, then those whose words the others
 * share most (the most central: after Luhn 1958, IBM Journal 2:159). Greetings and offers are left out while anything else is said. At
 * most `most` UTF-16 units, 1,000 unless given; empty only for a text without letters and digits.
 */
export function extractGist(answer: string, most = MAX_LENGTH): string {
  const whole = answer.toWellFormed();
  const read = readEnds(whole, READ_LENGTH);
  const all = splitParts(read.toWellFormed());
  const telling = all.filter((part) => !filler.test(part));
  const parts = telling.length > 0 ? telling : all;
  const chosen = chooseParts(parts, extractAnswer(read.slice(-READ_LENGTH))?.value ?? null);
  const kept = new Map<number, string>();
  let left = most;
  for (const [nth, index] of chosen.entries()) {
    const others = chosen.length - nth - 1;
    const room = Math.max(Math.min(MIN_CUT, left), left - others * MIN_CUT);
    const text = shorten(parts[index] ?? "", room);
    if (room < 2 && kept.size > 0) break;
    kept.set(index, text);
    left -= text.length + 1;
    if (left < 1) break;
  }
  return [...kept]
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join(" ");
}
