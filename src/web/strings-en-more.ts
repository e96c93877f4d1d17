// The words of screens that few begin with; they come with the first of these.
export { library, memory, settings } from "./strings-en-knowledge.ts";
export { events, record } from "./strings-en-records.ts";
