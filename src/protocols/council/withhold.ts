import type { Event, ParticipantId, Stance, StepKey } from "../../kernel/index.ts";
import type { Draft } from "../../phases/draft.ts";
import type { Place } from "../../phases/table.ts";
import type { Reviews } from "./review.ts";

type Comparison = Event<"comparison-given">["data"];

/** What the standing and the chair work from. */
export type Material = {
  readonly drafts: readonly Draft[];
  readonly answers: readonly Draft[];
  readonly table: readonly Place[];
  readonly reviews: Reviews;
  readonly comparison: Comparison | undefined;
};

/**
 * The material without these participants: their drafts and answers, their reviews, and what was found of them alone.
 * Labels stay as they were, and remarks and ranks of an answer that is not on the table are passed over downstream. What
 * a reviewer wrote of another answer may still allude to one that is withheld: its words are left as they are.
 */
export function withhold(material: Material, ids: readonly ParticipantId[]): Material {
  if (ids.length === 0) return material;
  const stays = ({ by }: { readonly by: { readonly id: ParticipantId } }) => !ids.includes(by.id);
  const table = material.table.filter(stays);
  const { reviews, absent } = material.reviews;
  return {
    drafts: material.drafts.filter(stays),
    answers: material.answers.filter(stays),
    table,
    reviews: { reviews: reviews.filter(stays), absent: absent.filter(stays) },
    comparison:
      material.comparison &&
      compared(
        material.comparison,
        table.map(({ step }) => step),
      ),
  };
}

/** What of a comparison these answers make up: a side that nobody holds is gone, and what one alone holds is unique. */
function compared({ by, ...found }: Comparison, steps: readonly StepKey[]): Comparison {
  const held = (stances: readonly Stance[]): Stance[] =>
    stances.flatMap(({ claim, of }) => {
      const left = of.filter((step) => steps.includes(step));
      return left.length > 0 ? [{ claim, of: left }] : [];
    });
  const sides = found.contradictions.map(({ topic, stances }) => ({ topic, stances: held(stances) }));
  // A contradiction of one side is none: what that side claims stays.
  const undisputed = sides.flatMap(({ stances }) => (stances.length === 1 ? stances : []));
  const claims = [...held(found.agreements), ...undisputed];
  return {
    by,
    agreements: claims.filter(({ of }) => of.length > 1),
    contradictions: sides.filter(({ stances }) => stances.length > 1),
    unique: [...claims.filter(({ of }) => of.length === 1), ...held(found.unique)],
  };
}
