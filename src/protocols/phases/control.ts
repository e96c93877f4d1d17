import type { Answer, Control, Event, Closing } from "../../kernel/index.ts";
import { majority } from "../../stats/vote.ts";
import { centralText } from "../../stats/text-similarity.ts";
import { sameAnswer } from "../../replies/answer.ts";
import { stoppedByBudget, type Absence } from "./loss.ts";
import type { Draft } from "./draft.ts";

/**
 * What not deliberating would have answered: the drafts' majority (or the largest group) where final answers
 * could be extracted from most of them, else the best-ranked draft, else, unranked, the leading one.
 */
export function chooseControl(
  drafts: readonly Draft[],
  standing: Event<"standing-reached">["data"] | undefined,
  answered: Answer | null,
): Control {
  const agrees = (answer: Answer | null) => (answer && answered ? sameAnswer(answer, answered) : null);
  const { alone, foremost } = findForemost(drafts);
  const draft = alone ? centralDraft(foremost) : (bestDraft(drafts, standing) ?? centralDraft(foremost));
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
export const leadingDraft = (answers: readonly Draft[]): Draft =>
  centralDraft(findForemost(answers).foremost);

/** The text that is nearest to the others: the best supported one, where several say the same. */
export function centralDraft(answers: readonly Draft[]): Draft {
  const id = centralText(answers.map(({ step, text }) => ({ id: step, text })));
  const found = answers.find(({ step }) => step === id);
  if (!found) throw new RangeError("there is no central one of no answers");
  return found;
}

/** Where most have a final answer, those who give the most frequent; `alone`: no other is as frequent. Else all. */
function findForemost(drafts: readonly Draft[]): { alone: boolean; foremost: readonly Draft[] } {
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

/** The usual quorum: more than half. */
export const countMajority = (of: number): number => Math.floor(of / 2) + 1;

export type Shortfall = {
  /** What the others were to do, in words: `members answered`. */
  readonly did: string;
  readonly given: readonly Draft[];
  readonly absent: readonly (Absence & { readonly name: string })[];
  readonly quorum: number;
  /** The one to give out of those that there are, at least one. */
  readonly best: (given: readonly Draft[]) => Draft;
};

/** How it ends when a quorum is not met: with the best answer where only the budget is to blame. */
export function closeBelowQuorum({ did, given, absent, quorum, best }: Shortfall): Closing {
  const reasons = absent.map(({ name, why }) => `${name}: ${why}`).join("; ");
  const why = `${given.length} of ${given.length + absent.length} ${did}, ${quorum} are needed (${reasons})`;
  if (!absent.some(({ code }) => code === "over-budget")) return { outcome: "failed", why };
  const chosen = given.length > 0 ? best(given) : undefined;
  const { cap } = absent.find((one) => one.cap !== undefined) ?? {};
  return stoppedByBudget(
    why,
    cap,
    chosen ? { answer: chosen.step, control: chooseControl(given, undefined, chosen.final) } : null,
  );
}
