export { digestOf, fenceMark, idInSeries, idOfRequest, shuffled, textDigest } from "./digest.ts";
export type { Driven } from "./drive.ts";
export { createEngine, type Engine, type EngineParts } from "./engine.ts";
export { localFrames, type LocalFrames } from "./frames.ts";
export type { Asked, ForkChanges } from "./opening.ts";
export { admitted, holdBack, phase, reaches, type Joined, type Phase } from "./phase.ts";
export {
  defineProtocol,
  type AnyProtocol,
  type Floor,
  type Ports,
  type Protocol,
  type Turn,
  type TurnOf,
} from "./protocol.ts";
export type { ReactOptions } from "./reactions.ts";
export { defineReactor, owes, type AnyReactor, type Reaction, type Reactor } from "./reactor.ts";
export type { Replayed } from "./replay.ts";
export type { Ending, MadeType, Run } from "./run.ts";
export { systemWorld } from "./world.ts";
