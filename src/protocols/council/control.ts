import { majority, sameAnswer } from "../../judging/index.ts";
import type { Answer, Control, Event } from "../../kernel/index.ts";
import type { Draft } from "../phases/draft.ts";

/**
 * What not deliberating would have answered: the drafts' majority (or the largest group) where final answers
 * could be extracted from most of them, else the best-ranked draft. null when neither can be told: no standing, or a tie of
 * groups without one.
 */
export function controlOf(
  drafts: readonly Draft[],
  standing: Event<"standing-reached">["data"] | undefined,
  answered: Answer | null,
): Control | null {
  const { outcome } = majority(drafts.map(({ by, final }) => ({ id: by.id, answer: final })));
  const comparable = drafts.filter(({ final }) => final !== null).length * 2 > drafts.length;
  const agrees = (answer: Answer | null) => (answer && answered ? sameAnswer(answer, answered) : null);
  if (comparable && (outcome.kind === "majority" || outcome.kind === "plurality")) {
    const leader = drafts.find(({ by }) => by.id === outcome.group.ids[0]);
    if (leader) {
      const { answer } = outcome.group;
      return { kind: "draft-majority", step: leader.step, answer, agrees: agrees(answer) };
    }
  }
  const best = bestDraft(drafts, standing);
  return best
    ? { kind: "best-draft", step: best.step, answer: best.final, agrees: agrees(best.final) }
    : null;
}

/** The draft in the first place; of several there, the one whose member sits first. */
export const bestDraft = (
  drafts: readonly Draft[],
  standing: Event<"standing-reached">["data"] | undefined,
): Draft | undefined => {
  const winner = standing?.places.find(({ place, score }) => place === 1 && score !== null);
  return drafts.find(({ by }) => by.id === winner?.id);
};
