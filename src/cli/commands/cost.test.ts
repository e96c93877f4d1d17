import { expect, it } from "vitest";
import { costText } from "./cost.ts";

it("cuts no reference in a pipe, where two efforts of a model would look alike", () => {
  const of = (effort: string) => ({
    ...{ key: `openrouter/anthropic/claude-opus-4.8-extended-thinking-preview?effort=${effort}`, calls: 1 },
    ...{ unknown: 0, unpriced: 0, usd: 0.01, subscription: 0, tokens: { in: 1_000, out: 200, thinking: 0 } },
  });
  const [high, higher] = [of("high"), of("xhigh")];
  const total = { ...high, key: "total", calls: 2 };
  const report = { by: "model", since: null, timeZone: "UTC", rows: [high, higher], total, names: {} };
  const piped = costText(report, { terminal: false, columns: 80 });
  expect(piped).toContain(`${high.key} `);
  expect(piped).toContain(`${higher.key} `);
  const shown = costText(report, { terminal: true, columns: 80 }).split("\n");
  expect(Math.max(...shown.map((line) => line.length))).toBeLessThanOrEqual(80);
});

it("shows the tokens of thinking where anybody thought", () => {
  const row = (key: string, thinking = 0) => ({
    ...{ key, calls: 1, unknown: 0, unpriced: 0, usd: 0.01, subscription: 0 },
    tokens: { in: 1_000, out: 1_204, thinking },
  });
  const report = { by: "model", since: null, timeZone: "UTC", names: {} };
  const thought = { ...report, rows: [row("x/a", 980), row("x/b")], total: row("Total", 980) };
  const lines = costText(thought, { terminal: true, columns: 80 })
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  expect(lines.slice(0, 3)).toEqual([
    ["MODEL", "CALLS", "INPUT", "OUTPUT", "THINKING", "COST"],
    ["x/a", "1", "1,000", "1,204", "980", "$0.0100"],
    ["x/b", "1", "1,000", "1,204", "0", "$0.0100"],
  ]);
  expect(costText({ ...thought, total: row("Total") }, { terminal: true, columns: 80 })).not.toContain(
    "THINKING",
  );
});
