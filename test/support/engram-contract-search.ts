import { expect } from "vitest";
import type { EngramId } from "../../src/kernel/index.ts";
import type { EngramStore, Near, Vector } from "../../src/memory/engram-store.ts";
import { betweenTwo, type EngramCase } from "./engram-place.ts";
import {
  ada,
  atAngle,
  conversation,
  direction,
  drawn,
  engram,
  engramId,
  retired,
  scopeOf,
} from "../../src/testing/engram-samples.ts";
import { upTo } from "../../src/testing/store-samples.ts";

const model = "sim/vectors";
const by = { by: "ada", at: "2026-02-01T00:00:00.000Z" };

const idsOf = (near: readonly Near[]): EngramId[] => near.map(({ id }) => id);

const nearestIds = async (store: EngramStore, angle: number, limit = 9): Promise<EngramId[]> =>
  idsOf(await store.nearest(ada, { model, vector: atAngle(angle), limit }));

const matchingIds = (store: EngramStore, ...words: string[]): Promise<readonly EngramId[]> =>
  store.matching(ada, { words, limit: 9 });

/** The nearest by comparing all, one by one. */
const byScan = (vectors: ReadonlyMap<EngramId, Vector>, query: Vector, limit: number): EngramId[] =>
  [...vectors]
    .map(([id, vector]) => ({
      id,
      similarity: vector.reduce((sum, one, at) => sum + one * (query[at] ?? 0), 0),
    }))
    .sort((x, y) => y.similarity - x.similarity || (x.id < y.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id }) => id);

async function remember(store: EngramStore, vectors: ReadonlyMap<EngramId, Vector>): Promise<void> {
  await Promise.all([...vectors.keys()].map((id) => store.put(engram(id), id)));
  await store.embed(ada, { model, vectors });
}

/** What is found by vectors and by words, and when it no longer is. */
export const engramSearchCases: readonly EngramCase[] = [
  betweenTwo("finds the nearest, best first, equal ones by id, with their cosines", async (here, there) => {
    const angles = { c: 0.3, a: 0.3, b: 0.1, far: 3 };
    await remember(
      here,
      new Map(Object.entries(angles).map(([id, angle]) => [engramId(id), atAngle(angle)])),
    );
    const near = await there.nearest(ada, { model, vector: atAngle(0), limit: 3 });
    expect(near).toEqual([
      { id: "b", similarity: expect.closeTo(Math.cos(0.1), 6) as number },
      { id: "a", similarity: expect.closeTo(Math.cos(0.3), 6) as number },
      { id: "c", similarity: expect.closeTo(Math.cos(0.3), 6) as number },
    ]);
    expect(await nearestIds(there, 0, 2)).toEqual(["b", "a"]);
    expect(await nearestIds(there, 3, 1)).toEqual(["far"]);
    expect(await nearestIds(there, 0, 0)).toEqual([]);
    expect(await there.nearest(ada, { model: "sim/other", vector: atAngle(0), limit: 3 })).toEqual([]);
    expect(await there.nearest(ada, { model, vector: atAngle(0, 24), limit: 3 })).toEqual([]);
  }),

  {
    title: "is exact, for vectors anywhere, in clusters, and all but equal",
    timeoutMs: 60_000,
    run: async (place) => {
      await using opened = await place.open();
      const draw = drawn(7);
      // No multiple of 16, and more than one block of it.
      const dimensions = 50;
      const centers = upTo(5).map(() => direction(draw, { dimensions }));
      const vectors = new Map<EngramId, Vector>();
      for (const n of upTo(1_800)) {
        const center = centers[n % 5] ?? new Float32Array(dimensions);
        const spread = [1, 0.05, 0.000_01][n % 3] ?? 1;
        const vector = direction(draw, { dimensions, ...(spread < 1 && { center }), spread });
        vectors.set(engramId(`n${n}`), vector);
      }
      await remember(opened.engrams, vectors);
      for (const n of upTo(30)) {
        const center = centers[n % 5] ?? new Float32Array(dimensions);
        const query = direction(draw, { dimensions, ...(n % 2 && { center }), spread: n % 2 ? 0.02 : 1 });
        for (const limit of [1, 10, 60]) {
          const near = await opened.engrams.nearest(ada, { model, vector: query, limit });
          expect(idsOf(near)).toEqual(byScan(vectors, query, limit));
        }
      }
      const everything = await opened.engrams.nearest(ada, { model, vector: atAngle(0, 50), limit: 5_000 });
      expect(everything).toHaveLength(1_800);
    },
  },

  betweenTwo(
    "ENGRAM-5: does not find what is forgotten, retired or pinned, even if that comes first",
    async (here, there) => {
      const ids = ["a", "b", "c", "d"].map(engramId);
      const [a = engramId("-"), b = a, c = a, d = a] = ids;
      expect((await here.annotate({ ...ada, id: d }, retired("r0"))).state).toBe("kept");
      await remember(here, new Map(ids.map((id, index) => [id, atAngle(index / 10)])));
      await here.put(engram("pin", { type: "pinned", question: "", summary: "a, b, c" }), engramId("pin"));
      await here.embed(ada, { model, vectors: new Map([[engramId("pin"), atAngle(0)]]) });
      expect(await nearestIds(there, 0)).toEqual(["a", "b", "c"]);
      expect(await matchingIds(there, "b", "c", "d")).toEqual(["c", "b"]);
      expect(await here.annotate({ ...ada, id: b }, retired("r1"))).toMatchObject({ state: "annotated" });
      expect(await nearestIds(there, 0)).toEqual(["a", "c"]);
      expect(await matchingIds(there, "b", "c")).toEqual(["c"]);
      expect(await there.vectors(ada, { model, ids: [b] })).toEqual(new Map([[b, atAngle(0.1)]]));
      expect(await there.forget(ada, { id: a, ...by })).toBe(true);
      expect(await nearestIds(here, 0, 1)).toEqual(["c"]);
      await here.embed(ada, { model, vectors: new Map([[b, atAngle(0)]]) });
      expect(await nearestIds(there, 0)).toEqual(["c"]);
      expect(await here.forget(ada, { id: c, ...by })).toBe(true);
      expect(await nearestIds(there, 0)).toEqual([]);
      await remember(there, new Map([[engramId("e"), atAngle(1)]]));
      expect(await nearestIds(here, 0)).toEqual(["e"]);
      expect(await here.list(ada, { limit: 9 })).toHaveLength(6);
      expect(await here.list(ada, { limit: 9, retired: true })).toMatchObject([
        { engram: { id: d } },
        { engram: { id: b } },
      ]);
      expect(await here.unembedded(ada, { model: "sim/new", limit: 9 })).toMatchObject([{ id: "e" }]);
    },
  ),

  betweenTwo("finds at once what another has written, changed or taken away", async (here, there) => {
    expect(await nearestIds(there, 0)).toEqual([]);
    for (const n of upTo(12)) {
      await remember(here, new Map([[engramId(`n${n}`), atAngle(n / 10)]]));
      expect((await nearestIds(there, n / 10))[0]).toBe(`n${n}`);
      expect(await matchingIds(there, `n${n}`)).toEqual([`n${n}`]);
    }
    await here.embed(ada, { model, vectors: new Map([[engramId("n12"), atAngle(-1)]]) });
    expect(await nearestIds(there, -1, 1)).toEqual(["n12"]);
    expect(await nearestIds(there, 1.2, 1)).toEqual(["n11"]);
    expect(await nearestIds(there, 1.2, 99)).toHaveLength(12);
    await here.embed(ada, { model, vectors: new Map([[engramId("n12"), atAngle(0, 24)]]) });
    expect(await nearestIds(there, -1, 99)).toHaveLength(11);
    expect(idsOf(await there.nearest(ada, { model, vector: atAngle(0, 24), limit: 9 }))).toEqual(["n12"]);
    expect(await there.vectors(ada, { model, ids: ["n11", "n12"].map(engramId) })).toEqual(
      new Map([
        [engramId("n11"), atAngle(1.1)],
        [engramId("n12"), atAngle(0, 24)],
      ]),
    );
    await Promise.all(upTo(10).map((n) => there.forget(ada, { id: engramId(`n${n}`), ...by })));
    expect(await nearestIds(here, 0)).toEqual(["n11"]);
  }),

  betweenTwo("leaves out the conversation that it is asked to", async (here, there) => {
    const vectors = new Map(upTo(6).map((n) => [engramId(`n${n}`), atAngle(n / 10)] as const));
    for (const [index, id] of [...vectors.keys()].entries()) {
      const own = index === 5 ? null : conversation(index % 2 ? "c2" : "c1");
      await here.put(engram(id, { conversation: own, summary: "zebra" }), id);
    }
    await here.embed(ada, { model, vectors });
    const near = { model, vector: atAngle(0), limit: 2 };
    expect(idsOf(await there.nearest(ada, { ...near, without: conversation("c1") }))).toEqual(["n2", "n4"]);
    expect(idsOf(await there.nearest(ada, { ...near, without: conversation("c2") }))).toEqual(["n1", "n3"]);
    expect(idsOf(await there.nearest(ada, near))).toEqual(["n1", "n2"]);
    const match = { words: ["zebra"], limit: 3 };
    expect(await there.matching(ada, { ...match, without: conversation("c1") })).toEqual(["n6", "n4", "n2"]);
    expect(await there.matching(ada, match)).toEqual(["n6", "n5", "n4"]);
  }),

  betweenTwo("finds by words, best match first, in question, summary and entities", async (here, there) => {
    const put = (id: string, text: { question?: string; summary?: string; entities?: string[] }) =>
      here.put(engram(id, { question: "", ...text }), engramId(id));
    await put("tax", { question: "When is the VAT return due?", summary: "On the 10th." });
    await put("both", { summary: "A zebra does not pay tax." });
    await put("animal", { entities: ["Zebra", "Ärmelkanal"] });
    await put("cjk", { summary: "斑马是动物" });
    await put("thai", { summary: "ม้าลาย", question: "किताब naïve straße" });
    expect(await matchingIds(there, "zebra", "tax")).toEqual(["both", "animal"]);
    expect(await matchingIds(there, "vat", "10th")).toEqual(["tax"]);
    expect(await matchingIds(there, "ärmelkanal")).toEqual(["animal"]);
    expect(await matchingIds(there, "armelkanal", "nothing")).toEqual([]);
    expect(await matchingIds(there, "马")).toEqual(["cjk"]);
    expect(await matchingIds(there, "动物", "斑")).toEqual(["cjk"]);
    for (const word of ["ม", "किताब", "naïve", "straße"])
      expect(await matchingIds(there, word)).toEqual(["thai"]);
    expect(await matchingIds(there, "kitab", "naive", "nai")).toEqual([]);
    expect(await there.matching(ada, { words: ["zebra"], limit: 1 })).toEqual(["animal"]);
    expect(await there.matching(ada, { words: ["zebra"], limit: 0 })).toEqual([]);
    expect(await there.matching(ada, { words: [], limit: 5 })).toEqual([]);
  }),

  betweenTwo("takes words for words, whatever stands in them", async (here, there) => {
    await here.put(engram("a", { question: "zebra", summary: "near or and not" }), engramId("a"));
    await here.put(engram("b", { ...scopeOf("local", "ben"), question: "secret" }), engramId("b"));
    const foreign = [
      ...['"', '" OR "', "zebra*", "^zebra", "NEAR(zebra)", "words:zebra", "-zebra", "zebra\0", "'|'"],
      ...["\ud800", "1§secret", "2§secret", "secret", "' | '", "zebra:*", "\\", "%", "!zebra", "()"],
    ];
    for (const words of foreign) {
      const found = await matchingIds(there, words);
      expect([words, found]).toEqual([words, /zebra|NEAR/.test(words) ? ["a"] : []]);
    }
    expect(await matchingIds(there, ...Array.from({ length: 500 }, (_, n) => `w${n}`), "zebra")).toEqual([]);
  }),

  betweenTwo("puts what is rare above what is common", async (here, there) => {
    for (const n of upTo(30)) await here.put(engram(`n${n}`, { summary: "common usual" }), engramId(`n${n}`));
    await here.put(engram("rare", { summary: "unusual" }), engramId("rare"));
    const found = await there.matching(ada, { words: ["common", "unusual"], limit: 3 });
    expect(found).toEqual(["rare", "n30", "n29"]);
  }),

  betweenTwo("names the live engrams without a vector of a model, newest first", async (here, there) => {
    const unembedded = async (store: EngramStore, limit: number) =>
      (await store.unembedded(ada, { model, limit })).map(({ id }) => id);
    for (const n of upTo(6)) await here.put(engram(`n${n}`), engramId(`n${n}`));
    await here.put(engram("pin", { type: "pinned" }), engramId("pin"));
    await here.annotate({ ...ada, id: engramId("n6") }, retired("r"));
    const embed = (store: EngramStore, ...ids: string[]) =>
      store.embed(ada, { model, vectors: new Map(ids.map((id) => [engramId(id), atAngle(1)])) });
    expect(await there.unembedded(ada, { model, limit: 1 })).toEqual([engram("n5")]);
    await embed(there, "n5", "n3", "none");
    expect(await unembedded(here, 9)).toEqual(["n4", "n2", "n1"]);
    expect(await unembedded(there, 2)).toEqual(["n4", "n2"]);
    await embed(here, "n4", "n1");
    expect(await unembedded(here, 9)).toEqual(["n2"]);
    await here.put(engram("n7"), engramId("n7"));
    expect(await unembedded(there, 9)).toEqual(["n7", "n2"]);
    await embed(here, "n2", "n7");
    expect([await unembedded(here, 9), await unembedded(there, 9)]).toEqual([[], []]);
    await there.put(engram("n8"), engramId("n8"));
    expect(await unembedded(here, 9)).toEqual(["n8"]);
    const other = await here.unembedded(ada, { model: "sim/other", limit: 99 });
    expect(other.map(({ id }) => id)).toEqual([8, 7, 5, 4, 3, 2, 1].map((n) => `n${n}`));
    const [stored] = await here.get(ada, [engramId("n3")]);
    expect(stored?.embedded).toEqual([model]);
  }),
];
