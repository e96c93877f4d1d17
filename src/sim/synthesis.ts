import { sameAnswer, type Answer } from "../judging/index.ts";
import { agreement, appraise, substance, type Appraisal } from "./appraisal.ts";
import { goalIn, leaningOf, type Leaning } from "./directive.ts";
import type { Mind } from "./mind.ts";
import type { Shown, ShownRemark, Task } from "./prompt.ts";
import { banner, opening, quotable, subjects } from "./wording.ts";

type SynthesisTask = Extract<Task, { kind: "synthesis" }>;
type Vetoed = { readonly label: string; readonly flaw: string };
type Outcome = { readonly result: string | null; readonly value: Answer | null };
type Insight = { readonly label: string; readonly point: string };

/** A chair's answer from the answers and remarks it was shown, with its sections and its block of contributors. */
export function synthesis(mind: Mind, task: SynthesisTask, question: string): string {
  const leaning = leaningOf(task.directive);
  const all = appraise(mind, task.answers);
  const vetoed = leaning === "risk-averse" ? vetoes(all, task.remarks) : [];
  const kept = all.filter(({ label }) => !vetoed.some((one) => one.label === label));
  const outcome = outcomeOf(mind, kept);
  const open = outcome.value === null;
  const standing = task.answers.filter(({ label }) => kept.some((one) => one.label === label));
  const insights = insightsOf(standing, leaning, open);
  const unique = leaning === "novelty" ? insights.slice(0, 2) : open ? insights.slice(-1) : [];
  const goal = leaning === "goal-seeking" ? quotable(goalIn(task.directive)) : "";
  const dissent = open
    ? leanings(kept, standing)
        .slice(1)
        .map((one) => `Another view: ${one}`)
    : dissentOf(mind, kept, outcome);
  const parts = [
    banner(mind.simulated),
    open ? `A placeholder in place of a real model's synthesis on “${quotable(question, 120)}”.` : "",
    `${opening(mind.wording)} ${manners[leaning]}`,
    goal === "" ? "" : `What counts is the goal: ${goal}`,
    open ? pointsText(insights, question) : worked(mind, outcome),
    open
      ? [closings[leaning], ...leanings(kept, standing).slice(0, 1)].join(" ")
      : `Final answer: ${outcome.result}`,
    list("Dissent", dissent),
    list(
      "Unique insights",
      unique.map(({ point }) => point),
    ),
    list(
      "Vetoed",
      vetoed.map(({ label, flaw }) => `${label}: ${flaw}`),
    ),
    `\`\`\`json\n${JSON.stringify({ contributors: contributors(kept, outcome) })}\n\`\`\``,
  ];
  return parts
    .filter((part) => part !== "")
    .join("\n\n")
    .replace("\n\n", "\n");
}

/** The answers that a remark calls wrong or risky, with that remark; never all of them: the best always stays. */
function vetoes(appraisals: readonly Appraisal[], remarks: readonly ShownRemark[]): Vetoed[] {
  const flawed = appraisals.flatMap(({ label, agrees }): Vetoed[] => {
    const grave = remarks.find(
      (one) => one.label === label && one.kind === "weakness" && serious.test(one.text),
    );
    return grave && agrees !== true
      ? [{ label, flaw: quotable(grave.text.replace(/^\[simulated\] /, "")) }]
      : [];
  });
  return flawed.length < appraisals.length
    ? flawed
    : flawed.filter(({ label }) => label !== appraisals[0]?.label);
}

const serious = /\bwrong|\bincorrect|\brisk|\bunsafe|\bunsupported|\bdangerous|\berror|\bmistake|\bfalse\b/i;

/**
 * One vote for each answer. The chair's own result breaks ties where members came to it too (one of them may be the
 * same model as the chair), and overrules a single member where none did.
 */
function outcomeOf({ belief, simulated }: Mind, kept: readonly Appraisal[]): Outcome {
  const votes: { value: Answer; votes: number; own: boolean }[] = [];
  for (const { result, agrees } of kept) {
    if (result === null) continue;
    const group = votes.find(({ value }) => sameAnswer(value, result));
    if (group) group.votes += 1;
    else votes.push({ value: result, votes: 1, own: agrees === true });
  }
  const own = belief?.answer ?? null;
  const ownVotes = 1 + simulated.skill / 2;
  const best = votes
    .map((group) => ({ ...group, votes: group.votes + (group.own ? simulated.skill / 2 : 0) }))
    .sort((a, b) => b.votes - a.votes || (a.value.value < b.value.value ? -1 : 1))[0];
  if (belief === null && (best === undefined || best.votes < 2)) return { result: null, value: null };
  if (best === undefined || (!best.own && own !== null && ownVotes > best.votes)) {
    return { result: own, value: own === null ? null : { kind: "text", value: own } };
  }
  return { result: best.own && own !== null ? own : best.value.value, value: best.value };
}

const worked = ({ belief }: Mind, { result }: Outcome): string =>
  belief !== null && belief.answer === result
    ? belief.working
    : `What holds up under checking comes to ${quotable(result ?? "")}.`;

/** One point from each answer kept; those that share fewest words with the others first under `novelty`. */
function insightsOf(answers: readonly Shown[], leaning: Leaning, open: boolean): Insight[] {
  const points = answers.flatMap(({ label, text }): Insight[] => {
    const sentences = substance(text);
    const [point] = [...sentences.filter(({ listed }) => listed), ...(open ? sentences.slice(-1) : [])];
    return point === undefined ? [] : [{ label, point: quotable(point.text) }];
  });
  if (leaning !== "novelty") return points;
  const shared = ({ label, point }: Insight): number => {
    const others = points.filter((one) => one.label !== label).flatMap((one) => subjects(one.point));
    return subjects(point).filter((word) => others.includes(word)).length;
  };
  return points.toSorted((a, b) => shared(a) - shared(b));
}

const pointsText = (insights: readonly Insight[], question: string): string =>
  insights.length === 0
    ? `Nothing in what was put forward bears on ${subjects(question)[0] ?? "the question"}.`
    : insights.map(({ point }, index) => `${index + 1}. ${point}`).join("\n");

/** Which way the answers lean, in their own words, each once, the best answer's first. */
const leanings = (kept: readonly Appraisal[], standing: readonly Shown[]): string[] => {
  const texts = kept.flatMap(({ label }) => standing.find((one) => one.label === label)?.text ?? []);
  const said = texts.flatMap(
    (text) => substance(text).find((sentence) => sentence.text.startsWith("I lean "))?.text ?? [],
  );
  return [...new Set(said.map((sentence) => quotable(sentence)))];
};

function dissentOf({ belief }: Mind, kept: readonly Appraisal[], { value, result }: Outcome): string[] {
  if (value === null) return [];
  const others: Answer[] = [];
  for (const { result: one } of kept) {
    if (one === null || sameAnswer(one, value) || others.some((other) => sameAnswer(other, one))) continue;
    others.push(one);
  }
  const lines = others.map(
    (one) =>
      `One member comes to ${quotable(one.value)}, which would hold if the question were read another way.`,
  );
  const alone = belief !== null && agreement(value, belief) === false && belief.answer !== result;
  return alone ? [...lines, `My own working came to ${belief.answer}; the others outweigh it.`] : lines;
}

/** Weights in hundredths that sum to 1: agreement with the outcome counts most, then quality. */
function contributors(
  kept: readonly Appraisal[],
  { value }: Outcome,
): { id: string; weight: number; reason: string }[] {
  const raw = kept.map((one) => ({
    one,
    parts: (value !== null && one.result !== null && sameAnswer(one.result, value) ? 3 : 0.5) + one.quality,
  }));
  const sum = raw.reduce((total, { parts }) => total + parts, 0);
  const rows = raw.map(({ one, parts }) => ({
    id: one.label,
    hundredths: Math.floor((100 * parts) / sum),
    agrees: parts >= 3,
  }));
  const left = 100 - rows.reduce((total, { hundredths }) => total + hundredths, 0);
  return rows.map(({ id, hundredths, agrees }, index) => ({
    id,
    weight: (hundredths + (index === 0 ? left : 0)) / 100,
    reason: `[simulated] ${agrees ? "its result is the answer" : value === null ? "a point of it was kept" : "heard, and kept as a doubt"}`,
  }));
}

/** How the directive was followed. */
const manners: { readonly [L in Leaning]: string } = {
  balanced: "What follows weighs all that was put forward.",
  "risk-averse": "What follows leaves out whatever was found to be wrong or risky.",
  "goal-seeking": "What follows is ordered by what serves the goal.",
  novelty: "What follows begins with what hardly anyone else saw.",
};

const closings: { readonly [L in Leaning]: string } = {
  balanced: "On balance: take the first point as it stands, and keep the others as conditions.",
  "risk-averse":
    "Before anything else: take only the step that can be undone, and set the point at which to stop.",
  "goal-seeking": "Whatever serves the goal first comes first; the rest can wait.",
  novelty: "The less expected point is the one to try out, on a small part.",
};

const list = (heading: string, items: readonly string[]): string =>
  items.length === 0 ? "" : `## ${heading}\n${items.map((item) => `- ${item}`).join("\n")}`;
