import { sameAnswer, type Answer } from "../../replies/answer.ts";
import { hasCoverage } from "../../replies/coverage.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import { appraise } from "../appraisal.ts";
import { finds, overlooks, type Belief, type SimModel } from "../belief.ts";
import { createChance } from "../chance.ts";
import { draft } from "../draft.ts";
import type { Prompt, ShownText, TaskOf } from "../prompt.ts";
import { banner, quotable, subjects } from "../wording.ts";
import {
  findCalculations,
  findOpen,
  isAsked,
  lineFinder,
  readBody,
  writeCoverage,
  type Calculation,
} from "./checks.ts";

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

/**
 * A proposal: a draft, a step for each requirement that the model does not overlook, and the section on the coverage of
 * the requirements, which a model forgets the more often the less its skill. In later rounds it keeps to the result and
 * to the requirements of what it held before.
 */
export function propose(model: SimModel, { brief, standing }: TaskOf<"proposal">, question: string): string {
  const requirements = [...brief.requirements.major, ...brief.requirements.minor];
  const missed = findOpen(standing === null ? [] : [standing], requirements).filter((one) =>
    overlooks(model, "requirement", one),
  );
  const earlierBelief = standing === null ? null : readBelief(model, standing);
  const answer = draft({ ...model, belief: earlierBelief ?? model.belief }, question);
  const named = requirements.filter((one) => !missed.includes(one));
  const steps = writeSteps(model, named, 1);
  const body = steps.length === 0 ? answer : `${answer}\n\n## Plan\n${steps.join("\n")}`;
  return overlooks(model, "coverage", question) ? body : `${body}\n\n${writeCoverage(body, brief)}`;
}

/** The result of a text of one's own, as a belief; null where it has none. */
function readBelief(model: SimModel, text: string): Belief | null {
  const { result = null, agrees } = appraise(model, [{ label: "", text }])[0] ?? {};
  if (result === null || agrees === true) return result && model.belief;
  return { answer: result.value, working: `What was found in the debate holds: it is ${result.value}.` };
}

const MAX_STEPS = 40;
/** The quotes of a plan together, so that it stays shorter than a reply may be. */
const MAX_QUOTES_LENGTH = 6_000;

/** Lines of a plan, one for each requirement and at most 40, numbered from `first`. */
function writeSteps({ wording }: SimModel, requirements: readonly string[], first: number): string[] {
  const named = requirements.slice(0, MAX_STEPS);
  const maxLength = Math.min(300, Math.floor(MAX_QUOTES_LENGTH / Math.max(1, named.length)));
  return named.map((requirement, index) => {
    const means = wording.pick(`means ${first + index}`, ways);
    return `- Step ${first + index}. For “${quotable(requirement, maxLength)}”: ${means}`;
  });
}

const ways = [
  "one part of its own does it, and a check shows that it does.",
  "the smallest thing that does it comes first, and is measured for two weeks.",
  "it is done in one place, written down, and tried out with the people concerned.",
  "two ways are tried on a small part, and the simpler one that does it stays.",
] as const;

/** What one critique leads to. */
type CritiqueVerdict = {
  readonly correction: Belief | null;
  /** Major requirements that the proposal leaves open, as the critique says. */
  readonly open: readonly string[];
  readonly accepted: boolean;
  readonly reason: string;
};

/**
 * A proposal after its critiques. A calculation that a critique writes out is done again, whoever is right about it; what
 * it only claims is adopted where a second look comes to the same. A requirement is added where the critique names one
 * that is really left open. All else stays as it was written.
 */
export function refine(model: SimModel, task: TaskOf<"refinement">, question: string): string {
  const { brief, proposal, critiques } = task;
  const own = appraise(model, [proposal])[0]?.result ?? null;
  const before = readBody(proposal.text);
  const verdicts = critiques.map((one) => judgeCritique(model, one, { task, own, before, question }));
  const correction = verdicts.find((verdict) => verdict.correction !== null)?.correction;
  const plan = before.search(/^## Plan$/m);
  const corrected = correction && readBody(draft({ ...model, belief: correction }, question));
  const parts = corrected ? [corrected, plan < 0 ? "" : before.slice(plan)] : [before];
  const whole = parts.filter(Boolean).join("\n\n");
  const open = brief.requirements.major.filter((one) =>
    verdicts.some((verdict) => verdict.open.includes(one)),
  );
  const steps = whole.match(/^- Step \d{1,4}\./gm)?.length ?? 0;
  const added = writeSteps(model, open, 1 + steps);
  const improved = added.length > 0 ? `${whole}\n\n## Added\n${added.join("\n")}` : whole;
  const answers = verdicts.map(
    ({ accepted, reason }, index) => `${index + 1}. ${accepted ? "Accepted" : "Rejected"}: ${reason}`,
  );
  return [
    `${banner(model)}\n${improved}`,
    ["## Critiques", ...(answers.length > 0 ? answers : ["None was received."])].join("\n"),
    writeCoverage(improved, brief),
  ].join("\n\n");
}

type Refining = {
  readonly task: TaskOf<"refinement">;
  /** The proposal's result. */
  readonly own: Answer | null;
  /** The proposal's body. */
  readonly before: string;
  readonly question: string;
};

function judgeCritique(model: SimModel, { text }: ShownText, refining: Refining): CritiqueVerdict {
  const { task, own, before } = refining;
  const { brief, proposal } = task;
  const correction = findCorrection(model, text, refining);
  const names = lineFinder(text);
  const open = findOpen([before], brief.requirements.major).filter((one) => names(one) !== null);
  const uncovered = /\brequirements coverage\b/i.test(text) && !hasCoverage(proposal.text);
  const reasons = [
    ...(correction ? [`what it works out holds, and mine did not; it is ${correction.answer} now`] : []),
    ...(open.length > 0 ? ["it names what I had left open, and what does it is added"] : []),
    ...(uncovered ? ["the section on the requirements was missing, and is there now"] : []),
  ];
  if (reasons.length > 0) return { correction, open, accepted: true, reason: `${reasons.join("; ")}.` };
  const reason =
    findContradictions(text, own).length > 0
      ? `I worked it out again and stay with ${readBelief(model, proposal.text)?.answer ?? "what I had"}.`
      : "it shows nothing wrong that can be checked, so nothing was changed for it.";
  return { correction, open, accepted: false, reason };
}

/** What a critique shows the result to be: by a calculation that holds, or by what a second look comes to as well. */
function findCorrection(model: SimModel, text: string, { own, question }: Refining): Belief | null {
  const read = (answer: string): Answer | null => extractAnswer(`Final answer: ${answer}`);
  const differs = (other: Answer | null): boolean =>
    other !== null && (own === null || !sameAnswer(own, other));
  const calculated = findCalculations(text).filter((one) => isAsked(one, question));
  const shown = calculated.find((one) => one.holds && differs(read(one.value)));
  if (shown) return { answer: shown.value, working: `Worked out again: ${shown.left} = ${shown.value}.` };
  // What it writes out has been done again, so what it claims beside that counts for nothing.
  if (calculated.length > 0) return null;
  const again = model.secondLook();
  const second = again && read(again.answer);
  const isClaimed = second !== null && findContradictions(text, own).some((one) => sameAnswer(one, second));
  return differs(second) && isClaimed ? again : null;
}

const claims = /\bI (?:come to|get) (?:“([^”\n]{1,200})”|(-?\d[\d,]{0,40}(?:\.\d{1,20})?|yes\b|no\b))/gi;
const MAX_CLAIMS = 20;

/** The results that a critique claims and that differ from one's own. */
function findContradictions(text: string, own: Answer | null): Answer[] {
  const contradictions: Answer[] = [];
  for (const [, quoted, plain] of text.matchAll(claims)) {
    const answer = extractAnswer(`Final answer: ${quoted ?? plain ?? ""}`);
    if (answer !== null && (own === null || !sameAnswer(own, answer))) contradictions.push(answer);
    if (contradictions.length === MAX_CLAIMS) break;
  }
  return contradictions;
}

/** What is wrong or missing, and what to do about it. The proposal fails with a grave one. */
type Flaw = { readonly weakness: string; readonly improvement: string; readonly isGrave: boolean };

/**
 * A critique of one proposal: its calculations are done again and its result is compared with the critic's own; the
 * requirements are looked for in it, and the section that covers them. What can be found is found by skill.
 */
export function critique(model: SimModel, { brief, proposal }: TaskOf<"critique">): string {
  const body = readBody(proposal.text);
  const { major } = brief.requirements;
  const calculations = findCalculations(body);
  const wrong = calculations.filter((one) => !one.holds && finds(model, "calculation", one.written));
  const open = findOpen([body], major).filter((one) => !overlooks(model, "gap", one));
  const isCovered = hasCoverage(proposal.text) || overlooks(model, "no coverage", proposal.text);
  const { agrees, result } = appraise(model, [proposal])[0] ?? {};
  const own = agrees === undefined ? null : model.belief;
  const flaws = [
    ...(own && agrees !== true ? [describeWrongResult(own, result?.value)] : []),
    ...wrong.map(describeWrongStep),
    ...open.map((one): Flaw => ({
      weakness: `Nothing in it does “${quotable(one, 300)}”, so that requirement is not fulfilled.`,
      improvement: `Add what does “${quotable(one, 60)}”.`,
      isGrave: true,
    })),
    ...(isCovered ? [] : [noCoverage]),
  ];
  const named = flaws.length > 0 || model.belief ? flaws : [model.wording.pick("gap", critiqueGaps)];
  const praise = own && agrees === true && wrong.length === 0;
  const isSound = wrong.length === 0 && calculations.length > 0 && (!own || agrees === true);
  const strengthsFound = [
    ...(praise ? [`The result agrees with my own working: ${quotable(own.answer)}.`] : []),
    ...(isSound ? ["Its calculation can be done again."] : []),
  ];
  const weaknesses = named.map((one) => one.weakness);
  const improvements = named.map((one) => one.improvement);
  const grave = flaws.filter((one) => one.isGrave).map((one) => one.weakness);
  const unfulfilled = open.map((one) => `Major ${major.indexOf(one) + 1} is not fulfilled.`);
  const allThere =
    major.length === 0 ? "The problem states none." : "Every major requirement that I looked for is there.";
  const section = (heading: string, items: readonly string[], none: string): string =>
    [`## ${heading}`, ...(items.length > 0 ? items.map((item) => `- ${item}`) : [none])].join("\n");
  return [
    banner(model),
    section("Requirements", unfulfilled, allThere),
    section("Strengths", strengthsFound, model.wording.pick("strength", critiqueStrengths)),
    section("Weaknesses", weaknesses, "None found."),
    section("Improvements", improvements, "None."),
    section("Critical issues", grave, "None"),
  ].join("\n\n");
}

const describeWrongResult = (own: Belief, result: string | undefined): Flaw => ({
  weakness:
    result === undefined
      ? "It comes to no result that can be checked."
      : `Wrong result: it comes to “${quotable(result)}”. ${quotable(own.working, 1_000)}`,
  improvement: `Work it out again: I come to “${quotable(own.answer)}”.`,
  isGrave: true,
});

const describeWrongStep = ({ written, left, value }: Calculation): Flaw => ({
  weakness: `Wrong step: “${written}” does not hold, so all that rests on it falls.`,
  improvement: `Put “${left} = ${value}” in its place.`,
  isGrave: true,
});

const noCoverage: Flaw = {
  weakness: "It has no section Requirements Coverage, so it does not show which part does what.",
  improvement: "Add the section Requirements Coverage, with every major requirement.",
  isGrave: false,
};

const critiqueStrengths = [
  "It says what it rests on.",
  "It can be acted on as it stands.",
  "It is clear about the order of the steps.",
] as const;

const critiqueGaps: readonly [Flaw, ...Flaw[]] = [
  { weakness: "It gives no figure for its first point.", improvement: "Name the figure.", isGrave: false },
  { weakness: "It leaves out who has to keep it.", improvement: "Say who keeps it.", isGrave: false },
  { weakness: "It names no point at which to stop.", improvement: "Name that point.", isGrave: false },
];
