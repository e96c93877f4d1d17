import { centralText, majority, sameAnswer } from "../../judging/index.ts";
import type { Answer, Control, Event } from "../../kernel/index.ts";
import type { Draft } from "../phases/draft.ts";

/**
 * What not deliberating would have answered: the drafts' majority (or the largest group) where final answers
 * could be extracted from most of them, else the best-ranked draft, else, unranked, the one nearest to all others.
 */
export function controlOf(
  drafts: readonly Draft[],
  standing: Event<"standing-reached">["data"] | undefined,
  answered: Answer | null,
): Control {
  const agrees = (answer: Answer | null) => (answer && answered ? sameAnswer(answer, answered) : null);
  const group = majorityOf(drafts);
  if (group) {
    const answer = group[0].final;
    return { kind: "draft-majority", step: central(group).step, answer, agrees: agrees(answer) };
  }
  const best = bestDraft(drafts, standing) ?? leading(drafts);
  return { kind: "best-draft", step: best.step, answer: best.final, agrees: agrees(best.final) };
}

/** The draft in the first place; of several there, the one whose member sits first. */
export const bestDraft = (
  drafts: readonly Draft[],
  standing: Event<"standing-reached">["data"] | undefined,
): Draft | undefined => {
  const winner = standing?.places.find(({ place, score }) => place === 1 && score !== null);
  return drafts.find(({ by }) => by.id === winner?.id);
};

/** The answer to give when nothing ranks them: of the largest group that says the same, else of all, the central one. */
export const leading = (answers: readonly Draft[]): Draft => central(majorityOf(answers) ?? answers);

/** The text that is nearest to the others: the best supported one, where several say the same. */
export function central(answers: readonly Draft[]): Draft {
  const id = centralText(answers.map(({ step, text }) => ({ id: step, text })));
  const found = answers.find(({ step }) => step === id);
  if (!found) throw new RangeError("there is no central one of no answers");
  return found;
}

/** Those who give the most frequent final answer, where most give one at all and no other is as frequent. */
function majorityOf(drafts: readonly Draft[]): readonly [Draft, ...Draft[]] | undefined {
  if (drafts.filter(({ final }) => final !== null).length * 2 <= drafts.length) return undefined;
  const { outcome } = majority(drafts.map(({ step, final }) => ({ id: step, answer: final })));
  if (outcome.kind !== "majority" && outcome.kind !== "plurality") return undefined;
  const [first, ...others] = drafts.filter(({ step }) => outcome.group.ids.includes(step));
  return first && [first, ...others];
}
