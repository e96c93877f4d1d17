import type { AnyProtocol, Registry } from "../engine/index.ts";
import { isEvent, pinnedTexts, type Entry, type OrganizationStore } from "../kernel/index.ts";
import type { Result } from "../views/result.ts";
import { loadResult } from "./result.ts";

/** A complete deliberation: result, events and pinned texts by digest. */
export type Exported = {
  readonly result: Result | null;
  readonly events: readonly Entry[];
  readonly texts: Readonly<Record<string, string>>;
};

export async function exportRun(
  {
    store,
    protocols,
  }: { readonly store: Pick<OrganizationStore, "text">; readonly protocols: Registry<AnyProtocol> },
  events: readonly Entry[],
): Promise<Exported> {
  const digests = events.flatMap((entry) =>
    isEvent(entry, "deliberation-opened") ? pinnedTexts(entry.data) : [],
  );
  const texts = await Promise.all(digests.map(async (digest) => [digest, await store.text(digest)] as const));
  const result = (await loadResult(protocols, events)) ?? null;
  return { result, events, texts: Object.fromEntries(texts) };
}
