import type { ProtocolContext } from "../../engine/index.ts";
import type { Participant } from "../../kernel/index.ts";
import { sameAnswer } from "../../replies/answer.ts";
import { seatDrafts, type Draft } from "../phases/table.ts";
import { askReview, createReviewer } from "./review.ts";
import type { CouncilSettings } from "./settings.ts";

// The tie-breaker is asked only where a tie changes the answer, sees the tied drafts alone, and under fresh labels.

/** `chosen` is undefined where nobody was tied; `tied` where the tie stands, and why. */
export type TieBreak =
  | { readonly tied: false; readonly chosen: Draft | undefined }
  | { readonly tied: true; readonly why: string; readonly by: Participant | undefined };

/** Whoever has the seat `tie-break` ranks the tied answers as a reviewer does, under `tie-break/<id>`; its first is chosen. */
export async function breakTie(
  context: ProtocolContext<CouncilSettings>,
  level: readonly Draft[],
): Promise<TieBreak> {
  const [first, ...others] = level;
  const isSame = (one: Draft) =>
    first?.final != null && one.final !== null && sameAnswer(one.final, first.final);
  if (!first || others.every(isSame)) return { tied: false, chosen: undefined };
  const names = level.map(({ by }) => by.persona.name);
  const [by] = context.seats("tie-break");
  const tie = `${names.slice(0, -1).join(", ")} and ${names.at(-1)} are tied`;
  if (!by) return { tied: true, why: tie, by };
  const shown = seatDrafts(context, level);
  const reviewer = createReviewer(context, by, shown);
  const event = await askReview(context, context.run, { ...reviewer, kind: "tie-break" });
  const stays = (why: string): TieBreak => ({
    tied: true,
    why: `${tie}; no tie-break by ${by.persona.name}: ${why}`,
    by,
  });
  if (event.type === "degradation-noted") return stays(event.data.why);
  const { ranking } = event.data;
  if (!ranking.ok) return stays(ranking.reason);
  return { tied: false, chosen: level.find(({ step }) => step === ranking.steps[0]) };
}
