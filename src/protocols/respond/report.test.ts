import { expect, it } from "vitest";
import { responseLine } from "./report.ts";

it("says who answered, what memory gave, what it took and where it is kept", () => {
  const result = {
    id: "abc",
    tokens: { in: 1_234, out: 5, cached: null },
    cost: { usd: 0, source: "free" },
    wallMs: 1_500,
    simulated: true,
  };
  expect(
    responseLine(result, { recalled: { engrams: 1, facts: 2, how: "" }, model: "sim/ada", unpriced: [] }),
  ).toBe(
    "sim/ada (simulated) · 1 memory entry, 2 pinned facts · 1,234 input + 5 output tokens · free · 1.5 s · abc",
  );
  const bare = { ...result, wallMs: null, simulated: false };
  expect(responseLine(bare, { recalled: null, model: "openai/x", unpriced: [] })).toBe(
    "openai/x · 1,234 input + 5 output tokens · free · abc",
  );
});
