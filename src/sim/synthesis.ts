import { sameAnswer, type Answer } from "../replies/answer.ts";
import { agreement, appraise, findLeaning, readSentences, type Appraisal } from "./appraisal.ts";
import type { SimModel } from "./belief.ts";
import type { ShownRemark, ShownText, TaskOf } from "./prompt.ts";
import { banner, opening, quotable, subjects } from "./wording.ts";

/** The strategies that a simulated chair follows: how it says that it does, and what it closes an open question with. */
const strategies = {
  balanced: {
    words: /\b(?:balanc|weigh|fair|alike|neither|both|several|majority|consensus|support)/gi,
    manner: "What follows weighs all that was put forward.",
    closing: "On balance: take the first point as it stands, and keep the others as conditions.",
  },
  "risk-averse": {
    words: /\b(?:risk|cauti|safe|harm|avoid|veto|worst|sturd|cannot be)/gi,
    manner: "What follows leaves out whatever was found to be wrong or risky.",
    closing: "First take the step that can be undone, and set the point at which to stop.",
  },
  "goal-seeking": {
    words: /\b(?:goal|objective|aim|target|achiev)/gi,
    manner: "What follows is ordered by what serves the goal.",
    closing: "Whatever serves the goal first comes first; the rest can wait.",
  },
  novelty: {
    words:
      /\b(?:novel|unique|original|un(?:conventional|usual|expected)|creativ|surpris|new|different|only one)/gi,
    manner: "What follows begins with what hardly anyone else saw.",
    closing: "The less expected point is the one to try out, on a small part.",
  },
} as const;
export type StrategyName = keyof typeof strategies;

/** The strategy whose words a directive uses most, twice at least; an unknown directive reads as balanced. */
export function readStrategy(directive: string): StrategyName {
  const counts = Object.entries(strategies).map(([strategy, { words }]) => ({
    strategy: strategy as StrategyName, // of these keys
    count: directive.match(words)?.length ?? 0,
  }));
  const most = Math.max(2, ...counts.map(({ count }) => count));
  const [leading, other] = counts.filter(({ count }) => count === most);
  return leading && !other ? leading.strategy : "balanced";
}

/** The goal that a directive names: behind `goal:`, between quotation marks or fences, else its last line. */
export function readGoal(directive: string): string {
  const named = /\b(?:goal|objective|aim)\b[^:\n]{0,40}:\s*(\S[^\n]*)/i.exec(directive)?.[1];
  const quoted = /[“"]([^”"\n]{3,400})[”"]/.exec(directive)?.[1];
  const lines = directive.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("["));
  return (named ?? quoted ?? lines.at(-1) ?? "").trim();
}

type Veto = { readonly label: string; readonly flaw: string };
type ElectedResult = { readonly result: string | null; readonly value: Answer | null };
type Insight = { readonly label: string; readonly point: string };

/** A chair's answer from the answers and remarks that it was shown, with its sections and its block of contributors. */
export function synthesize(model: SimModel, task: TaskOf<"synthesis">, question: string): string {
  const strategy = readStrategy(task.directive);
  const all = appraise(model, task.answers);
  const vetoes = strategy === "risk-averse" ? findVetoes(all, task.remarks) : [];
  const candidates = all.filter(({ label }) => !vetoes.some((one) => one.label === label));
  const outcome = decide(model, candidates);
  const isOpen = outcome.value === null;
  const standing = task.answers.filter(({ label }) => candidates.some((one) => one.label === label));
  const insights = findInsights(standing, strategy, isOpen);
  const uniqueInsights = strategy === "novelty" ? insights.slice(0, 2) : isOpen ? insights.slice(-1) : [];
  const unique = uniqueInsights.map(({ point }) => point);
  const vetoed = vetoes.map(({ label, flaw }) => `${label}: ${flaw}`);
  const goal = strategy === "goal-seeking" ? quotable(readGoal(task.directive)) : "";
  const leanings = findLeanings(candidates, standing);
  const dissent = isOpen
    ? leanings.slice(1).map((one) => `Another view: ${one}`)
    : findDissent(model, candidates, outcome);
  const points =
    insights.length === 0
      ? `Nothing in what was put forward bears on ${subjects(question)[0] ?? "the question"}.`
      : insights.map(({ point }, index) => `${index + 1}. ${point}`).join("\n");
  const parts = [
    banner(model),
    isOpen ? `A placeholder in place of a real model's synthesis on “${quotable(question, 120)}”.` : "",
    `${opening(model.wording)} ${strategies[strategy].manner}`,
    goal === "" ? "" : `What counts is the goal: ${goal}`,
    isOpen ? points : explain(model, outcome),
    isOpen
      ? [strategies[strategy].closing, ...leanings.slice(0, 1)].join(" ")
      : `Final answer: ${outcome.result}`,
    writeList("Dissent", dissent),
    writeList("Unique insights", unique),
    writeList("Vetoed", vetoed),
    `\`\`\`json\n${JSON.stringify({ contributors: weighContributors(candidates, outcome) })}\n\`\`\``,
  ];
  return parts
    .filter((part) => part !== "")
    .join("\n\n")
    .replace("\n\n", "\n");
}

const serious = /\bwrong|\bincorrect|\brisk|\bunsafe|\bunsupported|\bdangerous|\berror|\bmistake|\bfalse\b/i;

/** The answers that a remark calls wrong or risky, with that remark; never all of them: the best always stays. */
function findVetoes(appraisals: readonly Appraisal[], remarks: readonly ShownRemark[]): Veto[] {
  const flawed = appraisals.flatMap(({ label, agrees }): Veto[] => {
    const remark = remarks.find(
      (one) => one.label === label && one.kind === "weakness" && serious.test(one.text),
    );
    if (!remark || agrees === true) return [];
    return [{ label, flaw: quotable(remark.text.replace(/^\[simulated\] /, "")) }];
  });
  return flawed.length < appraisals.length
    ? flawed
    : flawed.filter(({ label }) => label !== appraisals[0]?.label);
}

/**
 * Counts one vote for each answer. The chair's own result breaks ties where members came to it too (one of them may be
 * the same model as the chair), and overrules a single member where none did.
 */
function decide({ belief, parameters }: SimModel, candidates: readonly Appraisal[]): ElectedResult {
  const votes: { value: Answer; votes: number; own: boolean }[] = [];
  for (const { result, agrees } of candidates) {
    if (result === null) continue;
    const group = votes.find(({ value }) => sameAnswer(value, result));
    const vote = agrees === true ? 1 + parameters.skill / 2 : 1;
    if (group) group.votes += 1;
    else votes.push({ value: result, votes: vote, own: agrees === true });
  }
  const own = belief?.answer ?? null;
  const ownVotes = 1 + parameters.skill / 2;
  const [best] = votes.sort((a, b) => b.votes - a.votes || (a.value.value < b.value.value ? -1 : 1));
  if (belief === null && (best === undefined || best.votes < 2)) return { result: null, value: null };
  if (best === undefined || (!best.own && own !== null && ownVotes > best.votes))
    return { result: own, value: own === null ? null : { kind: "text", value: own } };
  return { result: best.own && own !== null ? own : best.value.value, value: best.value };
}

const explain = ({ belief }: SimModel, { result }: ElectedResult): string =>
  belief !== null && belief.answer === result
    ? belief.working
    : `What holds up under checking comes to ${quotable(result ?? "")}.`;

/** One point from each answer; under `novelty` those that share fewest words with the others come first. */
function findInsights(answers: readonly ShownText[], strategy: StrategyName, isOpen: boolean): Insight[] {
  const points = answers.flatMap(({ label, text }): Insight[] => {
    const sentences = readSentences(text);
    const point = sentences.find(({ listed }) => listed) ?? (isOpen ? sentences.at(-1) : undefined);
    return point === undefined ? [] : [{ label, point: quotable(point.text) }];
  });
  if (strategy !== "novelty") return points;
  const countShared = ({ label, point }: Insight): number => {
    const others = points.filter((one) => one.label !== label).flatMap((one) => subjects(one.point));
    return subjects(point).filter((word) => others.includes(word)).length;
  };
  return points.toSorted((a, b) => countShared(a) - countShared(b));
}

/** Which way the answers lean, in their own words, each once, the best answer's first. */
function findLeanings(candidates: readonly Appraisal[], standing: readonly ShownText[]): string[] {
  const leanings = candidates.map(({ label }) =>
    findLeaning(standing.find((one) => one.label === label)?.text ?? ""),
  );
  return [...new Set(leanings.flatMap((leaning) => (leaning ? [quotable(leaning)] : [])))];
}

function findDissent(
  { belief }: SimModel,
  candidates: readonly Appraisal[],
  { value, result }: ElectedResult,
): string[] {
  if (value === null) return [];
  const others: Answer[] = [];
  for (const { result: one } of candidates)
    if (one !== null && ![value, ...others].some((other) => sameAnswer(one, other))) others.push(one);
  const lines = others.map(
    (one) =>
      `One member comes to ${quotable(one.value)}, which would hold if the question were read another way.`,
  );
  const isAlone = belief !== null && agreement(value, belief) === false && belief.answer !== result;
  return isAlone ? [...lines, `My own working came to ${belief.answer}; the others outweigh it.`] : lines;
}

/** Weights in hundredths that sum to 1: agreement with the outcome counts most, then quality. */
function weighContributors(
  candidates: readonly Appraisal[],
  { value }: ElectedResult,
): { id: string; weight: number; reason: string }[] {
  const parts = candidates.map(
    ({ result, quality }) =>
      (value !== null && result !== null && sameAnswer(result, value) ? 3 : 0.5) + quality,
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

const writeList = (heading: string, items: readonly string[]): string =>
  items.length === 0 ? "" : `## ${heading}\n${items.map((item) => `- ${item}`).join("\n")}`;
