import { expect, it } from "vitest";
import { sameFamily } from "./validation.ts";

it.each([
  ["kimi", "openrouter/moonshotai/kimi-k2", true],
  ["kimi", "deepseek", false],
  ["openai", "openai/gpt-4o", true],
  ["gpt-4o", "azure/gpt-5", true],
  ["glm", "openrouter/z-ai/glm-4.6", true],
  ["minimax", "minimax/minimax-m2", true],
  ["deepseek", "groq/deepseek-r1-distill-llama-70b", true],
  ["mine", "mine-2", true],
  ["compatible/lab/mine-1", "other", false],
  ["sim/a?family=x", "sim/b?family=x", true],
  ["sim/a?family=x", "sim/a?family=y", false],
])("takes %s and %s for one family: %s", (one, other, same) => {
  expect(sameFamily(one, other)).toBe(same);
  expect(sameFamily(other, one)).toBe(same);
});

it("goes by what is declared first", () => {
  expect(sameFamily("mine", "theirs", { mine: "meta", theirs: "meta" })).toBe(true);
});
