export { contextLength } from "./context-lengths.ts";
export { type EndpointExtras, listedRef, resolveEndpoint, urlAt } from "./endpoint.ts";
export { createModels } from "./models.ts";
export { findPrice, prices } from "./prices.ts";
export { ollamaProgram, providers, type Provider } from "./providers.ts";
export { pullCommand } from "./wires/ollama.ts";
