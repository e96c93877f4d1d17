import { beforeEach, describe, expect, it } from "vitest";
import { DeliberationId, EngramId, type Embeddings, type RecallQuery } from "../kernel/index.ts";
import { memoryEngrams } from "../../test/support/memory-engrams.ts";
import { stepClock } from "../testing/step-clock.ts";
import { createMemory, type EngramMemory } from "./memory.ts";
import {
  directed,
  grade,
  outcome,
  remembered,
  rules,
  said,
  scopeOf,
  thumb,
  timeOf,
  watched,
} from "../../test/support/memory-samples.ts";
import { unitVector } from "./engram-store.ts";

const never = () => new AbortController().signal;
const idOf = (id: string) => EngramId.parse(id);
const named = (id: string, user = "ann") => ({ ...scopeOf(user), id: idOf(id) });

/** Texts about water lie together, those about bees too, at right angles. */
const meaning = (text: string): number[] => [
  /water|boil/i.test(text) ? 1 : 0,
  /bee|hive/i.test(text) ? 1 : 0,
  0.01,
];

let store = watched(memoryEngrams());
const opened = (embeddings: Embeddings | null = null): EngramMemory =>
  createMemory({ store, embeddings, world: stepClock() });
beforeEach(() => {
  store = watched(memoryEngrams());
});

const water = (id = "d1/a#0") =>
  remembered(id, "At what temperature does water boil?", "Water boils at 100 °C at sea level.");
const bees = (id = "d2/a#0") =>
  remembered(id, "How do bees dance?", "In the hive, bees waggle to tell the way.");

const asked = (question: string, changes: Partial<RecallQuery> = {}): RecallQuery => ({
  ...scopeOf(),
  question,
  rules,
  conversation: DeliberationId.parse("now"),
  ...changes,
});

describe("writing", () => {
  it("says what an answer is about, once", async () => {
    const memory = opened();
    const written = await memory.write(water(), never());
    expect(written).toEqual({
      cluster: "d1/a#0",
      unembedded: null,
      engram: {
        id: "d1/a#0",
        type: "episodic",
        ...scopeOf(),
        question: "At what temperature does water boil?",
        summary: "Water boils at 100 °C at sea level.",
        intent: "fact",
        entities: ["100 °C"],
        participant: "ada",
        respondent: "A",
        models: ["sim/ada"],
        temperature: 0,
        deliberation: "d1",
        conversation: "d1",
        tools: false,
        at: timeOf(0),
      },
    });
    expect(await memory.write({ ...water(), answer: "Something else" }, never())).toEqual(written);
    expect(store.calls.filter((name) => name === "put")).toHaveLength(1);
  });
  it("bounds question, summary and entities, and cuts no code point", async () => {
    const long = remembered("d1/a#0", "😀".repeat(5_000), `Ice ${"Name of Something. ".repeat(5_000)}`);
    const { engram } = await opened().write(long, never());
    expect([engram.question.length <= 4_000, engram.question.isWellFormed()]).toEqual([true, true]);
    expect(engram.summary.length).toBeLessThanOrEqual(1_000);
    expect(engram.entities.length).toBeLessThanOrEqual(40);
  });
  it("embeds question and summary, and joins the cluster of what it nearly repeats", async () => {
    const embeddings = directed(meaning);
    const memory = opened(embeddings);
    const [first, other, second, third] = [
      await memory.write(water("a"), never()),
      await memory.write(bees("b"), never()),
      await memory.write(water("c"), never()),
      await memory.write(water("d"), never()),
    ];
    expect([first, other, second, third].map(({ cluster }) => cluster)).toEqual(["a", "b", "a", "a"]);
    expect(embeddings.asked[0]).toEqual([
      "At what temperature does water boil?\n\nWater boils at 100 °C at sea level.",
    ]);
    expect([...(await store.vectors(scopeOf(), { model: "sim/embed", ids: [idOf("b")] })).values()]).toEqual([
      unitVector([0, 1, 0.01]),
    ]);
  });
  it("joins by words where there are no vectors, and in its own scope alone", async () => {
    const memory = opened();
    await memory.write(water("a"), never());
    const near = remembered("b", water().question, "Water boils at 100 °C at sea level, yes.");
    expect((await memory.write({ ...near, mergeAt: 8 / 9 }, never())).cluster).toBe("a");
    const unlike = remembered("c", water().question, "Water boils at 100 °C at sea level, no doubt.");
    expect((await memory.write(unlike, never())).cluster).toBe("c");
    expect((await memory.write(bees("d"), never())).cluster).toBe("d");
    expect((await memory.write({ ...water("e"), ...scopeOf("bob") }, never())).cluster).toBe("e");
  });
  it("joins by words what has no vector of the model that is set now", async () => {
    await opened().write(water("a"), never());
    expect((await opened(directed(meaning)).write(water("b"), never())).cluster).toBe("a");
  });
  it("joins the cluster of the nearest, whichever of it that is, and not by words what meaning tells apart", async () => {
    const vectors = new Map([
      ["one", [1, 0]],
      ["two", [0.92, 0.39]],
      ["three", [0.8, 0.6]],
      ["four", [0, 1]],
    ]);
    const memory = opened(directed((text) => vectors.get(text.split("\n", 1)[0] ?? "") ?? [1, 1]));
    const clusters: string[] = [];
    for (const question of vectors.keys()) {
      const answer = remembered(
        question,
        question,
        "The words of all four are the same but for that one word.",
      );
      const mergeAt = question === "four" ? 0.7 : 0.9;
      clusters.push((await memory.write({ ...answer, mergeAt }, never())).cluster);
    }
    expect(clusters).toEqual(["one", "one", "one", "four"]);
  });
  it("gives what a rival has written in the meantime", async () => {
    const rival = { ...(await opened().write(bees("x"), never())).engram, id: idOf("d1/a#0") };
    const raced = { ...store, put: async () => (await store.put(rival, idOf("x")), false) };
    const memory = createMemory({ store: raced, embeddings: null, world: stepClock() });
    expect(await memory.write(water(), never())).toEqual({ engram: rival, cluster: "x", unembedded: null });
  });
  it("does without a vector, says why, and adds it when it is written again", async () => {
    let broken = true;
    const embeddings = directed((text) => {
      if (broken) throw new Error("no such model");
      return meaning(text);
    });
    const memory = opened(embeddings);
    const written = await memory.write(water(), never());
    expect(written.unembedded).toBe("sim/embed failed: no such model");
    broken = false;
    expect(await memory.write(water(), never())).toEqual({ ...written, unembedded: null });
    const vectors = await store.vectors(scopeOf(), { model: "sim/embed", ids: [idOf("d1/a#0")] });
    expect(vectors.size).toBe(1);
    await memory.write(water(), never());
    expect(embeddings.asked).toHaveLength(2);
  });
  it("catches up with another model in passing, until that fails", async () => {
    await opened().write(bees("a"), never());
    await opened().write(remembered("b", "Who?", "Poison"), never());
    const embeddings = directed((text) => {
      if (text.includes("Poison")) throw new Error("refused");
      return meaning(text);
    });
    const memory = opened(embeddings);
    await memory.write(water("c"), never());
    await memory.write(water("d"), never());
    expect(embeddings.asked.map((texts) => texts.length)).toEqual([1, 2, 1]);
    expect((await store.unembedded(scopeOf(), { model: "sim/embed", limit: 9 })).map(({ id }) => id)).toEqual(
      ["b", "a"],
    );
  });
  it("gives a forgotten engram as it is left", async () => {
    const memory = opened(directed(meaning));
    await memory.write(water(), never());
    expect(await memory.forget(scopeOf(), { id: idOf("d1/a#0"), by: "ann", at: timeOf(1) })).toBe(true);
    expect(await memory.write(water(), never())).toMatchObject({
      engram: { question: "", summary: "" },
      unembedded: "it was forgotten",
    });
  });
});

describe("annotating", () => {
  it("retires once those against are enough, in the words of the reason", async () => {
    const memory = opened();
    await memory.write(water(), never());
    const annotate = (annotation: ReturnType<typeof said>) =>
      memory.annotate(named("d1/a#0"), annotation, { against: 2 });
    const reason = "2 against, 0 for: graded 1, thumb down";
    expect([
      await annotate(said(1, grade(1))),
      await annotate(said(2, thumb("down"), { by: "ann" })),
      await annotate(said(2, thumb("down"), { by: "ann" })),
      await annotate(said(3, outcome("bad"), { by: "ann" })),
      await annotate(said(4, grade(5))),
    ]).toEqual([
      { state: "annotated", lapsed: [], retires: null },
      { state: "annotated", lapsed: [], retires: reason },
      { state: "known", lapsed: [], retires: reason },
      { state: "annotated", lapsed: [], retires: null },
      { state: "annotated", lapsed: [], retires: null },
    ]);
    const [stored] = await store.get(scopeOf(), [idOf("d1/a#0")]);
    expect(stored?.annotations.filter(({ what }) => what.kind === "retired")).toEqual([
      { event: "event-2/retired", by: "memory", at: timeOf(2), what: { kind: "retired", reason } },
    ]);
    expect((await memory.recall(asked("water boil"), never())).engrams).toEqual([]);
  });
  it("changes nothing of what was there", async () => {
    const memory = opened();
    await memory.write(water(), never());
    const [before] = await store.get(scopeOf(), [idOf("d1/a#0")]);
    await memory.annotate(named("d1/a#0"), said(1, grade(5)), { against: 2 });
    await memory.annotate(named("d1/a#0"), said(2, thumb("up"), { by: "ann" }), { against: 2 });
    const [after] = await store.get(scopeOf(), [idOf("d1/a#0")]);
    expect(after?.engram).toEqual(before?.engram);
    expect(after?.annotations).toHaveLength((before?.annotations.length ?? 0) + 2);
    expect(after?.annotations.slice(0, before?.annotations.length)).toEqual(before?.annotations);
  });
  it("retires after a crash between the two writes", async () => {
    const memory = opened();
    await memory.write(water(), never());
    await store.annotate(named("d1/a#0"), said(1, grade(1)));
    const again = await memory.annotate(named("d1/a#0"), said(1, grade(1)), { against: 1 });
    expect(again).toEqual({ state: "known", lapsed: [], retires: "1 against, 0 for: graded 1" });
  });
  it("tells what a person retires by hand", async () => {
    const memory = opened();
    await memory.write(water(), never());
    const byHand = said(1, { kind: "retired", reason: "outdated" });
    expect((await memory.annotate(named("d1/a#0"), byHand, { against: 1 })).retires).toBe("outdated");
  });
  it("keeps what comes too early, and tells what is gone", async () => {
    const memory = opened();
    const annotate = () => memory.annotate(named("d1/a#0"), said(1, grade(1)), { against: 1 });
    expect(await annotate()).toEqual({ state: "kept", lapsed: [], retires: null });
    await memory.write(water(), never());
    expect(await annotate()).toMatchObject({ state: "known", retires: "1 against, 0 for: graded 1" });
    await memory.forget(scopeOf(), { id: idOf("d1/a#0"), by: "ann", at: timeOf(1) });
    expect(await annotate()).toEqual({ state: "gone", lapsed: [], retires: null });
  });
});

describe("recalling", () => {
  const filled = async (embeddings: Embeddings | null = null) => {
    const memory = opened(embeddings);
    await memory.write(water("a"), never());
    await memory.write(bees("b"), never());
    return memory;
  };
  const recalled = async (memory: EngramMemory, query: RecallQuery) => {
    const { engrams, facts, how } = await memory.recall(query, never());
    return { ids: engrams.map(({ id }) => id), facts, how };
  };

  it("finds by meaning and by words", async () => {
    const memory = await filled(directed(meaning));
    const { engrams, how } = await memory.recall(asked("Does Water boil at 100 °C?"), never());
    expect(how).toBe("semantic (sim/embed) and full text");
    expect(engrams).toEqual([
      {
        id: "a",
        question: "At what temperature does water boil?",
        summary: "Water boils at 100 °C at sea level.",
        mark: "unjudged",
        grade: null,
        feedback: "",
        similarity: expect.closeTo(1, 6),
        words: 1,
        score: expect.closeTo(1 + 0.1 + 0.05, 6),
      },
    ]);
  });
  it("finds what only words tell, and compares it by meaning where it can", async () => {
    const memory = await filled(directed((text) => (text.includes("dance") ? [1, 0] : [0, 1])));
    const { engrams } = await memory.recall(asked("dance"), never());
    expect(engrams.map(({ id, similarity }) => [id, similarity])).toEqual([["b", 1]]);
    const unlike = await recalled(memory, asked("bees"));
    expect(unlike.ids).toEqual(["a"]);
  });
  it("finds by words alone without a model", async () => {
    expect(await recalled(await filled(), asked("Do bees dance?"))).toEqual({
      ids: ["b"],
      facts: [],
      how: "full text alone: no embedding model is set",
    });
  });
  it("finds by words alone where the model fails, or is too slow", async () => {
    await filled();
    const failing = directed(() => {
      throw new Error("connection refused");
    });
    const query = asked("Do bees dance?");
    expect(await recalled(opened(failing), query)).toEqual({
      ids: ["b"],
      facts: [],
      how: "full text alone: sim/embed failed: connection refused",
    });
    const clock = stepClock();
    const hanging: Embeddings = {
      model: "ollama/nomic-embed-text",
      embed: () => new Promise(() => undefined),
    };
    const slow = createMemory({ store, embeddings: hanging, world: clock });
    const late = await clock.settle(slow.recall(query, never()), 2_000);
    expect(late.how).toBe("full text alone: ollama/nomic-embed-text did not answer within 2 s");
    expect(late.engrams.map(({ id }) => id)).toEqual(["b"]);
  });
  it("searches by words while the question is being embedded", async () => {
    await filled(directed(meaning));
    store.calls.length = 0;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const embeddings: Embeddings = {
      model: "sim/embed",
      embed: async (texts) => {
        await gate;
        return texts.map(meaning);
      },
    };
    const waiting = opened(embeddings).recall(asked("water"), never());
    await new Promise((resolve) => setImmediate(resolve));
    expect(store.calls).toContain("matching");
    expect(store.calls).not.toContain("nearest");
    open();
    expect((await waiting).engrams.map(({ id }) => id)).toEqual(["a"]);
  });
  it("says how many have no vector of the model yet", async () => {
    await filled(directed(meaning, "sim/old"));
    expect(await recalled(opened(directed(meaning)), asked("Do bees dance?"))).toMatchObject({
      ids: ["b"],
      how: "semantic (sim/embed) and full text; 2 engrams have no vector of it yet",
    });
  });
  it("leaves out other scopes, its own conversation, pinned facts and what is forgotten", async () => {
    const memory = await filled();
    await memory.pin(scopeOf(), { fact: "Bees dance.", at: timeOf(1), by: "ann" });
    const query = asked("Do bees dance?");
    expect((await recalled(memory, { ...query, ...scopeOf("bob") })).ids).toEqual([]);
    expect((await recalled(memory, { ...query, conversation: DeliberationId.parse("d1") })).ids).toEqual([]);
    expect((await recalled(memory, query)).ids).toEqual(["b"]);
    await memory.forget(scopeOf(), { id: idOf("b"), by: "ann", at: timeOf(1) });
    expect((await recalled(memory, query)).ids).toEqual([]);
  });
  it("is not crowded out by its own conversation, and looks twice at what a store gives", async () => {
    await filled();
    for (let nth = 0; nth < 60; nth += 1) {
      const own = remembered(`own${nth}`, "Do bees dance?", "They dance, and how the bees dance.");
      await opened().write({ ...own, conversation: DeliberationId.parse("now"), mergeAt: 2 }, never());
    }
    expect((await recalled(opened(), asked("Do bees dance?"))).ids).toEqual(["b"]);
    const careless: typeof store = {
      ...store,
      matching: (scope, match) => store.matching(scope, { ...match, limit: 99, without: undefined }),
    };
    const memory = createMemory({ store: careless, embeddings: null, world: stepClock() });
    expect((await recalled(memory, asked("Do bees dance?"))).ids).toEqual(["b"]);
  });
  it("asks no model where there is nothing to find", async () => {
    const embeddings = directed(meaning);
    const memory = opened(embeddings);
    expect(await recalled(memory, asked("water"))).toEqual({
      ids: [],
      facts: [],
      how: "nothing is remembered yet",
    });
    await memory.write(water(), never());
    const none = await recalled(memory, asked("water", { rules: { ...rules, most: 0 } }));
    expect(none).toEqual({ ids: [], facts: [], how: "no engrams are asked for" });
    expect(embeddings.asked).toHaveLength(1);
  });
  it("says what a question without words is searched by", async () => {
    const memory = await filled(directed(meaning));
    expect((await recalled(memory, asked("???"))).how).toBe(
      "semantic (sim/embed) alone: the question has no words to search by",
    );
    expect((await recalled(opened(), asked("???"))).how).toBe(
      "nothing to search by: no embedding model is set, and it has no words",
    );
  });
  it("brings the pinned facts, the newest 50", async () => {
    const memory = opened();
    for (let nth = 0; nth < 51; nth += 1)
      await memory.pin(scopeOf(), { fact: `fact ${nth}`, at: timeOf(nth), by: "ann" });
    const { facts, how } = await memory.recall(asked("water"), never());
    expect([facts.length, facts[0], facts.at(-1)]).toEqual([50, "fact 1", "fact 50"]);
    expect(how).toBe("nothing is remembered yet; of the pinned facts the newest 50");
  });
});
