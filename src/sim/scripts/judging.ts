import { EVALUATION_METRICS } from "../../replies/evaluation.ts";
import { appraise, findOpen, isLevel } from "../appraisal.ts";
import type { SimModel, SimScript } from "../belief.ts";
import { createChance } from "../chance.ts";
import { listItems, shownTexts, type ShownText } from "../prompt.ts";
import { banner } from "../wording.ts";

/** What a simulated model replies where it grades or compares answers, guesses who wrote one, or scores a solution. */
export const script: SimScript = ({ own, pieces, wantsJson }) => {
  const [solution] = shownTexts(pieces, "solution");
  if (solution && own.includes('"overall_score"'))
    return (model) => evaluate(model, solution.text, listItems(pieces, "requirements", "major"));
  const [first, second, third] = shownTexts(pieces, "answer");
  if (!first) return null;
  const participants = shownTexts(pieces, "participant");
  if (participants.length > 0) return (model) => guessAuthor(model, first, participants);
  if (second)
    return third || !/\bA"? or "?B\b|\[RESULT\]/.test(own)
      ? null
      : (model) => prefer(model, [first, second], wantsJson);
  return own.includes("[RESULT]") ? (model) => grade(model, first, wantsJson) : null;
};

const degrees = ["not", "hardly", "in part", "for the most part", "fully"];

/** A grade from 1 to 5, by agreement with the model's own result where there is one, else by quality. */
function grade(model: SimModel, answer: ShownText, wantsJson: boolean): string {
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

/** Which of two answers is better; only the JSON form can call a tie. */
function prefer(model: SimModel, pair: readonly [ShownText, ShownText], wantsJson: boolean): string {
  const [best, other] = appraise(model, pair);
  const place = best?.label === pair[1].label ? 1 : 0;
  const letter = pair[place].label || "AB".charAt(place);
  const why =
    model.belief === null
      ? "it holds more of what can be acted on"
      : `my own working comes to ${model.belief.answer}`;
  if (!wantsJson)
    return `${banner(model)}\nFeedback: of the two, ${letter} is better; ${why}. [RESULT] ${letter}`;
  const isTie = best && other && isLevel(model, best, other);
  const reason = isTie ? "both come to the same, in about the same quality" : why;
  return JSON.stringify({ reason: `[simulated] ${reason}`, winner: isTie ? "tie" : "AB".charAt(place) });
}

/** Simulated models have no style of their own, so that a guess at who wrote a draft is a blind one. */
function guessAuthor(
  { parameters }: SimModel,
  { text }: ShownText,
  participants: readonly ShownText[],
): string {
  const chance = createChance(["authorship", parameters.name, parameters.seed, text]);
  const [{ label } = { label: "A" }] = chance.shuffled("author", participants);
  return `[simulated] One guess is as good as another here.\nFinal answer: ${label}`;
}

/**
 * Scores from 1 to 10: by the result, where it can be told whether it is right, else by the share of the major
 * requirements that are taken up. The less its skill, the more it errs, by up to 3.
 */
function evaluate(model: SimModel, text: string, major: readonly string[]): string {
  const agrees = appraise(model, [{ label: "", text }])[0]?.agrees ?? null;
  const fulfilled = major.length - findOpen(text, major).length;
  const share = major.length === 0 ? 1 : fulfilled / major.length;
  const worth = agrees === null ? 2 + 6 * share : agrees ? 9 : 1.5;
  const verdict = agrees === null ? "" : agrees ? "Its result is right." : "Its result is wrong.";
  const reasoning = `[simulated] ${fulfilled} of ${major.length} major requirements are taken up. ${verdict}`;
  const { name, seed, skill } = model.parameters;
  const chance = createChance(["evaluation", name, seed, text]);
  const score = (metric: string): number =>
    Math.min(10, Math.max(1, Math.round(worth + 6 * (1 - skill) * (chance.roll(metric) - 0.5))));
  const rows = EVALUATION_METRICS.filter((metric) => metric !== "overall").map(
    (metric) => [metric, { reasoning: reasoning.trim(), score: score(metric) }] as const,
  );
  const { functional_completeness, ...non_functional } = Object.fromEntries(rows);
  const overall_summary = {
    strengths: `[simulated] ${agrees ? verdict : "It can be read and followed."}`,
    weaknesses: `[simulated] ${agrees === false ? verdict : "Little of it is shown."}`,
    overall_score: score("overall"),
  };
  return JSON.stringify(
    { evaluation: { functional_completeness, non_functional }, overall_summary },
    null,
    1,
  );
}
