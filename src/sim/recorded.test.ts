import { describe, expect, it } from "vitest";
import { ModelRequest } from "../kernel/index.ts";
import { createRecorded, withOptions } from "./recorded.ts";

const LINES = [
  {
    question: " How much is 17 * 23? ",
    outputs: { ada: "Final answer: 391", bo: ["It is 381.", "It is 391."] },
  },
  { question: "Which?", options: ["red", "blue"], category: "x", outputs: { ada: "The answer is (B)." } },
  { question: "Who?", model: "vendor/cy@2", output: "Somebody." },
];

const recorded = (...values: readonly unknown[]) =>
  createRecorded({
    load: (file) =>
      file === "a.jsonl"
        ? { ok: true, lines: values.map((value, index) => ({ place: `a.jsonl:${index + 1}`, value })) }
        : { ok: false, reason: `${file} does not exist` },
  });

async function ask(ref: string, text: string, models = recorded(...LINES)) {
  let streamed = "";
  const request = ModelRequest.parse({
    model: ref,
    messages: [{ role: "user", text }],
    maxOutputTokens: 100,
  });
  const { signal } = new AbortController();
  const attempt = await models.send(request, { attempt: 1, signal, onText: (piece) => (streamed += piece) });
  return attempt.ok ? { text: attempt.text, streamed, tokens: attempt.usage.tokens.out } : attempt.failure;
}

const outcome = (ref: string, models = recorded(...LINES)) => {
  const prepared = models.prepare(ref);
  return prepared.ok ? prepared.sample : prepared.reason;
};

describe("a recorded model", () => {
  it.each([
    ["recorded/a.jsonl#ada", "How much is 17 * 23?", "Final answer: 391"],
    ["recorded/a.jsonl#bo", "How much is 17 * 23?", "It is 381."],
    ["recorded/a.jsonl#bo@2", "How much is 17 * 23?", "It is 391."],
    ["recorded/a.jsonl#ada", "Which?", "The answer is (B)."],
    ["recorded/a.jsonl#ada", withOptions("Which?", ["red", "blue"]), "The answer is (B)."],
    ["recorded/a.jsonl#vendor/cy@2", "Who?", "Somebody."],
  ])("%s answers %j as it did, and its usage is unknown", async (ref, question, text) => {
    expect(await ask(ref, question)).toEqual({ text, streamed: text, tokens: null });
  });

  it("answers nothing that nobody recorded, and does nothing but answer", async () => {
    const unknown = { code: "refused", message: "no answer of this model to this question is recorded" };
    expect(await ask("recorded/a.jsonl#ada", "How much is 17 * 24?")).toEqual(unknown);
    expect(await ask("recorded/a.jsonl#bo", "Who?")).toEqual(unknown);
    expect(await ask("recorded/a.jsonl#ada", withOptions("Which?", ["blue", "red"]))).toEqual(unknown);
    const review =
      "[BEGIN answer A #0123456789abcdef]\nx\n[END answer A #0123456789abcdef]\nFINAL RANKING: best first";
    expect(await ask("recorded/a.jsonl#ada", review)).toMatchObject({
      message: expect.stringMatching(/answers questions only/) as string,
    });
  });

  it.each([
    ["recorded/a.jsonl", /write recorded\/FILE\.jsonl#NAME/],
    ["recorded/#ada", /write recorded\/FILE\.jsonl#NAME/],
    ["recorded/a.jsonl#", /write recorded\/FILE\.jsonl#NAME/],
    ["recorded/b.jsonl#ada", /b\.jsonl does not exist/],
    ["recorded/a.jsonl#adda", /no answers of "adda"; the nearest is ada/],
    ["recorded/a.jsonl#bo@3", /at most 2 answers of bo to a question, so there is no @3/],
  ])("%s is refused before any call", (ref, why) => {
    expect(outcome(ref)).toMatch(why);
  });

  it.each([
    [[1], /a\.jsonl:1: a line looks like/],
    [[{ question: "", outputs: {} }], /a\.jsonl:1: a line looks like/],
    [[LINES[0], { question: "Who?" }], /a\.jsonl:2: a line looks like/],
    [[LINES[2], { question: "Who?", model: "x", output: 7 }], /a\.jsonl:2: a line looks like/],
    [[LINES[2], LINES[2]], /a\.jsonl:2: "vendor\/cy@2" has answered this question before/],
  ])("is refused with its line where the file is not of the form: %j", (lines, why) => {
    expect(outcome("recorded/a.jsonl#ada", recorded(...lines))).toMatch(why);
  });
});

describe("a question with options", () => {
  it("letters them from A, and stays as it is without any", () => {
    expect(withOptions("Which?", ["red", 2])).toBe("Which?\n\n(A) red\n(B) 2");
    for (const options of [undefined, "", [], "red", [{}], Array.from({ length: 27 }, String)])
      expect(withOptions("Which?", options)).toBe("Which?");
  });
});
