/**
 * The canonical form of a JSON value (RFC 8785): keys sorted by UTF-16 code units, ECMAScript number
 * formatting, no spaces. Lone surrogates become U+FFFD, because UTF-8 cannot carry them; `-0` becomes `0`.
 *
 * @throws TypeError for nesting of more than 500 levels, which a reader might not come back from, and for what
 * JSON cannot say: NaN, infinities, undefined (but in an object an undefined
 * member is absent), functions, symbols, bigints, and objects of a class, whose content is not in their members
 */
export const canonical = (value: unknown): string => canonicalAt(value, 0);

const DEEPEST = 500;

function canonicalAt(value: unknown, depth: number): string {
  if (depth > DEEPEST) throw new TypeError(`it is nested more than ${DEEPEST} levels deep`);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`);
    return JSON.stringify(value);
  }
  // `map` would pass over the holes of a sparse array.
  if (Array.isArray(value))
    return `[${Array.from(value, (member) => canonicalAt(member, depth + 1)).join(",")}]`;
  if (typeof value === "object" && isPlain(value)) return canonicalObject(value, depth);
  throw new TypeError(
    `a ${typeof value === "object" ? value.constructor.name : typeof value} is not a JSON value`,
  );
}

/** Made by a literal, by JSON or with no prototype, in this realm or another: nothing but its members. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function canonicalObject(value: object, depth: number): string {
  let members = "";
  let before: string | undefined;
  for (const [name, member] of sortedMembers(value)) {
    if (name === before) throw new TypeError(`two members are called ${JSON.stringify(name)}`);
    members += `${before === undefined ? "" : ","}${JSON.stringify(name)}:${canonicalAt(member, depth + 1)}`;
    before = name;
  }
  return `{${members}}`;
}

const sortedMembers = (value: object): [name: string, member: unknown][] =>
  Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]): [string, unknown] => [key.toWellFormed(), member])
    .sort(([a], [b]) => (a < b ? -1 : 1));
