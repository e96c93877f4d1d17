import * as z from "zod";
import { EventId, Json, ParticipantId, Respondent, SeriesId, StepKey } from "./ids.ts";
import { Call, Cap, ModelRef } from "./model.ts";
import { Opening } from "./opening.ts";
import { Annotation, EngramId, Engram, Recalled } from "./engram.ts";
import { Answer, Assessment, Claim, Closing, Rank, Remark, Score, Stance } from "./outcome.ts";

/** The version of this vocabulary. An event of a newer one is refused on reading, of an older one upcast. */
export const EVENT_SCHEMA = 2;

/** A schema that is made when an event of its type is first read or written: a start pays for those that it meets. */
function event<D extends z.ZodType>(make: () => D): () => D {
  let schema: D | undefined;
  return () => (schema ??= make());
}

/** An event that a model may have made: `call` is the raw reply it was read from, absent where no call was needed. */
const made = <S extends z.ZodRawShape>(make: () => S) =>
  event(() => z.strictObject({ ...make(), call: Call.optional() }));

const round = z.int().positive();

/**
 * Everything that can happen in a deliberation: past tense, noun first.
 *
 * One closed vocabulary serves every protocol, so that a view or a reactor need not know which one it
 * looks at. Events of one deliberation refer to each other by step key. Facts private to one protocol
 * travel in `note-taken`.
 */
const VOCABULARY = {
  "deliberation-opened": event(() => Opening),
  "clarification-asked": made(() => ({
    by: ParticipantId,
    questions: z.array(z.strictObject({ id: z.string(), text: z.string() })),
  })),
  "clarification-answered": event(() =>
    z.strictObject({ answers: z.array(z.strictObject({ id: z.string(), text: z.string() })) }),
  ),
  "answer-given": made(() => ({
    by: ParticipantId,
    kind: z.enum(["draft", "proposal", "refinement", "response"]),
    round,
    text: z.string(),
    /** The final answer that could be extracted from the text; null where there is none. */
    final: Answer.nullable(),
    /** Whether it says how it covers the requirements, where it was asked for that. */
    coverage: z.boolean().optional(),
    /** Which of two independent respondents. */
    respondent: Respondent.optional(),
  })),
  "critique-given": made(() => ({
    by: ParticipantId,
    of: StepKey,
    text: z.string(),
    verdict: z.enum(["proceed", "revise", "reject"]).optional(),
    severity: z.enum(["low", "medium", "high", "critical"]).optional(),
  })),
  "review-given": made(() => ({
    by: ParticipantId,
    /** The answers' steps in the order in which they were shown. */
    shown: z.array(StepKey),
    remarks: z.array(Remark),
    /** Best first, complete; or why none could be read. */
    ranking: z.discriminatedUnion("ok", [
      z.strictObject({ ok: z.literal(true), steps: z.array(StepKey) }),
      z.strictObject({ ok: z.literal(false), reason: z.string() }),
    ]),
  })),
  "standing-reached": event(() =>
    z.strictObject({
      places: z.array(Rank),
      /** Borda points beside the standing's own score, by participant. */
      borda: z.record(z.string(), z.number()),
      /** Kendall's W, 0 to 1; null with fewer than two rankings. */
      agreement: z.number().nullable(),
      effectiveVotes: z.number().nullable(),
      excluded: z.array(z.strictObject({ id: ParticipantId, why: z.string() })),
    }),
  ),
  "comparison-given": made(() => ({
    by: ParticipantId,
    /** What several answers hold, by the steps of these. */
    agreements: z.array(Stance),
    /** What they cannot all be right about: two stances or more each. */
    contradictions: z.array(z.strictObject({ topic: z.string(), stances: z.array(Stance).min(2) })),
    /** What one answer alone says. */
    unique: z.array(Stance),
  })),
  "summary-made": made(() => ({
    for: ParticipantId,
    method: z.string(),
    charactersBefore: z.int().nonnegative(),
    charactersAfter: z.int().nonnegative(),
    text: z.string(),
    /** The round at whose start it was made; absent where it was made after the last. */
    round: round.optional(),
    /** What it is a summary of, where it is not of the whole. */
    part: z.strictObject({ level: z.enum(["contribution", "round", "phase"]), of: z.string() }).optional(),
    /** What the model was asked with; null: left to the provider. */
    temperature: z.number().nullable().optional(),
  })),
  "synthesis-given": made(() => ({
    by: ParticipantId,
    text: z.string(),
    final: Answer.nullable(),
    strategy: z.string().nullable(),
    dissent: z.array(z.string()),
    insights: z.array(z.string()),
    vetoed: z.array(z.strictObject({ id: ParticipantId, flaw: z.string() })),
    /** What the chair says of who contributed: claimed, never measured. Absent where nobody was asked. */
    claims: z
      .discriminatedUnion("ok", [
        z.strictObject({ ok: z.literal(true), contributors: z.array(Claim) }),
        z.strictObject({ ok: z.literal(false), reason: z.string() }),
      ])
      .optional(),
    assessment: Assessment.optional(),
  })),
  /** The requirements that were read in a question. */
  "requirements-read": event(() =>
    z.strictObject({ major: z.array(z.string()), minor: z.array(z.string()) }),
  ),
  /** A judge's confidence in what stands after a round. */
  "confidence-given": made(() => ({ confidence: z.number().min(0).max(100), reason: z.string() })),
  /** What a rung of escalation came to, and the kind of work that comes next; `next` null: it ends here. */
  "rung-decided": event(() =>
    z.strictObject({ rung: z.string(), next: z.string().nullable(), reason: z.string() }),
  ),
  /** One evaluator's scores by metric, 1 to 10; null where it gave none. */
  "evaluation-given": made(() => ({
    by: ParticipantId,
    scores: z.record(z.string(), z.number().min(1).max(10).nullable()),
    reasons: z.record(z.string(), z.string()),
    strengths: z.array(z.string()),
    weaknesses: z.array(z.string()),
    /** The metrics whose scores were outside of 1 to 10, and were brought inside. */
    clamped: z.array(z.string()),
    /** The metrics whose scores were no numbers, and do not count. */
    ignored: z.array(z.string()),
  })),
  "grade-given": made(() => ({
    of: EventId,
    score: Score.nullable(),
    feedback: z.string(),
    rubric: z.string(),
    /** Why there is no score. */
    why: z.string().optional(),
    /** What the answer was taken to be, where that chose the rubric: `knowledge`, `code`, … */
    kind: z.string().optional(),
  })),
  "preference-given": made(() => ({
    of: z.tuple([EventId, EventId]),
    winner: z.enum(["A", "B", "tie"]),
    orderSensitive: z.boolean(),
    reason: z.string(),
    question: z.string().optional(),
    /** The compared answers' texts, in the order of `of`. */
    answers: z.tuple([z.string(), z.string()]).optional(),
    /** Their grades. */
    scores: z.tuple([Score, Score]).optional(),
    /** Who compared them. */
    judge: ModelRef.optional(),
  })),
  "gate-decided": event(() =>
    z.strictObject({
      gate: z.string(),
      of: StepKey.optional(),
      hard: z.boolean(),
      outcome: z.enum(["passed", "failed", "unknown"]),
      metrics: z.record(z.string(), Json),
      mode: z.enum(["plan_only", "manual_result", "stub_result", "tool_executed"]),
      tool: z.string().optional(),
      because: z.string(),
    }),
  ),
  "round-closed": event(() =>
    z.strictObject({
      round,
      in: z.array(z.string()),
      culled: z.array(z.string()),
      revised: z.array(z.string()),
      proceeded: z.array(z.string()),
      agreement: z.number().nullable(),
    }),
  ),
  "tool-called": made(() => ({ by: ParticipantId, tool: z.string(), arguments: Json, result: Json })),
  "engrams-recalled": event(() =>
    z.strictObject({
      for: ParticipantId,
      engrams: z.array(Recalled),
      /** Pinned by the user. */
      facts: z.array(z.string()),
      how: z.string(),
    }),
  ),
  "engram-written": event(() =>
    z.strictObject({
      of: EventId,
      engram: Engram,
      /** The first engram of those that it nearly repeats; its own id where it stands alone. */
      cluster: EngramId,
      /** Why it has no vector; null where it has one, or none is wanted. */
      unembedded: z.string().nullable(),
    }),
  ),
  "engram-annotated": event(() =>
    z.strictObject({
      engram: EngramId,
      annotation: Annotation,
      /** Why it retires with this; absent where it does not. */
      retires: z.string().optional(),
    }),
  ),
  "contribution-measured": event(() =>
    z.strictObject({
      method: z.string(),
      contributions: z.array(z.strictObject({ id: ParticipantId, weight: z.number() })),
      detail: Json,
    }),
  ),
  "feedback-given": event(() =>
    z.strictObject({
      of: EventId.optional(),
      thumb: z.enum(["up", "down"]).optional(),
      text: z.string().optional(),
      /** What came of it, once that is known. */
      outcome: z.enum(["good", "bad"]).optional(),
      by: z.string().optional(),
    }),
  ),
  "degradation-noted": made(() => ({
    what: z.string(),
    why: z.string(),
    /** What the loss weakens, in words for the result's reader. */
    weakens: z.string(),
    participant: ParticipantId.optional(),
  })),
  /** Which earlier answers of its own a second respondent goes on from. */
  "turns-chosen": event(() => z.strictObject({ answers: z.array(EventId) })),
  /** A reaction that came to nothing: `code` says of what kind, `detail` what it was about. */
  "reaction-failed": made(() => ({ code: z.string(), why: z.string(), detail: Json })),
  "note-taken": made(() => ({
    topic: z.string(),
    reason: z.string(),
    body: Json,
    series: SeriesId.optional(),
  })),
  "reply-received": made(() => ({ by: ParticipantId, why: z.string() })),
  "roster-fixed": event(() =>
    z.strictObject({
      phase: z.string(),
      in: z.array(z.string()),
      /** `cap`: the one that left it out. */
      out: z.array(z.strictObject({ id: z.string(), why: z.string(), cap: Cap.optional() })),
    }),
  ),
  "deliberation-closed": event(() => Closing),
} satisfies { readonly [type: string]: () => z.ZodType };

export type EventType = keyof typeof VOCABULARY;
export type DataOf<T extends EventType> = z.infer<ReturnType<(typeof VOCABULARY)[T]>>;
export type NewEvent = { [T in EventType]: { type: T; data: DataOf<T> } }[EventType];

export const isEventType = (type: string): type is EventType => Object.hasOwn(VOCABULARY, type);

const AnyEvent = z.strictObject({ type: z.string().refine(isEventType), data: z.unknown() });

/** Checks an event by its type's schema. @throws ZodError, also for a type that is not in the vocabulary */
export function parseEvent(event: unknown): NewEvent {
  const { type, data } = AnyEvent.parse(event);
  // The schema of this type has read it.
  return { type, data: VOCABULARY[type]().parse(data) } as NewEvent;
}
