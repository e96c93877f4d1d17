import { describe, it } from "vitest";
import { engramProcessCases } from "./engram-contract-processes.ts";
import { engramRowCases } from "./engram-contract-rows.ts";
import { engramSearchCases } from "./engram-contract-search.ts";
import type { EngramPlace } from "./engram-place.ts";
import type { StoreSkip } from "./store-contract.ts";

const cases = [...engramRowCases, ...engramSearchCases, ...engramProcessCases];

/**
 * What every store of engrams must do: E1 to E6 of `EngramStore`. Each skip is printed with its reason, and one that names
 * no test is an error.
 *
 * @param place makes an empty place for one test
 */
export function engramStoreContract(
  name: string,
  place: () => Promise<EngramPlace>,
  { skip = [] }: { readonly skip?: readonly StoreSkip[] } = {},
): void {
  const reasons = new Map(
    skip.flatMap(({ because, tests }) => tests.map((title) => [title, because] as const)),
  );
  for (const title of reasons.keys()) {
    if (!cases.some((one) => one.title === title))
      throw new Error(`the contract of engrams has no test "${title}"`);
  }
  describe(`${name} keeps the contract of engrams`, () => {
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
