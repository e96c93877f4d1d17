// A score is declared: behind `[RESULT]`, in a JSON object, or alone on a last line `Score: 4`. A bare number, and a rubric's `Score 4: …`,
// declare none.
// Every declaration of the judge's own counts, the last line beside the others, and all must say the same: no recorded judge
// changes its mind, so that none is taken over another. Nothing within a JSON object is a mark: objects are found in the reply as it came,
// before quotations are looked for.
// Nothing is rounded, clamped or rescaled: 4.5, 0, 6 and 4/10 are refused; 4.0 and 4/5 are 4.
import { splitLines } from "../text/fences.ts";
import { asciiDigits } from "./final-value.ts";
import { jsonObjects } from "./json-objects.ts";
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

/** An absolute grade against a rubric of five anchors, and the judge's words for it. */
export type Grade =
  | { readonly ok: true; readonly score: 1 | 2 | 3 | 4 | 5; readonly feedback: string }
  | { readonly ok: false; readonly reason: string };

type Score = 1 | 2 | 3 | 4 | 5;
type ScoreReading = { readonly score: Score } | { readonly refused: string } | null;
type DeclaredScore = Declaration<NonNullable<ScoreReading>>;

const resultMarker = /\[\s{0,3}(?:RESULT|SCORE)\s{0,3}\]/gi;
const scoreNames = ["score", "grade", "rating", "result"];
const feedbackNames = ["feedback", "reason", "explanation", "rationale"];
const decoration =
  /^[\s:=*_`"'([{<]{0,20}(?:(?:the\s)?(?:final\s|overall\s)?score[\s:=*_]{1,8})?(-?\d{1,9}(?:[.,]\d{1,9})?)/i;
const scale = /^[*_`)\]]{0,4}\s{0,3}(?:\/|out of|of)\s{0,3}(\d{1,9})(?![\d.])/i;
const another = /^\s{0,3}(?:-|–|—|to|or|and|,|\/|\|)\s{0,3}\d/i;
const scoreLine =
  /^[\s*_#`>-]{0,20}(?:(?:my|the)\s)?(?:(?:final|overall|total)\s)?(?:score|grade|rating)[*_`]{0,3}\s{0,3}[:=](.{1,40})$/i;

/** A score that stands alone on a line of any place: no line of a rubric, and no score of one part. */
const scoreAlone =
  /^[\s*_#]{0,9}(?:(?:my|the)\s)?(?:(?:final|overall|total)\s)?(?:score|grade|rating)[*_\s]{0,4}[:=][*_\s]{0,4}(\d(?:\s?\/\s?5)?)[*_.\s]{0,9}$/i;
/** A score as it is written in an object. */
const scoreEntry =
  /(?<!\\)"(?:score|grade|rating|result)"\s{0,9}:\s{0,9}(?:"([^"\\]{0,40})"|(-?\d[\d.]{0,20}))/gi;

const scores: readonly Score[] = [1, 2, 3, 4, 5];

function readNumberScore(value: number, written: string): ScoreReading {
  const score = scores.find((one) => one === value);
  if (score !== undefined) return { score };
  const why = Number.isInteger(value) ? "is outside of 1 to 5" : "is no whole number";
  return { refused: `the score ${written.slice(0, 20)} ${why}` };
}

/** The score at the beginning of a text; null where none stands there, as in an echoed `(an integer from 1 to 5)`. */
function readLeadingScore(text: string): ScoreReading {
  const match = decoration.exec(text);
  const [all = "", written] = match ?? [];
  if (written === undefined) return null;
  const rest = text.slice(all.length);
  const [scaled = "", most] = scale.exec(rest) ?? [];
  if (most !== undefined && most !== "5")
    return { refused: `the score ${written}${scaled.trim()} is not on the scale of 1 to 5` };
  if (scaled === "" && another.test(rest))
    return /^\s*(?:-|–|—|to)\s*5/i.test(rest) && written === "1"
      ? null
      : { refused: `two scores stand where one belongs: ${(written + rest).trim().slice(0, 20)}` };
  // `Score 4: what a 4 is` is a line of the rubric; letters make another word of the number.
  if (/^\s{0,3}:|^[\p{L}\d%]/u.test(rest.slice(scaled.length))) return null;
  return readNumberScore(Number(written.replace(",", ".")), written);
}

function readScore(value: unknown): ScoreReading {
  if (typeof value === "number") return readNumberScore(value, String(value));
  return typeof value === "string" ? readLeadingScore(value) : null;
}

function declare(read: ScoreReading, words: () => string): DeclaredScore[] {
  return read === null ? [] : [{ value: read, words }];
}

/** What `own` declares, the text or the same without what it quotes, and what these objects of the text do. */
function findDeclared(own: string, text: string, objects: readonly FoundObject[]): DeclaredScore[] {
  const read = (value: unknown) => readScore(value) ?? undefined;
  return [
    ...scoreNames.flatMap((name) =>
      readObjects(text, objects, { names: [name], words: feedbackNames, read }),
    ),
    ...findMarked(own, resultMarker, objects).flatMap((marked) =>
      declare(readLeadingScore(marked.behind), readBehind(text, marked).words),
    ),
    ...findOnLastLine(own, text),
  ];
}

/** What contradicts where something is declared: each score that an object has, also twice under one name, and lines of their own. */
function findBeside(own: string, text: string, objects: readonly FoundObject[]): DeclaredScore[] {
  const written = objects.flatMap(({ span }) => {
    const inside = text.slice(span.start + 1, span.end - 1);
    const outer = jsonObjects(inside).reduceRight(
      (left, { start, end }) => left.slice(0, start) + left.slice(end),
      inside,
    );
    return [...outer.matchAll(scoreEntry)].map(([, quoted, number]) => readScore(quoted ?? Number(number)));
  });
  const lines = splitLines(own).flatMap(({ text: line }) => scoreAlone.exec(line.slice(0, 200))?.[1] ?? []);
  return [...written, ...lines.map(readLeadingScore)].flatMap((read) => declare(read, () => ""));
}

function findOnLastLine(own: string, text: string): DeclaredScore[] {
  const last = splitLines(own).findLast((line) => line.text.trim() !== "");
  const [, value] = scoreLine.exec(last?.text.slice(0, 200) ?? "") ?? [];
  if (last === undefined || value === undefined) return [];
  return declare(readLeadingScore(value), () => feedbackAround(text, { start: last.at, end: text.length }));
}

/**
 * Reads a judge's grade from 1 to 5 and its feedback: `Feedback: … [RESULT] 4`, the form of Prometheus (Kim et al. 2024,
 * arXiv 2405.01535), JSON with `score` and `feedback`, alone, fenced or in prose, or a last line `Score: 4`. Refuses a
 * reply that declares no score, one that is not an integer from 1 to 5 (nothing is rounded or rescaled), two
 * declarations that differ, and one over 256 KiB. What is quoted, and what repeats the prompt
 * (`[RESULT] (an integer from 1 to 5)`, `Score 4: …` of a rubric), declares nothing.
 */
export function parseGrade(reply: string): Grade {
  const refused = (reason: string): Grade => ({ ok: false, reason });
  const opened = openReply(reply);
  if (!opened.ok) return opened;
  const text = asciiDigits(opened.text);
  const { own, plain } = readOwn(text);
  const objects = findObjects(text);
  const ownObjects = objects.filter(isOwnObject(own));
  const ownOnes = findDeclared(own, text, ownObjects);
  const isOwn = ownOnes.length > 0;
  const declared = isOwn ? ownOnes : findDeclared(plain, text, objects);
  const [first] = declared;
  if (first === undefined)
    return refused(text.trim() === "" ? "the reply is empty" : "the reply declares no score");
  const scores: Score[] = [];
  const beside = isOwn ? findBeside(own, text, ownObjects) : findBeside(plain, text, objects);
  for (const { value } of [...declared, ...beside]) {
    if ("refused" in value) return refused(value.refused);
    scores.push(value.score);
  }
  const [score = 1] = scores;
  const other = scores.find((one) => one !== score);
  if (other !== undefined) return refused(`the reply declares two scores, ${score} and ${other}`);
  return { ok: true, score, feedback: first.words() };
}
