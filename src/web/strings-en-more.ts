// The words of screens that few begin with; they come with the first of these.
export { library, settings } from "./strings-en-knowledge.ts";

export const record = { noRecord: "The record is being put together." };

export const events = {
  type: "Type",
  allTypes: "All types",
  by: "By",
  anybody: "Anybody",
  shown: (found: string, all: string) => (found === all ? `${all} events` : `${found} of ${all} events`),
  none: "No event fits these filters.",
  showAll: "Show all events",
  unknownType: "This page does not know events of this type. It shows them as they were recorded.",
  unknownNote: "They are kept and shown as they were recorded. Nothing else on this page uses them.",
  goTo: (seq: string) => `Show the run at event ${seq}`,
  range: (first: string, last: string) => `Events ${first} to ${last}`,
  recorded: (seq: string) => `Event ${seq} as it was recorded`,
};
