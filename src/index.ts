/** Parley as a library: the engine, the protocols, the model caller and the stores. `parley/kernel` has the words. */
export * from "./engine/index.ts";
export { ask, AskSettings } from "./protocols/ask/index.ts";
export { council, CouncilSettings } from "./protocols/council/index.ts";
export { debate, DebateSettings, summaryMethods } from "./protocols/debate/index.ts";
export { judge, JudgeSettings } from "./protocols/judge/index.ts";
export { respond, RespondSettings } from "./protocols/respond/index.ts";
export { critic } from "./reactors/critic.ts";
export { memory } from "./reactors/memory.ts";
export { pairwise } from "./reactors/pairwise.ts";
export { respondentB } from "./reactors/respondent-b.ts";
export { createMemory } from "./memory/index.ts";
export { createModels, type ClosableModels, type ModelsOptions } from "./models/index.ts";
export { createSim, simServer } from "./sim/index.ts";
export { openStore } from "./stores/index.ts";
