import { expect, it } from "vitest";
import { widthOf } from "../../../reports/text-width.ts";
import { responseLines } from "./report.ts";

it("says who answered, what memory gave, what it took and where it is kept", () => {
  const result = {
    ...{ id: "abc", calls: 1, unknown: 0 },
    tokens: { in: 1_234, out: 5, cached: null, thinking: null },
    cost: { usd: 0, source: "free" },
    wallMs: 1_500,
    simulated: true,
  };
  expect(
    responseLines(result, { recalled: { engrams: 1, facts: 2, how: "" }, model: "sim/ada", unpriced: [] }),
  ).toEqual([
    "sim/ada (simulated) · 1 memory entry, 2 pinned facts · 1,234 input + 5 output tokens · free · 1.5 s · abc",
  ]);
  const bare = { ...result, wallMs: null, simulated: false };
  expect(responseLines(bare, { recalled: null, model: "openai/x", unpriced: [] })).toEqual([
    "openai/x · 1,234 input + 5 output tokens · free · abc",
  ]);
});

it("names the next commands behind the id, as far as there is room", () => {
  const next = ["parley show abc", "parley respond --continue abc"];
  const result = {
    ...{ id: "abc", calls: 1, unknown: 0 },
    tokens: { in: 1, out: 5, cached: null, thinking: null },
    cost: { usd: 0, source: "free" },
    wallMs: 1_500,
    simulated: false,
  };
  const given = { recalled: null, model: "sim/ada", unpriced: [], next };
  expect(responseLines(result, given)).toEqual([
    "sim/ada · 1 input + 5 output tokens · free · 1.5 s · abc · parley show abc · parley respond --continue abc",
  ]);
  expect(responseLines(result, { ...given, width: 60 })).toEqual([
    "sim/ada · 1 input + 5 output tokens · free · 1.5 s",
    "abc · parley show abc · parley respond --continue abc",
  ]);
  expect(responseLines(result, { ...given, width: 40 }).at(-1)).toBe("free · 1.5 s · abc · parley show abc");
});

it.each([20, 30, 40, 60, 80])("takes at most three lines of %i cells, and never loses the id", (width) => {
  for (const model of ["sim/ada", "openai/a-model-with-a-rather-long-name-2026-11-22"])
    for (const recalled of [null, { engrams: 12, facts: 3, how: "" }]) {
      const lines = responseLines(
        {
          ...{ id: "whx3p8yn75ty", calls: 1, unknown: 0 },
          tokens: { in: 5_960, out: 1_153, cached: 1_000, thinking: null },
          cost: { usd: 0.0079, source: "table" },
          wallMs: 6_400,
          simulated: false,
        },
        { recalled, model, unpriced: [], width },
      );
      expect(lines.length).toBeLessThanOrEqual(3);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(lines.at(-1)).toContain("whx3p8yn75ty");
      expect(lines[0]).toContain(model.slice(0, 12));
    }
});
