import { expect, it } from "vitest";
import factors from "./index.ts";

const settings = { generate: { seed: "flow", days: 120, instruments: 20, signal: 0.2 } };

/** A candidate's way through the domain, from a fresh soil on. */
async function examine(text: string) {
  const { soil, digest } = await factors.load(settings, ".");
  const compiled = factors.compile(text, soil);
  if (!compiled.ok) throw new Error(compiled.why);
  const found: Record<string, unknown> = {};
  for (const gate of factors.gates)
    if ("check" in gate) {
      const thresholds = { ...gate.thresholds, ...(gate.name === "G3" ? { count: 99 } : {}) };
      const input = { candidate: compiled.text, soil, thresholds, accepted: ["close"], seed: "flow" };
      found[gate.name] = await gate.check(input);
    }
  return { digest, found, proposal: factors.propose(soil) };
}

it("takes a candidate from a text to what every gate gives", async () => {
  const { digest, found, proposal } = await examine("Buy the dip: `neg( ts_return(close,5) )`");
  expect(digest).toMatch(/^[\da-f]{64}$/);
  expect(proposal).toContain("fields: open, high, low, close, volume\n");
  expect(Object.keys(found)).toEqual(["G1", "G2", "G3", "G4", "G5", "G6", "G8", "G9"]);
  expect(factors.gates.map(({ name }) => name)).toEqual([..."123456789"].map((nth) => `G${nth}`));
  // Whatever a gate gives is JSON.
  expect(JSON.parse(JSON.stringify(found))).toEqual(found);
});

it("gives the same for the same candidate, soil, thresholds, fruits and seed", async () => {
  const text = "cs_rank(ts_mean(div(open, close), 5))";
  expect(await examine(text)).toEqual(await examine(text));
});
