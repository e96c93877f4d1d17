import { expect, it } from "vitest";
import { costText } from "./cost.ts";

it("cuts no reference in a pipe, where two efforts of a model would look alike", () => {
  const of = (effort: string) => ({
    ...{ key: `openrouter/anthropic/claude-opus-4.8-extended-thinking-preview?effort=${effort}`, calls: 1 },
    ...{ unknown: 0, unpriced: 0, usd: 0.01, tokens: { in: 1_000, out: 200 } },
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
