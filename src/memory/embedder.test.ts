import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Embeddings } from "../kernel/index.ts";
import { stepClock } from "../testing/step-clock.ts";
import { createEmbedder, withTimeout } from "./embedder.ts";
import { directed } from "../../test/support/memory-samples.ts";
import { cosineOf, unitVector } from "./engram-store.ts";

const never = () => new AbortController().signal;
const bounded = () => ({ timeoutMs: 2_000, signal: never() });

describe("an embedder", () => {
  it("asks in the words that the model wants", async () => {
    const nomic = directed(() => [1, 0], "ollama/nomic-embed-text");
    const plain = directed(() => [1, 0], "openai/text-embedding-3-small");
    for (const embeddings of [nomic, plain]) {
      const embedder = createEmbedder(embeddings, stepClock());
      await embedder.query("why?", bounded());
      await embedder.documents(["one", "two\ud800"], bounded());
    }
    expect(nomic.asked).toEqual([
      ["search_query: why?"],
      ["search_document: one", "search_document: two\ufffd"],
    ]);
    expect(plain.asked).toEqual([["why?"], ["one", "two\ufffd"]]);
  });
  it("keeps the vectors of the last questions, and a failure for half a minute", async () => {
    let broken = true;
    const embeddings = directed(() => {
      if (broken) throw new Error("out\nof  order");
      return [3, 4];
    });
    const clock = stepClock();
    const embedder = createEmbedder(embeddings, clock);
    const failed = { ok: false, why: "sim/embed failed: out of order" };
    expect(await embedder.query("q0", bounded())).toEqual(failed);
    broken = false;
    await clock.advance(29_000);
    expect(await embedder.query("q0", bounded())).toEqual(failed); // no answer waits for it again so soon
    expect(embeddings.asked).toHaveLength(1);
    await clock.advance(1_000);
    for (let nth = 0; nth < 33; nth += 1) await embedder.query(`q${nth}`, bounded());
    expect(await embedder.query("q1", bounded())).toEqual({ ok: true, value: Float32Array.of(0.6, 0.8) });
    expect(embeddings.asked).toHaveLength(34);
    await embedder.query("q33", bounded());
    await embedder.query("q1", bounded());
    expect(embeddings.asked).toHaveLength(35);
    await embedder.query("q0", bounded());
    expect(embeddings.asked).toHaveLength(36);
  });
  it("does not wait longer than it may, for a model that heeds no signal", async () => {
    const clock = stepClock();
    const signals: AbortSignal[] = [];
    const embeddings: Embeddings = {
      model: "sim/embed",
      embed: (_, signal) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    };
    const asked = createEmbedder(embeddings, clock).query("q", bounded());
    await clock.advance(1_999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await clock.advance(1);
    expect(await asked).toEqual({ ok: false, why: "sim/embed did not answer within 2 s" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(clock.asleep).toBe(0);
  });
  it("is given up with its caller", async () => {
    const caller = new AbortController();
    const embeddings: Embeddings = { model: "sim/embed", embed: () => new Promise(() => undefined) };
    const embedder = createEmbedder(embeddings, stepClock());
    const asked = embedder.query("q", { timeoutMs: 2_000, signal: caller.signal });
    caller.abort();
    const given = { ok: false, why: "sim/embed was not waited for" };
    expect(await asked).toEqual(given);
    expect(await embedder.query("q", { timeoutMs: 2_000, signal: caller.signal })).toEqual(given);
  });
  it("takes no vector that it cannot compare", async () => {
    const of = (vectors: readonly (readonly number[])[]) =>
      createEmbedder({ model: "sim/embed", embed: () => Promise.resolve(vectors) }, stepClock());
    expect(await of([[0, 0]]).query("q", bounded())).toMatchObject({ ok: false });
    expect(await of([]).query("q", bounded())).toEqual({ ok: false, why: "sim/embed gave 0 vectors for 1" });
    expect(await of([[1], [Number.NaN]]).documents(["a", "b"], bounded())).toEqual({
      ok: true,
      value: [Float32Array.of(1), null],
    });
  });
  it("bounds what a model says of its failure", async () => {
    const embeddings = directed(() => {
      throw new Error("x".repeat(10_000));
    });
    const came = await createEmbedder(embeddings, stepClock()).query("q", bounded());
    expect(came.ok ? "" : came.why).toHaveLength("sim/embed failed: ".length + 300);
  });
});

describe("withTimeout", () => {
  it("tells what was thrown at once, and leaves no sleeper", async () => {
    const world = stepClock();
    const thrown = withTimeout(
      () => {
        throw new RangeError("at once");
      },
      { ms: 5, world, signal: never() },
    );
    expect(await thrown).toMatchObject({ ok: false, why: "failed", error: { message: "at once" } });
    const signal = never();
    expect(await withTimeout(async () => 7, { ms: 5, world, signal })).toEqual({ ok: true, value: 7 });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(world.asleep).toBe(0);
  });
});

describe("vectors", () => {
  it("have length 1, and a cosine where they are of one length", () => {
    expect(unitVector([1e200, 0, -1e200])).toEqual(Float32Array.of(Math.SQRT1_2, 0, -Math.SQRT1_2));
    expect(unitVector([1e-300])).toEqual(Float32Array.of(1));
    for (const none of [[], [0], [Infinity], [Number.NaN, 1]]) expect(unitVector(none)).toBeNull();
    expect(cosineOf(Float32Array.of(0.6, 0.8), Float32Array.of(1, 0))).toBeCloseTo(0.6, 6);
    expect(cosineOf(Float32Array.of(1), Float32Array.of(1, 0))).toBeNull();
  });
});
