import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { traceSentences } from "./trace.ts";
import { expectLinear } from "../../test/support/growth.ts";

const drafts = [
  { id: "ada", text: "Use PostgreSQL for billing records. Back up nightly to another region." },
  { id: "bob", text: "- Cache sessions in Redis\n- Back up nightly to another region" },
];

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("traceSentences", () => {
  it("finds verbatim sentences, what is lost, and what is the answer's own", () => {
    const answer = "Use PostgreSQL for billing records. Back up nightly to another region. Hire somebody.";
    const { sentences, lost, share } = traceSentences(answer, drafts);
    expect(sentences).toEqual([
      { text: "Use PostgreSQL for billing records.", sources: [{ id: "ada", similarity: 1 }] },
      {
        text: "Back up nightly to another region.",
        sources: [
          { id: "ada", similarity: 1 },
          { id: "bob", similarity: 1 },
        ],
      },
      { text: "Hire somebody.", sources: [] },
    ]);
    expect(lost).toEqual([{ id: "bob", text: "Cache sessions in Redis" }]);
    expect(share["ada"]).toBeGreaterThan(share["bob"] ?? 1);
    expect(sum(Object.values(share))).toBeLessThan(1);
  });
  it("knows a sentence by its words, whatever their order, case and marks", () => {
    const { sentences } = traceSentences("**Billing** records: use POSTGRESQL!", drafts);
    expect(sentences[0]?.sources).toEqual([{ id: "ada", similarity: 1 }]);
  });
  it("supports a sentence by the part that one sentence of a draft holds, and keeps a part in a longer one", () => {
    const given = [{ id: "a", text: "apple banana cherry dates." }];
    const half = traceSentences("apple banana kiwi lemon", given, { threshold: 0.1 });
    // Of words that two sentences have, and of those that one of two has.
    const [shared, alone] = [Math.log(1 + 2 / 2), Math.log(1 + 2 / 1)];
    expect(half.sentences[0]?.sources[0]?.similarity).toBeCloseTo(shared / (shared + alone), 12);
    expect(
      traceSentences("apple banana kiwi lemon", given, { threshold: 0.4 }).sentences[0]?.sources,
    ).toEqual([]);
    expect(traceSentences("apple banana cherry dates kiwi lemon mango", given).lost).toEqual([]);
    expect(traceSentences("apple kiwi lemon mango", given).lost).toEqual([
      { id: "a", text: "apple banana cherry dates." },
    ]);
  });
  it("weighs a rare word more than a common one", () => {
    const common = "Server alpha runs. Server beta runs. Server gamma runs.";
    const { sentences } = traceSentences(
      "Server quokka",
      [
        { id: "common", text: common },
        { id: "rare", text: `${common} A quokka sleeps.` },
      ],
      { threshold: 0.01 },
    );
    expect(sentences[0]?.sources.map(({ id }) => id)).toEqual(["rare", "common"]);
  });
  it("passes over a word that more than 256 sentences have", () => {
    const having = (count: number) =>
      Array.from({ length: count }, (_, index) => `Common w${index}. `).join("");
    const said = (count: number) => traceSentences("Common", [{ id: "a", text: `${having(count)}Common` }]);
    expect(said(255).sentences[0]?.sources).toEqual([{ id: "a", similarity: 1 }]);
    const passed = said(256);
    expect(passed.lost).toHaveLength(256);
    expect(passed.sentences).toEqual([{ text: "Common", sources: [] }]);
    expect(passed.share).toEqual({ a: 0 });
    expect(passed.lost.map(({ text }) => text)).not.toContain("Common");
  });
  it("takes the threshold itself for enough", () => {
    expect(traceSentences("apples grow", [{ id: "a", text: "apples grow" }], { threshold: 1 })).toMatchObject(
      { sentences: [{ sources: [{ similarity: 1 }] }], lost: [] },
    );
  });
  it("shares a sentence's content by similarity", () => {
    const { sentences, share } = traceSentences(
      "apple banana cherry",
      [
        { id: "all", text: "apple banana cherry" },
        { id: "most", text: "apple banana dates" },
      ],
      { threshold: 0.1 },
    );
    const [all = 0, most = 0] = sentences[0]?.sources.map(({ similarity }) => similarity) ?? [];
    expect(all).toBe(1);
    expect(share["most"]).toBeCloseTo(most / (1 + most), 12);
    expect(share["all"]).toBeCloseTo(1 / (1 + most), 12);
  });
  it("credits a long sentence more than a short one", () => {
    const { share } = traceSentences("one apple. A banana cherry dates elder fig grape.", [
      { id: "short", text: "apple" },
      { id: "long", text: "banana cherry dates elder fig grape" },
    ]);
    expect(share["long"]).toBeCloseTo(6 / 7, 12);
    expect(share["short"]).toBeCloseTo(1 / 7, 12);
  });
  it("compares code line by line", () => {
    const { sentences, lost } = traceSentences("```\nlet total = price * count;\n```", [
      { id: "a", text: "Try:\n```js\nlet total = price * count;\nsave(total);\n```" },
    ]);
    expect(sentences[0]?.sources).toEqual([{ id: "a", similarity: 1 }]);
    expect(lost.map(({ text }) => text)).toEqual(["Try:", "save(total);"]);
  });
  it("says nothing of nothing", () => {
    expect(traceSentences("", drafts)).toMatchObject({ sentences: [], share: { ada: 0, bob: 0 } });
    expect(traceSentences("", drafts).lost).toHaveLength(4);
    expect(traceSentences("It is so. Apples grow.", [])).toEqual({
      sentences: [{ text: "Apples grow.", sources: [] }],
      lost: [],
      share: {},
    });
  });
  it("keeps names that objects have of their own", () => {
    const { share } = traceSentences("apples grow", [{ id: "__proto__", text: "apples grow" }]);
    expect(Object.entries(share)).toEqual([["__proto__", 1]]);
  });

  const text = fc
    .array(
      fc.array(fc.constantFrom(..."apple banana cherry not the kiwi 3 😀 東".split(" ")), { maxLength: 6 }),
      { maxLength: 6 },
    )
    .map((lines) => lines.map((words) => words.join(" ")).join("! "));
  it("gives similarities from the threshold to 1, shares that sum to at most 1, and itself whole", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (answer, texts) => {
        const named = texts.map((draft, index) => ({ id: `d${index}`, text: draft }));
        const { sentences, share, lost } = traceSentences(answer, named, { threshold: 0.3 });
        for (const { sources } of sentences)
          for (const { similarity } of sources) {
            expect(similarity).toBeGreaterThanOrEqual(0.3);
            expect(similarity).toBeLessThanOrEqual(1);
          }
        expect(sum(Object.values(share))).toBeLessThanOrEqual(1 + 1e-9);
        for (const { id, text: sentence } of lost)
          expect(named.find((draft) => draft.id === id)?.text).toContain(sentence.replace(/\.$/, ""));
        const own = traceSentences(answer, [{ id: "own", text: answer }]);
        expect(own.lost).toEqual([]);
        expect(own.share["own"]).toBeCloseTo(own.sentences.length > 0 ? 1 : 0, 9);
      }),
    );
  });

  const random = (seed: number) => {
    let state = seed;
    return (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  };
  const prose = (seed: number, vocabulary: number, perSentence: number) => {
    const next = random(seed);
    let made = "";
    while (made.length < 64_000)
      made += `${Array.from({ length: perSentence }, () => `W${Math.min(next(vocabulary), next(vocabulary))}`).join(" ")}. `;
    return made;
  };
  it.each([
    ["ordinary words", 4_000, 15],
    ["few words", 60, 20],
    ["words that all sentences have", 12, 6],
    ["short sentences", 12, 2],
  ])("reads %s without going through every pair of sentences", (_, vocabulary, perSentence) => {
    const [answer, draft] = [prose(1, vocabulary, perSentence), prose(2, vocabulary, perSentence)];
    expectLinear(
      (length) => traceSentences(answer.slice(0, length), [{ id: "a", text: draft.slice(0, length) }]),
      8_000,
    );
  });
  it("refuses a threshold that tells nothing apart, and two drafts of one id", () => {
    for (const threshold of [0, 1.1, Number.NaN])
      expect(() => traceSentences("", drafts, { threshold })).toThrow(RangeError);
    expect(() => traceSentences("", [...drafts, { id: "ada", text: "" }])).toThrow(RangeError);
  });
});
