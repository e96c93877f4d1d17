import type { Entry } from "../kernel/index.ts";
import { speakerOf } from "../views/spending.ts";

type Named = { readonly id: string; readonly name: string };

/** Gives the name of an id as people know it: with the id where two share a name; an unknown id as it is. */
export const namesOf =
  (people: readonly Named[]) =>
  (id: string): string => {
    const name = people.find((one) => one.id === id)?.name;
    if (name === undefined) return id;
    return people.some((other) => other.name === name && other.id !== id) ? `${name} (${id})` : name;
  };

/** Entries in the order of their speakers' seats, those of one speaker by their steps' keys: never in the order of a race. */
export function inSeatOrder<E extends Entry>(people: readonly Named[], entries: readonly E[]): E[] {
  const seatOf = (entry: Entry) => {
    const seat = people.findIndex(({ id }) => id === speakerOf(entry));
    return seat < 0 ? people.length : seat;
  };
  const stepOf = ({ origin }: Entry) => ("step" in origin ? origin.step : "");
  const keys = new Intl.Collator("en", { numeric: true }); // round 2 before round 10
  return [...entries].sort((a, b) => seatOf(a) - seatOf(b) || keys.compare(stepOf(a), stepOf(b)));
}
