import { expect, it } from "vitest";
import { random } from "../../stats/numbers.ts";
import { binomialAtMost } from "../../stats/proportions.ts";
import factors from "./index.ts";
import { formatFormula } from "./formula.ts";
import { generatePrices } from "./generate.ts";
import { randomFormula } from "./matched.ts";
import { createSoil } from "./soil.ts";
import { vocabularyOf } from "./evaluate.ts";
import { sized } from "../../../test/support/long.ts";

const matched = factors.gates.find(({ name }) => name === "G3");

async function passes(soil: ReturnType<typeof createSoil>, depth: number, seed: string): Promise<boolean> {
  const formula = randomFormula(vocabularyOf(soil.panel), { depth }, random(`candidate ${seed}`));
  if (!matched || !("check" in matched)) throw new Error("no gate G3");
  const { passed } = await matched.check({
    candidate: formatFormula(formula),
    soil,
    thresholds: { count: 99 },
    accepted: [],
    seed,
  });
  return passed;
}

const CYCLES = sized(100);
const CANDIDATES = 10;

it("of random candidates on pure noise, no more pass than chance allows", { timeout: 60_000 }, async () => {
  let n = 0;
  // Every candidate has a soil and a bar of its own: with one bar for all, they would pass or fail together.
  for (let cycle = 0; cycle < CYCLES; cycle += 1)
    for (let nth = 0; nth < CANDIDATES; nth += 1) {
      const seed = `${cycle} ${nth}`;
      const panel = generatePrices({ seed, days: 80, instruments: 20, signal: 0 });
      if (await passes(createSoil(panel, { digest: seed }), 1 + (nth % 3), seed)) n += 1;
    }
  const all = CYCLES * CANDIDATES;
  let [most, least] = [0, 0];
  while (binomialAtMost(most, all, 0.01) < 0.999) most += 1;
  while (binomialAtMost(least, all, 0.01) < 0.001) least += 1;
  const message = `${n} of ${all} passed; ${least} to ${most} are to be expected`;
  expect(n, message).toBeLessThanOrEqual(most);
  // Fewer would mean that the bar is not the 99th percentile.
  expect(n, message).toBeGreaterThanOrEqual(least);
});
