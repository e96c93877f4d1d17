import { centralText, majority, sameAnswer } from "../judging/index.ts";
import type { Answer, Control, Event } from "../kernel/index.ts";
import type { Draft } from "./draft.ts";

/**
 * What not deliberating would have answered: the drafts' majority (or the largest group) where final answers
 * could be extracted from most of them, else the best-ranked draft, else, unranked, the leading one.
 */
export function controlOf(
  drafts: readonly Draft[],
  standing: Event<"standing-reached">["data"] | undefined,
  answered: Answer | null,
): Control {
  const agrees = (answer: Answer | null) => (answer && answered ? sameAnswer(answer, answered) : null);
  const { alone, foremost } = foremostOf(drafts);
  const draft = alone ? central(foremost) : (bestDraft(drafts, standing) ?? central(foremost));
  return {
    kind: alone ? "draft-majority" : "best-draft",
    step: draft.step,
    answer: draft.final,
    agrees: agrees(draft.final),
  };
}

/** The draft in the first place; of several there, the one whose member sits first. */
export const bestDraft = (
  drafts: readonly Draft[],
  standing: Event<"standing-reached">["data"] | undefined,
): Draft | undefined => {
  const winner = standing?.places.find(({ place, score }) => place === 1 && score !== null);
  return drafts.find(({ by }) => by.id === winner?.id);
};

/** The answer to give when nothing ranks them: the central one of the largest group, of level groups, or of all. */
export const leading = (answers: readonly Draft[]): Draft => central(foremostOf(answers).foremost);

/** The text that is nearest to the others: the best supported one, where several say the same. */
export function central(answers: readonly Draft[]): Draft {
  const id = centralText(answers.map(({ step, text }) => ({ id: step, text })));
  const found = answers.find(({ step }) => step === id);
  if (!found) throw new RangeError("there is no central one of no answers");
  return found;
}

/** Where most have a final answer, those who give the most frequent; `alone`: no other is as frequent. Else all. */
function foremostOf(drafts: readonly Draft[]): { alone: boolean; foremost: readonly Draft[] } {
  const comparable = drafts.filter(({ final }) => final !== null).length * 2 > drafts.length;
  const { outcome } = majority(drafts.map(({ step, final }) => ({ id: step, answer: final })));
  if (!comparable || outcome.kind === "none") return { alone: false, foremost: drafts };
  const groups = outcome.kind === "tie" ? outcome.groups : [outcome.group];
  const ids = groups.flatMap((group) => group.ids);
  return {
    alone: outcome.kind !== "tie",
    foremost: drafts.filter(({ step }) => ids.includes(step)),
  };
}
