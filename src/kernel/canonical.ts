/**
 * The canonical form of a JSON value (RFC 8785): keys sorted by UTF-16 code units, ECMAScript number
 * formatting, no spaces. Lone surrogates become U+FFFD, because UTF-8 cannot carry them; `-0` becomes `0`.
 *
 * @throws TypeError for what JSON cannot say: NaN, infinities, undefined (but in an object an undefined
 * member is absent), functions, symbols, bigints, and objects of a class, whose content is not in their members
 */
export function canonical(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`);
    return JSON.stringify(value);
  }
  // `map` would pass over the holes of a sparse array.
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join(",")}]`;
  if (typeof value === "object" && isPlain(value)) return canonicalObject(value);
  throw new TypeError(
    `a ${typeof value === "object" ? value.constructor.name : typeof value} is not a JSON value`,
  );
}

/** Made by a literal, by JSON or with no prototype, in this realm or another: nothing but its members. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function canonicalObject(value: object): string {
  const members = new Map<string, string>();
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const name = key.toWellFormed();
    if (members.has(name)) throw new TypeError(`two members are called ${JSON.stringify(name)}`);
    members.set(name, canonical(member));
  }
  const sorted = [...members.keys()].sort((a, b) => (a < b ? -1 : 1));
  return `{${sorted.map((key) => `${JSON.stringify(key)}:${members.get(key) ?? "null"}`).join(",")}}`;
}
