import type { Absence } from "../../engine/index.ts";
import type { Answer, Closing, Control, Event } from "../../kernel/index.ts";
import { sameAnswer } from "../../replies/answer.ts";
import { centralText } from "../../stats/text-similarity.ts";
import { majority } from "../../stats/vote.ts";
import type { Draft } from "./table.ts";
import { stoppedByBudget } from "./reply.ts";

/**
 * The baseline, which is the answer without deliberation: the drafts' majority (or the largest group) where most of them
 * have a final answer, else the best-ranked draft, else, where none is ranked above all others, the leading one.
 */
export function chooseControl(
  drafts: readonly Draft[],
  standing: StandingData | undefined,
  answered: Answer | null,
): Control {
  const { alone, foremost } = findForemost(drafts);
  const best = alone ? undefined : bestDraft(drafts, standing);
  const { step, final } = best ?? centralDraft(foremost);
  return {
    kind: alone ? "draft-majority" : best ? "best-draft" : "leading-draft",
    step,
    answer: final,
    agrees: final && answered ? sameAnswer(final, answered) : null,
  };
}

export type StandingData = Event<"standing-reached">["data"];

/** The drafts in the first place, in the standing's order; none where nobody was ranked. */
export const foremostDrafts = <D extends Draft>(
  drafts: readonly D[],
  standing: StandingData | undefined,
): readonly D[] =>
  (standing?.places ?? [])
    .filter(({ place, score }) => place === 1 && score !== null)
    .flatMap(({ id }) => drafts.find(({ by }) => by.id === id) ?? []);

/** The draft in the first place; none where several share it. */
function bestDraft(drafts: readonly Draft[], standing: StandingData | undefined): Draft | undefined {
  const [best, ...level] = foremostDrafts(drafts, standing);
  return level.length === 0 ? best : undefined;
}

/** The answer to give without a ranking: the central one of the largest group, of level groups, or of all. */
export const leadingDraft = (answers: readonly Draft[]): Draft =>
  centralDraft(findForemost(answers).foremost);

/** The text that is nearest to the others. @throws RangeError where there are no answers */
export function centralDraft(answers: readonly Draft[]): Draft {
  const id = centralText(answers.map(({ step, text }) => ({ id: step, text })));
  const draft = answers.find(({ step }) => step === id);
  if (!draft) throw new RangeError("no answers, so none is central");
  return draft;
}

/** Where most have a final answer, those with the most frequent one; `alone` if no other is as frequent. Else all. */
function findForemost(drafts: readonly Draft[]): { alone: boolean; foremost: readonly Draft[] } {
  const comparable = drafts.filter(({ final }) => final !== null).length * 2 > drafts.length;
  const { outcome } = majority(drafts.map(({ step, final }) => ({ id: step, answer: final })));
  if (!comparable || outcome.kind === "none") return { alone: false, foremost: drafts };
  const groups = outcome.kind === "tie" ? outcome.groups : [outcome.group];
  const ids = groups.flatMap((group) => group.ids);
  return { alone: outcome.kind !== "tie", foremost: drafts.filter(({ step }) => ids.includes(step)) };
}

export type Shortfall = {
  /** What the others did, in words: `members answered`. */
  readonly did: string;
  readonly given: readonly Draft[];
  readonly absent: readonly (Absence & { readonly name: string })[];
  readonly quorum: number;
  /** Chooses the answer to give out of at least one. */
  readonly best: (given: readonly Draft[]) => Draft;
};

/** The closing below a quorum: it has the best answer where only the budget is to blame. */
export function closeBelowQuorum({ did, given, absent, quorum, best }: Shortfall): Closing {
  const reasons = absent.map(({ name, why }) => `${name}: ${why}`).join("; ");
  const why = `${given.length} of ${given.length + absent.length} ${did}, ${quorum} are needed (${reasons})`;
  if (!absent.some(({ code }) => code === "over-budget")) return { outcome: "failed", why };
  const { cap } = absent.find((one) => one.cap !== undefined) ?? {};
  return stoppedByBudget(why, cap, given.length > 0 ? answerWith(best(given), given) : null);
}

/** A draft as the answer, beside the baseline. */
export const answerWith = (draft: Draft, drafts: readonly Draft[], standing?: StandingData) => ({
  answer: draft.step,
  control: chooseControl(drafts, standing, draft.final),
});
