import type { Strings } from "./strings-en.ts";

// The words of screens that few begin with; they come with the first of these.
export { library, settings } from "./strings-de-knowledge.ts";

export const record: Strings["record"] = { noRecord: "Das Protokoll wird zusammengestellt." };

export const events: Strings["events"] = {
  type: "Typ",
  allTypes: "Alle Typen",
  by: "Von",
  anybody: "Alle",
  shown: (found, all) => (found === all ? `${all} Ereignisse` : `${found} von ${all} Ereignissen`),
  none: "Kein Ereignis passt zu diesen Filtern.",
  showAll: "Alle Ereignisse anzeigen",
  unknownType: "Diese Seite kennt Ereignisse dieses Typs nicht. Sie zeigt sie, wie sie aufgezeichnet wurden.",
  unknownNote:
    "Sie werden aufbewahrt und angezeigt, wie sie aufgezeichnet wurden. Sonst verwendet diese Seite sie nicht.",
  goTo: (seq) => `Den Lauf bei Ereignis ${seq} anzeigen`,
  range: (first, last) => `Ereignisse ${first} bis ${last}`,
  recorded: (seq) => `Ereignis ${seq}, wie es aufgezeichnet wurde`,
};
