import { splitLines } from "../text/fences.ts";
import { readOwn } from "./quoted.ts";
import {
  feedbackAround,
  findMarked,
  findObjects,
  isOwnObject,
  readBehind,
  readObjects,
  openReply,
  type Declaration,
  type FoundObject,
} from "./verdicts.ts";
import {
  adverbs,
  faulty,
  isLeftOpen,
  mark,
  readCorrected,
  readRanked,
  readTail,
  readWinner,
  retracts,
  side,
  sideOrWork,
  tie,
  type Winner,
} from "./sides.ts";

export type { Winner };

const lead = String.raw`^[\s:=–(*_"'“-]{0,10}`;
const leading = new RegExp(`${lead}(?:${tie}|${side})`, "iu");
/** A small letter with nothing behind it but what closes: only a verdict's own place can be read so. */
const smallLetter = new RegExp(String.raw`${lead}([ab])${mark}\s?[)\]]?[.,;]?(?:\s*$|[\r\n])`, "u");

/** The side, or the tie, that a text names first of all, as one does behind a marker: `A`, `(b)`, `Response A`, `tie`. */
function readLeadingSide(text: string): Winner | null {
  const [, letter] = smallLetter.exec(text) ?? [];
  if (letter !== undefined) return letter === "a" ? "A" : "B";
  const found = leading.exec(text);
  const winner = readWinner(found?.groups);
  const rest = text.slice(found?.[0].length ?? 0).slice(0, 1_000);
  return winner === null ? null : readTail(rest.split("\n")[0] ?? "", winner);
}

const concludes = String.raw`(?:so|therefore|thus|hence|overall|consequently|accordingly|in\s(?:conclusion|summary|short)|to\s(?:conclude|sum\sup)|as\sa\sresult|all\sin\sall|ultimately|finally|for\s(?:these|this)\sreasons?|based\son\s(?:this|these|the\s(?:above|analysis|evaluation|criteria))[^,.]{0,60})`;
const therefore = String.raw`^(?:${concludes},?\s)?`;
const concluding = new RegExp(
  String.raw`^(?:${concludes}\b|(?:my|the)\s(?:final\s)?(?:verdict|winner|preference|choice|decision|judge?ment)\b)`,
  "iu",
);
const claim = new RegExp(
  String.raw`${sideOrWork}(?:\sis${adverbs}\s(?:better|best|superior|preferable|preferred|stronger|winner)(?:\s(?:output|response|answer|one|choice|overall))?|\swins\b(?!\s(?:nothing|no|little|neither)))(?<rest>[^]{0,200})`,
  "iu",
);
/** What a conclusion may say instead: `Thus, Output (b) more closely follows the instruction`. */
const outdoes = new RegExp(
  String.raw`${side}\s(?:(?:more\s(?:\w+ly|closely)|better)\s(?:follows|executes|addresses|answers|fulfill?s|adheres|captures|satisfies|meets|responds|matches)|(?:does|did)\s(?:a|the)\s(?:much\s|far\s)?(?:better|best)\sjob)\b(?<rest>[^]{0,200})`,
  "iu",
);
const namedSide = new RegExp(
  String.raw`${therefore}(?:(?:my|the)\s)?(?:final\s|overall\s)?(?:verdict|winner|preference|choice|decision|judge?ment|answer|(?:better|best|preferred|stronger|superior)(?:\s(?:output|response|answer|one|choice))?|(?:output|response|answer|one|assistant)\s(?:that|which)\s(?:is\s)?(?:\w+\s){0,2}(?:better|best|superior|more\s\w+)\b[^.;:?!]{0,120}?)${mark}\s?(?:is|:|=)\s?(?:${mark}${tie}|${side})(?<rest>[^]{0,200})$`,
  "iu",
);
/** `is not Output (a) but`, before the other. */
const notThis = new RegExp(
  String.raw`\bis\snot\s${side},?\s?but\s(?:rather\s|instead\s)?(?=${side.replaceAll(/\?<(?:noun|bracket|letter)>/g, "?:")})`,
  "giu",
);
/** `I would choose Output (a)`, `Output (b) gets my vote`. */
const chooses = [
  String.raw`(?<!\p{L})(?:I|we)(?:\s(?:would|will|do|must|have\sto)|['’](?:d|ll))?(?:\s(?:clearly|strongly|slightly|still|therefore|thus|personally))?\s(?:choose|chose|pick|select|prefer|favou?r|go\s(?:with|for)|vote\sfor|opt\sfor|lean\stowards?|recommend)\s${sideOrWork}(?<rest>[^]{0,200})`,
  String.raw`${sideOrWork}\s(?:gets|has|receives|earns)\smy\s(?:vote|preference|pick)\b(?<rest>[^]{0,200})`,
  String.raw`\bmy\s(?:vote|preference|pick)\s(?:goes\sto|is\sfor)\s${sideOrWork}(?<rest>[^]{0,200})`,
].map((one) => new RegExp(one, "iu"));
const even = new RegExp(
  String.raw`${therefore}(?:(?:(?:it\sis|it['’]s|this\sis)\sa\s)?(?:tie|draw)|both\s(?:\w+\s)?are\s(?:equally\sgood|equally\sbad|equal|tied)|neither(?:(?:\s\w+)?\sis\sbetter)?)[.!]?$`,
  "iu",
);
const bareSide = new RegExp(`^${side}[.!]?$`, "iu");
const openingLetter = /^["'“*_(]{0,4}(?<letter>[AB])[)"'”*_]{0,4}(?:[.,)]|\s[-–—]|\s(?:because|since)\b)/;
const verdictHeading = String.raw`^[\s#*_]{0,10}(?:(?:my|the|final|overall)\s){0,2}(?:verdict|winner|preference|decision|judge?ment)[*_]{0,3}\s?`;
/** A heading with nothing behind it that announces a verdict: `### Verdict:`. */
const announces = new RegExp(String.raw`${verdictHeading}:?[*_]{0,3}$`, "i");
/** One with the verdict behind it: `Verdict: A`. */
const announcing = new RegExp(String.raw`${verdictHeading}:[*_]{0,3}\s*(.*)$`, "i");
/** What an announced verdict begins with: `A: …`, `"A" because …`, `**A** has …`. */
const announcement =
  /^(?:["'“*_]{1,4}([AB])["'”*_]{1,4}(?![\p{L}\p{N}])|([AB])(?=\s?[:.,;)–—-]|\s(?:because|since|as|is|wins|over|loses)\b|\s?[<>≻=]|\s(?:The(?!\sother)|It|Its|This|Both|Response|Because|Since)\s|$))/u;

/** A claim that holds in one respect only. */
const narrowing = /^["'”*_]{0,4}\s(?:in|at|on|with|when|if|regarding|only)\b(?!\s(?:every|all|most)\b)/i;
/** A claim that is weighed against another. */
const contrast = /\b(?:but|however|while|whereas|except)\b,?\s*/i;
/** What a conclusion is drawn from, which narrows it no further: `is better at executing the instruction`. */
const inWhichRespect = /^["'”*_]{0,4}\s(?:in terms of|at|for|in)\s/i;
const praises =
  /\b(?:better|best|superior|wins?|winner|prefer\w*|stronger|(?:more|most) (?!verbose|vague|generic|general|wordy|confusing)\w+)\b/i;
const sideFirst = new RegExp(`^${side}`, "iu");
const alsoNamed = new RegExp(String.raw`^[\s"'”*_)\]]{0,6}(?:and|or|&|/)\s*${side}`, "iu");
/** What takes back a verdict that has just been given. */
const revocation = /\b(?:except|but|however|although|though)\b/i;
const thanOther = new RegExp(String.raw`^["'”*_]{0,4}\s(?:than|to|over)\s${sideOrWork}(?:['’]s)?`, "iu");
const ends = /^(?:$|[.!,;:]|\s(?:because|since|as|for|due|than|and|over)\b|\s?[<>≻]|\s[-–—(])/;

function removeListMarks(line: string): string {
  return line.replace(/^[\s#*_>-]{1,20}/, "").trim();
}

/**
 * Which side a sentence settles on, or null: `Output (b)`, `Therefore, Output (a) is better because …`, `The better answer
 * is (b).`, `Final verdict: tie`. A heading (a line that begins with `#`) settles nothing unless it names a verdict.
 * `lines` are those of the whole reply: a side alone on a line is a heading where the other one has a line too.
 */
function readVerdict(sentence: string, lines: readonly string[]): Winner | null {
  const text = removeListMarks(sentence).replace(notThis, "is ");
  const said = namedSide.exec(text);
  const rest = said?.groups?.["rest"] ?? "";
  if (said && faulty.test(said[0].slice(0, said[0].length - rest.length))) return null;
  if (said && ends.test(rest)) return isSettled(rest, readWinner(said.groups));
  if (/^\s{0,3}#/.test(sentence)) return null;
  if (even.test(text)) return "tie";
  const only = readSoleSide(text);
  if (only !== null) return lines.some((line) => isHeadedByOther(line, only)) ? null : only;
  return claim.test(text) ? readClaim(text) : (readClaim(text) ?? readRanked(text) ?? readChoice(text));
}

function readChoice(text: string): Winner | null {
  const found = chooses.map((one) => one.exec(text)).find((one) => one !== null);
  const rest = found?.groups?.["rest"] ?? "";
  if (!found || narrowing.test(rest) || isLeftOpen(text, found.index, found[0].length - rest.length))
    return null;
  return isSettled(rest, readWinner(found.groups));
}

function readSoleSide(text: string): Winner | null {
  const opening = openingLetter.exec(text);
  const winner = readWinner(opening?.groups);
  const rest = text.slice(1 + text.indexOf(opening?.groups?.["letter"] ?? ""));
  return readWinner(bareSide.exec(text)?.groups) ?? (winner === null ? null : readTail(rest, winner));
}

function isHeadedByOther(line: string, side: Winner): boolean {
  const other = readSoleSide(removeListMarks(line).replace(/:.*$/, ""));
  return other !== null && other !== side;
}

/** The winner, unless the rest of the sentence names the other one too, or takes the verdict back. */
function isSettled(rest: string, winner: Winner | null): Winner | null {
  if (alsoNamed.test(rest)) return null;
  const kept = winner === null ? null : readTail(rest, winner);
  if (kept !== winner) return kept;
  const against = readWinner(claim.exec(rest)?.groups);
  if (against !== null && against !== winner) return null;
  const turn = contrast.exec(rest);
  if (turn === null) return revocation.test(rest) ? null : winner;
  return faultsTheOther(rest.slice(turn.index + turn[0].length), winner) ? winner : null;
}

/** `while Output (b) lists four`: what is said of the other side, and no praise. */
function faultsTheOther(clause: string, winner: Winner | null): boolean {
  const other = readWinner(sideFirst.exec(clause)?.groups);
  return other !== null && other !== winner && !praises.test(clause);
}

function readClaim(text: string): Winner | null {
  const conclusion = concluding.test(text);
  const found = claim.exec(text) ?? (conclusion ? outdoes.exec(text) : null);
  const rest = found?.groups?.["rest"] ?? "";
  if (found === null || claim.test(rest) || retracts(rest)) return null;
  if (isLeftOpen(text, found.index, found[0].length - rest.length)) return null;
  if (narrowing.test(rest.replace(thanOther, "")) && !(conclusion && inWhichRespect.test(rest))) return null;
  const winner = readWinner(found.groups);
  const turn = contrast.exec(rest);
  const conceded = turn === null || faultsTheOther(rest.slice(turn.index + turn[0].length), winner);
  return conceded ? winner : null;
}

/** What stands behind the last heading that announces a verdict, on its line or on the next. */
function readAnnounced(lines: readonly string[]): Winner | null {
  const at = lines.findLastIndex((line) => announces.test(line) || announcing.test(line));
  const heading = lines[at];
  if (heading === undefined) return null;
  const text = announces.test(heading) ? (lines[at + 1] ?? "") : (announcing.exec(heading)?.[1] ?? "");
  const sentence = (splitLine(text)[0] ?? "").replace(/^[\s#>-]{1,20}/, "");
  const letter = announcement.exec(sentence);
  const found = letter ?? sideFirst.exec(sentence);
  if (found === null || found.groups?.["letter"] !== undefined) return null;
  if (retracts(text.slice(text.indexOf(sentence) + found[0].length))) return null;
  const winner = letter ? ((letter[1] ?? letter[2]) === "A" ? "A" : "B") : readWinner(found.groups);
  return isSettled(sentence.slice(found[0].length), winner);
}

/** A side at the very beginning and then the reason, as a prompt asks that wants the letter first: `A: …`, `A The …`, `**A** …`. */
const opener =
  /^(?<open>["'“*_(]{0,4})(?<letter>[AB])(?<close>["'”*_)]{0,4})(?<then>\s?:\s(?!\s*\d)|\s(?=(?:The|It|Its|This|Both|Response|Because|Since)\b)|\s(?=\w))(?<rest>[^]*)/;
const faults =
  /\b(?:wrong|worse|worst|incorrect|fails?|failed|lacks?|misses|errors?|mistakes?|not|poor|weak|weaker)\b/i;

/** The side that a reply begins with, unless it goes on to find fault with it, or has a passage on each. */
function readOpener(lines: readonly string[]): Winner | null {
  const text = lines.join("\n").replace(/^[\s>]{1,20}/, "");
  const { open = "", letter = "", close = "", then = "", rest = "" } = opener.exec(text)?.groups ?? {};
  const winner = letter === "A" ? "A" : letter === "B" ? "B" : null;
  const marked = open !== "" && close !== "";
  const reason = splitLine(rest.split("\n")[0] ?? "")[0] ?? "";
  if (
    winner === null ||
    (then.trim() === "" && !marked && !/^(?:The|It|Its|This|Both|Response|Because|Since)\b/.test(rest))
  )
    return null;
  const other = winner === "A" ? "B" : "A";
  const hasPassage = new RegExp(
    `(?:(?:^|[\\s.;,("'“*])${other}["'”*_)]{0,4}\\s?:|\\n["'“*_#\\s]{0,6}${other}["'”*_]{0,4}\\s*(?:\\n|$))`,
  ).test(rest);
  return hasPassage || faults.test(reason) ? null : isSettled(` ${reason}`, winner);
}

// What a judge was told to write outranks prose: `[RESULT] A`, `[[A]]` and a JSON winner count first, all of them, and all must say the
// same. Prose that settles on the other side only, as well, takes the verdict back: neither is read. What is marked as quoted
// counts only beside no verdict of the judge's own, also one in prose.
// Prose is read in its first and in its last sentence, behind a heading that announces a verdict, and in the last sentence that draws a
// conclusion (`Therefore, …`). In between judges weigh, and report what others say.
// A heading (`# Output (a)`) names what is talked about and is no verdict.
// A side counts only as its sentence leaves it. One that is denied, faulted, quoted, taken back or made to depend on a condition is no
// verdict; one that is called the worse of the two is a verdict for the other.

/** Which of two answers a judge prefers, by the order in which it was shown them: `A` came first. */
export type Preference =
  | { readonly ok: true; readonly winner: Winner; readonly reason: string }
  | { readonly ok: false; readonly reason: string };

type DeclaredWinner = Declaration<Winner | null> & { readonly written?: string };

/** MT-Bench: C is a tie. Arena-Hard: by how much, which is not kept. */
const BRACKETED: ReadonlyMap<string, Winner> = new Map([
  ["A", "A"],
  ["A>>B", "A"],
  ["A>B", "A"],
  ["B", "B"],
  ["B>>A", "B"],
  ["B>A", "B"],
  ["C", "tie"],
  ["A=B", "tie"],
]);

const resultMarker = /\[\s{0,3}RESULT\s{0,3}\]/gi;
const doubleBracket = /\[\[\s?([ABC]|A>{1,2}B|A=B|B>{1,2}A)\s?\]\](?!["'”’]?,?\s(?:if|for|when)\b)/gi;
const winnerNames = ["winner", "preference", "preferred", "better", "verdict", "choice", "result"];
const reasonNames = ["reason", "feedback", "explanation", "rationale"];
/** What stands in a form that was not filled in: `A or B`, `A | B | tie`. */
const unfilledForm =
  /^[\s("'“*_]*(?:either\s)?["'“”]?\(?A\)?["'“”]?\s{0,3}(?:or\b|\/(?!s\b)|\||,\s?["'“(]?B\b)/i;

/** What `own` declares, the text or the same without what it quotes, and what these objects of the text do. */
function findDeclared(own: string, text: string, objects: readonly FoundObject[]): DeclaredWinner[] {
  const read = (value: unknown) => {
    if (typeof value !== "string") return null;
    const [, marked] = /^\s*\[\[\s?([ABC<>=]{1,4})\s?\]\]\s*$/i.exec(value) ?? [];
    if (marked !== undefined) return BRACKETED.get(marked.toUpperCase()) ?? null;
    return unfilledForm.test(value) ? undefined : readLeadingSide(value);
  };
  const json = readObjects<Winner | null>(text, objects, { names: winnerNames, words: reasonNames, read });
  const marked = findMarked(own, resultMarker, objects).flatMap((one): DeclaredWinner[] => {
    const { line, words } = readBehind(text, one);
    return line.trim() === "" || unfilledForm.test(line) ? [] : [{ value: readLeadingSide(line), words }];
  });
  const bracketed = findMarked(own, doubleBracket, objects).map(({ at }): DeclaredWinner => {
    const written = (/^\[\[\s?([ABC<>=]+)/i.exec(text.slice(at, at + 8))?.[1] ?? "").toUpperCase();
    const value = BRACKETED.get(written) ?? null;
    const words = () => feedbackAround(text, { start: at, end: text.indexOf("]]", at) + 2 });
    return { value, words, written };
  });
  return [...json, ...marked, ...bracketed];
}

/** A letter and nothing else: a small `a` is an article only where something follows. */
const bareLetter = /^[\s"'“”*_([]{0,6}[ab][\s"'“”*_)\].]{0,6}$/i;

function findInProse(own: string, whole: string): DeclaredWinner[] {
  const text = readCorrected(own);
  if (bareLetter.test(text)) return [{ value: readLeadingSide(text), words: () => "" }];
  const lines = splitLines(text).flatMap((line) => (line.text.trim() === "" ? [] : [line.text]));
  const [opening = "", second = lines[1] ?? ""] = splitLine(lines[0] ?? "");
  const isGiven = readSoleSide(removeListMarks(opening)) ?? readVerdict(opening, lines);
  if (isGiven !== null && retracts(`. ${second}`)) return [];
  const closing = splitLine(lines.at(-1) ?? "").at(-1) ?? "";
  // A reply that is the verdict and nothing else gives no reason for it.
  const words = () => (/\s\S+\s/.test(whole.trim()) ? whole.trim() : "");
  const conclusion = lines
    .slice(-MAX_LINES)
    .flatMap(splitLine)
    .filter((sentence) => concluding.test(removeListMarks(sentence)))
    .map((sentence) => readVerdict(sentence, lines))
    .findLast((value) => value !== null);
  const read = [opening, ...(lines.length > 1 || closing !== opening ? [closing] : [])].map((sentence) =>
    readVerdict(sentence, lines),
  );
  const opens = read.every((value) => value === null) ? readOpener(lines) : null;
  return [readAnnounced(lines), ...read, conclusion ?? null, opens].flatMap((value) =>
    value === null ? [] : [{ value, words }],
  );
}

const MAX_LINES = 200;
const MAX_SENTENCE_LENGTH = 4_000;

function splitLine(line: string): string[] {
  return line.length > MAX_SENTENCE_LENGTH
    ? [line.slice(0, MAX_SENTENCE_LENGTH), line.slice(-MAX_SENTENCE_LENGTH)].flatMap(splitLine)
    : line.split(/(?<=[.!?])["'”’*_)]{0,3}\s+/);
}

/**
 * Reads which of two answers a judge prefers. The forms: `Feedback: … [RESULT] A` (Prometheus 2, Kim et al. 2024, arXiv
 * 2405.01535); `[[A]]`, `[[B]]`, `[[C]]` for a tie (MT-Bench, Zheng et al. 2023, arXiv 2306.05685);
 * `[[A>>B]]`, `[[A>B]]`, `[[A=B]]`, `[[B>A]]`, `[[B>>A]]` (Arena-Hard, Li et al. 2024, arXiv 2406.11939); JSON with `winner`;
 * `Output (a)` and `Therefore, Output (a) is better.` (LLMBar, Zeng et al. 2023, arXiv 2310.07641) as the first or the
 * last sentence; a letter alone. Refuses a reply that settles on neither, verdicts that differ, and one over 256 KiB.
 */
export function parsePreference(reply: string): Preference {
  const refused = (reason: string): Preference => ({ ok: false, reason });
  const opened = openReply(reply);
  if (!opened.ok) return opened;
  const { text } = opened;
  const { own, plain } = readOwn(text);
  const objects = findObjects(text);
  const ownObjects = objects.filter(isOwnObject(own));
  const strong = findDeclared(own, text, ownObjects);
  const prose = findInProse(own, text);
  const contrary = prose.every(({ value }) => value !== strong[0]?.value) ? prose : [];
  const found = [...strong, ...contrary];
  const quoted = found.length > 0 || own === text ? [] : findDeclared(plain, text, objects);
  const declared = found.length > 0 ? found : quoted.length > 0 ? quoted : findInProse(text, text);
  const [first] = declared;
  if (first === undefined)
    return refused(text.trim() === "" ? "the reply is empty" : "the reply prefers neither answer");
  const { value: winner, words } = first;
  if (winner === null || declared.some(({ value }) => value === null))
    return refused("the verdict names neither A nor B nor a tie");
  const written = new Set(declared.flatMap((one) => one.written ?? []));
  if (written.size > 1)
    return refused(`the reply gives ${written.size} verdicts: ${[...written].join(", ")}`);
  const other = declared.find(({ value }) => value !== winner)?.value;
  if (other !== undefined) return refused(`the reply gives two verdicts, ${winner} and ${other}`);
  return { ok: true, winner, reason: words() };
}
