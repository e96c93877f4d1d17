import type { Annotation, Engram, EngramId, MemoryScope } from "../../src/kernel/index.ts";
import {
  KEPT_ANNOTATIONS,
  type EngramStore,
  type StoredEngram,
  type Vector,
} from "../../src/memory/engram-store.ts";
import { WORD_ENGRAMS, searchWords, bestMatches, engramWords } from "../../src/memory/query.ts";

/** One engram as this store holds it; `number` is its place in the order in which they were put. */
type Held = {
  readonly number: number;
  engram: Engram;
  readonly cluster: EngramId;
  readonly annotations: Annotation[];
  readonly vectors: Map<string, Vector>;
  words: ReadonlySet<string>;
  forgotten: StoredEngram["forgotten"];
};

type Kept = MemoryScope & { readonly id: EngramId; readonly annotation: Annotation };

/** Engrams that live and die with the process: for tests. The same contract as the durable ones keep, searched one by one. */
export function memoryEngrams(): EngramStore {
  const held = new Map<string, Held>();
  let waiting: Kept[] = [];

  const keyOf = ({ organization, user }: MemoryScope, id: EngramId) => `${organization} ${user} ${id}`;
  const inScope = ({ organization, user }: MemoryScope) =>
    [...held.values()].filter(({ engram }) => engram.organization === organization && engram.user === user);
  const live = (scope: MemoryScope) =>
    inScope(scope).filter(
      (one) => one.engram.type === "episodic" && one.forgotten === null && !isRetired(one),
    );
  const present = (scope: MemoryScope, id: EngramId) => held.get(keyOf(scope, id));

  return {
    async put(engram, cluster) {
      await Promise.resolve();
      const key = keyOf(engram, engram.id);
      if (held.has(key)) return false;
      const isOwn = (kept: Kept) => keyOf(kept, kept.id) === key;
      const annotations = waiting.filter(isOwn).map(({ annotation }) => annotation);
      waiting = waiting.filter((kept) => !isOwn(kept));
      const words = new Set(engramWords(engram));
      const stored = structuredClone(engram);
      held.set(key, {
        ...{ number: held.size + 1, engram: stored, cluster, annotations },
        ...{ vectors: new Map(), words, forgotten: null },
      });
      return true;
    },
    async annotate(target, annotation) {
      await Promise.resolve();
      const own = structuredClone(annotation);
      const isSame = ({ event }: Annotation) => event === annotation.event;
      const found = present(target, target.id);
      if (found?.forgotten) return { state: "gone", lapsed: [] };
      if (found) {
        if (found.annotations.some(isSame)) return { state: "known", lapsed: [] };
        found.annotations.push(own);
        return { state: "annotated", lapsed: [] };
      }
      const { organization, user, id } = target;
      const key = keyOf(target, id);
      if (!waiting.some((kept) => keyOf(kept, kept.id) === key && isSame(kept.annotation))) {
        waiting.push({ organization, user, id, annotation: own });
      }
      const kept = waiting.filter((one) => one.organization === organization && one.user === user);
      const lapsed = kept.slice(0, Math.max(0, kept.length - KEPT_ANNOTATIONS));
      waiting = waiting.filter((one) => !lapsed.includes(one));
      return { state: "kept", lapsed: lapsed.map((one) => one.id) };
    },
    async get(scope, ids) {
      await Promise.resolve();
      return ids.flatMap((id) => {
        const found = present(scope, id);
        return found ? [storedOf(found)] : [];
      });
    },
    async list(scope, { limit, before, type, respondent, retired, cluster }) {
      await Promise.resolve();
      const below = before === undefined ? Infinity : (present(scope, before)?.number ?? 0);
      return inScope(scope)
        .filter((one) => one.number < below)
        .filter((one) => type === undefined || one.engram.type === type)
        .filter((one) => respondent === undefined || one.engram.respondent === respondent)
        .filter((one) => retired === undefined || isRetired(one) === retired)
        .filter((one) => cluster === undefined || one.cluster === cluster)
        .reverse()
        .slice(0, limit)
        .map(storedOf);
    },
    async nearest(scope, { model, vector, limit, without }) {
      await Promise.resolve();
      return live(scope)
        .filter(({ engram }) => without === undefined || engram.conversation !== without)
        .flatMap(({ engram, vectors }) => {
          const own = vectors.get(model);
          return own?.length === vector.length
            ? [
                {
                  id: engram.id,
                  similarity: own.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0),
                },
              ]
            : [];
        })
        .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },
    async matching(scope, { words, limit, without }) {
      await Promise.resolve();
      const all = live(scope);
      const found = searchWords(words).map((word) =>
        all
          .filter((one) => one.words.has(word))
          .map(({ number }) => number)
          .slice(-WORD_ENGRAMS),
      );
      const byNumber = new Map(all.map((one) => [one.number, one.engram]));
      return bestMatches(found, all.length)
        .flatMap((number) => byNumber.get(number) ?? [])
        .filter(({ conversation }) => without === undefined || conversation !== without)
        .slice(0, limit)
        .map(({ id }) => id);
    },
    async vectors(scope, { model, ids }) {
      await Promise.resolve();
      return new Map(
        ids.flatMap((id) => {
          const own = present(scope, id)?.vectors.get(model);
          return own ? [[id, Float32Array.from(own)] as const] : [];
        }),
      );
    },
    async unembedded(scope, { model, limit }) {
      await Promise.resolve();
      return live(scope)
        .filter(({ vectors }) => !vectors.has(model))
        .reverse()
        .slice(0, limit)
        .map(({ engram }) => structuredClone(engram));
    },
    async embed(scope, { model, vectors }) {
      await Promise.resolve();
      for (const [id, vector] of vectors) {
        const found = present(scope, id);
        if (found && !found.forgotten) found.vectors.set(model, Float32Array.from(vector));
      }
    },
    async forget(scope, { id, by, at }) {
      await Promise.resolve();
      const found = present(scope, id);
      if (!found || found.forgotten) return false;
      found.engram = { ...found.engram, question: "", summary: "", entities: [] };
      found.annotations.length = 0;
      found.vectors.clear();
      found.words = new Set();
      found.forgotten = { by, at };
      return true;
    },
  };
}

const isRetired = ({ annotations }: Held): boolean => annotations.some(({ what }) => what.kind === "retired");

const storedOf = ({ engram, cluster, annotations, vectors, forgotten }: Held): StoredEngram => ({
  engram: structuredClone(engram),
  cluster,
  annotations: structuredClone(annotations),
  embedded: [...vectors.keys()].sort(),
  forgotten,
});
