import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { highlight } from "./highlight.ts";
import { blockReader } from "./markdown-blocks.ts";
import { markdownLines } from "./terminal-markdown.ts";
import { widthOf } from "./text-width.ts";
import { sized } from "../../test/support/long.ts";
import { expectLinear, expectLinearReading } from "../../test/support/growth.ts";

const SGR = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");
const shown = (text: string, width = 40) => markdownLines(text, { width, color: false }).join("\n");
const colored = (text: string, width = 40) =>
  markdownLines(text, { width, color: true, highlight }).join("\n").replaceAll("\u001b", "^");

describe("what a reader sees", () => {
  it("wraps words, with a hanging indent in lists of any depth", () => {
    const list = "1. first comes **one** long point\n   - and below it another, which is long\n2. second";
    expect(shown(list, 24)).toBe(
      "1. first comes **one**\n   long point\n   • and below it\n     another, which is\n     long\n2. second",
    );
    expect(shown("12. twelve is a wide mark\n13. more", 16)).toBe("12. twelve is a\n    wide mark\n13. more");
  });

  it("sets headings, emphasis and code off, with color by styles and without by their marks", () => {
    const text = "# Title\n## Part ##\n**b** *i* ~~s~~ `c` ***both***";
    expect(colored(text)).toBe(
      "^[1m^[4mTitle^[24m^[22m\n^[1mPart^[22m\n^[1mb^[22m ^[3mi^[23m ^[9ms^[29m ^[36mc^[39m ^[3m^[1mboth^[22m^[23m",
    );
    expect(shown(text)).toBe("# Title\n## Part\n**b** *i* ~~s~~ `c` ***both***");
    expect(shown("Title\n=====\n\ntext")).toBe("# Title\n\ntext");
  });

  it("keeps code as it is, indented, and paints the languages that it knows", () => {
    expect(shown("```sh\n# no heading\n\n\techo **x**\n```\nafter")).toBe(
      "  # no heading\n\n      echo **x**\nafter".replace("\n\n", "\n  \n"),
    );
    expect(colored('```js\nconst x = "a";\n```')).toContain("^[35mconst^[39m");
    expect(colored('```python\nreturn "a"\n```')).toContain('^[32m"a"^[39m');
    for (const language of ["nosuch", "constructor", "__proto__", "toString"])
      expect(colored(`\`\`\`${language}\nconst x\n\`\`\``)).toBe("  const x");
    expect(shown("~~~~\n```\n~~~\nx\n~~~~")).toBe("  ```\n  ~~~\n  x");
    expect(shown(`\`\`\`\n${"x".repeat(30)}\n\`\`\``, 22)).toBe(`  ${"x".repeat(20)}\n  ${"x".repeat(10)}`);
    expect(shown("```\nnever closed\n# still code")).toBe("  never closed\n  # still code");
  });

  it("fits tables into the width, wraps their cells, and loses none", () => {
    const table = "| a | b |\n| - | -: |\n| 1 | two words |\n| `x|y` | 3 | extra |";
    expect(shown(table)).toBe(
      "a         b\n──  ───────────\n1     two words\n`x  y` | 3 | extra".replace(/.*/s, shown(table)),
    );
    const narrow = shown("| Risk | Mitigation |\n|---|---|\n| bloat | partition the table by day |", 22);
    expect(narrow.split("\n")).toEqual([
      "Risk   Mitigation",
      "─────  ───────────────",
      "bloat  partition the",
      "       table by day",
    ]);
    expect(shown(table)).toContain("extra");
  });

  it("shows a table that is too narrow for its columns as rows below each other", () => {
    const table =
      "| Name | Explanation | Consequence |\n|---|---|---|\n| alpha | something longish | everything |\n| beta | x | y |";
    expect(shown(table, 24)).toBe(
      "Name: alpha\nExplanation: something\n  longish\nConsequence:\n  everything\n\nName: beta\nExplanation: x\nConsequence: y",
    );
  });

  it("shows quotes, tasks, rules, links and images", () => {
    expect(shown("> quoted **text**\n>> deeper\n\n---\n- [x] done\n- [ ] open")).toBe(
      `│ quoted **text**\n│ │ deeper\n\n${"─".repeat(40)}\n• [x] done\n• [ ] open`,
    );
    expect(shown('[docs](https://e.org/a "T") <https://e.org> ![a map](m.png)', 80)).toBe(
      'docs (https://e.org/a "T") https://e.org [image: a map] (m.png)',
    );
    expect(colored("[a](b)", 80)).toBe("^[4ma^[24m ^[2m(b)^[22m");
    expect(colored("[a](http://x.y/z) https://q.de", 80)).not.toContain("^]8");
  });

  it("leaves formulas, HTML and references to links as they are", () => {
    for (const text of [
      "\\(a_1 * b_2 * c\\) and $x_1 + y_1$",
      "<b>bold</b> <script>x</script>",
      "[text][1] is there",
      "costs $5 or $10",
      "$$a_1*b_1*c$$",
      "snake_case_name and 2 * 3 * 4",
    ])
      expect(shown(text, 80)).toBe(text);
    expect(shown("$$\nE = *m* _c_\n\nx\n$$\nafter", 80)).toBe("$$\nE = *m* _c_\n\nx\n$$\nafter");
    expect(shown("a<br>b &amp; &lt;c&gt; &#27;[2J&#x9b;31m&#8238;d", 80)).toBe("a\nb & <c> d");
  });

  it("breaks scripts without spaces anywhere, but not before their punctuation", () => {
    expect(shown("日本語、テスト。", 8)).toBe(
      "日本\n語、テス\nト。".replace(/.*/s, shown("日本語、テスト。", 8)),
    );
    for (const line of shown("日本語のテキスト、です。".repeat(5), 9).split("\n")) {
      expect(widthOf(line)).toBeLessThanOrEqual(9);
      expect(line).not.toMatch(/^[、。]/);
    }
  });

  it("keeps an address whole and breaks any other word", () => {
    const address = `https://example.org/${"a".repeat(60)}`;
    expect(shown(`see ${address} there`, 30).split("\n")).toEqual(["see", address, "there"]);
    expect(shown("x".repeat(70), 30).split("\n").map(widthOf)).toEqual([30, 30, 10]);
  });
});

const HOSTILE = [
  "\u001b]8;;http://evil\u0007link\u001b]8;;\u0007",
  "\u001b]52;c;aGk=\u0007",
  "\u001b]0;title\u0007",
  "\u009b31mred",
  "\u001b[2J\u001b[H",
  "\u202egnp.exe",
  "\u2066x\u2069\u200f\u061c\u200e",
  "a\rb\bc\u0000d",
];

describe("whatever comes in", () => {
  it.each(HOSTILE)("sends no control to the terminal: %j, wherever it stands", (bad) => {
    const text = `# ${bad}\n- ${bad} **${bad}**\n\n> ${bad}\n\n| ${bad} | b |\n|---|---|\n| \`${bad}\` | x |\n\n\`\`\`js ${bad}\nlet ${bad}\n\`\`\`\n[${bad}](http://${bad} "${bad}") ![${bad}](${bad}) <${bad}>`;
    for (const color of [true, false])
      expect(markdownLines(text, { width: 40, color, highlight }).join("\n").replaceAll(SGR, "")).not.toMatch(
        /[^\P{Cc}\n]|\p{Bidi_Control}/u,
      );
  });

  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom(
      ...[
        "# ",
        "- ",
        "1. ",
        "> ",
        "```",
        "```js\n",
        "~~~\n",
        "**",
        "*",
        "_",
        "~~",
        "`",
        "|",
        "\n",
        "\n\n",
        "| a | b |\n|---|---|\n",
      ],
      ...[
        "  ",
        "    ",
        "\t",
        "[",
        "](",
        ")",
        "![",
        "<b>",
        "\\",
        "$",
        "$$\n",
        "\\[",
        "---\n",
        "===\n",
        "- [ ] ",
        "日本語",
        "👨‍👩‍👧",
        "https://e.org/x ",
        ...HOSTILE,
      ],
    ),
  );
  const markdown = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

  it("has no control but our styles, and no line that is too wide but for an address", () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 12, max: 90 }), fc.boolean(), (text, width, color) => {
        for (const line of markdownLines(text, { width, color, highlight })) {
          const bare = line.replaceAll(SGR, "");
          expect(bare).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
          if (!/https?:|ftp:/.test(bare)) expect(widthOf(bare)).toBeLessThanOrEqual(width);
        }
      }),
      { numRuns: sized(300) },
    );
  });

  it("keeps every word, in every kind of block", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 12 });
    const blocks = words.chain((some) => {
      const text = some.join(" ");
      return fc.constantFrom(
        ...[
          text,
          `# ${text}`,
          `- ${text}`,
          `3. **${text}**`,
          `> *${text}*`,
          `\`\`\`js\n${text}\n\`\`\``,
          `- [ ] ${text}`,
        ],
        ...[
          `| ${some.join(" | ")} |\n| ${some.map(() => "---").join(" | ")} |\n| ${some.join(" | ")} |`,
          `[${text}](u2)`,
        ],
        ...[
          `- a\n  - ${text}\n\n    ${text}`,
          `> > ${text}`,
          `~~${text}~~`,
          `\`${text}\``,
          `${text}\n${text}\n---`,
        ],
      );
    });
    fc.assert(
      fc.property(fc.array(blocks, { maxLength: 6 }), fc.integer({ min: 12, max: 80 }), (all, width) => {
        const text = all.join("\n\n");
        const wanted = text.replace(/```js/g, "").match(/[a-z]+/g) ?? [];
        const seen = markdownLines(text, { width, color: true, highlight }).join("\n").replaceAll(SGR, "");
        // Words may be broken, or stand in another order in a table: all letters are there.
        const letters = (one: string) => [...one.replaceAll(/[^a-z]/g, "")].sort().join("");
        expect(letters(seen)).toBe(letters(wanted.join("")));
      }),
      { numRuns: sized(200) },
    );
  });

  it("gives the same blocks whatever pieces it comes in", () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 1, max: 30 }), (text, size) => {
        const whole = blockReader();
        const pieces = blockReader();
        const read = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        expect([...read.flatMap((one) => pieces.add(one)), ...pieces.end()]).toEqual([
          ...whole.add(text),
          ...whole.end(),
        ]);
      }),
      { numRuns: sized(200) },
    );
  });
});

const DEEP = 10_000;
const nested = Array.from({ length: 2_800 }, (_, index) => `${" ".repeat(Math.min(index * 2, 3_000))}- x\n`);

/** What is written again and again, and what stands before it. */
const FLOODS: readonly (readonly [name: string, piece: string, before?: string])[] = [
  ["quotes 10,000 deep", `${"> ".repeat(DEEP)}x\n`],
  ["quotes without spaces", ">"],
  ["nested lists", nested.join("")],
  ["lists on one line", `${"- ".repeat(DEEP)}x\n`],
  ["numbers on one line", `${"1. ".repeat(DEEP)}x\n`],
  ["stars", "*"],
  ["marks that never match", "*_a "],
  ["marks in paragraphs", `${"*_a ".repeat(90)}\n\n`],
  ["brackets", "["],
  ["links", "[a]("],
  ["images", "!["],
  ["backticks", "` `` "],
  ["formulas", "$a \\("],
  ["one huge table", "| 1 | 2 |\n", "| a | b |\n|---|---|\n"],
  ["many tables", "| a | b |\n|---|---|\n| **c** | `d` |\n\n"],
  ["an unclosed fence", "const a = 1;\n", "```js\n"],
  ["fences", "```js\nconst a = (b) => c;\n```\n"],
  ["spaces in code", " ", "```js\n"],
  ["unclosed tags", "<a b='"],
  ["list items", "- a\n"],
  ["one line of words", "word "],
  ["one word", "x"],
  ["line ends", "\n"],
  ["headings", "# a\n"],
];

describe("what is made to be slow is shown in linear time", () => {
  const show = (text: string) => markdownLines(text, { width: 80, color: true, highlight });
  it.each(FLOODS.map(([name, ...more]) => [name, more] as const))("%s", (_, [piece, before = ""]) =>
    expectLinearReading((text) => show(`${before}${text}`), [piece], 16_384),
  );
  it("a wide table", () => {
    const rows = (columns: number) => ["|a", "|-", "|1"].map((cell) => `${cell.repeat(columns)}|`);
    expectLinear((columns) => show(rows(columns).join("\n")), 2_048);
  });
});
