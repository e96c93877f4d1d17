export type { Clock } from "./clock.ts";
export {
  resolve,
  type Compatible,
  type CompatibleEntry,
  type Environment,
  type Resolution,
} from "./endpoint.ts";
export {
  createModels,
  type ClosableModels,
  type Limits,
  type ModelsOptions,
  type Substitutes,
} from "./models.ts";
export { priceOf, prices, type Price } from "./prices.ts";
export { providers, type Provider } from "./providers.ts";
