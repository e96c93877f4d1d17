import { parseReview } from "../judging/index.ts";
import { appraise, type Appraisal } from "./appraisal.ts";
import { chanceOf } from "./chance.ts";
import type { Mind } from "./mind.ts";
import type { Shown } from "./prompt.ts";
import { banner } from "./wording.ts";

export type Remarks = {
  readonly label: string;
  readonly strengths: readonly string[];
  readonly weaknesses: readonly string[];
};
export type ReviewContent = { readonly reviews: readonly Remarks[]; readonly ranking: readonly string[] };

/** A review of the answers in a prompt: remarks in the order shown, and all labels, best first. */
export function reviewContent(mind: Mind, answers: readonly Shown[]): ReviewContent {
  const appraisals = appraise(mind, answers);
  const reviews = answers.flatMap(({ label, text }) => {
    const appraisal = appraisals.find((one) => one.label === label);
    return appraisal ? [remarks(mind, appraisal, text)] : [];
  });
  return { reviews, ranking: appraisals.map(({ label }) => label) };
}

const marked = (remark: string): string => `[simulated] ${remark}`;

function remarks(
  { belief, simulated }: Mind,
  { label, agrees, result, quality }: Appraisal,
  text: string,
): Remarks {
  const chance = chanceOf(["remark", simulated.name, simulated.seed, text]);
  if (belief !== null && agrees === true) {
    return {
      label,
      strengths: [marked(`The result agrees with my own working: ${belief.answer}.`)],
      weaknesses: [],
    };
  }
  if (belief !== null && agrees === false) {
    const weakness = `Wrong result: I come to ${belief.answer}, not to ${result?.value ?? "this"}.`;
    return { label, strengths: [marked("The working can be followed.")], weaknesses: [marked(weakness)] };
  }
  const serious = quality < 0.35;
  return {
    label,
    strengths: [marked(chance.pick("strength", strengths))],
    weaknesses: serious
      ? [marked(chance.pick("serious", risks))]
      : chance.roll("minor") < 0.6
        ? [marked(chance.pick("weakness", gaps))]
        : [],
  };
}

const strengths = [
  "It says what it rests on.",
  "It separates what is known from what is guessed.",
  "It can be acted on as it stands.",
  "It names a point that others are likely to pass over.",
  "It is clear about the order of the steps.",
] as const;

const gaps = [
  "It gives no figure for its first point.",
  "It leaves the people concerned out.",
  "It does not say when it would no longer hold.",
  "Its last point follows from the ones before.",
] as const;

const risks = [
  "Risky: it takes a step that cannot be undone for granted.",
  "Risky: nothing supports its main claim.",
  "Risky: it passes over what happens when it fails.",
] as const;

/** The JSON form of a review. */
export const asJson = (content: ReviewContent): string => JSON.stringify(content, null, 1);

/** The text form, which ends in the ranking behind its marker. */
export function asText({ simulated }: Mind, { reviews, ranking }: ReviewContent): string {
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
    banner(simulated),
    ...parts,
    `FINAL RANKING:\n${ranking.map((label, index) => `${index + 1}. ${label}`).join("\n")}`,
  ].join("\n\n");
}

/**
 * A review written again in the JSON form, from nothing but what it says. A label that is named twice counts
 * once, and one that is missing is last if it is the only one; where the ranking cannot be told it is empty.
 */
export function repaired(review: string, labels: readonly string[]): ReviewContent {
  const read = parseReview(review, labels);
  if (read.ok) return { reviews: read.remarks, ranking: read.ranking };
  const at = Math.max(
    review.lastIndexOf('"ranking"'),
    review.lastIndexOf("FINAL RANKING"),
    review.lastIndexOf("best first"),
  );
  const said = at < 0 ? "" : review.slice(at);
  const named = [...new Set(said.match(/\b[A-Z]\b/g) ?? [])].filter((label) => labels.includes(label));
  const missing = labels.filter((label) => !named.includes(label));
  const ranking = missing.length <= 1 ? [...named, ...missing] : [];
  return { reviews: labels.map((label) => ({ label, strengths: [], weaknesses: [] })), ranking };
}
