import { joinContract, type StoreSkip, type TestRunner } from "./contract.ts";
import { followingCases } from "./store-contract-following.ts";
import { forgettingCases } from "./store-contract-forgetting.ts";
import { journalCases } from "./store-contract-journal.ts";
import { organizationCases } from "./store-contract-organizations.ts";
import { processCases } from "./store-contract-processes.ts";
import { roundTripCases } from "./store-contract-round-trips.ts";
import { tableCases } from "./store-contract-tables.ts";
import type { StorePlace } from "./store-place.ts";

export type { StoreSkip, TestRunner } from "./contract.ts";

const cases = [
  ...journalCases,
  ...organizationCases,
  ...followingCases,
  ...tableCases,
  ...roundTripCases,
  ...processCases,
  ...forgettingCases,
];

/**
 * What every store must do; a store passes this or it is not one. Each skip is printed with its reason, and
 * one that names no test is an error.
 *
 * @param place makes an empty place for one test
 * @param options vitest's own functions: `storeContract("my store", place, { describe, expect, it })`
 */
export function storeContract(
  name: string,
  place: () => Promise<StorePlace>,
  { skip, ...runner }: TestRunner & { readonly skip?: readonly StoreSkip[] },
): void {
  joinContract({ what: "the store contract", cases }, { name, place, skip, runner });
}
