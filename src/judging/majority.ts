import { sameAnswer, type Answer } from "./answer.ts";

/** Those who gave one answer, in the wording of the first. */
export type AnswerGroup = { readonly answer: Answer; readonly ids: string[] };

/** `majority`: more than half of all; `plurality`: more than any other, but not that. */
export type MajorityOutcome =
  | { readonly kind: "majority" | "plurality"; readonly group: AnswerGroup }
  | { readonly kind: "tie"; readonly groups: AnswerGroup[] }
  | { readonly kind: "none" };

export type Majority = {
  /** The largest first, equals in the order of their first answer. */
  readonly groups: AnswerGroup[];
  /** All that were asked, those without an answer included: what a majority is measured against. */
  readonly total: number;
  readonly outcome: MajorityOutcome;
};

/** Groups answers that are the same (`sameAnswer`) and says which leads. A null answer joins no group and counts in `total`. */
export const majority = (
  answers: readonly { readonly id: string; readonly answer: Answer | null }[],
): Majority => {
  const found: AnswerGroup[] = [];
  for (const { id, answer } of answers) {
    if (answer === null) continue;
    const group = found.find((other) => sameAnswer(other.answer, answer));
    if (group === undefined) found.push({ answer, ids: [id] });
    else group.ids.push(id);
  }
  const groups = found.toSorted((a, b) => b.ids.length - a.ids.length);
  return { groups, total: answers.length, outcome: outcomeOf(groups, answers.length) };
};

const outcomeOf = (groups: readonly AnswerGroup[], total: number): MajorityOutcome => {
  const [first] = groups;
  if (first === undefined) return { kind: "none" };
  const level = groups.filter((group) => group.ids.length === first.ids.length);
  if (level.length > 1) return { kind: "tie", groups: level };
  return { kind: first.ids.length * 2 > total ? "majority" : "plurality", group: first };
};
