export { type EndpointExtras, resolveEndpoint, urlAt } from "./endpoint.ts";
export { createModels } from "./models.ts";
export { ollamaProgram, providers, type Provider } from "./providers.ts";
export { pullCommand } from "./wires/ollama.ts";
