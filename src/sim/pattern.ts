/**
 * A text that a regular expression matches, as far as it is made of literals, classes, groups, alternatives and
 * quantifiers; what goes beyond (look-around, back-references) is passed over. `roll` gives chance for a purpose.
 */
export function matching(pattern: string, roll: (purpose: string) => number): string {
  const reader: Reader = { pattern: pattern.slice(0, 1_000), at: 0, rolls: 0, roll, room: 2_000 };
  return alternatives(reader);
}

type Reader = {
  readonly pattern: string;
  at: number;
  rolls: number;
  readonly roll: (purpose: string) => number;
  /** Characters that may still be written. */
  room: number;
};

const chance = (reader: Reader): number => reader.roll(String((reader.rolls += 1)));
const peek = (reader: Reader): string => reader.pattern[reader.at] ?? "";

function alternatives(reader: Reader): string {
  const ways = [sequence(reader)];
  while (peek(reader) === "|") {
    reader.at += 1;
    ways.push(sequence(reader));
  }
  return ways[Math.floor(chance(reader) * ways.length)] ?? "";
}

function sequence(reader: Reader): string {
  let text = "";
  while (reader.at < reader.pattern.length && peek(reader) !== "|" && peek(reader) !== ")") {
    const start = reader.at;
    const first = piece(reader);
    const end = reader.at;
    const [least, most] = quantifier(reader);
    const after = reader.at;
    const count = least + Math.floor(chance(reader) * (Math.min(most, least + 3) - least + 1));
    let written = "";
    for (let index = 0; index < count && reader.room > 0; index += 1) {
      reader.at = start;
      const next = index === 0 ? first : piece(reader);
      reader.room -= next.length + 1;
      written += next;
    }
    reader.at = after === end ? end : after;
    text += written;
  }
  return text;
}

function piece(reader: Reader): string {
  const character = peek(reader);
  reader.at += 1;
  switch (character) {
    case "^":
    case "$":
      return "";
    case ".":
      return "x";
    case "\\":
      return escaped(reader);
    case "[":
      return oneOfClass(reader);
    case "(":
      return group(reader);
    default:
      return character;
  }
}

function group(reader: Reader): string {
  const [lead = ""] =
    /^\?(?:[:=!]|<[=!]|<[^>]{1,40}>)/.exec(reader.pattern.slice(reader.at, reader.at + 50)) ?? [];
  reader.at += lead.length;
  const text = alternatives(reader);
  if (peek(reader) === ")") reader.at += 1;
  return /^\?<?[=!]/.test(lead) ? "" : text;
}

const digits = "0123456789";
const letters = "abcdefghijklmnopqrstuvwxyz";

const classOf = (letter: string): string =>
  letter === "d"
    ? digits
    : letter === "w"
      ? letters + digits
      : letter === "s"
        ? " "
        : letter === "D" || letter === "S"
          ? letters
          : letter === "W"
            ? "-"
            : "";

function escaped(reader: Reader): string {
  const letter = peek(reader);
  reader.at += 1;
  if (letter === "b" || letter === "B") return "";
  if (letter === "n" || letter === "t") return letter === "n" ? "\n" : "\t";
  if (letter === "p" || letter === "P") {
    reader.at += /^\{[^}]{0,40}\}/.exec(reader.pattern.slice(reader.at))?.[0].length ?? 0;
    return "a";
  }
  return oneOf(classOf(letter), reader) || letter;
}

function oneOfClass(reader: Reader): string {
  const end = /^\^?\]?(?:\\.|[^\]\\])*/.exec(reader.pattern.slice(reader.at))?.[0] ?? "";
  reader.at += end.length + 1;
  const negated = end.startsWith("^");
  const inside = negated ? end.slice(1) : end;
  let all = "";
  for (const [item, letter, from = "", to] of inside.matchAll(/\\(.)|([^\\])(?:-([^\]\\]))?/gs)) {
    if (letter !== undefined) all += classOf(letter) || letter;
    else if (to === undefined) all += item;
    else {
      const last = Math.min(to.charCodeAt(0), from.charCodeAt(0) + 200);
      for (let code = from.charCodeAt(0); code <= last; code += 1) all += String.fromCharCode(code);
    }
  }
  const other = [...`${letters}${digits}-_ A`].find((character) => !all.includes(character)) ?? "";
  return negated ? other : oneOf(all, reader);
}

const oneOf = (characters: string, reader: Reader): string =>
  characters[Math.floor(chance(reader) * characters.length)] ?? "";

function quantifier(reader: Reader): readonly [least: number, most: number] {
  const [written = "", sign, least, comma, most] =
    /^(?:([?*+])|\{(\d{1,4})(,)?(\d{1,4})?\})\??/.exec(reader.pattern.slice(reader.at, reader.at + 16)) ?? [];
  reader.at += written.length;
  if (sign !== undefined) return sign === "?" ? [0, 1] : sign === "*" ? [0, 3] : [1, 4];
  if (least === undefined) return [1, 1];
  const fewest = Number(least);
  return [fewest, most !== undefined ? Number(most) : comma !== undefined ? fewest + 3 : fewest];
}
