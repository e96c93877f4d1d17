import type { Embeddings, EngramId, Memory, MemoryScope, World } from "../kernel/index.ts";
import { annotate } from "./annotate.ts";
import { createEmbedder } from "./embedder.ts";
import type { EngramStore } from "./engram-store.ts";
import { listFacts, pin, type Pinned, type PinnedFact } from "./facts.ts";
import { catchUp, reembed, type Reembedded } from "./reembedding.ts";
import { recall, search, type EngramSearch, type FoundEngrams } from "./recall.ts";
import { lookUpEngram, type LookupResult } from "./lookup.ts";
import { computeStats, type MemoryStats } from "./stats.ts";
import { exportEngrams, importEngrams, type EngramLine, type Imported } from "./transfer.ts";
import { write } from "./write.ts";

/** With a write so many engrams at most that lack a vector get one: memory catches up with another model by itself. */
const CAUGHT_UP = 16;

/** Memory as people and programs use it. Every call may throw the Fault `store-unavailable`. */
export interface EngramMemory extends Memory {
  /** As `recall` finds, but all that has anything in common with the query, near-duplicates too, `limit` at most; without a query the newest. */
  search(scope: MemoryScope, asked: EngramSearch, signal: AbortSignal): Promise<FoundEngrams>;
  /** The engram of this id, or the only one whose id begins like it, with what was said of it and the others of its cluster. */
  show(scope: MemoryScope, idOrPrefix: string): Promise<LookupResult>;
  /** Pins a fact of one paragraph and 1 to 2,000 characters, once per scope. `at`: ISO 8601 in UTC; `by`: who pins it. */
  pin(
    scope: MemoryScope,
    given: { readonly fact: string; readonly at: string; readonly by: string },
  ): Promise<Pinned>;
  /** All pinned facts, in the order in which they were. */
  facts(scope: MemoryScope): Promise<readonly PinnedFact[]>;
  /** Wipes an engram and leaves who did it and when; false: it is not there, or was forgotten before. */
  forget(
    scope: MemoryScope,
    of: { readonly id: EngramId; readonly by: string; readonly at: string },
  ): Promise<boolean>;
  /** Everything but vectors and what is forgotten, oldest first; each line is JSON. */
  exported(scope: MemoryScope): AsyncIterable<EngramLine>;
  /** Takes the lines of an export, as text, into this scope; never changes what is there. */
  imported(scope: MemoryScope, lines: AsyncIterable<string> | Iterable<string>): Promise<Imported>;
  /** Gives the model's vectors to the live engrams that have none of it; `why` also where no model is set. `onProgress` gets how many so far. */
  reembed(
    scope: MemoryScope,
    signal: AbortSignal,
    onProgress: (done: { readonly embedded: number }) => void,
  ): Promise<Reembedded>;
  stats(scope: MemoryScope): Promise<MemoryStats>;
}

export type MemoryParts = {
  readonly store: EngramStore;
  /** null where no model is set: full text alone. */
  readonly embeddings: Embeddings | null;
  readonly world: World;
};

export function createMemory({ store, embeddings, world }: MemoryParts): EngramMemory {
  const embedder = embeddings && createEmbedder(embeddings, world);
  const parts = { store, embedder };
  // After one failure it is left to `reembed`, which tells who asked.
  let catchesUp = true;
  return {
    recall: (query, signal) => recall(parts, query, signal),
    async write(answer, signal) {
      const written = await write(parts, answer, signal);
      if (embedder && catchesUp && written.unembedded === null) {
        const scope = { organization: answer.organization, user: answer.user };
        catchesUp = await catchUp({ store, embedder, scope }, CAUGHT_UP, signal);
      }
      return written;
    },
    annotate: (engram, annotation, rules) => annotate(store, engram, { annotation, rules }),
    search: (scope, asked, signal) => search(parts, scope, { asked, signal }),
    show: (scope, idOrPrefix) => lookUpEngram(store, scope, idOrPrefix),
    pin: (scope, given) => pin(store, scope, given),
    facts: (scope) => listFacts(store, scope),
    forget: (scope, of) => store.forget(scope, of),
    exported: (scope) => exportEngrams(store, scope),
    imported: (scope, lines) => importEngrams(store, scope, lines),
    reembed: async (scope, signal, onProgress) =>
      embedder
        ? reembed({ store, embedder, scope }, onProgress, signal)
        : { embedded: 0, passed: 0, why: "no embedding model is set" },
    stats: (scope) => computeStats(store, scope),
  };
}
