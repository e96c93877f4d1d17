export { checkup } from "./checkup.ts";
export { convene } from "./convene.ts";
export { forkChanges } from "./fork-changes.ts";
export { modelTable } from "./model-table.ts";
export { openParley, openPlaceStore, type Parley, type Settings } from "./parley.ts";
export { startSimServer } from "./sim-server.ts";
