import {
  minus,
  over,
  plus,
  power,
  rational,
  readRational,
  remainder,
  times,
  type Rational,
} from "./rational.ts";

type Token =
  { readonly kind: "number"; readonly value: Rational } | { readonly kind: "sign"; readonly value: string };

const tokenPattern =
  /\s*(?:(\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\.\d+)|(\*\*|[-+*/^%()!√]|mod(?![a-z])))/y;

/**
 * The exact value of an arithmetic expression, or null for anything that is none: `+ - * / ^ % ! √ mod` and
 * parentheses with the usual precedence, `^` from the right and before a sign in front of it. `%` behind a
 * number is a hundredth, between two it is the remainder.
 */
export function evaluate(text: string): Rational | null {
  const tokens = tokensOf(text);
  if (tokens === null) return null;
  const reader = { tokens, at: 0, depth: 0 };
  const value = sum(reader);
  return reader.at === tokens.length ? value : null;
}

/** Whether an expression says what to do with its numbers, and is not just one. */
export const hasOperator = (text: string): boolean =>
  (tokensOf(text) ?? []).some((token, index) => token.kind === "sign" && (index > 0 || token.value === "√"));

function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = [];
  const trimmed = text.trim();
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < trimmed.length) {
    const [, digits, sign] = tokenPattern.exec(trimmed) ?? [];
    if (digits !== undefined) {
      const value = readRational(digits);
      if (value === null) return null;
      tokens.push({ kind: "number", value });
    } else if (sign !== undefined) tokens.push({ kind: "sign", value: sign === "**" ? "^" : sign });
    else return null;
    if (tokens.length > 400) return null;
  }
  return tokens.length > 0 ? tokens : null;
}

type Reader = { readonly tokens: readonly Token[]; at: number; depth: number };
type Parse = (reader: Reader) => Rational | null;
type Operators = { readonly [sign: string]: (a: Rational, b: Rational) => Rational | null };

const signAt = (reader: Reader, offset = 0): string | null => {
  const token = reader.tokens[reader.at + offset];
  return token?.kind === "sign" ? token.value : null;
};

const startsValue = (reader: Reader, offset: number): boolean => {
  const token = reader.tokens[reader.at + offset];
  return token !== undefined && (token.kind === "number" || token.value === "(" || token.value === "√");
};

const chain =
  (operators: Operators, next: Parse): Parse =>
  (reader) => {
    let value = next(reader);
    for (;;) {
      const operator = operators[signAt(reader) ?? ""];
      if (value === null || operator === undefined) return value;
      reader.at += 1;
      const right = next(reader);
      value = right && operator(value, right);
    }
  };

const negated: Parse = (reader) => {
  const sign = signAt(reader);
  if (sign !== "-" && sign !== "+") return raised(reader);
  if ((reader.depth += 1) > 100) return null;
  reader.at += 1;
  const value = negated(reader);
  reader.depth -= 1;
  return value && sign === "-" ? rational(-value.top, value.bottom) : value;
};

const raised: Parse = (reader) => {
  const base = followed(reader);
  if (base === null || signAt(reader) !== "^") return base;
  if ((reader.depth += 1) > 100) return null;
  reader.at += 1;
  const exponent = negated(reader);
  reader.depth -= 1;
  return exponent && power(base, exponent);
};

const followed: Parse = (reader) => {
  let value = atom(reader);
  for (;;) {
    const sign = signAt(reader);
    if (value === null || (sign !== "!" && !(sign === "%" && !startsValue(reader, 1)))) return value;
    reader.at += 1;
    value = sign === "!" ? factorial(value) : rational(value.top, value.bottom * 100n);
  }
};

const atom: Parse = (reader) => {
  const token = reader.tokens[reader.at];
  reader.at += 1;
  if (token === undefined || reader.depth > 100) return null;
  if (token.kind === "number") return token.value;
  reader.depth += 1;
  const value = token.value === "(" ? sum(reader) : token.value === "√" ? root(atom(reader)) : null;
  reader.depth -= 1;
  if (token.value !== "(") return value;
  const closed = signAt(reader) === ")";
  reader.at += 1;
  return closed ? value : null;
};

const product = chain({ "*": times, "/": over, "%": remainder, mod: remainder }, negated);
const sum = chain({ "+": plus, "-": minus }, product);

function factorial({ top, bottom }: Rational): Rational | null {
  if (bottom !== 1n || top < 0n || top > 300n) return null;
  let value = 1n;
  for (let factor = 2n; factor <= top; factor += 1n) value *= factor;
  return rational(value);
}

/** Of squares only. */
function root(value: Rational | null): Rational | null {
  if (value === null || value.top < 0n) return null;
  const top = wholeRoot(value.top);
  const bottom = wholeRoot(value.bottom);
  return top * top === value.top && bottom * bottom === value.bottom ? rational(top, bottom) : null;
}

function wholeRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (guess + value / guess) / 2n;
    if (next >= guess) return guess;
    guess = next;
  }
}
