import type { Embeddings } from "../../src/kernel/index.ts";
import type { EngramStore } from "../../src/memory/engram-store.ts";
import { createMemory, type EngramMemory } from "../../src/memory/memory.ts";
import type { Mortal } from "../../src/testing/crash.ts";

// C1 and C2 of crash.ts, for what a process does to its memory.

/** Where a process dies: at its `nth` write of a kind, from 1. */
export type MemoryCrash = {
  readonly at: "put" | "annotate" | "embed";
  readonly nth: number;
  readonly when: "before" | "after";
};

export type MortalMemory = {
  readonly memory: EngramMemory;
  /** How many writes of this kind the process has begun. */
  begun(at: MemoryCrash["at"]): number;
};

export type MortalMemoryParts = {
  /** Shared, and outlives the process. */
  readonly engrams: EngramStore;
  readonly embeddings: Embeddings | null;
};

/** Memory as one process has it, which dies with that process; with a point, the process dies of it. */
export function mortalMemory(
  { engrams, embeddings }: MortalMemoryParts,
  process: Mortal,
  point?: MemoryCrash,
): MortalMemory {
  const begun = { put: 0, annotate: 0, embed: 0 };
  const alive = async <T>(operation: () => Promise<T>): Promise<T> => {
    if (process.dead) return never();
    try {
      const result = await operation();
      return process.dead ? await never() : result; // C1
    } catch (error) {
      if (process.dead) return never();
      throw error;
    }
  };
  const counted = async <T>(at: MemoryCrash["at"], operation: () => Promise<T>): Promise<T> => {
    if (process.dead) return never();
    begun[at] += 1;
    const here = point?.at === at && point.nth === begun[at];
    if (here && point.when === "before") process.kill();
    return alive(async () => {
      const result = await operation();
      if (here) process.kill(); // C2
      return result;
    });
  };
  const store: EngramStore = {
    put: (engram, cluster) => counted("put", () => engrams.put(engram, cluster)),
    annotate: (named, annotation) => counted("annotate", () => engrams.annotate(named, annotation)),
    embed: (scope, of) => counted("embed", () => engrams.embed(scope, of)),
    get: (scope, ids) => alive(() => engrams.get(scope, ids)),
    list: (scope, query) => alive(() => engrams.list(scope, query)),
    nearest: (scope, near) => alive(() => engrams.nearest(scope, near)),
    matching: (scope, match) => alive(() => engrams.matching(scope, match)),
    vectors: (scope, of) => alive(() => engrams.vectors(scope, of)),
    unembedded: (scope, of) => alive(() => engrams.unembedded(scope, of)),
    forget: (scope, of) => alive(() => engrams.forget(scope, of)),
  };
  return { memory: createMemory({ store, embeddings, world: process.world }), begun: (at) => begun[at] };
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
