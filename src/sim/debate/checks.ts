import { contentWords } from "../../text/words.ts";
import { isNote } from "../appraisal.ts";
import type { Brief } from "../prompt.ts";
import { compare, evaluate, hasOperator, write } from "../solver/expression.ts";
import { quotable } from "../wording.ts";

export type Calculation = ReturnType<typeof calculateAgain>[number];

const MAX_SIGNS = 200;
const MAX_CALCULATIONS = 20;
/** The characters of the text that are read on either side of a sign. */
const REACH = 120;

const leftSide = /[-\d(√.][-\d .,+*/^%()!√]*$/;
const rightSide = /^ *(-?(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,40})(?:\.\d{1,20})?)(?![\d%\p{L}])(?! *[-+*/^(])/u;

/** The calculations of a text that can be done again, at most 20, in order. Reads its first 200 equals signs. */
export function findCalculations(text: string): Calculation[] {
  const [first = "", ...others] = text.split("=", MAX_SIGNS + 1);
  const calculations = others.flatMap((after, index) =>
    calculateAgain((others[index - 1] ?? first).slice(-REACH), after.slice(0, REACH)),
  );
  return calculations.slice(0, MAX_CALCULATIONS);
}

/** A calculation that a text writes out around an equals sign, `17 * 23 = 381`, where it can be done again. */
function calculateAgain(before: string, after: string) {
  const [, right = ""] = rightSide.exec(after) ?? [];
  const [run = ""] = leftSide.exec(usePlainSigns(before)) ?? [];
  const left = run.split(/[.,] /).at(-1)?.trim() ?? "";
  const value = evaluate(left);
  const difference = evaluate(`${left} - (${right})`);
  // `!=` compares, and says nothing of a factorial.
  if (!value || !difference || !hasOperator(left) || before.endsWith("!")) return [];
  const places = right.split(".")[1]?.length ?? 0;
  const size = { ...difference, top: difference.top < 0n ? -difference.top : difference.top };
  const tolerance = { top: places === 0 ? 0n : 1n, bottom: 2n * 10n ** BigInt(places) };
  return [
    {
      /** Both sides, with plain signs. */
      written: `${left} = ${right}`,
      left,
      /** What the left side really comes to. */
      value: write(value),
      /** Whether it is as the text says, to the places that it gives. */
      holds: compare(size, tolerance) <= 0,
    },
  ];
}

const usePlainSigns = (text: string): string =>
  text
    .replaceAll(/[×⋅·∙]/g, "*")
    .replaceAll("÷", "/")
    .replaceAll(/[−–]/g, "-");

/** Whether a calculation is of all that a question asks to be calculated, and not of a part of it. */
export function isAsked({ left }: Calculation, question: string): boolean {
  const wholeText = usePlainSigns(question).replaceAll(/\s+/g, "");
  const partText = left.replaceAll(/\s+/g, "");
  const at = wholeText.indexOf(partText);
  const [before, after] = [wholeText.slice(0, Math.max(0, at)), wholeText.slice(at + partText.length)];
  return at >= 0 && !/[-\d+*/^%(√.]$/.test(before) && !/^(?:[-\d+*/^%)!]|\.\d)/.test(after);
}

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
