import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitPassages, type Contribution } from "./passages.ts";

const contribution = (text: string, step = "round-1/proposal/ada"): Contribution => ({
  round: 1,
  kind: "proposal",
  step,
  text,
});

const textsOf = (text: string, about = 1_000): readonly string[] =>
  splitPassages([contribution(text)], about).map((passage) => passage.text);

const long = (name: string, words = 20) => `${name}: ${"word ".repeat(words)}end of ${name}.`;

describe("passagesOf", () => {
  it("are the paragraphs, each with its contribution and where it stands there", () => {
    const [first, second] = [long("first"), long("second")];
    const of = contribution(`\n${first}\n \t\n\n${second}\n`);
    const other = contribution(first, "round-1/refinement/ada");
    expect(splitPassages([of, other], 1_000)).toEqual([
      { of, start: 1, end: 1 + first.length, text: first },
      { of, start: 5 + first.length + 1, end: 6 + first.length + second.length, text: second },
      { of: other, start: 0, end: first.length, text: first },
    ]);
  });

  it("keep a heading, and whatever else is short, with what comes after it", () => {
    const body = long("storage", 300);
    expect(textsOf(`## Storage\n\n${long("storage")}\n\nshort\n\nshorter`)).toEqual([
      `## Storage\n\n${long("storage")}`,
      "short\n\nshorter",
    ]);
    expect(textsOf(`## Storage\n\n${body}`)[0]).toMatch(/^## Storage\n\nstorage: word/);
  });

  it("are cut after a sentence where they would be longer than 1,200 characters", () => {
    const sentence = "This sentence has exactly fifty characters in it. ";
    const cut = textsOf(sentence.repeat(60));
    expect(cut.map(({ length }) => length)).toEqual([1_199, 1_199, 600]);
    expect(cut.slice(0, 2).every((text) => text.endsWith("in it."))).toBe(true);
  });

  it("are longer rather than many more than was asked for", () => {
    const text = Array.from({ length: 500 }, (_, index) => long(`paragraph ${index}`)).join("\n\n");
    expect(textsOf(text)).toHaveLength(500);
    const fewer = textsOf(text, 50);
    expect(fewer.length).toBeGreaterThan(25);
    expect(fewer.length).toBeLessThanOrEqual(51);
  });

  it("are none of a blank text", () => {
    expect(splitPassages([contribution(""), contribution(" \n\t\n ")], 10)).toEqual([]);
    expect(splitPassages([], 10)).toEqual([]);
  });

  it("hold all that is said, in order, whatever is said", () => {
    const piece = fc.constantFrom("a", "bc. ", "\n", "\n\n", " ", "😀", "x".repeat(700));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (pieces, about) => {
        const text = pieces.join("");
        const passages = splitPassages([contribution(text)], about);
        const bare = (said: string) => said.replaceAll(/\s/g, "");
        expect(bare(passages.map((passage) => passage.text).join(""))).toBe(bare(text));
        for (const { start, end, text: own } of passages) {
          expect(text.slice(start, end)).toBe(own);
          expect(own.isWellFormed()).toBe(true);
          expect(own.length).toBeLessThanOrEqual(Math.max(1_200, 2 * Math.ceil(text.length / about)));
        }
      }),
    );
  });
});
