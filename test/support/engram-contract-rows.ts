import { expect } from "vitest";
import type { EngramId, MemoryScope } from "../../src/kernel/index.ts";
import { KEPT_ANNOTATIONS, type EngramQuery, type EngramStore } from "../../src/memory/engram-store.ts";
import { betweenTwo, type EngramCase } from "./engram-place.ts";
import {
  ada,
  atAngle,
  engram,
  engramId,
  grade,
  retired,
  said,
  scopeOf,
} from "../../src/testing/engram-samples.ts";
import { upTo } from "../../src/testing/store-samples.ts";

const a = engramId("a");
const b = engramId("b");
const by = { by: "ada", at: "2026-02-01T00:00:00.000Z" };

const idsOf = async (store: EngramStore, query: Partial<EngramQuery> = {}): Promise<EngramId[]> =>
  (await store.list(ada, { limit: 100, ...query })).map((stored) => stored.engram.id);

const eventsOf = async (store: EngramStore, scope: MemoryScope, id: EngramId): Promise<string[]> =>
  (await store.get(scope, [id])).flatMap((stored) => stored.annotations.map(({ event }) => event));

/** Whatever a model, a file or a person may have written. */
const FOREIGN = `nul \0, lone \ud800 and \udc00, quotes "'\\, \u2028, \u{1f600}, 斑马, §1, a%b_c`;

/** Engrams, what is said of them, and how they are forgotten. */
export const engramRowCases: readonly EngramCase[] = [
  betweenTwo("ENGRAM-1: puts an engram once, whoever else does", async (here, there) => {
    const puts = await Promise.all(
      upTo(20).map((n) => (n % 2 ? here : there).put(engram("a", { summary: `of ${n}` }), a)),
    );
    expect(puts.filter(Boolean)).toHaveLength(1);
    const [stored] = await there.get(ada, [a]);
    expect(stored).toEqual({
      engram: engram("a", { summary: `of ${puts.indexOf(true) + 1}` }),
      cluster: a,
      annotations: [],
      embedded: [],
      forgotten: null,
    });
    expect(await here.put(engram("a", { summary: "late" }), b)).toBe(false);
    expect(await here.get(ada, [a])).toEqual([stored]);
  }),

  betweenTwo("keeps every field and any text as it was", async (here, there) => {
    const full = engram("d1/client/\0é#0", {
      question: FOREIGN,
      summary: FOREIGN.repeat(30),
      entities: [FOREIGN, ""],
      respondent: "B",
      temperature: null,
      deliberation: null,
      conversation: null,
      participant: null,
      models: [],
      tools: true,
    });
    const cluster = engramId(`first \ud800 ${FOREIGN}`);
    expect(await here.put(full, cluster)).toBe(true);
    const note = said(`e \0 ${FOREIGN}`, { kind: "comment", text: FOREIGN });
    await here.annotate(full, note);
    expect(await there.get(ada, [full.id])).toEqual([
      { engram: full, cluster, annotations: [note], embedded: [], forgotten: null },
    ]);
    expect(await idsOf(there, { cluster })).toEqual([full.id]);
    await there.embed(ada, { model: FOREIGN, vectors: new Map([[full.id, atAngle(1)]]) });
    expect((await here.get(ada, [full.id]))[0]?.embedded).toEqual([FOREIGN]);
  }),

  betweenTwo("tells long ids apart by their ends", async (here, there) => {
    const long = ["x", "y"].map((end) => engramId(`${"長".repeat(1_999)}${end}`));
    for (const id of long) expect(await here.put(engram(id), id)).toBe(true);
    const [first = a, second = a] = long;
    expect((await here.annotate({ ...ada, id: first }, grade(`${first.slice(0, 1_999)}g`))).state).toBe(
      "annotated",
    );
    expect(await eventsOf(there, ada, second)).toEqual([]);
    expect((await there.annotate({ ...ada, id: engramId("z".repeat(2_000)) }, grade(first))).state).toBe(
      "kept",
    );
    expect((await there.get(ada, [second, first])).map((stored) => stored.engram.id)).toEqual([
      second,
      first,
    ]);
  }),

  betweenTwo("gives what was asked for in that order, without what is not there", async (here, there) => {
    for (const id of ["a", "b", "c"]) await here.put(engram(id), a);
    const got = await there.get(ada, ["c", "none", "a", "c"].map(engramId));
    expect(got.map((stored) => [stored.engram.id, stored.cluster])).toEqual([
      ["c", "a"],
      ["a", "a"],
      ["c", "a"],
    ]);
    expect(await there.get(ada, [])).toEqual([]);
  }),

  betweenTwo(
    "ENGRAM-1: annotates once per event, and no annotation takes another's place",
    async (here, there) => {
      await here.put(engram("a"), a);
      await here.put(engram("b"), b);
      const target = { ...ada, id: a };
      const sayings = [
        grade("g1", 5),
        said("p1", { kind: "preference", result: "tied", against: b, orderSensitive: true, reason: "same" }),
        said("t1", { kind: "thumb", thumb: "up" }),
        said("o1", { kind: "outcome", outcome: "bad", text: "wrong" }),
        grade("g2", 1),
      ];
      for (const [index, saying] of sayings.entries()) {
        const annotated = await (index % 2 ? here : there).annotate(target, saying);
        expect(annotated).toEqual({ state: "annotated", lapsed: [] });
      }
      expect(await there.annotate(target, grade("g1", 2))).toEqual({ state: "known", lapsed: [] });
      expect(await here.annotate({ ...ada, id: b }, grade("g1", 2))).toEqual({
        state: "annotated",
        lapsed: [],
      });
      expect((await here.get(ada, [a]))[0]?.annotations).toEqual(sayings);
      const rivals = await Promise.all(
        upTo(20).map((n) =>
          (n % 2 ? here : there).annotate(target, said("t2", { kind: "thumb", thumb: "up" })),
        ),
      );
      expect(rivals.filter(({ state }) => state === "annotated")).toHaveLength(1);
      expect(await eventsOf(there, ada, a)).toEqual(["g1", "p1", "t1", "o1", "g2", "t2"]);
    },
  ),

  betweenTwo("keeps annotations for an engram that is yet to come", async (here, there) => {
    const target = { ...ada, id: a };
    for (const event of ["g2", "g1", "g2"]) {
      expect(await here.annotate(target, grade(event))).toEqual({ state: "kept", lapsed: [] });
    }
    expect(await here.get(ada, [a])).toEqual([]);
    expect(await there.put(engram("a"), a)).toBe(true);
    expect(await eventsOf(here, ada, a)).toEqual(["g2", "g1"]);
    expect((await there.annotate(target, grade("g1"))).state).toBe("known");
    expect((await here.annotate(target, grade("g3"))).state).toBe("annotated");
  }),

  {
    title: "keeps so many annotations of a scope, lets its oldest go and names their engrams",
    timeoutMs: 60_000,
    run: async (place) => {
      await using here = await place.open();
      await using there = await place.open();
      const others = [scopeOf("local", "ben"), scopeOf("other", "ada")];
      for (const scope of others) await there.engrams.annotate({ ...scope, id: engramId("n1") }, grade("g"));
      for (const n of upTo(KEPT_ANNOTATIONS)) {
        const kept = await here.engrams.annotate({ ...ada, id: engramId(`n${n}`) }, grade("g"));
        if (kept.state !== "kept" || kept.lapsed.length > 0) throw new Error(`${n}: ${JSON.stringify(kept)}`);
      }
      const known = await there.engrams.annotate({ ...ada, id: engramId("n1") }, grade("g"));
      expect(known).toEqual({ state: "kept", lapsed: [] });
      const lapsed = [];
      for (const id of ["m1", "m2"])
        lapsed.push(await there.engrams.annotate({ ...ada, id: engramId(id) }, grade("g")));
      expect(lapsed).toEqual([
        { state: "kept", lapsed: ["n1"] },
        { state: "kept", lapsed: ["n2"] },
      ]);
      for (const id of ["n1", "n2", "n3"]) await here.engrams.put(engram(id, ada), engramId(id));
      for (const scope of others) await here.engrams.put(engram("n1", scope), engramId("n1"));
      expect(await eventsOf(there.engrams, ada, engramId("n1"))).toEqual([]);
      expect(await eventsOf(there.engrams, ada, engramId("n2"))).toEqual([]);
      expect(await eventsOf(there.engrams, ada, engramId("n3"))).toEqual(["g"]);
      for (const scope of others) expect(await eventsOf(there.engrams, scope, engramId("n1"))).toEqual(["g"]);
      // n3 has taken its own, so there is room for one.
      const again = [];
      for (const id of ["m3", "m4"])
        again.push((await here.engrams.annotate({ ...ada, id: engramId(id) }, grade("g"))).lapsed);
      expect(again).toEqual([[], ["n4"]]);
    },
  },

  betweenTwo("ENGRAM-3: sees and changes nothing outside of its scope", async (here, there) => {
    const others = [scopeOf("local", "ben"), scopeOf("other", "ada")];
    const model = "sim/vectors";
    for (const [index, scope] of [ada, ...others].entries()) {
      expect(await here.put(engram("a", { ...scope, summary: `zebra of ${index}` }), a)).toBe(true);
      await here.embed(scope, { model, vectors: new Map([[a, atAngle(index / 10)]]) });
    }
    await here.put(engram("own", { ...ada, summary: "zebra" }), a);
    await here.annotate({ ...ada, id: a }, grade("g1"));
    for (const [index, scope] of others.entries()) {
      expect(await there.get(scope, [a, engramId("own")])).toMatchObject([
        { engram: { ...scope, summary: `zebra of ${index + 1}` }, annotations: [] },
      ]);
      expect(await there.list(scope, { limit: 9 })).toHaveLength(1);
      expect(await there.list(scope, { limit: 9, before: engramId("own") })).toEqual([]);
      expect(await there.list(scope, { limit: 9, cluster: a })).toHaveLength(1);
      expect(await there.nearest(scope, { model, vector: atAngle(0), limit: 9 })).toMatchObject([
        { id: a, similarity: expect.closeTo(Math.cos((index + 1) / 10), 6) as number },
      ]);
      expect(await there.matching(scope, { words: ["zebra"], limit: 9 })).toEqual([a]);
      expect(await there.unembedded(scope, { model, limit: 9 })).toEqual([]);
      expect(await there.vectors(scope, { model, ids: [a, engramId("own")] })).toEqual(
        new Map([[a, atAngle((index + 1) / 10)]]),
      );
      await there.embed(scope, { model, vectors: new Map([[engramId("own"), atAngle(1)]]) });
      expect((await there.annotate({ ...scope, id: engramId("own") }, grade("g2"))).state).toBe("kept");
      expect(await there.forget(scope, { id: engramId("own"), ...by })).toBe(false);
    }
    expect(await here.forget(others[0] ?? ada, { id: a, ...by })).toBe(true);
    expect(await here.annotate({ ...scopeOf("other", "ada"), id: a }, retired("r1"))).toMatchObject({
      state: "annotated",
    });
    expect(await idsOf(there)).toEqual(["own", "a"]);
    expect(await there.get(ada, [a])).toMatchObject([
      { engram: { summary: "zebra of 0" }, annotations: [grade("g1")], forgotten: null },
    ]);
    expect(await there.matching(ada, { words: ["zebra"], limit: 9 })).toHaveLength(2);
    expect(await there.nearest(ada, { model, vector: atAngle(0), limit: 9 })).toHaveLength(1);
    expect(await eventsOf(there, ada, engramId("own"))).toEqual([]);
    const nobody = scopeOf("nobody", "ada");
    expect(await there.list(nobody, { limit: 9 })).toEqual([]);
    expect(await there.nearest(nobody, { model, vector: atAngle(0), limit: 9 })).toEqual([]);
    expect(await there.matching(nobody, { words: ["zebra"], limit: 9 })).toEqual([]);
  }),

  betweenTwo("lists the newest first, in pages, by what is asked for", async (here, there) => {
    for (const n of upTo(9)) {
      const kind = { respondent: n % 2 ? "A" : "B", type: n % 3 ? "episodic" : "pinned" } as const;
      await (n % 2 ? here : there).put(engram(`n${n}`, kind), engramId(n > 6 ? "n7" : `n${n}`));
    }
    await here.annotate({ ...ada, id: engramId("n4") }, retired("r1"));
    expect(await idsOf(here)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `n${n}`));
    expect(await idsOf(there, { limit: 2 })).toEqual(["n9", "n8"]);
    expect(await idsOf(there, { limit: 2, before: engramId("n8") })).toEqual(["n7", "n6"]);
    expect(await idsOf(there, { before: engramId("n1") })).toEqual([]);
    expect(await idsOf(there, { before: engramId("none") })).toEqual([]);
    expect(await idsOf(there, { limit: 0 })).toEqual([]);
    expect(await idsOf(there, { type: "pinned" })).toEqual(["n9", "n6", "n3"]);
    expect(await idsOf(there, { respondent: "B" })).toEqual(["n8", "n6", "n4", "n2"]);
    expect(await idsOf(there, { retired: true })).toEqual(["n4"]);
    expect(await idsOf(there, { retired: false, limit: 3, before: engramId("n7") })).toEqual([
      "n6",
      "n5",
      "n3",
    ]);
    expect(await idsOf(there, { cluster: engramId("n7") })).toEqual(["n9", "n8", "n7"]);
    const all = {
      cluster: engramId("n7"),
      type: "episodic",
      respondent: "A",
      before: engramId("n9"),
    } as const;
    expect(await idsOf(there, all)).toEqual(["n7"]);
  }),

  betweenTwo(
    "forgets for good: what stays says that it was there, and takes up nothing",
    async (here, there) => {
      const model = "sim/vectors";
      const secret = engram("a", { question: "zebra?", summary: "a zebra", entities: ["Zebra"] });
      await here.put(secret, a);
      await here.put(engram("b", { summary: "a zebra" }), a);
      await here.embed(ada, { model, vectors: new Map([a, b].map((id) => [id, atAngle(0.1)])) });
      await here.annotate({ ...ada, id: a }, grade("g1"));
      await here.annotate({ ...ada, id: a }, retired("r1"));
      expect(await there.forget(ada, { id: engramId("none"), ...by })).toBe(false);
      expect(await there.forget(ada, { id: a, ...by })).toBe(true);
      expect(await here.forget(ada, { id: a, by: "ben", at: "later" })).toBe(false);
      expect(await here.annotate({ ...ada, id: a }, grade("g1"))).toEqual({ state: "gone", lapsed: [] });
      expect(await here.put(secret, a)).toBe(false);
      await here.embed(ada, { model, vectors: new Map([[a, atAngle(0.1)]]) });
      expect(await there.get(ada, [a])).toEqual([
        {
          engram: { ...secret, question: "", summary: "", entities: [] },
          cluster: a,
          annotations: [],
          embedded: [],
          forgotten: by,
        },
      ]);
      expect(await idsOf(here)).toEqual(["b", "a"]);
      expect(await here.matching(ada, { words: ["zebra"], limit: 9 })).toEqual([b]);
      expect(
        (await here.nearest(ada, { model, vector: atAngle(0.1), limit: 9 })).map(({ id }) => id),
      ).toEqual([b]);
      expect(await here.vectors(ada, { model, ids: [a, b] })).toEqual(new Map([[b, atAngle(0.1)]]));
      expect(await here.unembedded(ada, { model, limit: 9 })).toEqual([]);
      const rivals = await Promise.all(
        upTo(6).map((n) => (n % 2 ? here : there).forget(ada, { id: b, ...by })),
      );
      expect(rivals.filter(Boolean)).toHaveLength(1);
    },
  ),
];
