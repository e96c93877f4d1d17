/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The canonical form of a JSON value (RFC 8785): keys sorted by UTF-16 code units, ECMAScript number
 * formatting, no spaces. Lone surrogates become U+FFFD, because UTF-8 cannot carry them; `-0` becomes `0`.
 *
 * An object's undefined members are left out.
 * @throws TypeError for more than 500 levels of nesting, which could overflow a reader's stack, and for values that JSON
 * cannot hold: NaN, infinities, undefined, functions, symbols, bigints and class instances
 */
export function canonical(value: unknown): string {
  const pieces: string[] = [];
  write(value, pieces, 0);
  return pieces.join("");
}

const MAX_DEPTH = 500;

// A hot path: every digest and every event is written here. Joining pieces once makes a third of the garbage that
// repeated concatenation makes.
function write(value: unknown, pieces: string[], depth: number): void {
  if (depth > MAX_DEPTH) throw new TypeError(`it is nested more than ${MAX_DEPTH} levels deep`);
  if (typeof value === "string") pieces.push(JSON.stringify(value.toWellFormed()));
  else if (value === null || typeof value === "boolean") pieces.push(String(value));
  else if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`);
    pieces.push(JSON.stringify(value));
  } else if (Array.isArray(value)) {
    pieces.push("[");
    // The loop is by index, so that it also visits the holes of a sparse array.
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) pieces.push(",");
      write(value[index], pieces, depth + 1);
    }
    pieces.push("]");
  } else if (typeof value === "object" && isPlain(value)) writeObject(value, pieces, depth);
  else {
    throw new TypeError(
      `a ${typeof value === "object" ? value.constructor.name : typeof value} is not a JSON value`,
    );
  }
}

/** True for an object literal, parsed JSON or an object without a prototype, from any realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function writeObject(value: object, pieces: string[], depth: number): void {
  const names = Object.keys(value);
  let members = value;
  for (const name of names) {
    if (nameTexts.has(name) || name.isWellFormed()) continue;
    members = wellFormed(value);
    names.splice(0, names.length, ...Object.keys(members));
    break;
  }
  let separator = "{";
  for (const name of sortNames(names)) {
    const member: unknown = Reflect.get(members, name);
    if (member === undefined) continue;
    pieces.push(separator, nameTexts.get(name) ?? nameText(name));
    write(member, pieces, depth + 1);
    separator = ",";
  }
  pieces.push(separator === "{" ? "{}" : "}");
}

/** Sorts in place by UTF-16 code units. Objects have few members, and an insertion sort makes no garbage. */
function sortNames(names: string[]): string[] {
  if (names.length > 32) return names.sort();
  for (let end = 1; end < names.length; end += 1) {
    const name = names[end] ?? "";
    let at = end;
    for (; at > 0; at -= 1) {
      const before = names[at - 1] ?? "";
      if (before <= name) break;
      names[at] = before;
    }
    names[at] = name;
  }
  return names;
}

/** `"name":`, cached because the vocabulary's names recur. */
function nameText(name: string): string {
  const text = `${JSON.stringify(name)}:`;
  if (nameTexts.size < MAX_NAMES && name.length < MAX_NAME_LENGTH) nameTexts.set(name, text);
  return text;
}
const nameTexts = new Map<string, string>();
const MAX_NAMES = 500;
const MAX_NAME_LENGTH = 64;

/** A copy whose member names have no lone surrogates. */
function wellFormed(value: object): object {
  const named = new Map<string, unknown>();
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const name = key.toWellFormed();
    if (named.has(name)) throw new TypeError(`two members are called ${JSON.stringify(name)}`);
    named.set(name, member);
  }
  return Object.fromEntries(named);
}
