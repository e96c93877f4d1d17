import type * as z from "zod";
import { sameAnswer, type Answer } from "../../replies/answer.ts";
import { hasCoverage } from "../../replies/coverage.ts";
import type { SolutionReply } from "../../replies/solution.ts";
import { splitSentences } from "../../text/sentences.ts";
import { addressesJudges, appraise, findLeaning, isNote, type Appraisal } from "../appraisal.ts";
import type { SimModel } from "../belief.ts";
import { createChance } from "../chance.ts";
import { draft } from "../draft.ts";
import type { Brief, ShownText, TaskOf } from "../prompt.ts";
import { banner, quotable } from "../wording.ts";
import { findOpen, isUnanswered, readBody } from "./checks.ts";

/** A judge's confidence in what stands, with its reason, in the JSON form. */
export function judgeConfidence(model: SimModel, { brief, answers }: TaskOf<"confidence">): string {
  const { reason, confidence } = rateConfidence(model, answers, brief);
  return JSON.stringify({ reason: `[simulated] ${reason}`, confidence }, null, 1);
}

/** The most confidence where a requirement is left open. */
const MAX_OPEN_CONFIDENCE = 40;

/**
 * How sure a judge is of solutions, 0 to 100: by the share that comes to its own result and the share of the largest
 * group that comes to one; where there is nothing to work out, by the share of major requirements that each takes up.
 * The less its skill, the more it errs, by up to 20.
 */
function rateConfidence(
  model: SimModel,
  answers: readonly ShownText[],
  { requirements: { major } }: Brief,
): { readonly confidence: number; readonly reason: string } {
  const { belief, parameters } = model;
  const appraisals = appraise(model, answers);
  const results = appraisals.flatMap(({ result }) => result ?? []);
  const all = Math.max(1, answers.length);
  const agreeing = appraisals.filter(({ agrees }) => agrees === true).length;
  const largest = Math.max(0, ...results.map((result) => countSame(results, result)));
  const texts = answers.map(({ text }) => text);
  const open = findOpen(texts, major);
  const shares = texts.map((text) => 1 - findOpen([text], major).length / major.length);
  const fulfilled = major.length === 0 ? 1 : shares.reduce((sum, share) => sum + share, 0) / all;
  const sure = belief === null ? 35 + 40 * fulfilled : 20 + (40 * agreeing + 35 * largest * fulfilled) / all;
  const chance = createChance(["confidence", parameters.name, parameters.seed, texts.toSorted()]);
  const error = 40 * (1 - parameters.skill) * (chance.roll("error") - 0.5);
  const max = open.length > 0 || answers.length === 0 ? MAX_OPEN_CONFIDENCE : 100;
  const agreed =
    belief === null
      ? `The solutions take up ${Math.round(100 * fulfilled)}% of the major requirements.`
      : `${agreeing} of ${answers.length} come to my own result, and ${largest} to the same.`;
  return {
    confidence: Math.max(0, Math.round(Math.min(max, sure + error))),
    reason: open.length === 0 ? agreed : `${agreed} No solution takes up ${open.length} of ${major.length}.`,
  };
}

const countSame = (results: readonly Answer[], result: Answer): number =>
  results.filter((one) => sameAnswer(one, result)).length;

type DebateSolution = z.infer<typeof SolutionReply>;

export const solutionText = (solution: DebateSolution): string => JSON.stringify(solution, null, 1);

/**
 * The judge's solution: the text of the best one by its own judgment, without what it says to its judges. Unfulfilled
 * are the major requirements that no solution takes up, word for word.
 */
export function writeSolution(
  model: SimModel,
  { brief, answers }: TaskOf<"solution">,
  question: string,
): DebateSolution {
  const { major } = brief.requirements;
  const ranked = rank(model, answers, major);
  const [best, ...others] = ranked;
  const lines = readBody(best?.text ?? "").split("\n");
  const text = lines
    .filter((line) => !addressesJudges(line))
    .join("\n")
    .trim();
  const dissent: Answer[] = [];
  for (const { result } of others)
    if (result && ![best?.result, ...dissent].some((one) => one && sameAnswer(one, result)))
      dissent.push(result);
  const own = best && findLeaning(best.text);
  const leanings = new Set(others.flatMap((one) => findLeaning(one.text) ?? []));
  const unanswered = brief.clarifications.filter(({ answer }) => isUnanswered(answer));
  return {
    solutionMarkdown: text ? `${banner(model)}\n${text}` : draft(model, question),
    tradeoffs: mark([...leanings].filter((one) => one !== own).map((one) => quotable(one))),
    recommendations: mark([model.wording.pick("recommendation", recommendations)]),
    unfulfilledMajorRequirements: findOpen(
      answers.map((one) => one.text),
      major,
    ),
    openQuestions: mark([
      ...unanswered.map((clarification) => quotable(clarification.question)),
      ...dissent.map(
        ({ value }) =>
          `Another solution comes to ${quotable(value)}; the step at which they part is not named.`,
      ),
    ]),
    confidence: rateConfidence(model, answers, brief).confidence,
  };
}

/** Ranks by the judge's own result, then by what most come to, then by the requirements taken up, then by quality. */
function rank(
  model: SimModel,
  answers: readonly ShownText[],
  major: readonly string[],
): (Appraisal & ShownText)[] {
  const appraisals = appraise(model, answers);
  const results = appraisals.flatMap(({ result }) => result ?? []);
  const rows = appraisals.map((appraisal) => {
    const { agrees, result } = appraisal;
    const text = answers.find(({ label }) => label === appraisal.label)?.text ?? "";
    const same = result ? countSame(results, result) : 0;
    return { ...appraisal, text, keys: [agrees === true ? 0 : 1, -same, findOpen([text], major).length] };
  });
  return rows.toSorted((a, b) => a.keys.map((key, at) => key - (b.keys[at] ?? 0)).find(Boolean) ?? 0);
}

const mark = (items: readonly string[]): string[] => items.map((item) => `[simulated] ${item}`);

const recommendations = [
  "Begin with the part that is hardest to undo, on a small scale.",
  "Write down the sign by which one would stop.",
  "Measure before and after, with the same figure.",
] as const;

/** A judge's solution written again in the JSON form: its text alone, as far as it goes. */
export function repairSolution(reply: string): DebateSolution {
  const [, written] = /"solutionMarkdown"\s{0,9}:\s{0,9}"([^"\\]*(?:\\.[^"\\]*)*)/s.exec(reply) ?? [];
  return {
    solutionMarkdown:
      written?.replaceAll(/\\(.)/gs, (_, letter: string) => (letter === "n" ? "\n" : letter)) ?? reply.trim(),
    tradeoffs: [],
    recommendations: [],
    unfulfilledMajorRequirements: [],
    openQuestions: [],
    confidence: null,
  };
}

/**
 * An evaluation in the JSON form: eight scores from 1 to 10, by what can be seen. A result that is right or wrong counts
 * most; without one it is the share of major requirements that are taken up, whether their coverage is described, how
 * much there is, and whether the text uses a metric's own words. The less its skill, the more it errs, by up to 3.
 */
export function evaluate(model: SimModel, { brief, solution, claimed }: TaskOf<"evaluation">): string {
  const { major } = brief.requirements;
  const agrees = appraise(model, [solution])[0]?.agrees ?? null;
  const open = findOpen([solution.text], major).length;
  const fulfilled = major.length === 0 ? 1 : 1 - open / major.length;
  const covered = claimed || hasCoverage(solution.text);
  const text = solution.text.slice(0, MAX_SOLUTION_LENGTH);
  const words = text.match(/\p{L}{2,}/gu)?.length ?? 0;
  const seen = 2 + 4 * fulfilled + (covered ? 1 : 0) + Math.min(1, words / 200);
  const base = agrees === null ? seen : agrees ? 7 + 2 * fulfilled : 1.5;
  const { name, seed, skill } = model.parameters;
  const chance = createChance(["evaluation", name, seed, solution.text]);
  const score = (metric: string, worth: number): number =>
    Math.min(10, Math.max(1, Math.round(worth + 6 * (1 - skill) * (chance.roll(metric) - 0.5))));
  const rate = (metric: string, worth: number, reasoning: string) => ({
    [metric]: { reasoning: `[simulated] ${reasoning}`.trim(), score: score(metric, worth) },
  });
  const verdict = agrees === null ? "" : agrees ? "Its result is right." : "Its result is wrong.";
  const fulfilledShare = `${major.length - open} of ${major.length} major requirements are taken up.`;
  const nonFunctional = Object.entries(metricSigns).map(([metric, sign]) => {
    const isNamed = sign.test(text);
    const worth = base + (isNamed ? 1 : agrees === null ? -1 : 0);
    return rate(metric, worth, `The text ${isNamed ? "speaks of it" : "says nothing of it"}. ${verdict}`);
  });
  const fulfillment = agrees === false ? base : 1 + 8 * fulfilled + (covered ? 1 : 0);
  const evaluation = {
    ...rate("functional_completeness", base, `${fulfilledShare} ${verdict}`),
    non_functional: Object.assign(
      {},
      ...nonFunctional,
      rate("requirements_fulfillment", fulfillment, fulfilledShare),
    ) as object, // of the same shape as its parts
  };
  const overall_summary = {
    strengths: `[simulated] ${agrees ? verdict : "It can be read and followed."}`,
    weaknesses: `[simulated] ${agrees === false ? verdict : open > 0 ? fulfilledShare : "Little of it is shown."}`,
    overall_score: score("overall", base),
  };
  return JSON.stringify({ evaluation, overall_summary }, null, 1);
}

const MAX_SOLUTION_LENGTH = 200_000;

/** The words by which a text speaks of a metric. */
const metricSigns = {
  performance_scalability: /\b(?:load|latenc|throughput|scal|cache|queue|per second|fast)/i,
  security: /\b(?:secur|encrypt|access|authenti|authori|threat|attack|secret)/i,
  maintainability_evolvability: /\b(?:maintain|chang|replac|modul|simple|part of its own|written down)/i,
  regulatory_compliance: /\b(?:complian|audit|privacy|law|legal|gdpr|regulat)/i,
  testability: /\b(?:test|check|measur|verif|tried)/i,
} as const;

type SummaryLine = { readonly text: string; readonly heading?: SummaryLine; readonly worth: number };

/**
 * A summary of nothing but sentences as they were written, in their order and under their headings: those that say most
 * for their length, final answers first, then figures and names. Never longer than asked for, in UTF-16 units.
 */
export function summarize(model: SimModel, { text, most }: TaskOf<"summary">): string {
  const { lines, sentences } = readLines(text);
  const ranked = sentences.toSorted((a, b) => b.worth - a.worth);
  const [best] = ranked;
  const selection = new Set<SummaryLine>();
  let length = banner(model).length;
  for (const sentence of ranked) {
    const added = [sentence.heading, sentence].flatMap((one) => (one && !selection.has(one) ? [one] : []));
    const cost = added.reduce((sum, one) => sum + 1 + one.text.length, 0);
    if (length + cost > most) continue;
    length += cost;
    for (const one of added) selection.add(one);
  }
  const kept = selection.size > 0 ? lines.filter((line) => selection.has(line)) : [best?.heading, best];
  const written = kept.flatMap((line) => line?.text ?? []);
  return [banner(model), ...(best ? written : ["There was nothing to summarize."])].join("\n").slice(0, most);
}

/** Of the same sentence, and of the final answers under one label, only the last counts. */
function readLines(text: string): {
  readonly lines: readonly SummaryLine[];
  readonly sentences: readonly SummaryLine[];
} {
  const lines: SummaryLine[] = [];
  const latest = new Map<string, SummaryLine>();
  let heading: SummaryLine | undefined;
  for (const written of text.split("\n")) {
    if (headingLine.test(written)) lines.push((heading = { text: written.trim(), worth: 0 }));
    else
      for (const sentence of splitSentences(written).filter((one) => !isNote(one))) {
        const isFinal = finalAnswerPattern.test(sentence);
        const line = { text: sentence, ...(heading && { heading }), worth: rateWorth(sentence, isFinal) };
        const label = / by (\S{1,40}):$/.exec(heading?.text ?? "")?.[1] ?? "";
        latest.set(isFinal ? `final ${label}` : `said ${sentence}`, line);
        lines.push(line);
      }
  }
  return { lines, sentences: [...latest.values()] };
}

/** The heading of a contribution: `Round 2, critique by B:`. */
const headingLine = /^Round \d{1,3}, [^:\n]{1,80}:\s*$/;
const finalAnswerPattern = /^\W{0,8}final\s{1,3}answer\b/i;
const figurePattern = /(?<![\p{L}\d])\d/gu;
/** Capitals that do not begin the sentence. */
const namePattern = /(?<=[\p{Ll}\p{N},;:)] )\p{Lu}/gu;

const rateWorth = (text: string, isFinal: boolean): number => {
  const [figureCount, nameCount] = [figurePattern, namePattern].map((pattern) =>
    Math.min(4, text.match(pattern)?.length ?? 0),
  );
  return (isFinal ? 20 : 0) + (0.2 + 2 * (figureCount ?? 0) + (nameCount ?? 0)) / (text.length + 40);
};
