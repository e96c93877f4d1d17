import type { Entry, Participant } from "../kernel/index.ts";
import { speakerOf } from "../views/spending.ts";

/** Participants as people know them. */
export type Names = {
  /** A persona's name; with its id where two share one; an unknown id as it is. */
  readonly of: (id: string) => string;
  /** Entries in the order of their speakers' seats, those of one speaker by their steps' keys: never in the order of a race. */
  readonly bySeat: <E extends Entry>(entries: readonly E[]) => E[];
};

const stepOf = ({ origin }: Entry): string => ("step" in origin ? origin.step : "");

export function namesOf(participants: readonly Participant[]): Names {
  const seats = participants.map(({ id }) => id as string);
  const seatOf = (entry: Entry) => {
    const seat = seats.indexOf(speakerOf(entry));
    return seat < 0 ? seats.length : seat;
  };
  return {
    of: (id) => {
      const name = participants.find((participant) => participant.id === id)?.persona.name;
      if (name === undefined) return id;
      const shared = participants.filter(({ persona }) => persona.name === name).length > 1;
      return shared ? `${name} (${id})` : name;
    },
    bySeat(entries) {
      const keys = new Intl.Collator("en", { numeric: true }); // round 2 before round 10
      return [...entries].sort((a, b) => seatOf(a) - seatOf(b) || keys.compare(stepOf(a), stepOf(b)));
    },
  };
}
