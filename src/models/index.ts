export { type EndpointExtras, resolveEndpoint } from "./endpoint.ts";
export { createModels } from "./models.ts";
export { ollamaProgram, providers, type Provider } from "./providers.ts";
export { pullCommand } from "./wires/ollama.ts";
