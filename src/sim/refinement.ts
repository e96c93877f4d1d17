import { extractAnswer, hasCoverage, sameAnswer, type Answer } from "../judging/index.ts";
import { appraise } from "./appraisal.ts";
import { calculationsIn, isAsked } from "./calculation.ts";
import { bodyOf, coverageSection, leftOpen, lineFinder } from "./coverage.ts";
import type { DebateTask } from "./debate-prompt.ts";
import { draft } from "./draft.ts";
import type { Belief, Mind } from "./mind.ts";
import { heldIn, stepsFor } from "./proposal.ts";
import type { Shown } from "./shown.ts";
import { banner } from "./wording.ts";

type RefinementTask = Extract<DebateTask, { kind: "refinement" }>;

/** What one critique leads to. */
type Verdict = {
  readonly correction: Belief | null;
  /** Major requirements that the proposal leaves open, as the critique says. */
  readonly open: readonly string[];
  readonly accepted: boolean;
  readonly why: string;
};

/**
 * A proposal after its critiques. A calculation that a critique writes out is done again, whoever is right about it;
 * what it only claims is taken over where a second look comes to the same. A requirement is added where the critique
 * names one that is really left open. All else stays as it was written.
 */
export function refinement(mind: Mind, task: RefinementTask, question: string): string {
  const { brief, proposal, critiques } = task;
  const own = appraise(mind, [proposal])[0]?.result ?? null;
  const before = bodyOf(proposal.text);
  const verdicts = critiques.map((one) => verdictOn(mind, one, { task, own, body: before, question }));
  const correction = verdicts.find((verdict) => verdict.correction !== null)?.correction ?? null;
  // A draft begins with the banner, and so does the refinement.
  const body = correction ? bodyOf(draft({ ...mind, belief: correction }, question)) : before;
  const dropped = correction ? kept(before) : "";
  const whole = [body, dropped].filter((part) => part !== "").join("\n\n");
  const open = brief.requirements.major.filter((one) =>
    verdicts.some((verdict) => verdict.open.includes(one)),
  );
  const added = stepsFor(mind, open, 1 + stepsIn(whole));
  const improved = [whole, ...(added.length > 0 ? [`## Added\n${added.join("\n")}`] : [])].join("\n\n");
  return [
    `${banner(mind.simulated)}\n${improved}`,
    [
      "## Critiques",
      ...(verdicts.length === 0 ? ["None was received."] : []),
      ...verdicts.map(
        ({ accepted, why }, index) => `${index + 1}. ${accepted ? "Accepted" : "Rejected"}: ${why}`,
      ),
    ].join("\n"),
    coverageSection(improved, brief),
  ].join("\n\n");
}

type Own = {
  readonly task: RefinementTask;
  readonly own: Answer | null;
  readonly body: string;
  readonly question: string;
};

function verdictOn(mind: Mind, { text }: Shown, { task, own, body, question }: Own): Verdict {
  const { brief, proposal } = task;
  const correction = correctionIn(mind, text, { own, question });
  const names = lineFinder(text);
  const open = leftOpen([body], brief.requirements.major).filter((one) => names(one) !== null);
  const uncovered = /\brequirements coverage\b/i.test(text) && !hasCoverage(proposal.text);
  const reasons = [
    ...(correction ? [`what it works out holds, and mine did not; it is ${correction.answer} now`] : []),
    ...(open.length > 0 ? ["it names what I had left open, and what does it is added"] : []),
    ...(uncovered ? ["the section on the requirements was missing, and is there now"] : []),
  ];
  const contradicts = contradictions(text, own).length > 0;
  const refused = contradicts
    ? `I worked it out again and stay with ${heldIn(mind, proposal.text)?.answer ?? "what I had"}.`
    : "it shows nothing wrong that can be checked, so nothing was changed for it.";
  return {
    correction,
    open,
    accepted: reasons.length > 0,
    why: reasons.length > 0 ? `${reasons.join("; ")}.` : refused,
  };
}

/** What a critique shows the result to be: by a calculation that holds, or by what a second look comes to as well. */
function correctionIn(
  mind: Mind,
  text: string,
  { own, question }: { readonly own: Answer | null; readonly question: string },
): Belief | null {
  const differs = (answer: string): boolean => {
    const other = extractAnswer(`Final answer: ${answer}`);
    return other !== null && (own === null || !sameAnswer(own, other));
  };
  const calculated = calculationsIn(text).filter((one) => isAsked(one, question));
  const shown = calculated.find((one) => one.holds && differs(one.value));
  if (shown) return { answer: shown.value, working: `Worked out again: ${shown.left} = ${shown.value}.` };
  // What it writes out has been done again, so what it claims beside that counts for nothing.
  if (calculated.length > 0) return null;
  const again = mind.secondLook();
  if (again === null || !differs(again.answer)) return null;
  const second = extractAnswer(`Final answer: ${again.answer}`);
  return second !== null && contradictions(text, own).some((one) => sameAnswer(one, second)) ? again : null;
}

const claims = /\bI (?:come to|get) (?:“([^”\n]{1,200})”|(-?\d[\d,]{0,40}(?:\.\d{1,20})?|yes\b|no\b))/gi;
const mostClaims = 20;

/** The results that a critique claims and that are not one's own. */
function contradictions(text: string, own: Answer | null): Answer[] {
  const found: Answer[] = [];
  for (const [, quoted, plain] of text.matchAll(claims)) {
    const answer = extractAnswer(`Final answer: ${quoted ?? plain ?? ""}`);
    if (answer !== null && (own === null || !sameAnswer(own, answer))) found.push(answer);
    if (found.length === mostClaims) break;
  }
  return found;
}

/** The plan of a proposal, from its heading on: what a corrected result leaves as it was. */
function kept(body: string): string {
  const at = body.search(/^## Plan$/m);
  return at < 0 ? "" : body.slice(at);
}

const stepsIn = (body: string): number => body.match(/^- Step \d{1,4}\./gm)?.length ?? 0;
