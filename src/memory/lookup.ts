import { EngramId, type MemoryScope, type Mark } from "../kernel/index.ts";
import type { EngramQuery, EngramStore, StoredEngram } from "./engram-store.ts";
import { summarizeAnnotations, chooseMark, type AnnotationSummary } from "./annotate.ts";

const PAGE = 200;

/** All engrams that fit the query, newest first, read page by page; forgotten ones too. */
export async function* listEngrams(
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

/** The first `max` engrams that pass the filter. */
async function takeWhere(
  engrams: AsyncIterable<StoredEngram>,
  max: number,
  filter: (stored: StoredEngram) => boolean,
): Promise<StoredEngram[]> {
  const taken: StoredEngram[] = [];
  if (max < 1) return taken;
  for await (const stored of engrams) {
    if (filter(stored)) taken.push(stored);
    if (taken.length >= max) break;
  }
  return taken;
}

/** The first `max` engrams that are not forgotten. */
export const takeLive = (engrams: AsyncIterable<StoredEngram>, max: number) =>
  takeWhere(engrams, max, ({ forgotten }) => forgotten === null);

const MAX_HISTORY = 100;
/** Maximum ids named that a prefix may mean. */
const MAX_NAMED = 5;

/** An engram as people look at it. */
export type JudgedEngram = StoredEngram & { readonly judged: AnnotationSummary; readonly mark: Mark };

export type LookupResult =
  | {
      readonly ok: true;
      readonly engram: JudgedEngram;
      /** The others of its cluster, at most the newest 100, oldest first. */
      readonly history: readonly JudgedEngram[];
    }
  | { readonly ok: false; readonly reason: "missing" }
  | { readonly ok: false; readonly reason: "ambiguous"; readonly ids: readonly EngramId[] };

export function judgedEngram(stored: StoredEngram): JudgedEngram {
  const judged = summarizeAnnotations(stored.annotations);
  return { ...stored, judged, mark: chooseMark(judged) };
}

/**
 * The engram of this id, else the only one whose id begins like it; retired and forgotten ones too. A prefix is looked for
 * in the whole scope. `ids`: up to five that a prefix may mean. @throws Fault `store-unavailable`
 */
export async function lookUpEngram(
  store: EngramStore,
  scope: MemoryScope,
  idOrPrefix: string,
): Promise<LookupResult> {
  const found = await findByPrefix(store, scope, idOrPrefix);
  const [stored, other] = found;
  if (!stored) return { ok: false, reason: "missing" };
  if (other) return { ok: false, reason: "ambiguous", ids: found.map(({ engram }) => engram.id) };
  const cluster = listEngrams(store, scope, { cluster: stored.cluster });
  const history = await takeWhere(cluster, MAX_HISTORY, ({ engram }) => engram.id !== stored.engram.id);
  return { ok: true, engram: judgedEngram(stored), history: history.map(judgedEngram).toReversed() };
}

const PINNED = "pinned:";

/** What a pinned fact is named by where somebody types it: the beginning of its digest. */
export const shortFactId = (id: string): string =>
  id.startsWith(PINNED) ? id.slice(PINNED.length, PINNED.length + 8) : id;

async function findByPrefix(
  store: EngramStore,
  scope: MemoryScope,
  idOrPrefix: string,
): Promise<StoredEngram[]> {
  const id = EngramId.safeParse(idOrPrefix);
  if (!id.success) return [];
  const exact = await store.get(scope, [id.data]);
  if (exact.length > 0) return [...exact];
  return takeWhere(
    listEngrams(store, scope, {}),
    MAX_NAMED,
    ({ engram }) => engram.id.startsWith(idOrPrefix) || engram.id.startsWith(PINNED + idOrPrefix),
  );
}
