import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngramId } from "../kernel/index.ts";
import { rankCandidates, selectRecalled, type RecallCandidate } from "./rank.ts";
import {
  engram,
  grade,
  preference,
  rules,
  said,
  stored,
  thumb,
  timeOf,
} from "../../test/support/memory-samples.ts";
import { sized } from "../../test/support/long.ts";

type Given = {
  readonly cluster?: string;
  readonly similarity?: number | null;
  readonly words?: number;
  readonly entities?: number;
  readonly at?: number;
  readonly whats?: readonly Parameters<typeof said>[1][];
  readonly forgotten?: boolean;
};

const candidate = (id: string, given: Given = {}): RecallCandidate => {
  const { cluster = id, similarity = 0.8, words = 0, entities = 0, at = 0, whats = [] } = given;
  const annotations = whats.map((what, index) => said(index, what));
  const forgotten = given.forgotten === true ? { by: "ann", at: timeOf(9) } : null;
  const of = engram(id, { at: timeOf(at) });
  return {
    stored: stored(of, { cluster: EngramId.parse(cluster), annotations, forgotten }),
    similarity,
    words,
    entities,
  };
};

const ids = (of: readonly { readonly id: string }[]) => of.map(({ id }) => id);
const retired = { kind: "retired", reason: "so" } as const;

describe("ranked", () => {
  it("adds what each weight gives to how well it fits", () => {
    const [one] = rankCandidates(
      [candidate("a", { words: 0.5, entities: 1, whats: [grade(5), preference("won"), thumb("down")] })],
      { weights: { words: 0.1, entities: 0.2, grade: 0.05, preference: 0.3, thumb: 0.4 } },
    );
    expect(one?.score).toBeCloseTo(0.8 + 0.05 + 0.2 + 0.1 + 0.3 - 0.4, 12);
  });
  it("goes by the share of words where there is no cosine", () => {
    const [one] = rankCandidates([candidate("a", { similarity: null, words: 0.5 })], rules);
    expect(one?.score).toBeCloseTo(0.55, 12);
  });
  it("takes the newer of equals first, then the lesser id", () => {
    const order = rankCandidates([candidate("c"), candidate("b"), candidate("a", { at: 1 })], rules);
    expect(ids(order.map(({ stored: { engram: of } }) => of))).toEqual(["a", "b", "c"]);
  });
});

describe("recalledOf", () => {
  const recalled = (candidates: readonly RecallCandidate[], over: Partial<typeof rules> = {}) =>
    ids(selectRecalled(candidates, { ...rules, ...over }));

  it("admits by the cosine, and by the share of words where there is none", () => {
    const given = [
      candidate("near", { similarity: 0.75 }),
      candidate("far", { similarity: 0.749, words: 1, whats: [grade(5)] }),
      candidate("told", { similarity: null, words: 0.5 }),
      candidate("untold", { similarity: null, words: 0.499, whats: [grade(5)] }),
    ];
    expect(recalled(given, { most: 9 })).toEqual(["near", "told"]);
  });
  it("gives so many, and one more that fits very well", () => {
    const given = [0.99, 0.98, 0.97, 0.96].map((similarity, index) => candidate(`e${index}`, { similarity }));
    expect(recalled(given)).toEqual(["e0", "e1", "e2"]);
    expect(recalled(given, { extraAt: 0.971 })).toEqual(["e0", "e1"]);
    expect(recalled(given, { most: 0 })).toEqual([]);
    const byWords = [1, 0.95, 0.9].map((words, index) => candidate(`w${index}`, { similarity: null, words }));
    expect(recalled(byWords)).toEqual(["w0", "w1", "w2"]);
  });
  it("gives the best judged of a cluster: by grade, then comparison, then the newer", () => {
    const of = (id: string, given: Given) => candidate(id, { cluster: "c", ...given });
    expect(recalled([of("a", { similarity: 0.99 }), of("b", { whats: [grade(4)] })])).toEqual(["b"]);
    expect(recalled([of("a", { whats: [grade(2)] }), of("b", {})])).toEqual(["b"]);
    expect(recalled([of("a", { similarity: 0.99 }), of("b", { whats: [preference("won")] })])).toEqual(["b"]);
    expect(recalled([of("a", { whats: [preference("lost")] }), of("b", { similarity: 0.76 })])).toEqual([
      "b",
    ]);
    expect(recalled([of("a", { similarity: 0.99 }), of("b", { at: 1 })])).toEqual(["b"]);
    const graded = of("a", { whats: [grade(4), preference("lost")] });
    expect(recalled([graded, of("b", { similarity: 0.99, whats: [preference("won")] })])).toEqual(["a"]);
    // One that is not admitted stands in nobody's way.
    expect(recalled([of("a", {}), of("b", { similarity: 0.1, whats: [grade(5)] })])).toEqual(["a"]);
    expect(recalled([of("a", {}), of("b", { whats: [grade(5), retired] })])).toEqual(["a"]);
  });
  it("gives nothing that is retired or forgotten (RANK-4)", () => {
    expect(recalled([candidate("a", { whats: [retired] }), candidate("b", { forgotten: true })])).toEqual([]);
  });
  it("says what it knows of each", () => {
    const [one] = selectRecalled([candidate("a", { words: 1, whats: [grade(5, "clear")] })], rules);
    expect(one).toEqual({
      id: "a",
      question: "",
      summary: "",
      mark: "good-example",
      grade: 5,
      feedback: "clear",
      similarity: 0.8,
      words: 1,
      score: 0.8 + 0.1 + 0.1,
    });
  });
});

const share = fc.integer({ min: 0, max: 20 }).map((twentieths) => twentieths / 20);
const what = fc.oneof(
  fc.integer({ min: 1, max: 5 }).map((score) => grade(score)),
  fc.constantFrom<"won" | "lost" | "tied">("won", "lost", "tied").map((result) => preference(result)),
  fc.constantFrom<"up" | "down">("up", "down").map(thumb),
  fc.constant(retired),
);
const pool = fc
  .uniqueArray(
    fc.record({
      id: fc.constantFrom(..."abcdefghijkl"),
      cluster: fc.constantFrom("c1", "c2", "c3", "c4", "c5"),
      similarity: fc.option(share),
      words: share,
      entities: share,
      at: fc.integer({ min: 0, max: 3 }),
      whats: fc.array(what, { maxLength: 3 }),
      forgotten: fc.boolean(),
    }),
    { selector: ({ id }) => id, maxLength: 12 },
  )
  .map((all) => all.map(({ id, ...given }) => candidate(id, given)));
const anyRules = fc.record({ most: fc.integer({ min: 0, max: 4 }), extraAt: share, minimum: share });

describe("whatever the candidates", () => {
  it("their order does not matter", () => {
    fc.assert(
      fc.property(pool, fc.infiniteStream(fc.nat()), anyRules, (given, chance, over) => {
        const other = given
          .map((one) => ({ one, place: chance.next().value }))
          .sort((a, b) => a.place - b.place)
          .map(({ one }) => one);
        expect(selectRecalled(other, { ...rules, ...over })).toEqual(
          selectRecalled(given, { ...rules, ...over }),
        );
      }),
    );
  });
  it("never more than most and one, one of each cluster, nothing retired or forgotten (RANK-4)", () => {
    fc.assert(
      fc.property(pool, anyRules, (given, over) => {
        const found = selectRecalled(given, { ...rules, ...over });
        const of = found.map(({ id }) => given.find(({ stored: { engram: own } }) => own.id === id));
        expect(found.length).toBeLessThanOrEqual(over.most + 1);
        expect(new Set(of.map((one) => one?.stored.cluster)).size).toBe(found.length);
        for (const one of of) {
          expect(one?.stored.forgotten).toBeNull();
          expect(one?.stored.annotations.some((annotation) => annotation.what.kind === "retired")).toBe(
            false,
          );
        }
      }),
    );
  });
  it("a better grade costs no place", () => {
    const two = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }));
    fc.assert(
      fc.property(pool, anyRules, two, (...[given, over, [nth, one, other]]) => {
        const chosen = given[nth % Math.max(1, given.length)];
        if (!chosen) return;
        const placeWith = (score: number) => {
          const annotations = [...chosen.stored.annotations, said(50, grade(score))];
          const graded = { ...chosen, stored: { ...chosen.stored, annotations } };
          const found = selectRecalled(
            given.map((any) => (any === chosen ? graded : any)),
            { ...rules, ...over },
          );
          const place = found.findIndex(({ id }) => id === chosen.stored.engram.id);
          return place === -1 ? Infinity : place;
        };
        expect(placeWith(Math.max(one, other))).toBeLessThanOrEqual(placeWith(Math.min(one, other)));
      }),
      { numRuns: sized(500) },
    );
  });
});
