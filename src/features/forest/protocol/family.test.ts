import { expect, it } from "vitest";
import { familyOf, type Families } from "../../../kernel/index.ts";
import { familyProblem } from "./validation.ts";

/** Why the second may not criticize the first. */
function whyNot(gardener: string, skeptic: string, declared: Families = {}): string | undefined {
  const seated = (model: string) => ({ model, family: familyOf(model, declared) });
  return familyProblem(seated(gardener), seated(skeptic))?.why;
}

it.each([
  ["kimi", "openrouter/moonshotai/kimi-k2", true],
  ["kimi", "deepseek", false],
  ["openai", "openai/gpt-4o", true],
  ["gpt-4o", "azure/gpt-5", true],
  ["glm", "openrouter/z-ai/glm-4.6", true],
  ["minimax", "minimax/minimax-m2", true],
  ["deepseek", "groq/deepseek-r1-distill-llama-70b", true],
  ["sim/a?family=x", "sim/b?family=x", true],
  ["sim/a?family=x", "sim/a?family=y", false],
])("takes %s and %s for one family: %s", (one, other, same) => {
  const expected = same ? expect.stringContaining("is of the gardener's family") : undefined;
  expect([whyNot(one, other), whyNot(other, one)]).toEqual([expected, expected]);
});

it.each([
  ["mine", "mine-2"],
  ["compatible/lab/mine-1", "other"],
])("takes %s and %s for no adversaries: nobody knows of which families they are", (one, other) => {
  const expected = expect.stringContaining("nobody knows of which family");
  expect([whyNot(one, other), whyNot(other, one)]).toEqual([expected, expected]);
});

it("goes by what is declared first", () => {
  expect(whyNot("mine", "theirs", { mine: "meta", theirs: "meta" })).toContain(
    "the gardener's family (meta)",
  );
  expect(whyNot("mine", "theirs", { mine: "meta", theirs: "google" })).toBeUndefined();
});

it("takes any two models for adversaries in both orders or in neither, and none for its own", () => {
  const models = [
    ...["kimi", "openrouter/moonshotai/kimi-k2", "openai", "azure/gpt-5", "deepseek"],
    ...["sim/a?family=x", "compatible/lab/mine"],
  ];
  for (const one of models) {
    expect(whyNot(one, one), one).toBeDefined();
    for (const other of models)
      expect(whyNot(one, other) === undefined, `${one} ${other}`).toBe(whyNot(other, one) === undefined);
  }
});
