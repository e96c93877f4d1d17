import { sameAnswer, type Answer } from "../../replies/answer.ts";
import { hasCoverage } from "../../replies/coverage.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import { appraise } from "../appraisal.ts";
import { overlooks, type Belief, type SimModel } from "../belief.ts";
import { draft } from "../draft.ts";
import type { ShownText, TaskOf } from "../prompt.ts";
import { banner, quotable } from "../wording.ts";
import { findCalculations, isAsked } from "./calculation.ts";
import { findOpen, lineFinder, readBody, writeCoverage } from "./coverage.ts";

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
