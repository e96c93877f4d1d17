export { failingStore, type FailingStore } from "./failing-store.ts";
export { storeContract, type StoreSkip, type TestRunner } from "./store-contract.ts";
export type { OpenInChild, StorePlace } from "./store-place.ts";
export { mortal, type CrashPoint, type Mortal, type MortalParts } from "./crash.ts";
export {
  scripted,
  type Script,
  type ScriptedCall,
  type ScriptedLine,
  type ScriptedModels,
  type ScriptedOptions,
  type ScriptedReply,
} from "./scripted-models.ts";
export { stepClock, type StepClock, type StepClockOptions } from "./step-clock.ts";
export { openingFor, shippedTextsOf } from "./kit.ts";
export { memoryStore } from "./memory-store.ts";
export {
  closingOf,
  crashPoints,
  eventsOf,
  factsOf,
  stage,
  type Played,
  type StageProcess,
  type Stage,
  type StageOptions,
} from "./stage.ts";
