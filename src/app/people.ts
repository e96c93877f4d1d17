import * as z from "zod";
import { PERSON_SEATS, type AnyProtocol, type PersonSeat } from "../engine/index.ts";
import type { SeatedParticipant } from "../engine/opening-part.ts";
import { ParticipantId, personModel, UserId, refusal } from "../kernel/index.ts";
import { findNearest, quoteValue } from "../text/words.ts";

/** A person's seat as a request has it: `me` is the caller. */
export const PersonRequest = z.strictObject({ name: z.string().min(1), seat: z.string().min(1) });
export type PersonRequest = { readonly name: string; readonly seat: string };

type PeoplePlan = {
  readonly protocol: Pick<AnyProtocol, "name" | "seats">;
  readonly people: readonly PersonRequest[];
  /** Who `me` is. */
  readonly user: string;
};

/** Adds people to the participants: a judge before the models, which replace it; everybody else after them. @throws Fault `configuration` */
export function seatPeople(
  participants: readonly SeatedParticipant[],
  { protocol, people, user }: PeoplePlan,
): readonly SeatedParticipant[] {
  const seen = new Set<string>();
  let all = [...participants];
  for (const { name, seat: wanted } of people) {
    const person = readUser(name === "me" ? user : name);
    if (seen.has(`${person}:${wanted}`)) throw refusal(`${name}:${wanted} is given twice`, "leave one out");
    seen.add(`${person}:${wanted}`);
    const { name: seat, max = Infinity } = findSeat(protocol, wanted);
    const own = seatPerson(person, seat, all);
    all = wanted === "judge" ? [own, ...all] : [...all, own];
    if (all.filter((one) => one.seat === seat).length > max)
      throw refusal(`the seat ${wanted} has place for ${max}`, "leave the others out");
  }
  return all;
}

/** A person as a participant, under an id that none of the others has. */
export function seatPerson(
  user: string,
  seat: string,
  others: readonly Pick<SeatedParticipant, "id">[],
): SeatedParticipant {
  const plain = user.replaceAll(/[^A-Za-z0-9._-]/g, "-").slice(0, 80);
  const isTaken = (id: string) => others.some((one) => one.id === id);
  const id = isTaken(plain) ? `${plain}-${seat}` : plain;
  return {
    id: ParticipantId.parse(id),
    seat,
    persona: { name: user.slice(0, 80), instructions: "You answer as yourself." },
    model: personModel(user),
    family: null,
  };
}

function readUser(name: string): string {
  const user = UserId.safeParse(name);
  if (user.success) return user.data;
  throw refusal(
    `${quoteValue(name)} is not a user name`,
    "use letters, digits, dot, dash, underscore, @ and +",
  );
}

function findSeat({ name, seats }: PeoplePlan["protocol"], wanted: string) {
  const open = seats.flatMap(({ person }) => person ?? []);
  const seat = seats.find(({ person }) => person === wanted);
  if (seat) return seat;
  if (open.length === 0) throw refusal(`${name} has no seat for a person`, "use ask, council or debate");
  const choices = `the seats of ${name} are ${open.join(", ")}`;
  const known: readonly PersonSeat[] = PERSON_SEATS;
  throw known.some((one) => one === wanted)
    ? refusal(`${name} has no seat ${wanted} for a person`, choices)
    : refusal(`there is no seat ${quoteValue(wanted)} (nearest: ${findNearest(wanted, open)})`, choices);
}
