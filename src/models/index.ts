export { createEmbeddings, type EmbeddingsOptions } from "./embeddings.ts";
export { resolve } from "./endpoint.ts";
export { createModels, type ClosableModels, type ModelsOptions } from "./models.ts";
export { priceOf, prices, type Price } from "./prices.ts";
export { ollamaProgram, providers, type Provider } from "./providers.ts";
export { pullCommand } from "./wires/ollama.ts";
