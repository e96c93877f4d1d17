import type { Embeddings, EngramId, Memory, MemoryScope, World } from "../kernel/index.ts";
import { annotate } from "./annotate.ts";
import { createEmbedder, catchUp, embedMissing, type OnEmbedded, type Reembedded } from "./embedder.ts";
import type { EngramStore } from "./engram-store.ts";
import { listFacts, pin, type NewFact } from "./facts.ts";
import { recall, search, find, type EngramSearch } from "./recall.ts";
import { listEngrams, lookUpEngram } from "./lookup.ts";
import { exportEngrams, importEngrams, type TextLines } from "./transfer.ts";
import { write } from "./write.ts";

/** Maximum engrams without a vector that get one with a write: memory catches up with another model by itself. */
const CAUGHT_UP = 16;

export type MemoryParts = {
  readonly store: EngramStore;
  /** null where no model is set: full text alone. */
  readonly embeddings: Embeddings | null;
  readonly world: World;
};

/** Memory as people and programs use it. Every call may throw the Fault `store-unavailable`. */
export type EngramMemory = ReturnType<typeof createMemory>;

export function createMemory({ store, embeddings, world }: MemoryParts) {
  const embedder = embeddings && createEmbedder(embeddings, world);
  const parts = { store, embedder };
  // After one failure it is left to `reembed`, which tells who asked.
  let catchesUp = true;
  const port: Memory = {
    recall: (query, signal) => recall(parts, query, signal),
    find: (query, signal) => find(parts, query, signal),
    pinTold(told) {
      const { organization, user, fact, model } = told;
      // A recorded time reads the world's clock.
      const at = new Date(world.now()).toISOString();
      return pin(store, { organization, user }, { fact, at, by: model, told });
    },
    async write(answer, signal) {
      const written = await write(parts, answer, signal);
      if (embedder && catchesUp && written.unembedded === null) {
        const scope = { organization: answer.organization, user: answer.user };
        catchesUp = await catchUp({ store, embedder, scope }, CAUGHT_UP, signal);
      }
      return written;
    },
    annotate: (engram, annotation, rules) => annotate(store, engram, { annotation, rules }),
  };
  return {
    ...port,
    /** As `recall` finds, but all that has anything in common with the query, near-duplicates too, `limit` at most; without a query the newest. */
    search: (scope: MemoryScope, asked: EngramSearch, signal: AbortSignal) =>
      search(parts, scope, { asked, signal }),
    show: (scope: MemoryScope, idOrPrefix: string) => lookUpEngram(store, scope, idOrPrefix),
    pin: (scope: MemoryScope, given: NewFact) => pin(store, scope, given),
    /** All pinned facts, in the order in which they were. */
    facts: (scope: MemoryScope) => listFacts(store, scope),
    /** Wipes an engram and leaves who did it and when; false: it is not there, or was forgotten before. */
    forget: (scope: MemoryScope, of: { readonly id: EngramId; readonly by: string; readonly at: string }) =>
      store.forget(scope, of),
    exported: (scope: MemoryScope) => exportEngrams(store, scope),
    imported: (scope: MemoryScope, lines: TextLines) => importEngrams(store, scope, lines),
    /** `why` also where no model is set. `onProgress` gets how many so far. */
    reembed: async (scope: MemoryScope, signal: AbortSignal, onProgress: OnEmbedded): Promise<Reembedded> =>
      embedder
        ? embedMissing({ store, embedder, scope }, onProgress, signal)
        : { embedded: 0, passed: 0, why: "no embedding model is set" },
    /** All there are, newest first; forgotten ones too. */
    all: (scope: MemoryScope) => listEngrams(store, scope, {}),
  };
}
