import { LRUCache } from "lru-cache";
import type { Parley } from "../app/parley.ts";
import { loadResult } from "../app/result.ts";
import { DeliberationId, type Entry, type Principal } from "../kernel/index.ts";
import { missing, readingContext } from "./route.ts";

const MAX_KEPT = 2_000;
const MAX_KEPT_BYTES = 64_000_000;

/** A result as it is sent, after the event `seq`. */
export type EncodedResult = { readonly seq: number; readonly bytes: Buffer };

/** Results as they are sent, each encoded once for as long as nothing more is recorded. */
export function createResults(parley: Parley) {
  const kept = new LRUCache<string, EncodedResult>({
    ...{ max: MAX_KEPT, maxSize: MAX_KEPT_BYTES },
    sizeCalculation: ({ bytes }) => bytes.length + 1,
  });
  return {
    /** @throws Fault `deliberation-missing`, also for another organization's (the same words) */
    async of(principal: Principal, given: string): Promise<EncodedResult> {
      const { store, protocols } = readingContext(parley, principal);
      const id = DeliberationId.safeParse(given).data;
      if (id === undefined) throw missing(given);
      const key = `${principal.organization}/${id}`;
      const known = kept.get(key);
      if (known && (await store.read(id, known.seq)).length === 0) return known;
      const entries = await store.read(id);
      const result = await loadResult(protocols, entries);
      if (!result) throw missing(given);
      const made = { seq: entries.at(-1)?.seq ?? 0, bytes: Buffer.from(JSON.stringify(result)) };
      kept.set(key, made);
      return made;
    },
  };
}
export type Results = ReturnType<typeof createResults>;

/** All events of a deliberation. @throws Fault `deliberation-missing`, also for another organization's (the same words) */
export async function readAll(
  parley: Parley,
  principal: Principal,
  given: string,
): Promise<{ readonly id: DeliberationId; readonly entries: readonly Entry[] }> {
  const id = DeliberationId.safeParse(given).data;
  const entries = id === undefined ? [] : await readingContext(parley, principal).store.read(id);
  if (id === undefined || entries.length === 0) throw missing(given);
  return { id, entries };
}
