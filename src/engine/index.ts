export { spentSoFar } from "./budget.ts";
export { digestOf, fenceMark, idInSeries, idOfRequest, shuffle, textDigest } from "./digest.ts";
export { limitTime, linkAbort, type LinkedAbort } from "./halt.ts";
export type { DriveResult } from "./drive.ts";
export { createEngine, type Engine } from "./engine.ts";
export { localFrames, type LocalFrames } from "./world.ts";
export type { NewDeliberation, Turn } from "./opening-part.ts";
export { checkInput, type CheckedInput, type ForkChanges } from "./opening.ts";
export { admitWithinBudget, canAfford, leaveRoomFor, reserveFor, type PhaseWork } from "./admission.ts";
export {
  phase,
  fanOut,
  failedPart,
  listAbsent,
  countMajority,
  createAbsence,
  findById,
  type Absence,
  type Absent,
  type FanOut,
  type FanOutMember,
  type FanOutPart,
  type FanOutSpec,
  type PhaseResult,
} from "./phase.ts";
export {
  defineProtocol,
  type AnyProtocol,
  type ProtocolContext,
  type Ports,
  type PromptTemplate,
  type Protocol,
  type ProtocolView,
  PERSON_SEATS,
  type PersonSeat,
  type SeatSpec,
  type RecordedTurn,
} from "./protocol.ts";
export { loadAll, loadNamed, type Registry } from "./protocol.ts";
export {
  loadReactors,
  type LazyReactor,
  type Reactors,
  defineReactor,
  needsReaction,
  NOTHING_TO_SAY,
  workOn,
  type AnyReactor,
  type Reaction,
  type Reactor,
} from "./reactor.ts";
export { consume, holdLease, leaseHolder, LEASE_POLL_MS } from "./reactions.ts";
export type { ReplayResult } from "./replay.ts";
export type { OpenResult } from "./opening.ts";
export type {
  CallSpec,
  DryDesk,
  DryReply,
  ReadReply,
  ReplyEventType,
  StepOutcome,
  StepRunner,
} from "./run.ts";
export { prepareDryRun, type DryCall, type DryCourse } from "./dry-run.ts";
export { systemWorld } from "./world.ts";
