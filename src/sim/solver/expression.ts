/** An exact fraction; the denominator is positive and the fraction in lowest terms. */
export type Rational = { readonly top: bigint; readonly bottom: bigint };

export const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));

/** Null for a zero denominator, and for numbers too long to be worth it. */
function rational(top: bigint, bottom = 1n): Rational | null {
  if (bottom === 0n) return null;
  const shared = gcd(top, bottom) * (bottom < 0n ? -1n : 1n);
  const value = { top: top / shared, bottom: bottom / shared };
  return countBits(value.top) > MAX_BITS || countBits(value.bottom) > MAX_BITS ? null : value;
}

const MAX_BITS = 4_000;
const countBits = (value: bigint): number => value.toString(16).length * 4;

/** A written number, `1,234.5` or `.5`. */
function readRational(written: string): Rational | null {
  const [whole = "", fraction = ""] = written.replaceAll(",", "").split(".");
  return written.length > 200 ? null : rational(BigInt(whole + fraction), 10n ** BigInt(fraction.length));
}

const plus = (a: Rational, b: Rational): Rational | null =>
  rational(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
const minus = (a: Rational, b: Rational): Rational | null => plus(a, { top: -b.top, bottom: b.bottom });
const times = (a: Rational, b: Rational): Rational | null => rational(a.top * b.top, a.bottom * b.bottom);
const over = (a: Rational, b: Rational): Rational | null => rational(a.top * b.bottom, a.bottom * b.top);

/** Whole exponents only, up to 1,000. */
function power(base: Rational, exponent: Rational): Rational | null {
  if (exponent.bottom !== 1n || exponent.top > 1_000n || exponent.top < -1_000n) return null;
  const size = exponent.top < 0n ? -exponent.top : exponent.top;
  if (BigInt(Math.max(countBits(base.top), countBits(base.bottom))) * size > BigInt(MAX_BITS)) return null;
  const result = rational(base.top ** size, base.bottom ** size);
  return result && exponent.top < 0n ? rational(result.bottom, result.top) : result;
}

/** The remainder with the sign of the divisor, as in everyday arithmetic. */
function remainder(a: Rational, b: Rational): Rational | null {
  if (a.bottom !== 1n || b.bottom !== 1n || b.top === 0n) return null;
  return rational(((a.top % b.top) + b.top) % b.top);
}

export const compare = (a: Rational, b: Rational): number => {
  const difference = a.top * b.bottom - b.top * a.bottom;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

/** Exact: a whole number, a decimal of at most twelve places, else a fraction such as `22/7`. */
export function write({ top, bottom }: Rational): string {
  if (bottom === 1n) return String(top);
  for (let places = 1; places <= 12; places += 1) {
    const scaled = top * 10n ** BigInt(places);
    if (scaled % bottom !== 0n) continue;
    const digits = String(scaled < 0n ? -(scaled / bottom) : scaled / bottom).padStart(places + 1, "0");
    return `${top < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
  }
  return `${top}/${bottom}`;
}

type ExpressionToken = Rational | string;

const tokenPattern =
  /\s*(?:(\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\.\d+)|(\*\*|[-+*/^%()!√]|mod(?![a-z])))/y;
const MAX_TOKENS = 400;
const MAX_DEPTH = 100;

/**
 * The exact value of an arithmetic expression, or null for any other text: `+ - * / ^ % ! √ mod` and
 * parentheses with the usual precedence, `^` from the right and before a sign in front of it. `%` behind a
 * number is a hundredth, between two it is the remainder.
 */
export function evaluate(text: string): Rational | null {
  const tokens = readTokens(text);
  const value = readChain(tokens, 1, 0);
  return tokens.length === 0 ? value : null;
}

/** Whether an expression says what to do with its numbers, and is not just one. */
export const hasOperator = (text: string): boolean =>
  readTokens(text).some((token, index) => typeof token === "string" && (index > 0 || token === "√"));

function readTokens(text: string): ExpressionToken[] {
  const tokens: ExpressionToken[] = [];
  const trimmed = text.trim();
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < trimmed.length) {
    const [, digits, sign] = tokenPattern.exec(trimmed) ?? [];
    const token = digits === undefined ? sign?.replace("**", "^") : readRational(digits);
    if (!token || tokens.length === MAX_TOKENS) return [];
    tokens.push(token);
  }
  return tokens;
}

type Operate = (a: Rational, b: Rational) => Rational | null;

const operators = new Map<ExpressionToken | undefined, readonly [binds: number, operate: Operate]>([
  ["+", [1, plus]],
  ["-", [1, minus]],
  ["*", [2, times]],
  ["/", [2, over]],
  ["%", [2, remainder]],
  ["mod", [2, remainder]],
]);

/** Takes operands from the front of the tokens as long as operators follow that bind at least so much. */
function readChain(tokens: ExpressionToken[], least: number, depth: number): Rational | null {
  let value = readOperand(tokens, depth);
  for (;;) {
    const [binds, operate] = operators.get(tokens[0]) ?? [0];
    if (value === null || operate === undefined || binds < least) return value;
    tokens.shift();
    const right = readChain(tokens, binds + 1, depth);
    value = right && operate(value, right);
  }
}

/** A number or what stands in parentheses, with its sign, root, factorial, percent and power. */
function readOperand(tokens: ExpressionToken[], depth: number): Rational | null {
  if (depth > MAX_DEPTH) return null;
  const [sign] = tokens;
  if (sign === "-" || sign === "+") {
    tokens.shift();
    const value = readOperand(tokens, depth + 1);
    return value && sign === "-" ? rational(-value.top, value.bottom) : value;
  }
  let value = readAtom(tokens, depth);
  while (value && (tokens[0] === "!" || (tokens[0] === "%" && !startsValue(tokens[1]))))
    value = tokens.shift() === "!" ? factorial(value) : rational(value.top, value.bottom * 100n);
  if (value === null || tokens[0] !== "^") return value;
  tokens.shift();
  const exponent = readOperand(tokens, depth + 1);
  return exponent && power(value, exponent);
}

const startsValue = (token: ExpressionToken | undefined): boolean =>
  typeof token === "object" || token === "(" || token === "√";

function readAtom(tokens: ExpressionToken[], depth: number): Rational | null {
  const token = tokens.shift();
  if (typeof token === "object") return token;
  if (token === "√") return depth > MAX_DEPTH ? null : findRoot(readAtom(tokens, depth + 1));
  const value = token === "(" ? readChain(tokens, 1, depth + 1) : null;
  return tokens.shift() === ")" ? value : null;
}

function factorial({ top, bottom }: Rational): Rational | null {
  if (bottom !== 1n || top < 0n || top > 300n) return null;
  let value = 1n;
  for (let factor = 2n; factor <= top; factor += 1n) value *= factor;
  return rational(value);
}

/** Of squares only. */
function findRoot(value: Rational | null): Rational | null {
  if (value === null || value.top < 0n) return null;
  const [top, bottom] = [findWholeRoot(value.top), findWholeRoot(value.bottom)];
  return top * top === value.top && bottom * bottom === value.bottom ? rational(top, bottom) : null;
}

/** By Newton's method, rounded down. */
function findWholeRoot(value: bigint): bigint {
  let [guess, next] = [value + 1n, value];
  while (next < guess) [guess, next] = [next, next < 2n ? next : (next + value / next) / 2n];
  return guess;
}
