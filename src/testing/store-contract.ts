import { describe, it } from "vitest";
import { followingCases } from "./store-contract-following.ts";
import { journalCases } from "./store-contract-journal.ts";
import { processCases } from "./store-contract-processes.ts";
import { roundTripCases } from "./store-contract-round-trips.ts";
import { tableCases } from "./store-contract-tables.ts";
import type { StorePlace } from "./store-place.ts";

/** Tests that a store cannot pass, by title, and why that is no fault. */
export type StoreSkip = { readonly because: string; readonly tests: readonly string[] };

const cases = [...journalCases, ...followingCases, ...tableCases, ...roundTripCases, ...processCases];

/**
 * What every store must do; a store passes this or it is not one. Each skip is printed with its reason, and
 * one that names no test is an error.
 *
 * @param place makes an empty place for one test
 */
export function storeContract(
  name: string,
  place: () => Promise<StorePlace>,
  { skip = [] }: { readonly skip?: readonly StoreSkip[] } = {},
): void {
  const reasons = new Map(
    skip.flatMap(({ because, tests }) => tests.map((title) => [title, because] as const)),
  );
  for (const title of reasons.keys()) {
    if (!cases.some((one) => one.title === title))
      throw new Error(`the store contract has no test "${title}"`);
  }
  describe(`${name} keeps the store contract`, () => {
    for (const { title, timeoutMs, run } of cases) {
      const because = reasons.get(title);
      if (because !== undefined) {
        process.stderr.write(`skipped for ${name}: "${title}", because ${because}\n`);
        it.skip(`${title} (skipped: ${because})`);
        continue;
      }
      it(title, { timeout: timeoutMs ?? 20_000 }, async () => {
        await using here = await place();
        await run(here);
      });
    }
  });
}
