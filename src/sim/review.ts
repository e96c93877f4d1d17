import { parseReview, type Remarks, type ReviewReply } from "../replies/review.ts";
import { appraise, type Appraisal } from "./appraisal.ts";
import { createChance } from "./chance.ts";
import type { SimModel } from "./belief.ts";
import type { ShownText } from "./prompt.ts";
import { banner } from "./wording.ts";

/** A review of the answers in a prompt: remarks in the order shown, and all labels, best first. */
export function reviewAnswers(model: SimModel, answers: readonly ShownText[]): ReviewReply {
  const appraisals = appraise(model, answers);
  const reviews = answers.flatMap(({ label, text }) => {
    const appraisal = appraisals.find((one) => one.label === label);
    return appraisal ? [writeRemarks(model, appraisal, text)] : [];
  });
  return { reviews, ranking: appraisals.map(({ label }) => label) };
}

function writeRemarks(
  { belief, parameters }: SimModel,
  { label, agrees, result, quality }: Appraisal,
  text: string,
): Remarks {
  const chance = createChance(["remark", parameters.name, parameters.seed, text]);
  const mark = (strength: string, ...weaknesses: string[]): Remarks => ({
    label,
    strengths: [`[simulated] ${strength}`],
    weaknesses: weaknesses.map((one) => `[simulated] ${one}`),
  });
  if (belief !== null && agrees === true)
    return mark(`The result agrees with my own working: ${belief.answer}.`);
  if (belief !== null && agrees === false)
    return mark(
      "The working can be followed.",
      `Wrong result: I come to ${belief.answer}, not to ${result?.value ?? "this"}.`,
    );
  const strength = chance.pick("strength", strengths);
  if (quality < 0.35) return mark(strength, chance.pick("serious", risks));
  return chance.roll("minor") < 0.6 ? mark(strength, chance.pick("weakness", gaps)) : mark(strength);
}

const strengths = [
  "It says what it rests on.",
  "It separates what is known from what is guessed.",
  "It names a point that others are likely to pass over.",
] as const;

const gaps = [
  "It gives no figure for its first point.",
  "It leaves the people concerned out.",
  "It does not say when it would no longer hold.",
] as const;

const risks = [
  "Risky: it takes a step that cannot be undone for granted.",
  "Risky: nothing supports its main claim.",
] as const;

/** The JSON form of a review. */
export const reviewJson = (content: ReviewReply): string => JSON.stringify(content, null, 1);

/** The text form, which ends in the ranking behind its marker. */
export function reviewText(model: SimModel, { reviews, ranking }: ReviewReply): string {
  const parts = reviews.map(({ label, strengths: good, weaknesses: bad }) =>
    [
      `Answer ${label}`,
      "Strengths:",
      ...good.map((one) => `- ${one}`),
      "Weaknesses:",
      ...(bad.length > 0 ? bad : ["none found"]).map((one) => `- ${one}`),
    ].join("\n"),
  );
  return [
    banner(model),
    ...parts,
    `FINAL RANKING:\n${ranking.map((label, index) => `${index + 1}. ${label}`).join("\n")}`,
  ].join("\n\n");
}

/**
 * A review written again in the JSON form, from nothing but what it says. A label that is named twice counts once, and
 * one that is missing is last if it is the only one; where the ranking cannot be told it is empty.
 */
export function repairReview(review: string, labels: readonly string[]): ReviewReply {
  const read = parseReview(review, labels);
  if (read.ok) return { reviews: read.remarks, ranking: read.ranking };
  const [, ranked = ""] = /^.*(?:"ranking"|FINAL RANKING|best first)(.*)$/s.exec(review) ?? [];
  const named = new Set((ranked.match(/\b[A-Z]\b/g) ?? []).filter((label) => labels.includes(label)));
  const missing = labels.filter((label) => !named.has(label));
  const ranking = missing.length <= 1 ? [...named, ...missing] : [];
  return { reviews: labels.map((label) => ({ label, strengths: [], weaknesses: [] })), ranking };
}
