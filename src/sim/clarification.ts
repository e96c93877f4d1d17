import { chanceOf } from "./chance.ts";
import type { DebateTask } from "./debate-prompt.ts";
import type { Mind } from "./mind.ts";
import type { Prompt } from "./prompt.ts";
import { subjects } from "./wording.ts";

type ClarificationTask = Extract<DebateTask, { kind: "clarification" }>;

/**
 * What a model asks before a debate, in the JSON form. Its questions depend on who it is and on the problem alone, and
 * none is asked that was asked before. Without `asks` it has none where it can work the problem out or requirements are
 * stated, else one or two, about what the problem does not speak of.
 */
export function clarification(mind: Mind, task: ClarificationTask, { question, context }: Prompt): string {
  const { name, seed, asks } = mind.simulated;
  const chance = chanceOf(["clarification", name, seed, question]);
  const { requirements, clarifications } = task.brief;
  const clear = mind.belief !== null || requirements.major.length + requirements.minor.length > 0;
  const wanted = asks ?? (clear ? 0 : 1 + Math.floor(2 * chance.roll("count")));
  const problem = `${question}\n${context}`;
  const shuffled = chance.shuffled("topics", topics);
  const open = shuffled.filter(({ settled }) => !settled.test(problem));
  const spare = asks === null ? [] : shuffled.filter((topic) => !open.includes(topic));
  const subject = subjects(question)[0];
  const about = subject === undefined ? "the solution" : `“${subject}”`;
  const asked = new Set(clarifications.map((one) => one.question.trim()));
  const questions = [...open, ...spare]
    .slice(0, Math.min(wanted, task.most))
    .map(({ ask }) => ({ text: `[simulated] ${ask(about)}` }))
    .filter(({ text }) => !asked.has(text));
  return JSON.stringify({ questions }, null, 1);
}

/** What a problem may leave open, by what it is asked with, and the words of a problem that speaks of it. */
const topics: readonly { readonly settled: RegExp; readonly ask: (about: string) => string }[] = [
  {
    settled: /\b(?:users?|customers?|students?|clients?|visitors?|patients?)\b/i,
    ask: (about) => `Who will use ${about}, and how many of them at the same time?`,
  },
  {
    settled: /\b(?:deadline|weeks?|months?|quarters?|this year|next year|by the end)\b/i,
    ask: (about) => `By when does ${about} have to be in use?`,
  },
  {
    settled: /\b(?:budget|costs?|prices?|money|dollars?|euros?)\b|[$€£]\s?\d/i,
    ask: (about) => `What may ${about} cost, once and in each year after?`,
  },
  {
    settled: /\b(?:per (?:second|minute|hour|day)|loads?|throughput|requests?|scal\w{1,10}|volumes?)\b/i,
    ask: (about) => `How much does ${about} have to carry today, and how much in two years?`,
  },
  {
    settled: /\b(?:teams?|staff|developers?|engineers?|administrators?|operators?)\b/i,
    ask: (about) => `Who will keep ${about} running and change it, and what do they know already?`,
  },
  {
    settled: /\b(?:existing|legacy|integrat\w{1,6}|migrat\w{1,6}|today's|current(?:ly)?)\b/i,
    ask: (about) => `Which systems have to work together with ${about} from the first day?`,
  },
  {
    settled: /\b(?:privacy|personal data|confidential|gdpr|hipaa|secur\w{1,6}|compliance|audit\w{0,6})\b/i,
    ask: (about) => `Which data that not everybody may see does ${about} touch?`,
  },
  {
    settled: /\b(?:availab\w{1,8}|uptime|downtime|outages?|recover\w{0,3}|backups?)\b/i,
    ask: (about) => `For how long may ${about} be out of service, and how much data may be lost?`,
  },
  {
    settled: /\b(?:success|measured?|metrics?|kpis?|targets?|goals?)\b/i,
    ask: (about) => `By which figure will you tell that ${about} was a success?`,
  },
  {
    settled: /\b(?:country|countries|regions?|languages?|worldwide|global\w{0,2})\b/i,
    ask: (about) => `In which countries and languages is ${about} needed?`,
  },
];
