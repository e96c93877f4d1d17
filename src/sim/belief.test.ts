import { describe, expect, it } from "vitest";
import { ModelRef, type ModelRequest } from "../kernel/index.ts";
import { createSimModel } from "./belief.ts";
import { readPrompt } from "./prompt.ts";
import { readReference } from "./reference.ts";

const QUESTIONS = Array.from({ length: 400 }, (_, index) => `Is ${1_001 + index} divisible by 7?`);

/** For every question whether the model is right, asked under this instruction. */
function rightOn(ref: string, instruction = "Answer."): boolean[] {
  const read = readReference(ref);
  if (!read.ok) throw new Error(read.reason);
  return QUESTIONS.map((question, index) => {
    const request: ModelRequest = {
      model: ModelRef.parse(ref),
      messages: [
        { role: "system", text: instruction },
        { role: "user", text: question },
      ],
      maxOutputTokens: 100,
    };
    const { belief } = createSimModel(
      { parameters: read.parameters, facts: [] },
      readPrompt(request),
      request,
    );
    return belief?.answer === ((1_001 + index) % 7 === 0 ? "yes" : "no");
  });
}

const share = (all: readonly boolean[]): number => all.filter(Boolean).length / all.length;
const agreement = (one: readonly boolean[], other: readonly boolean[]): number =>
  share(one.map((right, index) => right === other[index]));

describe("who is right together", () => {
  it("depends on nothing but names and seeds where there is no family", () => {
    const [ada, ben] = [rightOn("sim/ada?skill=0.7"), rightOn("sim/ben?skill=0.7")];
    // Independent: 0.7² + 0.3² = 0.58, and five standard deviations are 0.12.
    expect(Math.abs(agreement(ada, ben) - 0.58)).toBeLessThan(0.12);
    expect(rightOn("sim/ada?skill=0.7", "Another prompt.")).toEqual(ada);
  });

  it("is everybody of one family and seed, the better one wherever the other is", () => {
    const ada = rightOn("sim/ada?skill=0.7&family=x");
    expect(rightOn("sim/ben?skill=0.7&family=x")).toEqual(ada);
    const better = rightOn("sim/cleo?skill=0.9&family=x");
    expect(ada.every((right, index) => !right || better[index])).toBe(true);
    expect(Math.abs(agreement(ada, rightOn("sim/ben?skill=0.7&family=x&seed=1")) - 0.58)).toBeLessThan(0.12);
  });
});

describe("vary", () => {
  it("makes every other prompt another sample of the same skill", () => {
    const samples = ["one", "two"].map((prompt) => rightOn("sim/ada?skill=0.7&vary=1", prompt));
    const [one = [], two = []] = samples;
    expect(Math.abs(agreement(one, two) - 0.58)).toBeLessThan(0.12);
    for (const sample of samples) expect(Math.abs(share(sample) - 0.7)).toBeLessThan(0.12);
    expect(rightOn("sim/ada?skill=0.7&vary=1", "one")).toEqual(one);
  });

  it("leaves the rest of the beliefs as they are", () => {
    const [one, two] = ["one", "two"].map((prompt) => rightOn("sim/ada?skill=0.7&vary=0.5", prompt));
    // Both keep a belief a quarter of the time; else they agree by chance: 0.25 + 0.75 × 0.58 = 0.685.
    expect(Math.abs(agreement(one ?? [], two ?? []) - 0.685)).toBeLessThan(0.12);
  });
});
