// A formula and its text tell the same: formatting what was parsed, and parsing that, comes to the same.

/** `field | integer | op(arg, …)`. */
export type Formula =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "integer"; readonly value: number }
  | { readonly kind: "call"; readonly op: string; readonly args: readonly Formula[] };

/** An operator: how many arguments it takes, and, where the last one is a window, which windows. */
export type OperatorShape = { readonly arity: number; readonly windows?: readonly number[] };

/** The words of formulas. */
export type Vocabulary = {
  readonly fields: readonly string[];
  readonly operators: { readonly [name: string]: OperatorShape };
};

/** What is wrong with a formula, and where in its text, counted from 0. */
export class FormulaError extends Error {
  override readonly name = "FormulaError";
  readonly code: "syntax" | "operator" | "field" | "arity" | "window" | "size";
  readonly at: number;

  constructor(code: FormulaError["code"], why: string, at: number) {
    super(`${why} (at ${at + 1})`);
    this.code = code;
    this.at = at;
  }
}

const MAX_LENGTH = 2_000;
const MAX_DEPTH = 32;

/** Parses a formula. @throws FormulaError for the first thing that is wrong */
export function parseFormula(text: string, vocabulary: Vocabulary): Formula {
  if (text.length > MAX_LENGTH)
    throw new FormulaError("size", `a formula has at most ${MAX_LENGTH} characters`, MAX_LENGTH);
  const parser = new Parser(text, vocabulary);
  return parser.whole();
}

class Parser {
  readonly #text: string;
  readonly #words: Vocabulary;
  #at = 0;

  constructor(text: string, words: Vocabulary) {
    this.#text = text;
    this.#words = words;
  }

  whole(): Formula {
    const formula = this.#formula(0);
    this.#space();
    if (this.#at < this.#text.length) throw this.#syntax("the end");
    return formula;
  }

  #formula(depth: number): Formula {
    if (depth > MAX_DEPTH) throw new FormulaError("size", `a formula is at most ${MAX_DEPTH} deep`, this.#at);
    this.#space();
    const start = this.#at;
    const number = this.#take(/-?\d+(?![\w.])/y);
    if (number !== "") {
      const value = Number(number);
      if (!Number.isSafeInteger(value)) throw new FormulaError("size", "an integer is too large", start);
      return { kind: "integer", value };
    }
    const name = this.#take(/[A-Za-z_]\w*/y);
    if (name === "") throw this.#syntax("a field, an integer or an operator");
    this.#space();
    if (this.#text[this.#at] !== "(") return this.#field(name, start);
    const shape = Object.hasOwn(this.#words.operators, name) ? this.#words.operators[name] : undefined;
    if (!shape) throw new FormulaError("operator", `there is no operator ${name}`, start);
    const args = this.#args(depth);
    checkArgs({ name, shape, args, start });
    return { kind: "call", op: name, args };
  }

  #field(name: string, start: number): Formula {
    if (this.#words.fields.includes(name)) return { kind: "field", name };
    throw new FormulaError("field", `there is no field ${name}`, start);
  }

  #args(depth: number): Formula[] {
    const args: Formula[] = [];
    do {
      this.#at += 1;
      args.push(this.#formula(depth + 1));
      this.#space();
    } while (this.#text[this.#at] === ",");
    if (this.#text[this.#at] !== ")") throw this.#syntax("a comma or a closing bracket");
    this.#at += 1;
    return args;
  }

  #space(): void {
    this.#take(/\s*/y);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #syntax(expected: string): FormulaError {
    return new FormulaError("syntax", `${expected} is expected`, this.#at);
  }
}

type CheckedCall = {
  readonly name: string;
  readonly shape: OperatorShape;
  readonly args: readonly Formula[];
  readonly start: number;
};

function checkArgs({ name, shape: { arity, windows }, args, start }: CheckedCall): void {
  if (args.length !== arity)
    throw new FormulaError("arity", `${name} takes ${arity} arguments (got ${args.length})`, start);
  const last = args.at(-1);
  if (windows && !(last?.kind === "integer" && windows.includes(last.value)))
    throw new FormulaError("window", `${name} takes a window of ${windows.join(", ")}`, start);
  const series = windows ? args.slice(0, -1) : args;
  if (series.length > 0 && series.every((arg) => arg.kind === "integer"))
    throw new FormulaError("arity", `${name} takes a field or another operator`, start);
}

/** A formula in one line, with a space after each comma. */
export function formatFormula(formula: Formula): string {
  if (formula.kind === "field") return formula.name;
  if (formula.kind === "integer") return String(formula.value);
  return `${formula.op}(${formula.args.map(formatFormula).join(", ")})`;
}

/** How many operators stand within each other: 0 of a field alone. */
export const depthOf = (formula: Formula): number =>
  formula.kind === "call" ? 1 + Math.max(...formula.args.map(depthOf)) : 0;

/** By depth: up to 1, 2, and more. */
export const complexityOf = (formula: Formula): "simple" | "medium" | "complex" => {
  const depth = depthOf(formula);
  return depth <= 1 ? "simple" : depth === 2 ? "medium" : "complex";
};

/** The fields of a formula, each once, in the order of their first mention. */
export const fieldsOf = (formula: Formula): string[] =>
  formula.kind === "field"
    ? [formula.name]
    : formula.kind === "call"
      ? [...new Set(formula.args.flatMap(fieldsOf))]
      : [];
