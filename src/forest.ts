// The rules of a forest, as pure functions over the data that its files hold.
export {
  classify,
  type Classified,
  type Finding,
  type FruitRecord,
} from "./features/forest/protocol/classification.ts";
export {
  defineDomain,
  type Compiled,
  type Domain,
  type DomainGate,
  type GateFinding,
  type GateInput,
  type GateMeans,
  type LoadedSoil,
  type Thresholds,
} from "./gates/domain.ts";
export {
  DIVERGED_SCORES,
  inspectedScores,
  nurseryCheck,
  rankAndRoute,
  scoreSeed,
  SEED_WEIGHTS,
  type InspectedMechanism,
  type NurseryDecision,
  type RoutingRules,
} from "./features/forest/protocol/seeds.ts";
export {
  Branch,
  Climate,
  cycleIdOf,
  cycleNumber,
  ExecutionMode,
  Forest,
  ForestSeed,
  GateRecord,
  isComplete,
  LeafKind,
  NEW_CLIMATE,
  ResultRecord,
  Tree,
  WeatherEvent,
  type GateDef,
} from "./features/forest/protocol/state.ts";
export {
  ForestValidationError,
  validateForest,
  type ForestInvariant,
} from "./features/forest/protocol/validation.ts";
export {
  routeWeather,
  streaksOf,
  WEATHER_DEFAULTS,
  type ForestWeather,
  type Streaks,
  type TreeWeather,
  type WeatherConfig,
  type WeatherInputs,
} from "./features/forest/protocol/weather.ts";
