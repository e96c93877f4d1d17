/** An exact fraction; the denominator is positive and the fraction in lowest terms. */
export type Rational = { readonly top: bigint; readonly bottom: bigint };

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));

/** Null for a zero denominator, and for numbers too long to be worth it. */
export function rational(top: bigint, bottom = 1n): Rational | null {
  if (bottom === 0n) return null;
  const shared = gcd(top, bottom) * (bottom < 0n ? -1n : 1n);
  const value = { top: top / shared, bottom: bottom / shared };
  return length(value.top) > maximumBits || length(value.bottom) > maximumBits ? null : value;
}

const maximumBits = 4_000;
const length = (value: bigint): number => value.toString(16).length * 4;

/** A written number, `1,234.5`; null for anything else. */
export function readRational(written: string): Rational | null {
  const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(written) ? written.replaceAll(",", "") : written;
  const [, whole, fraction = ""] = /^(\d{0,200})(?:\.(\d{1,100}))?$/.exec(plain) ?? [];
  if (whole === undefined || whole + fraction === "") return null;
  return rational(BigInt(whole + fraction), 10n ** BigInt(fraction.length));
}

export const plus = (a: Rational, b: Rational): Rational | null =>
  rational(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
export const minus = (a: Rational, b: Rational): Rational | null =>
  plus(a, { top: -b.top, bottom: b.bottom });
export const times = (a: Rational, b: Rational): Rational | null =>
  rational(a.top * b.top, a.bottom * b.bottom);
export const over = (a: Rational, b: Rational): Rational | null =>
  rational(a.top * b.bottom, a.bottom * b.top);

/** Whole exponents only, up to 1,000. */
export function power(base: Rational, exponent: Rational): Rational | null {
  if (exponent.bottom !== 1n || exponent.top > 1_000n || exponent.top < -1_000n) return null;
  const size = exponent.top < 0n ? -exponent.top : exponent.top;
  if (BigInt(Math.max(length(base.top), length(base.bottom))) * size > BigInt(maximumBits)) return null;
  const raised = rational(base.top ** size, base.bottom ** size);
  return raised && exponent.top < 0n ? rational(raised.bottom, raised.top) : raised;
}

/** The remainder with the sign of the divisor, as in everyday arithmetic. */
export function remainder(a: Rational, b: Rational): Rational | null {
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
