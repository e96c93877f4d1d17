export {
  KEPT_ANNOTATIONS,
  type EngramQuery,
  type EngramStore,
  type Near,
  type StoredEngram,
  type Vector,
} from "./engram-store.ts";
export { createMemory, type EngramMemory } from "./memory.ts";
export type { JudgedEngram, Shown } from "./showing.ts";
export { ConfigurationStats, MemoryStats } from "./stats.ts";
export { EngramLine, type Imported } from "./transfer.ts";
export { WORD_ENGRAMS, askedWords, bestMatches, engramWords } from "./engram-words.ts";
