import type { Compiled } from "../domain.ts";
import { depthOf, formatFormula, FormulaError, parseFormula, type Vocabulary } from "./formula.ts";

/** How many operators of a candidate may stand within each other: deeper random formulas take too long to draw and say little. */
export const MAX_CANDIDATE_DEPTH = 5;

const MAX_TEXT_LENGTH = 20_000;

/** Reads the first formula of a text that a model or a person wrote, whatever stands around it, and puts it in its one form. */
export function compileFormula(text: string, vocabulary: Vocabulary): Compiled {
  if (text.length > MAX_TEXT_LENGTH)
    return { ok: false, why: `the text has ${text.length} characters; at most ${MAX_TEXT_LENGTH} are read` };
  const written = findFormula(text.replaceAll(/```\w*/g, "\n").replaceAll("`", " "), vocabulary);
  if (!written.ok) return written;
  try {
    const formula = parseFormula(written.text, vocabulary);
    const depth = depthOf(formula);
    if (depth > MAX_CANDIDATE_DEPTH)
      return {
        ok: false,
        why: `at most ${MAX_CANDIDATE_DEPTH} operators stand within each other (got ${depth})`,
      };
    if (depth === 0 && formula.kind === "integer") return { ok: false, why: "a number alone is no formula" };
    return { ok: true, text: formatFormula(formula) };
  } catch (error) {
    if (error instanceof FormulaError) return { ok: false, why: error.message };
    throw error;
  }
}

/** `name(`; with a space between, only where the name is an operator's, since prose has brackets too. */
const CALL = /([A-Za-z_]\w*)([ \t]*)\(/g;
const ARITHMETIC = "formulas have no signs such as + and /; use add, sub, mul and div";

function findFormula(text: string, { fields, operators }: Vocabulary): Compiled {
  for (const match of text.matchAll(CALL)) {
    const [, name = "", space] = match;
    if (space !== "" && !Object.hasOwn(operators, name)) continue;
    const end = endOfCall(text, match.index);
    const line = text.slice(text.lastIndexOf("\n", match.index) + 1, match.index);
    return isOperand(line, text.slice(end), { fields, operators })
      ? { ok: false, why: ARITHMETIC }
      : { ok: true, text: text.slice(match.index, end) };
  }
  for (const line of text.split("\n")) {
    const alone = line.replace(/^[\s>*-]*(?:\w+\s*[=:])?/, "").trim();
    if (fields.includes(alone)) return { ok: true, text: alone };
  }
  return {
    ok: false,
    why: "no formula was found: one is a field, or an operator with its arguments in brackets",
  };
}

/** Whether a call is part of arithmetic: `close - f(x)`, `-f(x)`, `f(x) ** 2`; but not `- f(x)` of a list, and not `**f(x)**`. */
function isOperand(before: string, after: string, { fields, operators }: Vocabulary): boolean {
  const isTerm = (word: string) =>
    /^(?:\d+(?:\.\d+)?|.*[()])$/.test(word) || fields.includes(word) || Object.hasOwn(operators, word);
  const [, left = ""] = /([\w.)]+) *(?:[-+*/^%]|\*\*) *$/.exec(before) ?? [];
  const [, right = ""] = /^[ \t]*(?:[-+*/^%]|\*\*)[ \t]*([\w.]+|\()/.exec(after) ?? [];
  return isTerm(left) || isTerm(right) || /(?:^|[^*])[-+*/^%]$/.test(before);
}

/** Behind the bracket that closes a call; the end of the text where none does. */
function endOfCall(text: string, start: number): number {
  let open = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "(") open += 1;
    if (text[at] !== ")") continue;
    open -= 1;
    if (open === 0) return at + 1;
  }
  return text.length;
}
