import { sameAnswer, type Answer } from "../../replies/answer.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import type { Remarks, ReviewReply } from "../../replies/review.ts";
import { agreement, appraise, findLeaning, readSentences, type Appraisal } from "../appraisal.ts";
import type { SimModel, SimScript } from "../belief.ts";
import { createChance } from "../chance.ts";
import { draft } from "../draft.ts";
import { shownTexts, type ShownText } from "../prompt.ts";
import { banner, opening, quotable } from "../wording.ts";

/** What a simulated model replies where drafts are reviewed, revised, and made into one answer. */
export const script: SimScript = ({ own, pieces, question }) => {
  const answers = shownTexts(pieces, "answer");
  const reviews = shownTexts(pieces, "review");
  const [first] = answers;
  if (first && (own.includes('"contributors"') || own.includes("\n# Strategic directive\n"))) {
    const directive = own.split("\n# Strategic directive\n")[1]?.split("\n# ")[0] ?? "";
    return (model) => synthesize(model, { question, answers, reviews, directive });
  }
  if (first && own.includes("## My answer")) return (model) => revise(model, answers, question);
  if (first && /"ranking"|FINAL RANKING/.test(own))
    return (model) => JSON.stringify(review(model, answers), null, 1);
  // A review of its own that could not be read broke off before its ranking.
  return own.includes('reply with {"ranking": []}') ? () => '{"ranking": []}' : null;
};

/** Remarks in the order shown, and all labels, best first. */
function review(model: SimModel, answers: readonly ShownText[]): ReviewReply {
  const appraisals = appraise(model, answers);
  const reviews = answers.flatMap(({ label, text }) => {
    const appraisal = appraisals.find((one) => one.label === label);
    return appraisal ? [remark(model, appraisal, text)] : [];
  });
  return { reviews, ranking: appraisals.map(({ label }) => label) };
}

function remark({ belief, parameters }: SimModel, appraisal: Appraisal, text: string): Remarks {
  const { label, agrees, result, quality } = appraisal;
  const chance = createChance(["remark", parameters.name, parameters.seed, text]);
  const mark = (strength: string, weakness?: string): Remarks => ({
    label,
    strengths: [`[simulated] ${strength}`],
    weaknesses: weakness === undefined ? [] : [`[simulated] ${weakness}`],
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

/** How a chair writes, by what the directive asks: all that it is shown of a strategy. Asked for none of these, it weighs all. */
const MANNERS = [
  [
    /\bveto\b/i,
    "What follows leaves out whatever was found to be wrong or risky.",
    "First take the step that can be undone, and set the point at which to stop.",
  ],
  [
    /\bgoal\b[^:\n]{0,40}: *(\S[^\n]*)/i,
    "What follows is ordered by what serves the goal.",
    "Whatever serves the goal first comes first; the rest can wait.",
  ],
  [
    /\bunexpected\b|\bunconventional\b/i,
    "What follows begins with what hardly anyone else saw.",
    "The less expected point is the one to try out, on a small part.",
  ],
] as const;

const BALANCED = [
  /(?:)/,
  "What follows weighs all that was put forward.",
  "On balance: take the first point as it stands, and keep the others as conditions.",
] as const;

type ChairTask = {
  readonly question: string;
  readonly answers: readonly ShownText[];
  readonly reviews: readonly ShownText[];
  readonly directive: string;
};

/** A chair's answer from the answers and reviews that it was shown, with its sections and its block of contributors. */
function synthesize(model: SimModel, { question, answers, reviews, directive }: ChairTask): string {
  const asked = MANNERS.find(([words]) => words.test(directive)) ?? BALANCED;
  const [, manner, closing] = asked;
  const [cautious, aimed] = MANNERS;
  const all = appraise(model, answers);
  const flaws = asked === cautious ? findFlaws(all, reviews) : [];
  const vetoes = flaws.length < all.length ? flaws : flaws.filter(({ label }) => label !== all[0]?.label);
  const candidates = all.filter(({ label }) => vetoes.every((one) => one.label !== label));
  const { value, result } = decide(model, candidates);
  const texts = candidates.map(({ label }) => answers.find((one) => one.label === label)?.text ?? "");
  const quoted = (read: (text: string) => string | undefined): string[] => [
    ...new Set(texts.flatMap((text) => read(text) ?? []).map((one) => quotable(one))),
  ];
  const points = quoted((text) => readSentences(text).find(({ listed }) => listed)?.text);
  const leanings = quoted(findLeaning);
  const goal = asked === aimed ? aimed[0].exec(directive)?.[1] : undefined;
  const { belief } = model;
  const others = candidates.flatMap(({ result: one }) =>
    one && value && !sameAnswer(one, value) ? [quotable(one.value)] : [],
  );
  const dissent = [
    ...(result === null ? leanings.slice(1).map((one) => `Another view: ${one}`) : []),
    ...[...new Set(others)].map(
      (one) => `One member comes to ${one}, which would hold if the question were read another way.`,
    ),
    ...(belief && agreement(value, belief) === false
      ? [`My own working came to ${belief.answer}; the others outweigh it.`]
      : []),
  ];
  const working =
    belief !== null && belief.answer === result
      ? belief.working
      : `What holds up under checking comes to ${quotable(result ?? "")}.`;
  const placeholder = `A placeholder in place of a real model's synthesis on “${quotable(question, 120)}”.\n\n`;
  return [
    `${banner(model)}\n${result === null ? placeholder : ""}${opening(model.wording)} ${manner}`,
    goal === undefined ? "" : `What counts is the goal: ${quotable(goal)}`,
    ...(result === null
      ? [
          points.map((point, index) => `${index + 1}. ${point}`).join("\n"),
          [closing, ...leanings.slice(0, 1)].join(" "),
        ]
      : [working, `Final answer: ${result}`]),
    list("Dissent", dissent),
    list("Unique insights", points.slice(-1)),
    list(
      "Vetoed",
      vetoes.map(({ label, flaw }) => `${label}: ${flaw}`),
    ),
    `\`\`\`json\n${JSON.stringify({ contributors: weigh(candidates, value) })}\n\`\`\``,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const list = (heading: string, items: readonly string[]): string =>
  items.length === 0 ? "" : `## ${heading}\n${items.map((item) => `- ${item}`).join("\n")}`;

/** The answers of which a review calls something wrong or risky, with that remark. A weakness is shown behind `-`. */
function findFlaws(appraisals: readonly Appraisal[], reviews: readonly ShownText[]) {
  return appraisals.flatMap(({ label, agrees }) => {
    const lines = reviews.flatMap((one) =>
      one.label.endsWith(` of answer ${label}`) ? one.text.split("\n") : [],
    );
    const flaw = agrees ? undefined : lines.find((line) => /^- .*\b(?:wrong|risky?)\b/i.test(line));
    return flaw === undefined ? [] : [{ label, flaw: quotable(flaw.replace(/^- (?:\[simulated\] )?/, "")) }];
  });
}

/**
 * Counts one vote for each answer. The chair's own result breaks ties where members came to it too (one of them may be
 * the same model as the chair), and overrules a single member where none did. An open question has no result.
 */
function decide({ belief, parameters }: SimModel, candidates: readonly Appraisal[]) {
  const own = belief && extractAnswer(`Final answer: ${belief.answer}`);
  const values = candidates.flatMap(({ result }) => result ?? []);
  const isOwn = (value: Answer): boolean => own !== null && sameAnswer(own, value);
  const count = (value: Answer): number => values.filter((one) => sameAnswer(one, value)).length;
  const votes = (value: Answer): number =>
    isOwn(value) ? Math.max(1, count(value)) + parameters.skill / 2 : count(value);
  const [best] = [...values, ...(own ? [own] : [])].toSorted(
    (a, b) => votes(b) - votes(a) || (a.value < b.value ? -1 : 1),
  );
  if (!best || (!own && count(best) < 2)) return { value: null, result: null };
  return { value: best, result: belief && isOwn(best) ? belief.answer : best.value };
}

/** Weights in hundredths that sum to 1: agreement with the outcome counts most, then quality. */
function weigh(candidates: readonly Appraisal[], value: Answer | null) {
  const parts = candidates.map(
    ({ result, quality }) => (value && result && sameAnswer(result, value) ? 3 : 0.5) + quality,
  );
  const sum = parts.reduce((total, part) => total + part, 0);
  const hundredths = parts.map((part) => Math.floor((100 * part) / sum));
  const left = 100 - hundredths.reduce((total, one) => total + one, 0);
  return candidates.map(({ label }, index) => {
    const reason = (parts[index] ?? 0) >= 3 ? "its result is the answer" : "a point of it was kept";
    const weight = ((hundredths[index] ?? 0) + (index === 0 ? left : 0)) / 100;
    return { id: label, weight, reason: `[simulated] ${reason}` };
  });
}

/**
 * A round of critique and revision. What can be worked out is looked at a second time, with the same skill. The model
 * changes only to an answer that is on the table; where there is nothing to work out it keeps to its draft.
 */
function revise(model: SimModel, answers: readonly ShownText[], question: string): string {
  const appraisals = appraise(model, answers);
  const again = model.secondLook();
  const isShown = again !== null && appraisals.some(({ result }) => agreement(result, again) === true);
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
