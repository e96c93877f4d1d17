import {
  Annotation,
  DeliberationId,
  EngramId,
  EventId,
  ModelRef,
  OrganizationId,
  ParticipantId,
  UserId,
  type Embeddings,
  type Engram,
  type MemoryScope,
  type RecallRules,
  type Remembered,
} from "../../src/kernel/index.ts";
import type { EngramStore, StoredEngram } from "../../src/memory/engram-store.ts";

/** What tests of this folder are made of. */
export const scopeOf = (user = "ann"): MemoryScope => ({
  organization: OrganizationId.parse("local"),
  user: UserId.parse(user),
});

export const rules: RecallRules = {
  minimum: 0.75,
  minimumWords: 0.5,
  most: 2,
  extraAt: 0.9,
  weights: { words: 0.1, entities: 0.1, grade: 0.05, preference: 0.05, thumb: 0.05 },
  timeoutMs: 2_000,
};

export const timeOf = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

export const engram = (id: string, changes: Partial<Engram> = {}): Engram => ({
  id: EngramId.parse(id),
  type: "episodic",
  ...scopeOf(),
  question: "",
  summary: "",
  intent: "fact",
  entities: [],
  participant: null,
  respondent: null,
  models: [],
  temperature: null,
  deliberation: null,
  conversation: null,
  tools: false,
  at: timeOf(0),
  ...changes,
});

export const stored = (of: Engram, changes: Partial<StoredEngram> = {}): StoredEngram => ({
  engram: of,
  cluster: of.id,
  annotations: [],
  embedded: [],
  forgotten: null,
  ...changes,
});

type What = Annotation["what"];

export const grade = (score: number, feedback = ""): What =>
  Annotation.shape.what.parse({ kind: "grade", score, feedback, rubric: "answer-quality" });
export const preference = (
  result: "won" | "lost" | "tied",
  { against = "other", orderSensitive = false }: { against?: string; orderSensitive?: boolean } = {},
): What => ({ kind: "preference", result, against: EngramId.parse(against), orderSensitive, reason: "" });
export const thumb = (way: "up" | "down"): What => ({ kind: "thumb", thumb: way });
export const outcome = (way: "good" | "bad"): What => ({ kind: "outcome", outcome: way });

/** The `n`th thing that was said, by `judge`, in its second. */
export const said = (n: number, what: What, { by = "judge", at = timeOf(n) } = {}): Annotation => ({
  event: EventId.parse(`event-${n}`),
  by,
  at,
  what,
});

export const remembered = (id: string, question: string, answer: string): Remembered => ({
  id: EngramId.parse(id),
  ...scopeOf(),
  question,
  answer,
  participant: ParticipantId.parse("ada"),
  respondent: "A",
  models: [ModelRef.parse("sim/ada")],
  temperature: 0,
  deliberation: DeliberationId.parse("d1"),
  conversation: DeliberationId.parse("d1"),
  tools: false,
  at: timeOf(0),
  mergeAt: 0.9,
});

/** Embeddings that a test directs: by `vectorOf` for each text, which may throw; `asked` are the calls. */
export function directed(
  vectorOf: (text: string) => readonly number[],
  model = "sim/embed",
): Embeddings & { readonly asked: (readonly string[])[] } {
  const asked: (readonly string[])[] = [];
  return {
    model,
    asked,
    async embed(texts) {
      asked.push(texts);
      await Promise.resolve();
      return texts.map(vectorOf);
    },
  };
}

/** The same store; `calls` names, in order, what was put and what was searched for. */
export function watched(store: EngramStore): EngramStore & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    ...store,
    calls,
    put(of, cluster) {
      calls.push("put");
      return store.put(of, cluster);
    },
    matching(scope, match) {
      calls.push("matching");
      return store.matching(scope, match);
    },
    nearest(scope, near) {
      calls.push("nearest");
      return store.nearest(scope, near);
    },
  };
}
