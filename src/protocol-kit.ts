/**
 * The parts of a protocol: steps and phases, prompts with fences and slots, readers, agreement. Register a protocol by
 * `protocols: { ...yours }`; `@parley-llm/parley/testing` runs it on scripted models.
 */
export {
  admitWithinBudget,
  canAfford,
  defineProtocol,
  phase,
  reserveFor,
  type Protocol,
  type ProtocolContext,
  type ProtocolView,
  type PromptTemplate,
  type Registry,
  type StepRunner,
  type SeatSpec,
  type StepOutcome,
  failedPart,
  fanOut,
  type FanOut,
  type FanOutMember,
  type FanOutSpec,
  type Absence,
  countMajority,
  findById,
} from "./engine/index.ts";
export type { ProtocolReport } from "./kernel/index.ts";
export { fenceText as fenced, readFenced, type Fenced } from "./prompts/material.ts";
export {
  ANSWERS_SLOTS,
  answersText,
  answersValues,
  fence,
  labelList,
  materialText,
  type AnswersPrompt,
  type Desk,
  type LabeledText,
  type Material,
} from "./prompts/material.ts";
export { debateWith } from "./features/debate/protocol/debate/index.ts";
export {
  summaryMethods,
  type Contribution,
  type SummaryMethod,
  type SummaryTask,
} from "./protocols/phases/summaries/index.ts";
export { defineTemplate, type Template } from "./prompts/template.ts";
export { centralDraft, chooseControl, foremostDrafts, leadingDraft } from "./protocols/phases/control.ts";
export { draft, draftTemplate, type DraftLimits, type Drafts } from "./protocols/phases/draft.ts";
export {
  degradation,
  emptyReplyFailure,
  modelParams,
  readReply,
  stoppedByBudget,
} from "./protocols/phases/reply.ts";
export { closeBelowQuorum } from "./protocols/phases/control.ts";
export { revise, revisionTemplate, type RevisionRound } from "./protocols/phases/revise.ts";
export {
  findByLabel,
  labelAt,
  othersFrom,
  seatDrafts,
  type SeatedDraft,
  type Draft,
} from "./protocols/phases/table.ts";
export { speakWithTools, type ToolUse } from "./protocols/phases/tool-turns.ts";
export { extractAnswer } from "./replies/extract-answer.ts";
export { readNumber, type NumberValue } from "./replies/answer.ts";
