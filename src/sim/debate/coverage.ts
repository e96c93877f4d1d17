import { contentWords } from "../../text/words.ts";
import { isNote } from "../appraisal.ts";
import type { Brief } from "../prompt.ts";
import { quotable } from "../wording.ts";

const MAX_TEXT_LENGTH = 200_000;
const MAX_LINES = 2_000;
/** Endings hardly ever stand before the seventh letter. */
const STEM_LENGTH = 6;

const stems = (text: string): string[] => contentWords(text).map((word) => word.slice(0, STEM_LENGTH));

/**
 * Finds the first line of a text that takes a requirement up: one with at least half of its content words; null for
 * none. A line that only quotes the question takes up nothing.
 */
export function lineFinder(text: string): (requirement: string) => string | null {
  const lines = text
    .slice(0, MAX_TEXT_LENGTH)
    .split("\n", MAX_LINES)
    .filter((line) => !isNote(line))
    .map((line) => ({ line, words: new Set(stems(line)) }));
  return (requirement) => {
    const asked = [...new Set(stems(requirement))];
    if (asked.length === 0) return null;
    const isTakenUp = (words: ReadonlySet<string>): boolean =>
      2 * asked.filter((word) => words.has(word)).length >= asked.length;
    return lines.find(({ words }) => isTakenUp(words))?.line ?? null;
  };
}

/** Of these requirements those that no line of any of these texts takes up. */
export function findOpen(texts: readonly string[], requirements: readonly string[]): string[] {
  const finders = texts.map((text) => lineFinder(readBody(text)));
  return requirements.filter((requirement) => finders.every((find) => find(requirement) === null));
}

const heading = /^ {0,3}#{1,6}\s/;
const about = /^ {0,3}#{1,6}\s+(?:Critiques|Requirements Coverage)\b/i;

/** A proposal or refinement without its banner, and without the sections in which it speaks of itself. */
export function readBody(text: string): string {
  let kept = true;
  const lines = text.split("\n").filter((line) => {
    if (heading.test(line)) kept = !about.test(line);
    return kept && !/^\[simulated [0-9a-f]{6}\]$/.test(line);
  });
  return lines.join("\n").trim();
}

/** The section `Requirements Coverage` for what a body takes up, and for what it takes for granted. */
export function writeCoverage(body: string, { requirements, clarifications }: Brief): string {
  const find = lineFinder(body);
  const rows = (kind: string, how: string, items: readonly string[]): string[] =>
    items.flatMap((item, index) => {
      const line = find(item);
      if (line === null) return [];
      const [, step] = /^- Step (\d{1,4})\./.exec(line) ?? [];
      const place = step === undefined ? "in the text above" : `step ${step}`;
      return [`- ${kind} ${index + 1}, “${quotable(item, 60)}”: ${place}, ${how}.`];
    });
  return [
    "## Requirements Coverage",
    ...(requirements.major.length === 0 ? ["- Major: the problem states none."] : []),
    ...rows("Major", "fully", requirements.major),
    ...rows("Minor", "weighed", requirements.minor),
    ...clarifications.map(({ question, answer }) =>
      isUnanswered(answer)
        ? `- Assumption: “${quotable(question, 100)}” stays open, and the usual case is taken.`
        : `- Assumption, from what was asked: “${quotable(question, 100)}” “${quotable(answer, 100)}”`,
    ),
    "- Assumption: nothing that the problem leaves out stands in the way.",
  ].join("\n");
}

/** Whether the client could not say. */
export const isUnanswered = (answer: string): boolean =>
  /^\W{0,3}n\/?a\W{0,3}$/i.test(answer.trim().slice(0, 20));
