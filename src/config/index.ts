export { readContext } from "./context.ts";
export { readFactsFile } from "./facts.ts";
export { distance, nearest } from "./nearest.ts";
export type { Place } from "./paths.ts";
export { loadPersonas, personaOf, type LoadedPersona } from "./personas.ts";
export { loadSettings, type LoadedSettings } from "./sources.ts";
export { listStrategies, loadStrategy } from "./strategies.ts";
export { loadTemplates } from "./templates.ts";
