import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSecretFilter } from "./secret-filter.ts";
import { sized } from "../../test/support/long.ts";
import { expectLinear } from "../../test/support/growth.ts";

const keys = {
  long: "sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8x_-Yz01",
  plain: "0123456789abcdef0123456789abcdef",
  odd: 'tok+en/with="signs&more<1234567890',
};

const bytes = (text: string) => [...Buffer.from(text)];
const hex = (text: string, width = 2) =>
  [...text].map((sign) => sign.charCodeAt(0).toString(16).padStart(width, "0"));
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** What a provider may make of a key. */
const forms: { readonly [name: string]: (key: string) => string } = {
  plain: (key) => key,
  "URL-encoded": encodeURIComponent,
  "every character URL-encoded": (key) =>
    hex(key)
      .map((code) => `%${code}`)
      .join(""),
  "every character URL-encoded, in capitals": (key) =>
    hex(key)
      .map((code) => `%${code.toUpperCase()}`)
      .join(""),
  JSON: (key) => JSON.stringify(key).slice(1, -1),
  "JSON in JSON": (key) => JSON.stringify(JSON.stringify(key)).slice(2, -2),
  "JSON escapes": (key) =>
    hex(key, 4)
      .map((code) => `\\u${code}`)
      .join(""),
  "JSON escapes in JSON": (key) =>
    hex(key, 4)
      .map((code) => `\\\\u${code}`)
      .join(""),
  "a few JSON escapes": (key) => key.replace(/[aeiou13]/g, (sign) => `\\u${hex(sign, 4)[0]}`),
  "bytes of a string in code": (key) =>
    hex(key)
      .map((code) => `\\x${code}`)
      .join(""),
  "references of HTML": (key) =>
    bytes(key)
      .map((code) => `&#${code};`)
      .join(""),
  "references of HTML in hex": (key) =>
    bytes(key)
      .map((code) => `&#x${code.toString(16)};`)
      .join(""),
  HTML: (key) => key.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
  hex: (key) => Buffer.from(key).toString("hex"),
  "hex in capitals": (key) => Buffer.from(key).toString("hex").toUpperCase(),
  base64,
  base64url: (key) => Buffer.from(key).toString("base64url"),
  "base64 of the header": (key) => base64(`Bearer ${key}`),
  "base64 of a user and the key": (key) => base64(`me:${key}`),
  "base64 of a user, the key and more": (key) => base64(`user:${key}\n`),
  "base64 in lines": (key) => base64(key).replace(/.{16}/g, "$&\n"),
  "base64 in a URL": (key) => encodeURIComponent(base64(key)),
  capitals: (key) => key.toUpperCase(),
  "small letters": (key) => key.toLowerCase(),
  spaced: (key) => [...key].join(" "),
  "with invisible characters": (key) => [...key].join("\u200b"),
  "in two lines": (key) => `${key.slice(0, 14)}\n    ${key.slice(14)}`,
  "without its last character": (key) => key.slice(0, -1),
  "without its last four": (key) => key.slice(0, -4),
};

const cases = Object.keys(forms).flatMap((form) => Object.keys(keys).map((key) => [form, key] as const));

const inPieces = (filter: ReturnType<typeof createSecretFilter>, text: string, size: number): string => {
  const stream = filter.open();
  let out = "";
  for (let from = 0; from < text.length; from += size) out += stream.push(text.slice(from, from + size));
  return out + stream.end();
};

describe("a key that a provider echoes", () => {
  it.each(cases)("is removed as %s (%s), whole or in pieces", (form, name) => {
    const key = keys[name as keyof typeof keys]; // one of its own names
    const echoed = forms[form]?.(key) ?? "";
    const filter = createSecretFilter([key]);
    const text = `The key is <${echoed}> today.`;
    const clean = filter.clean(text);
    expect(clean).toContain("[redacted]");
    expect(clean).toMatch(/^The key is </);
    expect(clean).toMatch(/> today\.$/);
    // What is left of base64 of more than the key is of what is beside it.
    expect(clean.length).toBeLessThan("The key is <[redacted]> today.".length + 16);
    for (let from = 0; from + 6 <= echoed.length && form !== "base64 of a user, the key and more"; from += 1)
      if (key.includes(echoed.slice(from, from + 6)))
        expect(clean).not.toContain(echoed.slice(from, from + 6));
    for (const size of [1, 2, 3, 7, 16]) expect(inPieces(filter, text, size)).toBe(clean);
  });

  it("is removed as often as it comes, and from an end that was cut off", () => {
    const filter = createSecretFilter([keys.long]);
    expect(filter.clean(`${keys.long}${keys.long} ${keys.long}`)).toBe("[redacted][redacted] [redacted]");
    expect(filter.clean(`it is ${keys.long.slice(0, 15)}`)).toBe("it is [redacted]");
    expect(filter.clean(`it is sk-`)).toBe("it is sk-");
    expect(filter.clean(`begun ${keys.long.slice(0, 15)} and over`)).toBe(
      `begun ${keys.long.slice(0, 15)} and over`,
    );
  });

  it("is removed where there are several, one within another", () => {
    const filter = createSecretFilter(["abcd-1234", "abcd-1234-efgh-5678", keys.plain]);
    expect(filter.clean("abcd-1234 abcd-1234-efgh-5678 x")).toBe("[redacted] [redacted] x");
  });

  it("that is short is removed only as it is or escaped, and not at all below four characters", () => {
    const filter = createSecretFilter(["EMPTY", "x"]);
    expect(filter.clean("an empty box, EMPTY, %45MPTY, E MPTY, RU1QVFk=")).toBe(
      "an empty box, [redacted], [redacted], E MPTY, [redacted]=",
    );
    expect(createSecretFilter([]).clean("x")).toBe("x");
  });
});

describe("a key that is broken up by what no screen shows", () => {
  const unseen = {
    "a colour": "\u001b[1m",
    "colours with parameters": "\u001b[38;5;10m\u001b[0m",
    "a C1 sequence": "\u009b1m",
    "a title": "\u001b]0;title\u0007",
    "a title with its long end": "\u001b]2;some title\u001b\\",
    "a string of C1 controls": "\u009dx\u009c",
    "a lone escape": "\u001b7",
    "a title without its end": "\u001b]",
    "a string of controls without its end": "\u001bP",
    NUL: "\u0000",
    BEL: "\u0007",
    backspaces: "\b\b\b",
    DEL: "\u007f",
    "a variation selector": "\ufe0f",
    "a grapheme joiner": "\u034f",
    "a tag": "\u{e0041}",
    "a filler": "\u3164",
    "a soft hyphen": "\u00ad",
    "bold marks": "**",
    "code marks": "`",
    "struck marks": "~~",
    "all at once": "\u001b[1m\u0000\ufe0f** \u{e0041}",
  };
  it.each(Object.entries(unseen))("is removed: %s", (_, mark) => {
    const filter = createSecretFilter(Object.values(keys));
    for (const key of Object.values(keys))
      for (const broken of [
        key.slice(0, 12) + mark + key.slice(12),
        key.slice(0, 3) + mark + key.slice(3, 20) + mark + key.slice(20),
        [...key].join(mark),
      ]) {
        const text = `before ${broken} behind`;
        expect(filter.clean(text)).toBe("before [redacted] behind");
        const stream = filter.open();
        expect([...text].map((sign) => stream.push(sign)).join("") + stream.end()).toBe(
          "before [redacted] behind",
        );
      }
  });
  it("is removed with Markdown's escapes, and leaves what surrounds it as it was", () => {
    const filter = createSecretFilter([keys.long]);
    expect(filter.clean(`**${keys.long.replaceAll(/[-_]/g, "\\$&")}**`)).toBe("**[redacted]**");
    expect(filter.clean(`\u001b[1m${keys.long}\u001b[0m`)).toBe("\u001b[1m[redacted]\u001b[0m");
  });
  it("does not wait for a sequence that never ends", () => {
    const stream = createSecretFilter([keys.long]).open();
    const out = stream.push(`${keys.long.slice(0, 14)}\u001b]${"x".repeat(1_000)}`);
    expect(out.length).toBeGreaterThan(900);
  });
});

describe("a text that streams", () => {
  const filter = createSecretFilter([keys.long, "short"]);
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "s",
      "k",
      "-",
      "sk-",
      "sk-proj-",
      "%",
      "%7",
      "3k-",
      "\\",
      "\\u00",
      "73",
      "&#",
      "115;",
      " ",
      "\n",
    ),
    fc.nat(keys.long.length).map((end) => keys.long.slice(0, end)),
    fc.nat(keys.long.length).map((from) => keys.long.slice(from)),
    fc.constantFrom("sho", "rt", ...Object.values(forms).map((form) => form(keys.long))),
  );

  it("comes out as its whole does, however it is cut", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const stream = filter.open();
        const out = pieces.map((part) => stream.push(part)).join("") + stream.end();
        expect(out).toBe(filter.clean(pieces.join("")));
      }),
      { numRuns: sized(2_000) },
    );
  });

  it("is not changed where no key is in it, and nothing but the beginning of one waits", () => {
    const stream = filter.open();
    const pieces = ["Hello ", "world", "; task", "s are ", "100%", " done"];
    const out = ["Hello ", "world", "; ta", "sks are ", "100", "% done"];
    expect(pieces.map((part) => stream.push(part))).toEqual(out);
    expect(stream.end()).toBe("");
  });

  it.each(["sk-proj-Ab3dEf6hIj9lMn2pQ", "s ", "%", "\\", "&", "s", "%73", keys.long, "c2st", "lorem ipsum "])(
    "takes linear time: up to 1 MB of %j",
    (part) =>
      expectLinear((size) => inPieces(filter, part.repeat(Math.ceil(size / part.length)), 4_096), 125_000),
  );
});
