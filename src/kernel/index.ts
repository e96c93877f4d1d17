export { canonical } from "./canonical.ts";
export {
  type AnnotatedEngram,
  Annotation,
  Engram,
  EngramId,
  Intent,
  Mark,
  type MemoryScope,
  type Recall,
  type RecallQuery,
  RecallRules,
  Recalled,
  type PinOutcome,
  type Remembered,
  type ToldFact,
  type RetireRules,
  UserId,
  type WrittenEngram,
} from "./engram.ts";
export {
  type Entry,
  type Envelope,
  type Event,
  type UnknownEvent,
  type UnreadableEvent,
  callOf,
  isEvent,
  isIntermediate,
  reactorLease,
  readReactorLease,
  timeOf,
  requestsCovered,
  type SentRequests,
  withSent,
} from "./envelope.ts";
export { type DataOf, EVENT_SCHEMA, type NewEvent, parseEvent } from "./event.ts";
export { type EventType, isEventType } from "./event-types.ts";
export { type Families, familyOf } from "./families.ts";
export { Fault, type FaultCode, isFault, isUnreadable, refusal, unlessForgotten } from "./fault.ts";
export {
  FIRST_CURSOR,
  Cursor,
  DeliberationId,
  Digest,
  EventId,
  Json,
  OrganizationId,
  ParticipantId,
  Respondent,
  SeriesId,
  StepKey,
} from "./ids.ts";
export {
  type Appended,
  type Changes,
  type Feed,
  type Forgets,
  type Forgetting,
  type Head,
  type Journal,
  type Lease,
  type ListQuery,
  type OrganizationStore,
  type Progress,
  type Reservation,
  type StepReservation,
  type Reservations,
  type Store,
  type Summary,
  type Texts,
  type RequestNames,
  Tombstone,
} from "./journal.ts";
export {
  Call,
  type CallOptions,
  type CallUsage,
  Cap,
  Cost,
  type Delta,
  Failure,
  FailureCode,
  Message,
  ModelRef,
  MAX_REPLY_TOKENS,
  ModelRequest,
  isOutage,
  mayBeCharged,
  type Models,
  Needs,
  personModel,
  personOf,
  type Quote,
  ReplySchema,
  Tokens,
  ToolCall,
  ToolSpec,
} from "./model.ts";
export {
  Budget,
  Labels,
  Opening,
  Participant,
  Persona,
  READERS_VERSION,
  isVoice,
  pinnedTexts,
} from "./opening.ts";
export { Origin, Work, eventId, originKey, seatRequest, stepOrigin, workOf } from "./origin.ts";
export {
  Answer,
  Assessment,
  Claim,
  Closing,
  Control,
  Rank,
  Remark,
  Score,
  Stance,
  answerStep,
} from "./outcome.ts";
export type { Embeddings, Executor, Frame, Frames, Memory, Tools, World } from "./ports.ts";
export { LOCAL_PRINCIPAL, Principal, Scope } from "./principal.ts";
export {
  checkedEvent,
  type CheckedEvent,
  fitText,
  MAX_EVENT_BYTES,
  type EncodedEvent,
  type StoredEvent,
  admit,
  complete,
  decodeEntry,
  decodePart,
  feedEntry,
  outlivesClosing,
  encodeEvent,
} from "./recording.ts";
export type { Dissent, ElementTree, ProtocolReport, ReportBlock, ReportPart } from "./report.ts";
export { AnswerSigns, KindRule, Rubric } from "./rubric.ts";
export { hasSecretInQuery, redactSecrets } from "./secrets.ts";
export { type Attempt, type SendContext, type Transport, WIRE_NAMES, type WireName } from "./transport.ts";
