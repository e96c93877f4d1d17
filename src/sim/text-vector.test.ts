import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cosine } from "../text/words.ts";
import { textVector } from "./text-vector.ts";

const nearness = (first: string, second: string): number => cosine(textVector(first), textVector(second));

const paraphrases: readonly (readonly [string, string])[] = [
  [
    "Cache the results of expensive queries in Redis, and expire them after five minutes.",
    "Redis ought to cache what expensive queries return; five minutes later a result expires.",
  ],
  [
    "The orders table needs an index on the customer and the creation date.",
    "Add an index to the orders table, over customer and date of creation.",
  ],
  [
    "Splitting the monolith into services makes deployments independent but adds network latency.",
    "Independent deployment of each service is what splitting a monolith brings; the network adds latency.",
  ],
  [
    "Do not store passwords in plain text: hash them with a slow function and a salt.",
    "Passwords stored in plain text are a risk, so hash every password with a salt and a slow function.",
  ],
];

const unrelated: readonly (readonly [string, string])[] = [
  ...paraphrases.map(([text], index): [string, string] => [
    text,
    paraphrases[(index + 1) % paraphrases.length]?.[0] ?? "",
  ]),
  ["Bananas are yellow when they are ripe.", "The treaty was signed in Vienna after long negotiations."],
  ["An event bus decouples producers from consumers.", "Salmon swim upstream every autumn to spawn."],
  ["東京は日本の首都です", "バナナは黄色い果物"],
  ["", "The index is missing."],
];

describe("the vector of a text", () => {
  it.each(paraphrases)("is near that of a paraphrase: %s", (first, second) => {
    expect(nearness(first, second)).toBeGreaterThanOrEqual(0.6);
    expect(nearness(first, second)).toBeLessThan(0.999);
  });

  it.each(unrelated)("is far from that of what has nothing to do with it: %s", (first, second) => {
    expect(nearness(first, second)).toBeLessThanOrEqual(0.3);
  });

  it("does not change with inflection, case, punctuation, order or words that say little", () => {
    expect(
      nearness("Caching queries; the index was REBUILT", "rebuilt, an index: query caches"),
    ).toBeGreaterThan(0.999);
  });

  it("tells words that only begin alike from equal ones, but sees that they do", () => {
    const alike = nearness("replication", "replica");
    expect(alike).toBeGreaterThan(0.05);
    expect(alike).toBeLessThan(0.9);
    expect(nearness("replication", "bananas")).toBeLessThan(alike);
  });

  it("counts a long word for more than a short one", () => {
    expect(nearness("authentication cat", "authentication dog")).toBeGreaterThan(
      nearness("authentication cat", "synchronous cat"),
    );
  });

  it("is the same in every process", () => {
    const vector = textVector("Cache the results");
    expect(vector).toHaveLength(256);
    expect(vector.flatMap((value, index) => (value === 0 ? [] : [`${index}:${value.toFixed(3)}`])))
      .toMatchInlineSnapshot(`
      [
        "31:0.124",
        "38:-0.744",
        "41:-0.124",
        "64:0.124",
        "69:0.152",
        "93:0.124",
        "95:-0.152",
        "138:0.152",
        "159:-0.152",
        "173:0.152",
        "207:0.496",
        "213:0.152",
      ]
    `);
  });

  it.each(["", " ", "\n", "???", "😀", "the of and", "\ud800", "x".repeat(200_000), "a$b\u0000c"])(
    "has length 1 and finite numbers, also of %.20j",
    (text) => {
      const vector = textVector(text);
      expect(vector).toHaveLength(256);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 9);
      expect(cosine(vector, textVector(text))).toBeCloseTo(1, 9);
    },
  );

  it("has length 1 for whatever text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        expect(Math.hypot(...textVector(text))).toBeCloseTo(1, 9);
      }),
    );
  });
});
