import { appraise, isLevel } from "./appraisal.ts";
import type { SimModel } from "./belief.ts";
import type { ShownText, TaskOf } from "./prompt.ts";
import { banner } from "./wording.ts";

const degrees = ["not", "hardly", "in part", "for the most part", "fully"];

/**
 * A grade from 1 to 5, by agreement with the model's own result where there is one, else by quality: as JSON, or as
 * feedback and a grade behind `[RESULT]`, the form of Prometheus (Kim et al. 2024).
 */
export function grade(model: SimModel, answer: ShownText, wantsJson: boolean): string {
  const { agrees = null, quality = 0 } = appraise(model, [answer])[0] ?? {};
  const score = agrees === null ? 2 + Math.round(2 * quality) : agrees ? 5 : 1 + Math.round(quality);
  const why =
    model.belief === null
      ? "Nothing in it could be worked out, so its substance was weighed."
      : `My own working comes to ${model.belief.answer}.`;
  const feedback = `${why} The answer meets the rubric ${degrees[score - 1]}.`;
  return wantsJson
    ? JSON.stringify({ feedback: `[simulated] ${feedback}`, score })
    : `${banner(model)}\nFeedback: ${feedback} [RESULT] ${score}`;
}

/** Which of two answers is better: as JSON, which may call a tie, or as feedback and a letter behind `[RESULT]`. */
export function prefer(model: SimModel, { first, second }: TaskOf<"pairwise">, wantsJson: boolean): string {
  const [best, other] = appraise(model, [first, second]);
  const isSecond = best?.label === second.label;
  const letter = (isSecond ? second : first).label || (isSecond ? "B" : "A");
  const why =
    model.belief === null
      ? "it holds more of what can be acted on"
      : `my own working comes to ${model.belief.answer}`;
  if (!wantsJson)
    return `${banner(model)}\nFeedback: of the two, ${letter} is better; ${why}. [RESULT] ${letter}`;
  const winner = best && other && isLevel(model, best, other) ? "tie" : isSecond ? "B" : "A";
  const reason = winner === "tie" ? "both come to the same, in about the same quality" : why;
  return JSON.stringify({ reason: `[simulated] ${reason}`, winner });
}
