import type { SimModel } from "../belief.ts";
import { createChance } from "../chance.ts";
import type { Prompt, TaskOf } from "../prompt.ts";
import { subjects } from "../wording.ts";

/**
 * What a model asks before a debate, in the JSON form. Its questions depend on the model and the problem alone, and none
 * is asked that was asked before. Without `asks` it has none where it can work the problem out or requirements are
 * stated, else one or two, about what the problem does not speak of.
 */
export function clarify(
  model: SimModel,
  task: TaskOf<"clarification">,
  { question, context }: Prompt,
): string {
  const { name, seed, asks } = model.parameters;
  const chance = createChance(["clarification", name, seed, question]);
  const { requirements, clarifications } = task.brief;
  const isClear = model.belief !== null || requirements.major.length + requirements.minor.length > 0;
  const wanted = asks ?? (isClear ? 0 : 1 + Math.floor(2 * chance.roll("count")));
  const problem = `${question}\n${context}`;
  const shuffled = chance.shuffled("topics", topics);
  const open = shuffled.filter(([settled]) => !settled.test(problem));
  const spare = asks === null ? [] : shuffled.filter((topic) => !open.includes(topic));
  const [subject] = subjects(question);
  const about = subject === undefined ? "the solution" : `“${subject}”`;
  const askedBefore = new Set(clarifications.map((one) => one.question.trim()));
  const questions = [...open, ...spare]
    .slice(0, Math.min(wanted, task.most))
    .map(([, ask]) => ({ text: `[simulated] ${ask.replace("%", () => about)}` }))
    .filter(({ text }) => !askedBefore.has(text));
  return JSON.stringify({ questions }, null, 1);
}

/** What a problem may leave open: the words of a problem that settle it, and the question about it. */
const topics: readonly (readonly [settled: RegExp, ask: string])[] = [
  [/\b(?:user|customer|student|client|patient)/i, "Who will use %, and how many of them at the same time?"],
  [/\b(?:deadline|weeks?|months?|this year|by the end)\b/i, "By when does % have to be in use?"],
  [/\b(?:budget|cost|price|dollar)|[$€£]\s?\d/i, "What may % cost, once and in each year after?"],
  [/\b(?:load|throughput|request|scal)/i, "How much does % have to carry today, and how much in two years?"],
  [/\b(?:team|staff|engineer)/i, "Who will keep % running and change it, and what do they know already?"],
  [
    /\b(?:existing|legacy|integrat|migrat)/i,
    "Which systems have to work together with % from the first day?",
  ],
  [/\b(?:privacy|confidential|secur|audit)/i, "Which data that not everybody may see does % touch?"],
  [/\b(?:availab|uptime|outage)/i, "For how long may % be out of service, and how much data may be lost?"],
  [/\b(?:success|metric|target|goal)/i, "By which figure will you tell that % was a success?"],
  [/\b(?:countr|region|language|worldwide)/i, "In which countries and languages is % needed?"],
];
