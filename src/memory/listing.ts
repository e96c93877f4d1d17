import type { EngramId, MemoryScope } from "../kernel/index.ts";
import type { EngramQuery, EngramStore, StoredEngram } from "./engram-store.ts";

const PAGE = 200;

/** All engrams that fit the query, newest first, read page by page; forgotten ones too. */
export async function* listed(
  store: EngramStore,
  scope: MemoryScope,
  query: Omit<EngramQuery, "limit" | "before">,
): AsyncGenerator<StoredEngram> {
  let before: EngramId | undefined;
  for (;;) {
    const page = await store.list(scope, {
      ...query,
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    });
    yield* page;
    before = page.at(-1)?.engram.id;
    if (page.length < PAGE || before === undefined) return;
  }
}

/** The first `most` of these that are not forgotten. */
export async function liveOf(engrams: AsyncIterable<StoredEngram>, most: number): Promise<StoredEngram[]> {
  const live: StoredEngram[] = [];
  if (most < 1) return live;
  for await (const stored of engrams) {
    if (stored.forgotten === null) live.push(stored);
    if (live.length >= most) break;
  }
  return live;
}
