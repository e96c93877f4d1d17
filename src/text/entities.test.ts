import { describe, expect, it } from "vitest";
import { extractEntities, entityKey } from "./entities.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

describe("entitiesOf", () => {
  it.each([
    ["What is the capital of France?", ["France"]],
    ["The capital of France is Paris.", ["France", "Paris"]],
    ["Tokyo is the capital of Japan.", ["Tokyo", "Japan"]],
    [
      "Who wrote Pride and Prejudice? Jane Austen did, in 1813.",
      ["Pride", "Prejudice", "Jane Austen", "1813"],
    ],
    [
      "Did Ludwig van Beethoven study at the University of Bonn?",
      ["Ludwig van Beethoven", "University of Bonn"],
    ],
    ["It runs on PostgreSQL 16, Node.js and C++.", ["PostgreSQL", "16", "Node.js", "C++"]],
    ["is an iPhone with utf8 in my_table fine", ["iPhone", "utf8", "my_table"]],
    ["compare gpt-4o with GPT-5", ["gpt-4o", "GPT-5"]],
    [
      "Water boils at 100 °C, or 212 °F; that costs $1,200.50 and 7 %.",
      ["Water", "100 °C", "212 °F", "$1,200.50", "7 %"],
    ],
    ['She said "to be or not" and ran `npm test`.', ["to be or not", "npm test"]],
    ["東京のタワーと「吾輩は猫」", ["タワー", "吾輩は猫"]],
    ["Does Kepler's law hold for Kepler?", ["Kepler"]],
    ["We met Alice’s team", ["Alice"]],
    ["1. one 2. two, 3 of 4", []],
    ["", []],
    ["I think so. Why not? OK.", []],
  ])("%j: %j", (text, entities) => {
    expect(extractEntities(text)).toEqual(entities);
  });

  it("takes no word for a name that only begins a sentence, and is written small elsewhere", () => {
    expect(extractEntities("Bees fly. Most bees do. However, Zoe keeps none.")).toEqual(["Zoe"]);
    expect(extractEntities("Write to Zoe Smith. Ask Anna. Use Redis.")).toEqual([
      "Zoe Smith",
      "Anna",
      "Redis",
    ]);
    expect(extractEntities("Rust rusts. We like Rust, and rust is brown.")).toEqual(["Rust"]);
  });
  it("names each once, as it was first written", () => {
    expect(extractEntities("see NASA, then Nasa, then 1,000 and 1000")).toEqual(["NASA", "1,000"]);
  });
  it("reads no fenced code, and of a long text the start and the end", () => {
    expect(extractEntities("see Anna\n```ts\nconst Otto = 5555;\n```\nand Hugo")).toEqual(["Anna", "Hugo"]);
    expect(extractEntities(`see Anna ${"and so on ".repeat(5_000)} see Hugo`)).toEqual(["Anna", "Hugo"]);
  });
  it("gives at most so many, none longer than 100", () => {
    const many = Array.from({ length: 99 }, (_, index) => `x${index + 100}`).join(", ");
    expect(extractEntities(many)).toHaveLength(40);
    expect(extractEntities(many, 3)).toEqual(["x100", "x101", "x102"]);
    expect(
      extractEntities(`see ${"Abcdefghijklmnopqrstu ".repeat(6)}`).every((entity) => entity.length <= 100),
    ).toBe(true);
  });
  it("takes linear time on much of one thing", () => {
    const pieces = [
      ...["A", "Aa ", "A.", "a_", "a-", "1,", "1.", "“a", "`a", "$1", "A of ", "aA", "1 ", "ー", "- ", "'"],
    ];
    // What is longer is read at both ends alone.
    expectLinearReading((text) => extractEntities(text), pieces);
    expectLinearReading((text) => extractEntities(`x${text}!`), pieces, 2_048);
  });
});

describe("entityKey", () => {
  it("is one for mentions of one entity", () => {
    expect(["New  York", "NEW YORK", "ｎｅｗ york"].map(entityKey)).toEqual(Array(3).fill("new york"));
    expect(["1,000", "1000", "1 000"].map(entityKey)).toEqual(Array(3).fill("1000"));
    expect(entityKey("100 °C")).toBe(entityKey("100°C"));
    expect(entityKey("100 °C")).not.toBe(entityKey("100"));
  });
});
