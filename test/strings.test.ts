/// <reference types="vite/client" />
import { describe, expect, it } from "vitest";
import * as deMore from "../src/web/strings-de-more.ts";
import { de as deFirst } from "../src/web/strings-de.ts";
import * as enMore from "../src/web/strings-en-more.ts";
import { en as enFirst } from "../src/web/strings-en.ts";

type Words = { readonly catalogue: { readonly en: object; readonly de: object } };
const brought = Object.entries(import.meta.glob<Words>("../src/features/*/words.ts", { eager: true }));
const ofFeatures = (language: "en" | "de") =>
  Object.fromEntries(
    brought.map(([path, { catalogue }]) => [path.split("/").at(-2) ?? "", catalogue[language]]),
  );

const [en, de] = [
  { ...enFirst, ...enMore, ...ofFeatures("en") },
  { ...deFirst, ...deMore, ...ofFeatures("de") },
];

/** What the German catalogue says as the English one does: names, and words that German took over. */
const SHARED = new Set(
  [
    ...["product", "nav.bus", "nav.system"],
    ...["votes.league.player", "contributions.shares.claimed", "bench.n", "bench.p"],
    ...[
      "contributions.shares.measured",
      "memory.ofGrades",
      "evolution.title",
      "evolution.name",
      "evolution.version",
    ],
    ...[
      "evolution.childNameHint",
      "library.name",
      "library.kinds.prompts",
      "library.text",
      "settings.browser",
    ],
    ...[
      "run.score",
      "run.phase",
      "run.positionShown",
      "run.leftOutWhy",
      "contributions.methodWhy",
      "run.vetoedFlaw",
    ],
    ...["compare.participant", "compare.status", "runsPage.status", "forest.status"],
  ].sort(),
);

/** Phrases of English that a German sentence never has. */
const ENGLISH = /\b(?:the|and|of|is|not|with|for|this|to|by|run|runs|draft|chair|score|vote|votes)\b/i;

/** Every text of a catalogue by its path; a function is called with sample arguments. */
function textsIn(node: unknown, path = ""): readonly (readonly [string, string])[] {
  if (typeof node === "string") return [[path, node]];
  if (typeof node === "function") {
    const texts = [1, 2].map((count) =>
      String(
        Reflect.apply(
          node,
          undefined,
          Array.from({ length: node.length }, (_, at) => count + at),
        ),
      ),
    );
    return [[path, texts.join(" | ")]];
  }
  return Object.entries(node ?? {}).flatMap(([key, child]) =>
    textsIn(child, path === "" ? key : `${path}.${key}`),
  );
}

describe("the German catalogue", () => {
  const english = new Map(textsIn({ ...en, run: { ...en.run, error: undefined } }));
  const german = new Map(textsIn({ ...de, run: { ...de.run, error: undefined } }));

  it("has the keys of the English one, also where the type leaves them open", () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it("says nothing in English but what both languages share", () => {
    const same = [...german].filter(([path, text]) => english.get(path) === text).map(([path]) => path);
    expect(same.sort()).toEqual([...SHARED]);
    const mixed = [...german].filter(([, text]) =>
      ENGLISH.test(text.replaceAll(/`[^`]*`|parley [a-z ]+/g, "")),
    );
    expect(mixed).toEqual([]);
  });

  it("gives text for every argument of a function", () => {
    for (const [path, text] of german) {
      expect(text.trim(), path).not.toBe("");
      expect(text, path).not.toMatch(/undefined|NaN|\[object/);
    }
    expect(de.run.error("no-models", "sim/ada")).toBe("Fehler: no-models (sim/ada)");
    expect(de.run.error("no-models", "")).toBe("Fehler: no-models");
  });

  it("takes the plural from the count", () => {
    expect([0, 1, 2].map(de.runs)).toEqual(["0 Läufe", "1 Lauf", "2 Läufe"]);
    expect(de.library.difference(1, 2)).toBe("1 Zeile hinzugefügt, 2 Zeilen entfernt");
  });

  it.each([
    ["two spaces in a row", / {2}/],
    ["space at an end", /^\s|\s$/],
    ["straight or English quotes", /["'”]|“\w/],
    ["three dots", /\.\.\./],
    ["ellipsis that sticks to a word", /\w…/],
    ["space before a mark", / [.,;:?!]/],
    [
      "ss or two letters in place of ß or an umlaut",
      /\b(?:fuer|ueber|koennen|groesser|aendern|schliessen)\b/i,
    ],
  ])("has no %s", (_, pattern) => {
    expect([...german].filter(([, text]) => pattern.test(text))).toEqual([]);
  });
});
