import * as z from "zod";
import { isEventType, type EventType } from "./event-types.ts";
import { Digest, EventId, Json, ParticipantId, Respondent, SeriesId, StepKey } from "./ids.ts";
import { Call, Cap, ModelRef, Needs } from "./model.ts";
import { Opening } from "./opening.ts";
import { Annotation, EngramId, Engram, Recalled, UserId } from "./engram.ts";
import { Answer, Assessment, Claim, Closing, Rank, Remark, Score, Stance } from "./outcome.ts";
import { once } from "./once.ts";

/** The version of this vocabulary. Reading rejects events of a newer version and upcasts those of an older one. */
export const EVENT_SCHEMA = 2;

/** An event that a model may have produced. `call` holds the raw reply; it is absent if no call was made. */
const modelEvent = <S extends z.ZodRawShape>(make: () => S) =>
  once(() => z.strictObject({ ...make(), call: Call.optional() }));

const round = z.int().positive();

/** A sentence, and the numbers of what it rests on, from 1. */
const Sourced = z.strictObject({ text: z.string(), sources: z.array(z.int().positive()) });

/**
 * All event types, named noun first in the past tense. All protocols share this closed vocabulary, so that a view or a
 * reactor works with any of them; data private to one protocol goes into `note-taken`. Events refer to each other by
 * step key. A schema is built on first use, so that startup pays only for the event types it meets.
 */
const VOCABULARY = {
  "deliberation-opened": once(() => Opening),
  "clarification-asked": modelEvent(() => ({
    by: ParticipantId,
    questions: z.array(z.strictObject({ id: z.string(), text: z.string() })),
  })),
  "clarification-answered": once(() =>
    z.strictObject({ answers: z.array(z.strictObject({ id: z.string(), text: z.string() })) }),
  ),
  /** A step waits for a person. `limitMs`: how long it does, from this event on; null for no limit. */
  "seat-opened": once(() =>
    z.strictObject({ step: StepKey, person: UserId, limitMs: z.int().positive().nullable() }),
  ),
  /** What a person answered, in the words in which the step's reader reads it. */
  "seat-answered": once(() => z.strictObject({ step: StepKey, person: UserId, text: z.string() })),
  /** A person did not answer in time, or, `abstained`, will not. It takes the place of the answer, so that only one of them is recorded. */
  "seat-expired": once(() =>
    z.strictObject({ step: StepKey, person: UserId, why: z.string(), abstained: z.literal(true).optional() }),
  ),
  "answer-given": modelEvent(() => ({
    by: ParticipantId,
    kind: z.enum(["draft", "proposal", "refinement", "response"]),
    round,
    text: z.string(),
    /** The final answer extracted from the text; null if there is none. */
    final: Answer.nullable(),
    /** Whether the text says how it covers the requirements; absent if the prompt did not ask for it. */
    coverage: z.boolean().optional(),
    /** Which of two independent respondents answered. */
    respondent: Respondent.optional(),
  })),
  "critique-given": modelEvent(() => ({
    by: ParticipantId,
    of: StepKey,
    text: z.string(),
    verdict: z.enum(["proceed", "revise", "reject"]).optional(),
    severity: z.enum(["low", "medium", "high", "critical"]).optional(),
  })),
  "review-given": modelEvent(() => ({
    by: ParticipantId,
    /** The steps of the answers, in the order shown to the reviewer. */
    shown: z.array(StepKey),
    remarks: z.array(Remark),
    /** The complete ranking, best first, or why none could be parsed. */
    ranking: z.discriminatedUnion("ok", [
      z.strictObject({ ok: z.literal(true), steps: z.array(StepKey) }),
      z.strictObject({ ok: z.literal(false), reason: z.string() }),
    ]),
  })),
  "standing-reached": once(() =>
    z.strictObject({
      places: z.array(Rank),
      /** Borda points by participant. */
      borda: z.record(z.string(), z.number()),
      /** Kendall's W, 0 to 1; null with fewer than two rankings. */
      agreement: z.number().nullable(),
      effectiveVotes: z.number().nullable(),
      excluded: z.array(z.strictObject({ id: ParticipantId, why: z.string() })),
    }),
  ),
  "comparison-given": modelEvent(() => ({
    by: ParticipantId,
    /** Claims that several answers share. */
    agreements: z.array(Stance),
    /** Topics with two or more incompatible stances. */
    contradictions: z.array(z.strictObject({ topic: z.string(), stances: z.array(Stance).min(2) })),
    /** Claims that only one answer makes. */
    unique: z.array(Stance),
  })),
  "summary-made": modelEvent(() => ({
    for: ParticipantId,
    method: z.string(),
    charactersBefore: z.int().nonnegative(),
    charactersAfter: z.int().nonnegative(),
    text: z.string(),
    /** The round before which it was made; absent if it was made after the last round. */
    round: round.optional(),
    /** The part that it summarizes; absent if it covers the whole debate. */
    part: z.strictObject({ level: z.enum(["contribution", "round", "phase"]), of: z.string() }).optional(),
    /** Of a conversation: how many of its turns the summary covers, and how many after them the prompt has whole. */
    turns: z.strictObject({ covers: z.int().positive(), kept: z.int().nonnegative() }).optional(),
    /** The sampling temperature; null for the provider's default. */
    temperature: z.number().nullable().optional(),
  })),
  "synthesis-given": modelEvent(() => ({
    by: ParticipantId,
    text: z.string(),
    final: Answer.nullable(),
    strategy: z.string().nullable(),
    dissent: z.array(z.string()),
    insights: z.array(z.string()),
    vetoed: z.array(z.strictObject({ id: ParticipantId, flaw: z.string() })),
    /** Contributions as reported by the chair, not measured; absent if the prompt did not ask for them. */
    claims: z
      .discriminatedUnion("ok", [
        z.strictObject({
          ok: z.literal(true),
          contributors: z.array(Claim),
          /** Why they do not add up; absent if they do. */
          problem: z.string().optional(),
        }),
        z.strictObject({ ok: z.literal(false), reason: z.string() }),
      ])
      .optional(),
    assessment: Assessment.optional(),
  })),
  /** The requirements found in a question. */
  "requirements-read": once(() => z.strictObject({ major: z.array(z.string()), minor: z.array(z.string()) })),
  /** A judge's confidence in the answers after a round. */
  "confidence-given": modelEvent(() => ({ confidence: z.number().min(0).max(100), reason: z.string() })),
  /** The result of one escalation step; `next` is the kind of work that follows, or null if none does. */
  "rung-decided": once(() =>
    z.strictObject({ rung: z.string(), next: z.string().nullable(), reason: z.string() }),
  ),
  /** One judge's scores by metric, 1 to 10; null for a missing score. */
  "evaluation-given": modelEvent(() => ({
    by: ParticipantId,
    scores: z.record(z.string(), z.number().min(1).max(10).nullable()),
    reasons: z.record(z.string(), z.string()),
    strengths: z.array(z.string()),
    weaknesses: z.array(z.string()),
    /** Metrics whose scores were clamped to 1–10. */
    clamped: z.array(z.string()),
    /** Metrics whose scores were not numbers and do not count. */
    ignored: z.array(z.string()),
  })),
  "grade-given": modelEvent(() => ({
    of: EventId,
    score: Score.nullable(),
    feedback: z.string(),
    rubric: z.string(),
    /** Why there is no score. */
    why: z.string().optional(),
    /** The kind of answer that selected the rubric: `knowledge`, `code`, …; absent if no rule did. */
    kind: z.string().optional(),
  })),
  "preference-given": modelEvent(() => ({
    of: z.tuple([EventId, EventId]),
    winner: z.enum(["A", "B", "tie"]),
    orderSensitive: z.boolean(),
    reason: z.string(),
    question: z.string().optional(),
    /** The texts of the compared answers, in the order of `of`. */
    answers: z.tuple([z.string(), z.string()]).optional(),
    /** The grades of the two answers. */
    scores: z.tuple([Score, Score]).optional(),
    /** The model that compared them. */
    judge: ModelRef.optional(),
  })),
  "gate-decided": once(() =>
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
  "round-closed": once(() =>
    z.strictObject({
      round,
      in: z.array(z.string()),
      culled: z.array(z.string()),
      revised: z.array(z.string()),
      proceeded: z.array(z.string()),
      agreement: z.number().nullable(),
    }),
  ),
  "tool-called": modelEvent(() => ({ by: ParticipantId, tool: z.string(), arguments: Json, result: Json })),
  "engrams-recalled": once(() =>
    z.strictObject({
      for: ParticipantId,
      engrams: z.array(Recalled),
      /** Facts that the user pinned. */
      facts: z.array(z.string()),
      how: z.string(),
    }),
  ),
  "engram-written": once(() =>
    z.strictObject({
      of: EventId,
      engram: Engram,
      /** The first engram of its cluster of near-duplicates, which may be itself. */
      cluster: EngramId,
      /** Why it has no vector; null if it has one, or if no embedding model is set. */
      unembedded: z.string().nullable(),
    }),
  ),
  "engram-annotated": once(() =>
    z.strictObject({
      engram: EngramId,
      annotation: Annotation,
      /** Why this annotation retires the engram; absent if it does not. */
      retires: z.string().optional(),
    }),
  ),
  "contribution-measured": once(() =>
    z.strictObject({
      method: z.string(),
      contributions: z.array(z.strictObject({ id: ParticipantId, weight: z.number() })),
      detail: Json,
    }),
  ),
  "feedback-given": once(() =>
    z.strictObject({
      of: EventId.optional(),
      thumb: z.enum(["up", "down"]).optional(),
      text: z.string().optional(),
      /** Whether the answer proved right in practice. */
      outcome: z.enum(["good", "bad"]).optional(),
      by: z.string().optional(),
    }),
  ),
  /** What peers wrote about a persona, in short; each sentence with the numbers of the remarks that it rests on. */
  "feedback-summarized": modelEvent(() => ({
    persona: z.string(),
    strengths: z.array(Sourced),
    weaknesses: z.array(Sourced),
    unique: z.array(Sourced),
  })),
  /** A new persona, made from others; `parts` are its instructions by the names of their parts. */
  "persona-bred": modelEvent(() => ({
    name: z.string(),
    description: z.string(),
    parts: z.record(z.string(), z.string()),
  })),
  /** What a trial found; `tests` say how often the persona's answers were preferred, and what followed from that. */
  "trial-decided": once(() =>
    z.strictObject({
      persona: z.string(),
      /** The digest of its instructions. */
      version: Digest,
      accepted: z.boolean(),
      tests: z.array(
        z.strictObject({
          /** What it was compared with: `parent`, or `none` for an answer without a persona. */
          against: z.enum(["parent", "none"]),
          wins: z.int().nonnegative(),
          losses: z.int().nonnegative(),
          ties: z.int().nonnegative(),
          decision: z.enum(["better", "no-better", "open", "undecided"]),
        }),
      ),
      why: z.string(),
    }),
  ),
  /** What a person decided about a persona, with its file as it was or became. */
  "persona-decided": once(() =>
    z.strictObject({
      persona: z.string(),
      version: Digest,
      decision: z.enum(["edited", "accepted", "retired", "rolled-back"]),
      by: z.string(),
      why: z.string(),
      file: z.string(),
    }),
  ),
  "degradation-noted": modelEvent(() => ({
    what: z.string(),
    why: z.string(),
    /** What the loss weakens, as text for the reader of the result. */
    weakens: z.string(),
    participant: ParticipantId.optional(),
  })),
  /** The second respondent's own earlier answers that it continues from. */
  "turns-chosen": once(() => z.strictObject({ answers: z.array(EventId) })),
  /** A reaction without a result: `code` names the kind of failure, `detail` what it concerned. */
  "reaction-failed": modelEvent(() => ({ code: z.string(), why: z.string(), detail: Json })),
  "note-taken": modelEvent(() => ({
    topic: z.string(),
    reason: z.string(),
    body: Json,
    series: SeriesId.optional(),
  })),
  "reply-received": modelEvent(() => ({ by: ParticipantId, why: z.string() })),
  /** What had come of a step's reply when its run was stopped: its record, and no result of the step (STOP-1). */
  "reply-stopped": modelEvent(() => ({ by: z.string() })),
  "roster-fixed": once(() =>
    z.strictObject({
      phase: z.string(),
      in: z.array(z.string()),
      /** `cap`: the budget cap that excluded the participant. `needs`: the limits that would admit everybody. */
      out: z.array(
        z.strictObject({ id: z.string(), why: z.string(), cap: Cap.optional(), needs: Needs.optional() }),
      ),
    }),
  ),
  "deliberation-closed": once(() => Closing),
} satisfies { readonly [type in EventType]: () => z.ZodType };

export type DataOf<T extends EventType> = z.infer<ReturnType<(typeof VOCABULARY)[T]>>;
export type NewEvent = { [T in EventType]: { type: T; data: DataOf<T> } }[EventType];

const AnyEvent = z.strictObject({ type: z.string().refine(isEventType), data: z.unknown() });

/** Checks an event by its type's schema. @throws ZodError, also for a type that is not in the vocabulary */
export function parseEvent(event: unknown): NewEvent {
  const { type, data } = AnyEvent.parse(event);
  // The type's own schema has parsed the data.
  return { type, data: VOCABULARY[type]().parse(data) } as NewEvent;
}
