import { beforeEach, describe, expect, it } from "vitest";
import { EngramId, type Embeddings } from "../kernel/index.ts";
import { memoryEngrams } from "../../test/support/memory-engrams.ts";
import { stepClock } from "../testing/step-clock.ts";
import { createMemory, type EngramMemory } from "./memory.ts";
import {
  directed,
  engram,
  grade,
  remembered,
  rules,
  said,
  scopeOf,
  thumb,
  timeOf,
  watched,
} from "../../test/support/memory-samples.ts";
import type { EngramLine } from "./transfer.ts";

const never = () => new AbortController().signal;
const idOf = (id: string) => EngramId.parse(id);
const named = (id: string) => ({ ...scopeOf(), id: idOf(id) });

let store = watched(memoryEngrams());
const opened = (embeddings: Embeddings | null = null): EngramMemory =>
  createMemory({ store, embeddings, world: stepClock() });
beforeEach(() => {
  store = watched(memoryEngrams());
});

const allOf = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** Three answers about bees, oldest first: of A, of B, of A; the second retired. */
const filled = async (embeddings: Embeddings | null = null): Promise<EngramMemory> => {
  const memory = opened(embeddings);
  await memory.write(remembered("d1/a#0", "Do bees dance?", "They waggle."), never());
  const other = remembered("d1/b#0", "Do bees sing?", "They hum in tune.");
  await memory.write({ ...other, respondent: "B" }, never());
  await memory.write(remembered("d2/a#0", "Do bees sleep?", "At night, yes."), never());
  await memory.annotate(named("d1/b#0"), said(1, grade(1, "no")), { against: 1 });
  return memory;
};

describe("searching", () => {
  const search = async (memory: EngramMemory, over: object) => {
    const { engrams, how } = await memory.search(scopeOf(), { limit: 9, rules, ...over }, never());
    return { ids: engrams.map(({ engram: { id } }) => id), how };
  };
  it("lists the newest without a query", async () => {
    const memory = await filled();
    await memory.pin(scopeOf(), { fact: "Bees are insects.", at: timeOf(1), by: "ann" });
    const how = "newest first";
    expect(await search(memory, {})).toEqual({ ids: ["d2/a#0", "d1/a#0"], how });
    expect(await search(memory, { query: " ", limit: 1 })).toEqual({ ids: ["d2/a#0"], how });
    expect(await search(memory, { retired: true })).toEqual({ ids: ["d1/b#0"], how });
    expect(await search(memory, { retired: true, respondent: "A" })).toEqual({ ids: [], how });
    await memory.forget(scopeOf(), { id: idOf("d2/a#0"), by: "ann", at: timeOf(2) });
    expect(await search(memory, { limit: 1 })).toEqual({ ids: ["d1/a#0"], how });
    expect(await search(memory, { limit: 0 })).toEqual({ ids: [], how });
  });
  it("ranks what has anything in common with a query, without least and most", async () => {
    const memory = await filled();
    const how = "full text alone: no embedding model is set";
    expect(await search(memory, { query: "bees that waggle and hum" })).toEqual({
      ids: ["d1/a#0", "d2/a#0"],
      how,
    });
    expect(await search(memory, { query: "bees", limit: 1 })).toEqual({ ids: ["d1/a#0"], how });
    expect(await search(memory, { query: "bees", respondent: "B" })).toEqual({ ids: [], how });
    expect(await search(memory, { query: "whales" })).toEqual({ ids: [], how });
  });
  it("finds what is retired, when asked to, by words and by meaning", async () => {
    const memory = await filled(directed((text) => [text.includes("sing") ? 1 : 0, 0.1]));
    const how = "semantic (sim/embed) and full text";
    expect(await search(memory, { query: "who can sing?", retired: true })).toEqual({ ids: ["d1/b#0"], how });
    const { engrams } = await memory.search(
      scopeOf(),
      { query: "who can sing?", retired: true, limit: 9, rules },
      never(),
    );
    expect(engrams).toMatchObject([
      { mark: "avoid", judged: { grade: 1, feedback: "no" }, similarity: expect.closeTo(1, 6), words: 1 },
    ]);
  });
  it("finds nothing that has neither words nor meaning in common", async () => {
    const memory = await filled(directed((text) => (text.includes("whales") ? [1, 0] : [0, 1])));
    expect((await search(memory, { query: "whales" })).ids).toEqual([]);
    expect((await search(memory, { query: "whales waggle" })).ids).toEqual(["d1/a#0"]);
  });
  it("shows near-duplicates too", async () => {
    const memory = await filled();
    await memory.write(
      { ...remembered("d3/b#0", "Do bees dance?", "They waggle."), respondent: "B" },
      never(),
    );
    expect((await search(memory, { query: "waggle" })).ids).toEqual(["d1/a#0", "d3/b#0"]);
    expect((await search(memory, { query: "waggle", respondent: "B" })).ids).toEqual(["d3/b#0"]);
  });
});

describe("showing", () => {
  it("gives an engram, its judgement and the history of its cluster, oldest first", async () => {
    const memory = await filled();
    for (const id of ["d3/a#0", "d4/a#0"])
      await memory.write(remembered(id, "Do bees dance?", "They waggle."), never());
    const shown = await memory.show(scopeOf(), "d3");
    expect(shown).toMatchObject({
      ok: true,
      engram: { engram: { id: "d3/a#0" }, cluster: "d1/a#0", mark: "unjudged" },
      history: [{ engram: { id: "d1/a#0" } }, { engram: { id: "d4/a#0" } }],
    });
    expect(await memory.show(scopeOf(), "d1/b")).toMatchObject({
      ok: true,
      engram: { mark: "avoid", judged: { retired: "1 against, 0 for: graded 1" } },
      history: [],
    });
  });
  it("takes a whole id before a prefix, and says what a prefix may mean", async () => {
    const memory = await filled();
    await memory.write(remembered("d1/a#01", "Who?", "Nobody."), never());
    expect(await memory.show(scopeOf(), "d1/a#0")).toMatchObject({
      ok: true,
      engram: { engram: { id: "d1/a#0" } },
    });
    expect(await memory.show(scopeOf(), "d1/")).toEqual({
      ok: false,
      reason: "ambiguous",
      ids: ["d1/a#01", "d1/b#0", "d1/a#0"],
    });
    for (const none of ["d9", "", "x".repeat(3_000)])
      expect(await memory.show(scopeOf(), none)).toEqual({ ok: false, reason: "missing" });
    expect(await memory.show(scopeOf("bob"), "d1/a#0")).toEqual({ ok: false, reason: "missing" });
  });
});

describe("pinning", () => {
  const pin = (memory: EngramMemory, fact: string, user = "ann") =>
    memory.pin(scopeOf(user), { fact, at: timeOf(1), by: "ann" });
  it("keeps a fact once per scope, with who pinned it", async () => {
    const memory = opened();
    const first = await pin(memory, " I live\nin  Rome. ");
    expect(first).toMatchObject({
      ok: true,
      fresh: true,
      engram: { type: "pinned", summary: "I live in Rome.", entities: ["Rome"], question: "", at: timeOf(1) },
    });
    expect(await pin(memory, "I live in Rome.")).toEqual({ ...first, fresh: false });
    const bobs = await pin(memory, "I live in Rome.", "bob");
    const ids = [first, bobs].map((pinned) => (pinned.ok ? pinned.engram.id : ""));
    expect(ids.every((id) => /^pinned:[0-9a-f]{16}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(2);
    expect(await memory.facts(scopeOf())).toEqual([
      { id: ids[0], fact: "I live in Rome.", at: timeOf(1), by: null },
    ]);
    const [stored] = await store.get(scopeOf(), [idOf(ids[0] ?? "")]);
    expect(stored?.annotations).toEqual([
      { event: `${ids[0]}/pinned`, by: "ann", at: timeOf(1), what: { kind: "comment", text: "pinned" } },
    ]);
  });
  it.each([
    ["", "the fact is empty"],
    [" \n ", "the fact is empty"],
    ["x".repeat(2_001), "the fact has more than 2,000 characters"],
    ["one\n\ntwo", "the fact has more than one paragraph; pin each by itself"],
    ["one\r\n \r\ntwo", "the fact has more than one paragraph; pin each by itself"],
    ["one\u001b[31m", "the fact has control characters"],
  ])("refuses %j", async (fact, reason) => {
    expect(await pin(opened(), fact)).toEqual({ ok: false, reason });
    expect(store.calls).toEqual([]);
  });
  it("takes 2,000 characters", async () => {
    expect(await pin(opened(), "x".repeat(2_000))).toMatchObject({ ok: true });
  });
  it("pins what was forgotten anew, and keeps the order", async () => {
    const memory = opened();
    const first = await pin(memory, "one");
    await pin(memory, "two");
    if (!first.ok) throw new Error(first.reason);
    await memory.forget(scopeOf(), { id: first.engram.id, by: "ann", at: timeOf(2) });
    expect((await memory.facts(scopeOf())).map(({ fact }) => fact)).toEqual(["two"]);
    const again = await pin(memory, "one");
    expect(again).toMatchObject({ ok: true, fresh: true });
    expect(await pin(memory, "one")).toEqual({ ...again, fresh: false });
    expect((await memory.facts(scopeOf())).map(({ fact }) => fact)).toEqual(["two", "one"]);
  });
});

describe("exporting and importing", () => {
  const text = (lines: readonly EngramLine[]) => lines.map((line) => JSON.stringify(line));
  it("carries everything but vectors and what is forgotten into another scope, in order and once", async () => {
    const memory = await filled(directed(() => [1]));
    await memory.pin(scopeOf(), { fact: "Bees are insects.", at: timeOf(1), by: "ann" });
    await memory.forget(scopeOf(), { id: idOf("d2/a#0"), by: "ann", at: timeOf(2) });
    const lines = await allOf(memory.exported(scopeOf()));
    expect(lines.map(({ engram: { id }, annotations }) => [id, annotations.length])).toEqual([
      ["d1/a#0", 0],
      ["d1/b#0", 2],
      [expect.stringMatching(/^pinned:/), 1],
    ]);
    const counts = { known: 0, forgotten: 0, refused: 0, refusals: [] };
    expect(await memory.imported(scopeOf("bob"), text(lines))).toEqual({
      ...counts,
      written: 3,
      annotations: 3,
    });
    expect(await memory.imported(scopeOf("bob"), text(lines))).toEqual({
      ...counts,
      written: 0,
      known: 3,
      annotations: 0,
    });
    const theirs = await allOf(memory.exported(scopeOf("bob")));
    const bob = { ...scopeOf("bob"), deliberation: null, conversation: null };
    const pinned = theirs[2]?.engram.id ?? idOf("none");
    expect(theirs).toEqual(
      lines.map((line, index) =>
        index < 2
          ? { ...line, engram: { ...line.engram, ...bob } }
          : { ...line, engram: { ...line.engram, ...bob, id: pinned }, cluster: pinned },
      ),
    );
    expect(pinned).not.toBe(lines[2]?.engram.id);
    const same = await memory.pin(scopeOf("bob"), { fact: "Bees are insects.", at: timeOf(3), by: "bob" });
    expect(same).toMatchObject({ fresh: false, engram: { id: pinned } });
  });
  it("never changes what is there, but adds what was said since", async () => {
    const memory = await filled();
    const [line] = await allOf(memory.exported(scopeOf()));
    if (!line) throw new Error("no line");
    const changed = {
      ...line,
      engram: { ...line.engram, summary: "Lies." },
      annotations: [said(5, thumb("up"))],
    };
    expect(await memory.imported(scopeOf(), text([changed]))).toMatchObject({
      written: 0,
      known: 1,
      annotations: 1,
    });
    expect(await allOf(memory.exported(scopeOf()))).toContainEqual({
      ...line,
      annotations: [said(5, thumb("up"))],
    });
    await memory.forget(scopeOf(), { id: line.engram.id, by: "ann", at: timeOf(2) });
    expect(await memory.imported(scopeOf(), text([line]))).toMatchObject({
      written: 0,
      known: 0,
      forgotten: 1,
    });
  });
  it("names the lines that are none, by number, and goes on", async () => {
    const good: EngramLine = { engram: engram("a"), cluster: idOf("a"), annotations: [] };
    const pinned = { ...good, engram: engram("b", { type: "pinned", summary: " " }) };
    async function* lines() {
      yield "{";
      yield "";
      yield JSON.stringify(good);
      yield JSON.stringify({ ...good, vectors: [] });
      yield JSON.stringify({ ...good, engram: { ...good.engram, intent: "rule" } });
      yield JSON.stringify(pinned);
      yield "null";
      yield `"${"x".repeat(5_000_000)}"`;
    }
    const { refusals, ...counts } = await opened().imported(scopeOf(), lines());
    expect(counts).toEqual({ written: 1, known: 0, forgotten: 0, annotations: 0, refused: 6 });
    expect(refusals).toEqual([
      { line: 1, why: "this is not JSON" },
      { line: 4, why: expect.stringContaining("vectors") },
      { line: 5, why: expect.stringMatching(/^engram\.intent: /) },
      { line: 6, why: "engram.summary: the fact is empty" },
      { line: 7, why: expect.stringContaining("expected object") },
      { line: 8, why: "longer than 4 MB" },
    ]);
    const many = await opened().imported(scopeOf(), Array(300).fill("{"));
    expect([many.refused, many.refusals.length]).toEqual([300, 100]);
  });
  it("reads more engrams than a page has", async () => {
    const memory = opened();
    const ids = Array.from({ length: 450 }, (_, index) => `e${index}`);
    for (const id of ids) await store.put(engram(id), idOf(id));
    expect((await allOf(memory.exported(scopeOf()))).map((line) => line.engram.id)).toEqual(ids);
  });
});

describe("re-embedding", () => {
  it("gives all a vector, and tells how far it is", async () => {
    await filled();
    const progress: number[] = [];
    const done = await opened(directed(() => [1])).reembed(scopeOf(), never(), ({ embedded }) =>
      progress.push(embedded),
    );
    expect([done, progress]).toEqual([{ embedded: 2, passed: 0, why: null }, [2]]);
  });
  it("passes over a text that the model refuses", async () => {
    for (let nth = 0; nth < 150; nth += 1) {
      const question = nth % 50 === 0 ? "poison" : "food";
      await store.put(engram(`e${nth}`, { question }), idOf(`e${nth}`));
    }
    const embeddings = directed((text) => {
      if (text.includes("poison")) throw new Error("refused");
      return [1];
    });
    const done = await opened(embeddings).reembed(scopeOf(), never(), () => undefined);
    expect(done).toEqual({ embedded: 147, passed: 3, why: null });
  });
  it("passes over a text whose vector has no direction", async () => {
    await filled();
    const embeddings = directed((text) => [text.includes("dance") ? 0 : 1]);
    const done = await opened(embeddings).reembed(scopeOf(), never(), () => undefined);
    expect(done).toEqual({ embedded: 1, passed: 1, why: null });
  });
  it("ends where the model does not work, is not set, or nobody waits", async () => {
    await filled();
    const broken = directed(() => {
      throw new Error("no such model");
    });
    const none = { embedded: 0, passed: 0 };
    const reembed = (embeddings: Embeddings | null, signal = never()) =>
      opened(embeddings).reembed(scopeOf(), signal, () => undefined);
    expect(await reembed(broken)).toEqual({ ...none, why: "sim/embed failed: no such model" });
    expect(await reembed(null)).toEqual({ ...none, why: "no embedding model is set" });
    expect(await reembed(broken, AbortSignal.abort())).toEqual({ ...none, why: "it was given up" });
  });
});
