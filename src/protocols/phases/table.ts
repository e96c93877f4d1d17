import type { ProtocolContext } from "../../engine/index.ts";
import type { Answer, NumberedSource, Participant, ParticipantId, StepKey } from "../../kernel/index.ts";

// A draft has one label, the same for every reviewer and for the chair, which says nothing of its author.
// Over n reviewers who all drafted, every draft stands exactly once in each of the n - 1 positions.
// A member is never shown its own draft.
// All three depend on the seed and on who is in the roster, never on when anybody answered.

/** One member's blind answer. */
export type Draft = {
  readonly by: Participant;
  readonly step: StepKey;
  readonly text: string;
  readonly final: Answer | null;
  /** What it rests on, where its member searched. */
  readonly sources?: readonly NumberedSource[] | undefined;
};

export type SeatedDraft = Draft & { readonly label: string };

/** The drafts around a table, in an order drawn from the seed; the labels A, B, C… go round it. */
export function seatDrafts(
  context: Pick<ProtocolContext, "shuffle">,
  drafts: readonly Draft[],
): readonly SeatedDraft[] {
  const ids = drafts.map(({ by }) => by.id as string);
  return context.shuffle("labels", ids).flatMap((id, index) => {
    const draft = drafts.find(({ by }) => by.id === id);
    return draft ? [{ ...draft, label: labelAt(index) }] : [];
  });
}

/** The answers that a member reviews: it reads round the table from its neighbor, without its own. */
export function othersFrom(table: readonly SeatedDraft[], reviewer: ParticipantId): readonly SeatedDraft[] {
  const own = table.findIndex(({ by }) => by.id === reviewer);
  return [...table.slice(own + 1), ...table.slice(0, own)];
}

/** The answers that the `turn`-th judge reviews, who has no draft: the whole table, each judge from another place. */
export const tableFrom = (table: readonly SeatedDraft[], turn: number): readonly SeatedDraft[] => {
  const start = table.length === 0 ? 0 : turn % table.length;
  return [...table.slice(start), ...table.slice(0, start)];
};

/** A to Z, then A2 and so on: a council of more than 26 is rare, but not refused. */
export const labelAt = (index: number): string =>
  String.fromCharCode(65 + (index % 26)) + (index < 26 ? "" : String(Math.floor(index / 26) + 1));

/** @throws RangeError where no answer has this label */
export function findByLabel<T extends { readonly label: string }>(table: readonly T[], label: string): T {
  const one = table.find((other) => other.label === label);
  if (!one) throw new RangeError(`no answer is labeled ${label}`);
  return one;
}

export const inLabelOrder = <T extends { readonly label: string }>(table: readonly T[]): readonly T[] =>
  [...table].sort((a, b) => (a.label < b.label ? -1 : 1));
