export { builtInFacts } from "./built-in-facts.ts";
export { Fact, FactsFile, readFacts } from "./facts.ts";
export { readReference, type Simulated } from "./reference.ts";
export { createSim, type LoadFacts, type Prepared, type Sim, type SimOptions } from "./sim.ts";
export { listedModels, simServer, type Listening, type SimServer, type SimServerOptions } from "./server.ts";
