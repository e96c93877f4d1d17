export { checkup, type Check } from "./checkup.ts";
export { convene } from "./convene.ts";
export { forkChanges } from "./fork-changes.ts";
export { modelTable, type MissingRow, type ModelRow } from "./model-table.ts";
export {
  openParley,
  openPlaceStore,
  type Environment,
  type Parley,
  type Place,
  type Settings,
} from "./parley.ts";
export { protocols, reactors } from "./registry.ts";
export { reachable, type Reachable } from "./reachable.ts";
export { startSimServer } from "./sim-server.ts";
