// The words of screens that few begin with; they come with the first of these.
export { library, memory, settings } from "./strings-de-knowledge.ts";
export { events, record } from "./strings-de-records.ts";
