import { evaluate, hasOperator } from "./solver/expression.ts";
import { compare, minus, readRational, write, type Rational } from "./solver/rational.ts";

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

const mostSigns = 200;
const mostFound = 20;
/** So much of the text is looked at on either side of a sign. */
const look = 120;

const leftSide = /[-\d(√.][-\d .,+*/^%()!√]*$/;
const rightSide =
  /^ *(-?)(\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?|\d{1,40}(?:\.\d{1,20})?)(?![\d%\p{L}])(?! *[-+*/^(])/u;

/** The calculations of a text that can be done again, at most 20, in order. Looks at its first 200 signs of equality. */
export function calculationsIn(text: string): Calculation[] {
  const found: Calculation[] = [];
  let at = text.indexOf("=");
  for (let signs = 0; at >= 0 && signs < mostSigns && found.length < mostFound; signs += 1) {
    const one = calculation(text.slice(Math.max(0, at - look), at), text.slice(at + 1, at + look));
    if (one !== null) found.push(one);
    at = text.indexOf("=", at + 1);
  }
  return found;
}

function calculation(before: string, after: string): Calculation | null {
  const [, sign = "", digits = ""] = rightSide.exec(after) ?? [];
  const said = readRational(digits);
  // `!=` compares, and says nothing of a factorial.
  if (said === null || before.endsWith("!")) return null;
  const [run = ""] = leftSide.exec(plainSigns(before)) ?? [];
  for (const left of new Set([run.trim(), run.split(/[.,] /).at(-1)?.trim() ?? ""])) {
    const value = hasOperator(left) ? evaluate(left) : null;
    if (value === null) continue;
    const given = sign === "" ? said : { top: -said.top, bottom: said.bottom };
    const places = digits.split(".")[1]?.length ?? 0;
    return {
      written: `${left} = ${sign}${digits}`,
      left,
      value: write(value),
      holds: near(value, given, places),
    };
  }
  return null;
}

/** Equal, or rounded to so many places. */
function near(value: Rational, given: Rational, places: number): boolean {
  if (compare(value, given) === 0) return true;
  const difference = places === 0 ? null : minus(value, given);
  if (difference === null) return false;
  const size = difference.top < 0n ? -difference.top : difference.top;
  return 2n * size * 10n ** BigInt(places) <= difference.bottom;
}

const plainSigns = (text: string): string =>
  text
    .replaceAll(/[×⋅·∙]/g, "*")
    .replaceAll("÷", "/")
    .replaceAll(/[−–]/g, "-");

/** Whether a calculation is of all that a question asks to be calculated, and not of a part of it. */
export function isAsked({ left }: Calculation, question: string): boolean {
  const [asked, sought] = [question, left].map((text) => plainSigns(text).replaceAll(/\s+/g, ""));
  const at = asked === undefined || !sought ? -1 : asked.indexOf(sought);
  if (asked === undefined || sought === undefined || at < 0) return false;
  const [before, after] = [asked.slice(0, at), asked.slice(at + sought.length)];
  return !/[-\d+*/^%(√.]$/.test(before) && !/^(?:[-\d+*/^%)!]|\.\d)/.test(after);
}
