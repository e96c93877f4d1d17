import { compare, evaluate, hasOperator, write } from "../solver/expression.ts";

/** A calculation that a text writes out: `17 * 23 = 381`. */
export type Calculation = {
  /** Both sides, with plain signs. */
  readonly written: string;
  readonly left: string;
  /** What the left side really comes to. */
  readonly value: string;
  /** Whether it is as the text says, to the places that it gives. */
  readonly holds: boolean;
};

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

function calculateAgain(before: string, after: string): Calculation[] {
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
  const holds = compare(size, tolerance) <= 0;
  return [{ written: `${left} = ${right}`, left, value: write(value), holds }];
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
