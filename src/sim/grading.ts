import { appraise, level } from "./appraisal.ts";
import type { Mind } from "./mind.ts";
import type { Shown } from "./prompt.ts";
import { banner } from "./wording.ts";

/** A grade from 1 to 5: by agreement with the model's own result where there is one, else by quality. */
export function gradeOf(mind: Mind, answer: Shown): number {
  const [appraisal] = appraise(mind, [answer]);
  if (appraisal === undefined) return 1;
  if (appraisal.agrees !== null) return appraisal.agrees ? 5 : 1 + Math.round(appraisal.quality);
  return 2 + Math.round(2 * appraisal.quality);
}

/** Which of two answers is better. */
export const preferred = (mind: Mind, first: Shown, second: Shown): Shown =>
  appraise(mind, [first, second])[0]?.label === second.label ? second : first;

/** Whether neither of two answers is better, for a judge that may say so. */
export function tied(mind: Mind, first: Shown, second: Shown): boolean {
  const [one, other] = appraise(mind, [first, second]);
  return one !== undefined && other !== undefined && level(mind, one, other);
}

/** Feedback and a grade behind `[RESULT]`, the form of Prometheus (Kim et al. 2024). */
export function gradeText(mind: Mind, answer: Shown): string {
  const grade = gradeOf(mind, answer);
  const why =
    mind.belief === null
      ? "Nothing in it could be worked out, so its substance was weighed."
      : `My own working comes to ${mind.belief.answer}.`;
  return `${banner(mind.simulated)}\nFeedback: ${why} The answer meets the rubric ${["not", "hardly", "in part", "for the most part", "fully"][grade - 1]}. [RESULT] ${grade}`;
}

/** Feedback and the letter of the better answer behind `[RESULT]`, from the same source. */
export function preferenceText(mind: Mind, first: Shown, second: Shown): string {
  const better = preferred(mind, first, second);
  const why =
    mind.belief === null
      ? "it holds more of what can be acted on"
      : `my own working comes to ${mind.belief.answer}`;
  const letter = better.label !== "" ? better.label : better === first ? "A" : "B";
  return `${banner(mind.simulated)}\nFeedback: of the two, ${letter} is better; ${why}. [RESULT] ${letter}`;
}
