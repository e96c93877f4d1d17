import { describe, expect, it } from "vitest";
import type { Embeddings } from "../../../kernel/index.ts";
import { compareTexts, labelMethod } from "./selection.ts";

const alone = new AbortController().signal;
const texts = ["the queue is durable", "the queue is durable", "cats sleep"];

const embedding = (embed: Embeddings["embed"]): Embeddings => ({ model: "sim/e", embed });

describe("likenessOf", () => {
  it("compares by the cosine of embeddings", async () => {
    const vectors = [
      [1, 0],
      [1, 1],
      [0, 2],
    ];
    const { between, ...how } = await compareTexts(
      texts,
      embedding(() => Promise.resolve(vectors)),
      alone,
    );
    expect(how).toEqual({ by: "embeddings", model: "sim/e", why: null });
    expect([between(0, 2), between(0, 0)]).toEqual([0, 1]);
    expect(between(0, 1)).toBeCloseTo(Math.SQRT1_2, 12);
  });

  it("compares by words where no embeddings are configured", async () => {
    const { between, ...how } = await compareTexts(texts, null, alone);
    expect(how).toEqual({ by: "words", model: null, why: null });
    expect([between(0, 1), between(0, 2)]).toEqual([1, 0]);
  });

  // A provider that breaks the port's promises is what the casts and the bare reason stand for.
  it.each<[string, Embeddings["embed"], string]>([
    ["rejects", () => Promise.reject(new Error("no credit")), "no credit"],
    ["rejects with no error", () => Promise.reject("just so"), "just so"],
    ["rejects at length", () => Promise.reject(new Error("a b ".repeat(1_000))), `${"a b ".repeat(74)}a …`],
    ["gives too few", () => Promise.resolve([[1]]), "there is not one vector for each of 3 texts"],
    [
      "gives no list",
      () => Promise.resolve(null as unknown as []),
      "there is not one vector for each of 3 texts",
    ],
    [
      "gives no lists",
      () => Promise.resolve([1, 2, 3] as unknown as number[][]),
      "the vectors are not of one length",
    ],
    ["gives empty ones", () => Promise.resolve([[], [], []]), "the vectors are not of one length"],
    ["gives unlike ones", () => Promise.resolve([[1, 2], [1], [1, 2]]), "the vectors are not of one length"],
    ["gives no numbers", () => Promise.resolve([[1], [Infinity], [1]]), "a vector holds what is no number"],
  ])("compares by words where the provider %s, and says why", async (_what, embed, why) => {
    const { between, ...how } = await compareTexts(texts, embedding(embed), alone);
    expect(how).toEqual({ by: "words", model: null, why });
    expect(between(0, 1)).toBe(1);
  });

  it("compares no more of a text by words than an ordinary passage has", async () => {
    const same = "word by word ".repeat(100);
    const { between } = await compareTexts([`${same} cats sleep`, `${same} dogs bark`, "cats"], null, alone);
    expect([between(0, 1), between(0, 2)]).toEqual([1, 0]);
  });

  it("does not take an interruption for a failure", async () => {
    const interrupted = new AbortController();
    const embed = () => {
      interrupted.abort(new Error("stop"));
      return Promise.reject(new Error("aborted"));
    };
    await expect(compareTexts(texts, embedding(embed), interrupted.signal)).rejects.toThrow("stop");
  });

  it("gives the provider well-formed texts", async () => {
    const seen: string[] = [];
    const embed = (given: readonly string[]) => {
      seen.push(...given);
      return Promise.resolve([[1]]);
    };
    await compareTexts(["a \ud800 b"], embedding(embed), alone);
    expect(seen).toEqual(["a \ufffd b"]);
  });
});

describe("namedBy", () => {
  it("says what a method had to do without", () => {
    expect([labelMethod("semantic", "embeddings"), labelMethod("semantic", "words")]).toEqual([
      "semantic",
      "semantic (by words)",
    ]);
  });
});
