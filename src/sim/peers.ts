import { sameAnswer, type Answer } from "../replies/answer.ts";
import { extractAnswer } from "../replies/extract-answer.ts";
import { parseReview, type Remarks, type ReviewReply } from "../replies/review.ts";
import { agreement, appraise, isLevel, readSentences, type Appraisal } from "./appraisal.ts";
import type { SimModel } from "./belief.ts";
import { createChance } from "./chance.ts";
import { draft } from "./draft.ts";
import type { ShownText, TaskOf } from "./prompt.ts";
import { banner, quotable } from "./wording.ts";

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

/**
 * A round of critique and revision. What can be worked out is looked at a second time, with the same skill. The model
 * changes only to an answer that is on the table; where there is nothing to work out it keeps to its draft.
 */
export function reviseAnswer(model: SimModel, answers: readonly ShownText[], question: string): string {
  const appraisals = appraise(model, answers);
  const again = model.secondLook();
  const second = again && extractAnswer(`Final answer: ${again.answer}`);
  const isShown =
    second !== null && appraisals.some(({ result }) => result !== null && sameAnswer(result, second));
  const revised: SimModel = isShown ? { ...model, belief: again } : model;
  const critiques = answers.map(({ label }) => {
    const result = appraisals.find((one) => one.label === label)?.result ?? null;
    const agrees = agreement(result, revised.belief);
    const remark = agrees
      ? "I went through its steps and found no error."
      : agrees === null
        ? "Nothing in it can be shown to be wrong; its first point carries the rest."
        : `It goes wrong before its result: I come to ${revised.belief?.answer}, not to ${quotable(result?.value ?? "this")}.`;
    return `## Answer ${label}\n[simulated] ${remark}`;
  });
  return [banner(model), ...critiques, "## My answer", draft(revised, question)].join("\n\n");
}

type SimClaim = { readonly claim: string; readonly answers: readonly string[] };

/**
 * A comparison of answers, claim by claim, in the JSON form. Different results are a contradiction, and so are different
 * leanings; a sentence that several answers share is an agreement, and the first listed point that only one answer makes
 * is unique.
 */
export function compareAnswers(model: SimModel, answers: readonly ShownText[]): string {
  const results = groupResults(
    appraise(model, answers).flatMap(({ label, result }) => (result ? [{ label, result }] : [])),
  );
  const texts = answers.map(({ label, text }) => ({ label, sentences: readSentences(text) }));
  const claim = (sentence: string): SimClaim => ({
    claim: quotable(sentence),
    answers: texts.flatMap(({ label, sentences }) =>
      sentences.some(({ text }) => text === sentence) ? [label] : [],
    ),
  });
  const leanings = texts.flatMap(
    ({ sentences }) => sentences.find(({ text }) => text.startsWith("I lean "))?.text ?? [],
  );
  const all = texts.flatMap(({ sentences }) => sentences.map(({ text }) => text));
  const shared = [...new Set(all)].map(claim).filter((one) => one.answers.length > 1);
  const contradictions = [
    { topic: "the result", stances: results },
    { topic: "which way to go", stances: [...new Set(leanings)].map(claim) },
  ].filter(({ stances }) => stances.length > 1);
  const unique = texts.flatMap(
    ({ sentences }) =>
      sentences
        .filter(({ listed }) => listed)
        .map(({ text }) => claim(text))
        .find((one) => one.answers.length === 1) ?? [],
  );
  const [first] = results;
  const isAgreed = results.length === 1 && first !== undefined && first.answers.length > 1;
  const agreements = [...(isAgreed ? [first] : []), ...shared];
  return JSON.stringify({ agreements, contradictions, unique }, null, 1);
}

/** The results and who comes to each, in the order of the labels. */
function groupResults(results: readonly { readonly label: string; readonly result: Answer }[]): SimClaim[] {
  const groups: { result: Answer; labels: string[] }[] = [];
  for (const { label, result } of results.toSorted((a, b) => (a.label < b.label ? -1 : 1))) {
    const group = groups.find((one) => sameAnswer(one.result, result));
    if (group) group.labels.push(label);
    else groups.push({ result, labels: [label] });
  }
  return groups.map(({ result, labels }) => ({ claim: `It is ${quotable(result.value)}.`, answers: labels }));
}

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

/** Simulated models have no style of their own, so that a guess at who wrote a draft is a blind one. */
export function guessAuthor(
  { parameters }: SimModel,
  { answer, participants }: TaskOf<"authorship">,
): string {
  const chance = createChance(["authorship", parameters.name, parameters.seed, answer.text]);
  const [{ label } = { label: "A" }] = chance.shuffled("author", participants);
  return `[simulated] One guess is as good as another here.\nFinal answer: ${label}`;
}
