import { describe, expect, it } from "vitest";
import { joinContract, type StoreSkip } from "../../src/testing/contract.ts";
import { engramProcessCases } from "./engram-contract-processes.ts";
import { engramRowCases } from "./engram-contract-rows.ts";
import { engramSearchCases } from "./engram-contract-search.ts";
import type { EngramPlace } from "./engram-place.ts";

const cases = [...engramRowCases, ...engramSearchCases, ...engramProcessCases];

/**
 * What every store of engrams must do: ENGRAM-1, ENGRAM-3, ENGRAM-5 and the rest of `EngramStore`. Each skip is printed with its reason, and one that names
 * no test is an error.
 *
 * @param place makes an empty place for one test
 */
export function engramStoreContract(
  name: string,
  place: () => Promise<EngramPlace>,
  { skip }: { readonly skip?: readonly StoreSkip[] } = {},
): void {
  joinContract(
    { what: "the contract of engrams", cases },
    { name, place, skip, runner: { describe, expect, it } },
  );
}
