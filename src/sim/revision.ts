import { extractAnswer, sameAnswer } from "../judging/index.ts";
import { agreement, appraise } from "./appraisal.ts";
import { draft } from "./draft.ts";
import type { Mind } from "./mind.ts";
import type { Shown } from "./prompt.ts";
import { banner, quotable } from "./wording.ts";

/**
 * A round of critique and revision. What can be worked out is looked at a second time, with the same skill: a mistake is
 * found so often as the model is right, and a right answer is left as seldom. It changes only to an answer that is on
 * the table; where there is nothing to work out it keeps to its draft.
 */
export function revision(mind: Mind, answers: readonly Shown[], question: string): string {
  const appraisals = appraise(mind, answers);
  const results = appraisals.flatMap(({ result }) => result ?? []);
  const again = mind.secondLook();
  const second = again && extractAnswer(`Final answer: ${again.answer}`);
  const found = second !== null && results.some((result) => sameAnswer(result, second));
  const holding: Mind = found ? { ...mind, belief: again } : mind;
  const critiques = answers.flatMap(({ label }) => {
    const appraisal = appraisals.find((one) => one.label === label);
    if (!appraisal) return [];
    const agrees = agreement(appraisal.result, holding.belief);
    const said =
      agrees === false
        ? `It goes wrong before its result: I come to ${holding.belief?.answer ?? "another one"}, not to ${quotable(appraisal.result?.value ?? "this")}.`
        : agrees
          ? "I went through its steps and found no error."
          : "Nothing in it can be shown to be wrong; its first point carries the rest.";
    return [`## Answer ${label}\n[simulated] ${said}`];
  });
  return [banner(mind.simulated), ...critiques, "## My answer", draft(holding, question)].join("\n\n");
}
