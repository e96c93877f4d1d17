import type { DebateRecord } from "../../protocols/debate/view/record.ts";

/** A text that a summary stands for. */
export type EarlierText = {
  readonly kind: "proposal" | "critique" | "refinement";
  readonly by: string;
  readonly round: number;
  readonly text: string;
};

type Summarized = { readonly of: string | undefined; readonly round: number | undefined };

/**
 * What a summary was made of: of an agent its own proposals, the critiques that it got and its refinements in the rounds before
 * `round`; without `of`, everybody's. A proposal that is an earlier refinement counts once.
 */
export function textsBefore(
  { rounds }: Pick<DebateRecord, "rounds">,
  { of, round: until = Infinity }: Summarized,
): readonly EarlierText[] {
  const isMeant = (id: string): boolean => of === undefined || of === id;
  return rounds
    .filter(({ round }) => round < until)
    .flatMap(({ round, proposals, critiques, refinements }) => [
      ...proposals
        .filter(({ by, carried }) => isMeant(by) && !carried)
        .map(({ by, text }) => ({ kind: "proposal" as const, by, round, text })),
      ...critiques
        .filter((one) => isMeant(one.of))
        .map(({ by, text }) => ({ kind: "critique" as const, by, round, text })),
      ...refinements
        .filter(({ by }) => isMeant(by))
        .map(({ by, text }) => ({ kind: "refinement" as const, by, round, text })),
    ]);
}
