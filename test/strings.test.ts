import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** What a file says: texts, forms of one, and groups of these. */
type Said = { readonly [key: string]: string | Said };
const source = new URL("../src/", import.meta.url);
const paths = readdirSync(source, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\/words(?:-more)?\/[\w-]+\.json$/.test(path));
const files: { readonly [path: string]: Said } = Object.fromEntries(
  paths.map((path) => [path, JSON.parse(readFileSync(new URL(path, source), "utf8")) as Said]),
);
const folders = [...new Set(paths.map((path) => path.slice(0, path.lastIndexOf("/"))))];
// The types of the page's own files need a browser's, which tests of Node do not have.
const load = (file: string) => import(new URL(`web/${file}`, source).pathname) as Promise<unknown>;
const { languages } = (await load("language.ts")) as { readonly languages: readonly string[] };
const { readWords } = (await load("strings.ts")) as { readonly readWords: (said: Said) => object };

const isForms = ({ other }: Said): boolean => typeof other === "string" && other.includes("{");
const gapsIn = (word: string | Said): readonly string[] =>
  [...new Set([...JSON.stringify(word).matchAll(/\{(\w+)\}/g)].map(([, gap]) => String(gap)))].sort();

/** Every word of a language by its path: a text, or the forms of one. */
function wordsIn(language: string): ReadonlyMap<string, string | Said> {
  const walk = (word: string | Said, path: string): readonly (readonly [string, string | Said])[] =>
    typeof word === "string" || isForms(word)
      ? [[path, word]]
      : Object.entries(word).flatMap(([key, own]) => walk(own, path === "" ? key : `${path}.${key}`));
  return new Map(
    folders.flatMap((folder) => {
      const [, feature = ""] = /features\/([\w-]+)/.exec(folder) ?? [];
      return walk(files[`${folder}/${language}.json`] ?? {}, feature);
    }),
  );
}
const english = wordsIn("en");
const others = languages.filter((one) => one !== "en");

/** A text with its gaps filled, as a screen asks for it. */
function fill(word: string | Said, count: number): string {
  const given = Object.fromEntries(gapsIn(word).map((gap) => [gap, gap === "n" ? count : String(count)]));
  const { said } = readWords({ said: word }) as { readonly said: string | ((given: object) => string) };
  return typeof said === "string" ? said : said(given);
}
const textsIn = (word: string | Said): string => [1, 2].map((count) => fill(word, count)).join(" | ");

/** What the German files say as the English ones do: names, and words that German took over. */
const SHARED = new Set(
  [
    ...["product", "nav.bus", "nav.system", "ask.personas"],
    ...["votes.league.player", "contributions.shares.claimed", "bench.n", "bench.p"],
    ...["contributions.shares.measured", "memory.ofGrades", "evolution.title", "evolution.name"],
    ...["evolution.version", "evolution.childNameHint", "library.name", "library.kinds.prompts"],
    ...["library.text", "library.difference", "settings.browser"],
    ...["run.score", "run.phase", "run.positionShown", "run.leftOutWhy", "run.vetoedFlaw"],
    ...["contributions.methodWhy", "compare.participant", "runsPage.status"],
  ].sort(),
);

/** Phrases of English that a German sentence never has. */
const ENGLISH = /\b(?:the|and|of|is|not|with|for|this|to|by|run|runs|draft|chair|score|vote|votes)\b/i;

describe.each(others)("the words in %s", (language) => {
  const words = wordsIn(language);

  it("has a file beside each English one, with its keys, and its gaps in each text", () => {
    expect(folders.filter((folder) => !files[`${folder}/${language}.json`])).toEqual([]);
    expect([...words.keys()]).toEqual([...english.keys()]);
    const gaps = [...words].map(([path, word]) => [path, ...gapsIn(word)]);
    expect(gaps).toEqual([...english].map(([path, word]) => [path, ...gapsIn(word)]));
    expect(english.size).toBeGreaterThan(700);
  });
});

it("has the forms of a text that its language tells apart, and in each the number", () => {
  for (const language of languages) {
    const known = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    const forms = [...wordsIn(language).values()].filter((word) => typeof word === "object");
    expect(
      forms.flatMap((word) => Object.keys(word)).filter((form) => !known.some((one) => one === form)),
    ).toEqual([]);
    expect(
      forms.flatMap((word) => Object.values(word)).filter((form) => !gapsIn(form).includes("n")),
    ).toEqual([]);
    expect(forms.length).toBeGreaterThan(15);
  }
});

describe("the German words", () => {
  const german = [...wordsIn("de")].map(([path, word]) => [path, textsIn(word)] as const);

  it("says nothing in English but what both languages share", () => {
    const same = german
      .filter(([path, text]) => textsIn(english.get(path) ?? "") === text)
      .map(([path]) => path);
    expect(same.sort()).toEqual([...SHARED]);
    const mixed = german.filter(([, text]) => ENGLISH.test(text.replaceAll(/`[^`]*`|parley [a-z ]+/g, "")));
    expect(mixed).toEqual([]);
  });

  it("gives text for every argument of a function", () => {
    for (const [path, text] of german) {
      expect(text.trim(), path).not.toBe("");
      expect(text, path).not.toMatch(/undefined|NaN|\[object|[{}]/);
    }
    expect(fill({ one: "{n} Lauf", other: "{n} Läufe" }, 1_234)).toBe("1,234 Läufe");
  });

  it("takes the plural from the count", () => {
    const runs = wordsIn("de").get("runs") ?? "";
    expect([0, 1, 2].map((count) => fill(runs, count))).toEqual(["0 Läufe", "1 Lauf", "2 Läufe"]);
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
    expect(german.filter(([, text]) => pattern.test(text))).toEqual([]);
  });
});
