export { simEmbeddings } from "./embeddings.ts";
export { simServer, type SimServer } from "./server.ts";
export { createSim, type LoadFacts, type Sim } from "./sim.ts";
