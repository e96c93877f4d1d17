import type { Ending, Floor } from "../../engine/index.ts";
import { standing as standingOf } from "../../judging/index.ts";
import type { Event, ParticipantId } from "../../kernel/index.ts";
import type { Reviews } from "./review.ts";
import type { Place } from "../../phases/table.ts";

/** Adds the readable rankings up, under `standing`. */
export const standing = (
  floor: Floor,
  table: readonly Place[],
  { reviews, absent }: Reviews,
): Promise<Event<"standing-reached">> => {
  const author = new Map(table.map(({ step, by }) => [step, by.id]));
  const idOf = (id: string): ParticipantId => {
    const found =
      table.find(({ by }) => by.id === id)?.by.id ?? reviews.find(({ by }) => by.id === id)?.by.id;
    if (found === undefined) throw new RangeError(`${id} has no part in the standing`);
    return found;
  };
  // In seat order: ties are listed, and read, as the opening lists the members.
  const candidates = floor
    .seats("member")
    .flatMap(({ id }) => (table.some(({ by }) => by.id === id) ? [id] : []));
  const ballots = reviews.flatMap(({ by, given }) =>
    given.ranking.ok
      ? [
          {
            reviewer: by.id,
            ranking: given.ranking.steps.flatMap((step) => author.get(step) ?? []),
          },
        ]
      : [],
  );
  // The seed is part of the digest: a fork does not adopt a standing that was reached without intervals.
  const given = { candidates, ballots, seed: "standing" };
  const left = absent.map(({ by, why }) => ({ id: by.id, why }));
  const make = (): Ending<"standing-reached"> => {
    const { rows, borda, agreement, effectiveVotes, excluded } = standingOf(given);
    return {
      type: "standing-reached",
      data: {
        places: rows.map((row) => ({
          ...row,
          id: idOf(row.id),
          tiedWith: row.tiedWith.map(idOf),
        })),
        borda,
        agreement,
        effectiveVotes,
        excluded: [...left, ...excluded.map(({ id, why }) => ({ id: idOf(id), why }))],
      },
    };
  };
  return floor.run.derive({ key: "standing", ends: ["standing-reached"], input: { ...given, left } }, make);
};
