/**
 * The canonical form of a JSON value (RFC 8785): keys sorted by UTF-16 code units, ECMAScript number
 * formatting, no spaces. Lone surrogates become U+FFFD, because UTF-8 cannot carry them; `-0` becomes `0`.
 *
 * @throws TypeError for what JSON cannot say: NaN, infinities, undefined (but in an object an undefined
 * member is absent), functions, symbols, bigints
 */
export function canonical(value: unknown): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
      return value ? "true" : "false";
    case "string":
      return JSON.stringify(value.toWellFormed());
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`);
      return JSON.stringify(value);
    case "object":
      return Array.isArray(value) ? `[${value.map(canonical).join(",")}]` : canonicalObject(value);
    default:
      throw new TypeError(`a ${typeof value} is not a JSON value`);
  }
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
