import type { ProtocolContext } from "../../engine/index.ts";
import type { ParticipantId } from "../../kernel/index.ts";
import type { Draft } from "./draft.ts";

// TABLE-1. A draft has one label, the same for every reviewer and for the chair, which says nothing of its author.
// TABLE-2. Over n reviewers who all drafted, every draft stands exactly once in each of the n - 1 positions.
// TABLE-3. Nobody is shown the own draft.
// All three depend on the seed and on who is in the roster, never on when anybody answered.

export type SeatedDraft = Draft & { readonly label: string };

/** The drafts around a table, in an order drawn from the seed; the labels A, B, C… go round it. */
export const seatDrafts = (context: ProtocolContext, drafts: readonly Draft[]): readonly SeatedDraft[] => {
  const order = context.shuffle(
    "labels",
    drafts.map(({ by }) => by.id as string),
  );
  return order.flatMap((id, index) => {
    const draft = drafts.find(({ by }) => by.id === id);
    return draft ? [{ ...draft, label: labelAt(index) }] : [];
  });
};

/** What a member reviews: the table read round from the neighbour, its own place left out (TABLE-2, TABLE-3). */
export function othersFrom(table: readonly SeatedDraft[], reviewer: ParticipantId): readonly SeatedDraft[] {
  const own = table.findIndex(({ by }) => by.id === reviewer);
  return [...table.slice(own + 1), ...table.slice(0, own)];
}

/** What the `turn`-th judge reviews, who has no draft here: the whole table, each judge from another place. */
export const tableFrom = (table: readonly SeatedDraft[], turn: number): readonly SeatedDraft[] => {
  const start = table.length === 0 ? 0 : turn % table.length;
  return [...table.slice(start), ...table.slice(0, start)];
};

/** A to Z, then A2 and so on: a council of more than 26 is rare, but not refused. */
export const labelAt = (index: number): string =>
  String.fromCharCode(65 + (index % 26)) + (index < 26 ? "" : String(Math.floor(index / 26) + 1));
