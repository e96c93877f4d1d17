// P1. What a judge was told to write outranks prose: `[RESULT] A`, `[[A]]` and a JSON winner count first, all of them,
//     and all must say the same.
// P2. Prose is read in its first and in its last sentence only. In between judges weigh, and report what others say.
// P3. A heading (`# Output (a)`) names what is talked about and is no verdict.
import { linesOf } from "./fences.ts";
import { verdictIn, wordedSide, type Winner } from "./verdict-sentence.ts";
import {
  entryOf,
  feedbackAround,
  feedbackAroundObject,
  markedIn,
  maximumReply,
  objectsIn,
} from "./verdicts.ts";

/** Which of two answers a judge prefers, by the order in which it was shown them: `A` came first. */
export type Preference =
  | { readonly ok: true; readonly winner: Winner; readonly reason: string }
  | { readonly ok: false; readonly reason: string };

type Declared = { readonly winner: Winner | null; readonly reason: () => string };

const resultMarker = /\[\s{0,3}RESULT\s{0,3}\]/gi;
const doubleBracket = /\[\[\s?([ABC])\s?\]\](?!["'”’]?,?\s(?:if|for|when)\b)/gi;
const winnerNames = ["winner", "preference", "preferred", "better", "verdict", "choice", "result"];
const reasonNames = ["reason", "feedback", "explanation", "rationale"];
/** What stands in a form that was not filled in: `A or B`, `A | B | tie`. */
const unfilled = /^[\s("'“*_]*(?:either\s)?["'“”]?\(?A\)?["'“”]?\s{0,3}(?:or|\/|\||,)/i;

const declaredIn = (text: string): Declared[] => {
  const objects = objectsIn(text);
  const json = objects.flatMap((object): Declared[] => {
    const entry = entryOf(object, winnerNames);
    if (entry === null || (typeof entry.value === "string" && unfilled.test(entry.value))) return [];
    const words = entryOf(object, reasonNames)?.value;
    return [
      {
        winner: typeof entry.value === "string" ? wordedSide(entry.value) : null,
        reason: () => (typeof words === "string" ? words.trim() : feedbackAroundObject(text, object.span)),
      },
    ];
  });
  const marked = markedIn(text, resultMarker, objects).flatMap(({ behind, at }): Declared[] => {
    const [line = ""] = behind.trimStart().split(/[\r\n]/, 1);
    if (line.trim() === "" || unfilled.test(line)) return [];
    const end = text.indexOf(line, at) + line.length;
    return [{ winner: wordedSide(line), reason: () => feedbackAround(text, { start: at, end }) }];
  });
  const bracketed = markedIn(text, doubleBracket, objects).map(({ at }): Declared => {
    const letter = text
      .slice(at + 2)
      .trimStart()
      .charAt(0)
      .toUpperCase();
    const winner = letter === "A" || letter === "B" ? letter : "tie"; // MT-Bench: C is a tie
    return { winner, reason: () => feedbackAround(text, { start: at, end: text.indexOf("]]", at) + 2 }) };
  });
  return [...json, ...marked, ...bracketed];
};

/** A letter and nothing else: a small `a` is an article only where something follows. */
const bareLetter = /^[\s"'“”*_([]{0,6}[ab][\s"'“”*_)\].]{0,6}$/i;

const inProse = (text: string): Declared[] => {
  if (bareLetter.test(text)) return [{ winner: wordedSide(text), reason: () => "" }];
  const lines = linesOf(text).filter((line) => line.text.trim() !== "");
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) return [];
  const opening = sentencesIn(first.text)[0] ?? "";
  const closing = sentencesIn(last.text).at(-1) ?? "";
  const names = lines.map((line) => line.text);
  return [opening, ...(lines.length > 1 || closing !== opening ? [closing] : [])].flatMap((sentence) => {
    const winner = verdictIn(sentence, names);
    // A reply that is the verdict and nothing else gives no reason for it.
    return winner === null
      ? []
      : [{ winner, reason: () => (/\s\S+\s/.test(text.trim()) ? text.trim() : "") }];
  });
};

const longestSentence = 4_000;

const sentencesIn = (line: string): string[] =>
  line.length > longestSentence
    ? [line.slice(0, longestSentence), line.slice(-longestSentence)].flatMap(sentencesIn)
    : line.split(/(?<=[.!?])["'”’*_)]{0,3}\s+/);

/**
 * Reads which of two answers a judge prefers. The forms: `Feedback: … [RESULT] A` (Prometheus 2, Kim et al. 2024, arXiv
 * 2405.01535); `[[A]]`, `[[B]]`, `[[C]]` for a tie (MT-Bench, Zheng et al. 2023, arXiv 2306.05685); JSON with `winner`;
 * `Output (a)` and `Therefore, Output (a) is better.` (LLMBar, Zeng et al. 2023, arXiv 2310.07641) as the first or the
 * last sentence; a letter alone. Refuses a reply that settles on neither, verdicts that differ, and one over 4,000,000 characters.
 */
export const parsePreference = (text: string): Preference => {
  if (text.length > maximumReply)
    return { ok: false, reason: `the reply is longer than ${maximumReply} characters` };
  const strong = declaredIn(text);
  const declared = strong.length > 0 ? strong : inProse(text);
  const [first] = declared;
  if (first === undefined)
    return {
      ok: false,
      reason: text.trim() === "" ? "the reply is empty" : "the reply prefers neither answer",
    };
  const { winner } = first;
  if (winner === null || declared.some((one) => one.winner === null))
    return { ok: false, reason: "the verdict names neither A nor B nor a tie" };
  const other = declared.find((one) => one.winner !== winner)?.winner;
  if (other !== undefined)
    return { ok: false, reason: `the reply gives two verdicts, ${winner} and ${other}` };
  return { ok: true, winner, reason: first.reason() };
};
