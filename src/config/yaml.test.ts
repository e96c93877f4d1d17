import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFault } from "../kernel/index.ts";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
import { parseYaml, readYaml } from "./yaml.ts";
import { sized } from "../../test/support/long.ts";
import { expectLinear } from "../../test/support/growth.ts";

const refusal = (text: string) => refusalOf(() => parseYaml(text, "f.yaml"), { home: "\0" });
const ten = (item: string) => Array.from({ length: 10 }, () => item).join(", ");
const LEVELS = "abcdefghij";

describe("YAML-1: plain data only", () => {
  it.each([
    ["a function's tag", "a: !!js/function 'x'", "f.yaml:1:4: Tags (!…) are not supported; correct the YAML"],
    ["a tag of one's own", "b: 1\na: !x y", "f.yaml:2:4: Tags (!…) are not supported; correct the YAML"],
    ["a set", "a: !!set {x}", "f.yaml:1:4: Tags (!…) are not supported; correct the YAML"],
    ["the prototype", "a:\n  __proto__: {x: 1}", 'f.yaml:2:3: "__proto__" is not a key; remove it'],
    ["the prototype in quotes", '"__proto__": 1', 'f.yaml:1:1: "__proto__" is not a key; remove it'],
    ["a list as a key", "? [a, b]\n: 1", "f.yaml:1:3: All keys must be strings; correct the YAML"],
    ["an alias as a key", "a: &k x\n*k : 2", "f.yaml:2:1: All keys must be strings; correct the YAML"],
    ["a key twice", "a: 1\nb: 2\na: 3", 'f.yaml:3:1: duplicate key "a"; remove one of them'],
    ["two documents", "a: 1\n---\nb: 2", "f.yaml:2:1: Source contains multiple documents; correct the YAML"],
    ["something that contains itself", "a: &a\n  b: *a", "f.yaml:2:6: it contains itself; remove the alias"],
  ])("refuses %s", async (_, text, expected) => {
    expect(await refusal(text)).toBe(expected);
  });

  it("has no merge keys and no words of YAML 1.1, whatever the file declares", () => {
    const { value } = parseYaml("%YAML 1.1\n---\na: yes\nd: 2001-01-01\n<<: {b: 1}", "f.yaml");
    expect(value).toEqual({ a: "yes", d: "2001-01-01", "<<": { b: 1 } });
  });

  it("reads every key as text, and follows a few aliases", () => {
    expect(parseYaml("1: &x [a]\nnull: *x", "f.yaml").value).toEqual({ "1": ["a"], null: ["a"] });
  });

  it("says of JSON that it is JSON which is to be corrected", async () => {
    expect(await refusalOf(() => parseYaml('{"a": [1]} x', "f.json"), { home: "\0" })).toMatch(
      /; correct the JSON$/,
    );
  });

  it("reads an empty file as null", () => {
    expect(parseYaml("# nothing\n", "f.yaml").value).toBeNull();
  });
});

describe("time and memory in proportion to the file", () => {
  const bomb = [...LEVELS].map(
    (name, index) => `${name}: &${name} [${ten(index === 0 ? "x" : `*${LEVELS[index - 1]}`)}]`,
  );

  it.each([
    ["aliases of aliases", bomb.join("\n"), "f.yaml: its aliases stand for too much; write it out"],
    [
      "a thousand aliases",
      `a: &a 1\nb: [${"*a,".repeat(1_000)}]`,
      "f.yaml:2:305: more than 100 aliases; write it out",
    ],
    ["brackets", "[".repeat(500_000), "f.yaml:1:51: it is nested too deeply; make it flatter"],
    [
      "closed brackets",
      "[".repeat(90_000) + "]".repeat(90_000),
      "f.yaml:1:51: it is nested too deeply; make it flatter",
    ],
    [
      "brackets after brackets",
      "]".repeat(300) + "[".repeat(60_000),
      "f.yaml:1:351: it is nested too deeply; make it flatter",
    ],
    ["brackets over lines", "a: [\n".repeat(51), "f.yaml:51:2: it is nested too deeply; make it flatter"],
    ["dashes", "- ".repeat(100_000), "f.yaml:1:101: it is nested too deeply; make it flatter"],
    ["keys in keys", "? ".repeat(100_000), "f.yaml:1:101: it is nested too deeply; make it flatter"],
    [
      "colons in braces",
      `{${"a: ".repeat(60_000)}}`,
      "f.yaml:1:153: it is nested too deeply; make it flatter",
    ],
    [
      "indentation",
      Array.from({ length: 300 }, (_, index) => `${" ".repeat(index)}a:`).join("\n"),
      "f.yaml:202:1: it is nested too deeply; make it flatter",
    ],
  ])("refuses %s", async (_, text, expected) => {
    expect(await refusal(text)).toBe(expected);
  });

  it("takes brackets in texts, and fifty levels", () => {
    const text = `a: |\n  ${"[".repeat(99)}\nb: "${"[".repeat(99)}"\nc: x${"[".repeat(99)}\nd: ${"[".repeat(50)}${"]".repeat(50)}`;
    expect(parseYaml(text, "f.yaml").value).toMatchObject({ a: `${"[".repeat(99)}\n`, b: "[".repeat(99) });
  });

  it("takes linear time for many keys, of which none is held against every other", () => {
    expectLinear((count) => {
      const text = Array.from({ length: count }, (_, index) => `k${index}: 1`).join("\n");
      expect(Object.keys(parseYaml(text, "f.yaml").value ?? {})).toHaveLength(count);
    }, 3_000);
  });
});

describe("YAML-3: errors name the place and quote nothing", () => {
  it.each([
    ["models:\n\t- a", "f.yaml:2:1: Tabs are not allowed as indentation; indent with spaces"],
    ['a: "sk-secret', 'Missing closing "quote'],
    ["a: b: sk-secret", "f.yaml:1:4: Nested mappings are not allowed in compact mappings"],
    ["a: *sk-secret", "f.yaml:1:4: this alias has no anchor; correct the YAML"],
    [
      "a: [1, 2",
      "f.yaml:1:9: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    ["a: {b: 1}}", "f.yaml:1:10: Unexpected flow-map-end token in YAML stream"],
  ])("%j", async (text, expected) => {
    const said = await refusal(text);
    expect(said).toContain(expected);
    expect(said).not.toContain("sk-secret");
    expect(said).not.toContain("\n");
  });

  it("finds the place of keys and values, and of what comes nearest to them", () => {
    const file = parseYaml("a: 1\nb:\n  - x\n  - y: {z: 2}\nc:\n", "f.yaml");
    expect(file.place(["b", 1, "y", "z"], "key")).toBe("f.yaml:4:9");
    expect(file.place(["b", 1, "y", "z"], "value")).toBe("f.yaml:4:12");
    expect(file.place(["b", 7], "value")).toBe("f.yaml:3:3");
    expect(file.place(["c"], "value")).toBe("f.yaml:5:1");
    expect(file.place(["nowhere"], "key")).toBe("f.yaml:1:1");
  });
});

describe("reading a file", () => {
  const read = (path: string) => readYaml(path, "settings file");

  it("refuses what is no readable UTF-8 text, with the next step", async () => {
    using files = scratch();
    mkdirSync(join(files.home, "folder"));
    symlinkSync("loop", join(files.home, "loop"));
    const cases: [string, string][] = [
      [join(files.home, "folder"), "the settings file HOME/folder is a folder; name a file in it"],
      [join(files.home, "none"), "the settings file HOME/none does not exist; check the path"],
      [
        join(files.home, "loop"),
        "the settings file HOME/loop is a link that leads back to itself; name the file itself",
      ],
      ["/dev/zero", "the settings file /dev/zero is not a regular file; name a file"],
      ["/proc/version", "the settings file /proc/version is not a regular file; name a file"],
      [
        files.write("a/nul", "a\0b"),
        "the settings file HOME/a/nul is binary; give a text file; convert documents to text first",
      ],
      [
        join(files.home, "a/nul/under"),
        "the settings file HOME/a/nul/under does not exist, a part of its path is a file; check the path",
      ],
      [
        files.write("latin", new Uint8Array([0x61, 0xe9])),
        "the settings file HOME/latin is not UTF-8 text; save it as UTF-8, or convert it to text first",
      ],
      [
        files.write("wide", new Uint8Array([0xff, 0xfe, 0x61, 0])),
        "the settings file HOME/wide is UTF-16, not UTF-8; save it as UTF-8",
      ],
      [
        files.write("big", "#".repeat(1_000_001)),
        "the settings file HOME/big has more than 1 MB; give a shorter one",
      ],
      [
        join(files.home, "x".repeat(300)),
        `the settings file HOME/${"x".repeat(299 - files.home.length - 1)}… has too long a name; check the path`,
      ],
    ];
    for (const [path, expected] of cases) expect(await refusalOf(() => read(path), files)).toBe(expected);
  });

  it("leaves a byte order mark out", () => {
    using files = scratch();
    expect(read(files.write("bom.yaml", "\uFEFFa: 1")).value).toEqual({ a: 1 });
  });

  it("shows no control character of a file's name", async () => {
    const said = await refusalOf(() => read("/none/\u001b[31mred\u202e\n.yaml"), { home: "\0" });
    expect(said).toBe("the settings file /none/ [31mred .yaml does not exist; check the path");
  });
});

it("YAML-1, YAML-3: whatever the text, it is data without a prototype of its own, or one line that says where", () => {
  const piece = fc.constantFrom(
    ..."a: b",
    ..."[]{},?|>-#&*!%@`'\"\n\n  ",
    ...[
      "\n  ",
      "\t",
      ": ",
      "- ",
      "? ",
      "&x ",
      "*x",
      "<<: ",
      "__proto__",
      "!!set ",
      "---\n",
      "%YAML 1.1\n",
      "\u0000",
      "\uD800",
    ],
  );
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, (yaml) => {
      try {
        const { value } = parseYaml(yaml, "f.yaml");
        expect(Object.prototype).not.toHaveProperty("a");
        if (typeof value === "object" && value !== null && !Array.isArray(value)) {
          expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
        }
        JSON.stringify(value);
      } catch (error) {
        if (!isFault(error, "configuration")) throw error;
        expect(error.message).toMatch(/^f\.yaml(:\d+:\d+)?: \P{Cc}+; \P{Cc}+$/u);
        expect(error.message).not.toMatch(/\((?!set)[A-Z_]+\)/);
      }
    }),
    { numRuns: sized(1_500) },
  );
});
