import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolSpec } from "../kernel/index.ts";
import { CONTEXT_SEARCH, ContextSearchInput, searchContext, type SaidText } from "./context-search.ts";
import { expectLinear } from "../../test/support/growth.ts";

const said = (text: string, at: Partial<SaidText> = {}): SaidText => ({
  round: 1,
  by: "ada",
  kind: "proposal",
  text,
  ...at,
});

/** The snippets alone. */
const snippetsOf = (texts: readonly SaidText[], term: string): string[] => {
  const search = searchContext(texts, term);
  return search.ok ? search.hits.map(({ snippet }) => snippet) : [search.reason];
};

/** `count` words `w001 w002 …` of four characters. */
const words = (count: number): string =>
  Array.from({ length: count }, (_, index) => `w${String(index + 1).padStart(3, "0")}`).join(" ");

describe("searchContext", () => {
  it("tells where a term stands, whatever its case, the newest round first and the order of a round kept", () => {
    const texts = [
      said("A Cache is cheap."),
      said("No cache.", { by: "ben", kind: "critique" }),
      said("Nothing here.", { round: 3 }),
      said("Which CACHE?", { round: 2, kind: "refinement" }),
    ];
    expect(searchContext(texts, " cache ")).toEqual({
      ok: true,
      total: 3,
      hits: [
        { round: 2, by: "ada", kind: "refinement", snippet: "Which CACHE?" },
        { round: 1, by: "ada", kind: "proposal", snippet: "A Cache is cheap." },
        { round: 1, by: "ben", kind: "critique", snippet: "No cache." },
      ],
    });
    expect(texts.map(({ round }) => round)).toEqual([1, 1, 3, 2]);
    expect(searchContext(texts, "queue")).toEqual({ ok: true, total: 0, hits: [] });
    expect(searchContext([], "queue")).toEqual({ ok: true, total: 0, hits: [] });
  });

  it.each([
    ["σίσυφοσ", "ΣΊΣΥΦΟΣ σίσυφος"],
    ["ÜBER", "über Über"],
    ["ДОМ", "дом Дом"],
    ["𐐀", "𐐨 𐐀"],
    ["ẞ", "ß ẞ"],
  ])("compares %j by the case folding of code points", (term, text) => {
    expect(searchContext([said(text)], term)).toMatchObject({ ok: true, total: 2 });
  });

  it("takes a term as text, never as a pattern", () => {
    expect(searchContext([said("a.b (c)* [d] \\ ^$ {1}|/-")], "A.B (c)* [d] \\ ^$ {1}|/-")).toMatchObject({
      total: 1,
    });
    expect(searchContext([said("axb aab")], "a.b")).toMatchObject({ total: 0 });
    expect(searchContext([said("ß")], "ss")).toMatchObject({ total: 0 });
    // Half a pair is no character of the whole one.
    expect(searchContext([said("\u{1F600}")], "\uD83D")).toMatchObject({ total: 0 });
  });

  it("refuses a blank term and one of more than 200 code points", () => {
    const blank = { ok: false, reason: "the term is blank; give a word or a phrase" };
    expect(searchContext([said("x")], "")).toEqual(blank);
    expect(searchContext([said("x")], " \n\u3000")).toEqual(blank);
    const long = { ok: false, reason: "the term has more than 200 characters; give a shorter one" };
    expect(searchContext([said("x")], "\u{1F600}".repeat(201))).toEqual(long);
    expect(searchContext([said("x")], "a".repeat(201))).toEqual(long);
    expect(searchContext([said("x")], "\u{1F600}".repeat(200))).toEqual({ ok: true, total: 0, hits: [] });
  });

  it("cuts about 200 characters around a hit between words, with an ellipsis where it is cut", () => {
    const text = `${words(100)} needle ${words(100)}`;
    const [snippet = ""] = snippetsOf([said(text)], "needle");
    expect(snippet).toBe(`…${words(100).slice(-94)} needle ${words(100).slice(0, 94)}…`);
    expect(snippetsOf([said(`needle ${words(100)}`)], "needle")).toEqual([
      `needle ${words(100).slice(0, 189)}…`,
    ]);
    expect(snippetsOf([said(`${words(100)} needle`)], "needle")).toEqual([
      `…${words(100).slice(-189)} needle`,
    ]);
    expect(snippetsOf([said(` \n ${words(9)} needle\n\n`)], "needle")).toEqual([`${words(9)} needle`]);
  });

  it("cuts a word that is longer than the reach, and never a surrogate pair", () => {
    const [ascii = ""] = snippetsOf([said(`${"x".repeat(500)}needle${"y".repeat(500)}`)], "needle");
    expect(ascii).toBe(`…${"x".repeat(97)}needle${"y".repeat(97)}…`);
    for (const pad of ["", "x"]) {
      const [pairs = ""] = snippetsOf(
        [said(`${"\u{1F600}".repeat(300)}${pad}needle${"\u{1F600}".repeat(300)}`)],
        "needle",
      );
      expect(pairs.isWellFormed()).toBe(true);
      expect(pairs.length).toBeGreaterThan(190);
    }
  });

  it("leaves 40 characters on each side of a term that fills a snippet", () => {
    const term = "n".repeat(200);
    expect(snippetsOf([said(`${"x".repeat(90)} ${term} ${"y".repeat(90)}`)], term)).toEqual([`…${term}…`]);
    expect(snippetsOf([said(`${words(30)} ${term} ${words(30)}`)], term)).toEqual([
      `…${words(30).slice(-39)} ${term} ${words(30).slice(0, 39)}…`,
    ]);
  });

  it("shows hits within one snippet's reach as one, and counts each", () => {
    const search = searchContext([said(`needle needle ${words(60)} needle`)], "needle");
    expect(search).toMatchObject({ ok: true, total: 3 });
    expect(snippetsOf([said(`needle needle ${words(60)} needle`)], "needle")).toEqual([
      `needle needle ${words(60).slice(0, 184)}…`,
      `…${words(60).slice(-189)} needle`,
    ]);
  });

  it("shows at most 3 snippets of a text and 20 of all, or as many as are asked for", () => {
    const far = Array.from({ length: 5 }, (_, index) => `needle${index} ${words(60)}`).join(" ");
    const texts = Array.from({ length: 8 }, (_, index) => said(far, { round: index + 1 }));
    const search = searchContext(texts, "NEEDLE");
    expect(search.ok && [search.total, ...search.hits.map(({ round }) => round)]).toEqual([
      40, 8, 8, 8, 7, 7, 7, 6, 6, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2,
    ]);
    const few = searchContext(texts, "needle", { most: 4 });
    expect(few.ok && [few.total, ...few.hits.map(({ round }) => round)]).toEqual([40, 8, 8, 8, 7]);
    for (const most of [0, -1, 1.5, Number.NaN])
      expect(() => searchContext(texts, "needle", { most })).toThrow(RangeError);
  });

  it("shows every hit it has room for, in well-formed pieces of the text", () => {
    const piece = fc.constantFrom("Needle", "needle", " ", "\n", "word", "x".repeat(60), "\u{1F600}", "字");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 120 }), (pieces) => {
        const text = pieces.join("");
        const total = (text.match(/needle/gi) ?? []).length;
        const search = searchContext([said(text)], "needle");
        if (!search.ok) throw new Error(search.reason);
        expect(search.total).toBe(total);
        expect(search.hits.length > 0).toBe(total > 0);
        for (const { snippet } of search.hits) {
          expect(text).toContain(snippet.replace(/^…/, "").replace(/…$/, ""));
          expect(snippet).toMatch(/needle/i);
          expect(snippet.isWellFormed()).toBe(true);
          expect(snippet.length).toBeLessThanOrEqual(200 + 2 * 40 + 2);
        }
      }),
    );
  });

  it("reads a hostile text in time that grows with its length", () => {
    expectLinear((size) => {
      const text = "a".repeat(size);
      expect(searchContext([said(text)], `${"a".repeat(199)}b`)).toEqual({ ok: true, total: 0, hits: [] });
      expect(searchContext([said(text)], "a")).toMatchObject({ total: size });
      const spaces = `${" ".repeat(size)}a`;
      expect(searchContext([said(spaces)], "a")).toMatchObject({ hits: [{ snippet: "a" }] });
    }, 4_096);
  });
});

describe("CONTEXT_SEARCH", () => {
  it("tells a model of one argument, in the shape of a tool", () => {
    expect(ToolSpec.parse(CONTEXT_SEARCH)).toEqual({
      name: "context_search",
      description:
        "Finds a word or phrase in what has been said so far, whatever its case, and shows the text around it. The newest round comes first.",
      parameters: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          term: { type: "string", description: "The word or phrase to find.", minLength: 1, maxLength: 200 },
        },
        required: ["term"],
        additionalProperties: false,
      },
    });
    expect(ContextSearchInput.safeParse({ term: "x", round: 1 }).success).toBe(false);
  });
});
