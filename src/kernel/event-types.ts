/** The types of the vocabulary (`VOCABULARY` in `event.ts`), apart from their schemas: whoever reads events without checking them needs no more. */
const EVENT_TYPES = [
  "deliberation-opened",
  "clarification-asked",
  "clarification-answered",
  "seat-opened",
  "seat-answered",
  "seat-expired",
  "answer-given",
  "critique-given",
  "review-given",
  "standing-reached",
  "comparison-given",
  "summary-made",
  "synthesis-given",
  "requirements-read",
  "confidence-given",
  "rung-decided",
  "evaluation-given",
  "grade-given",
  "preference-given",
  "gate-decided",
  "round-closed",
  "tool-called",
  "engrams-recalled",
  "engram-written",
  "engram-annotated",
  "contribution-measured",
  "feedback-given",
  "feedback-summarized",
  "persona-bred",
  "trial-decided",
  "persona-decided",
  "degradation-noted",
  "turns-chosen",
  "reaction-failed",
  "note-taken",
  "reply-received",
  "reply-stopped",
  "roster-fixed",
  "deliberation-closed",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

const knownTypes: ReadonlySet<string> = new Set(EVENT_TYPES);

export const isEventType = (type: string): type is EventType => knownTypes.has(type);
