import { appraise } from "./appraisal.ts";
import { overlooks } from "./attention.ts";
import { coverageSection, leftOpen } from "./coverage.ts";
import type { DebateTask } from "./debate-prompt.ts";
import { draft } from "./draft.ts";
import type { Belief, Mind } from "./mind.ts";
import { quotable } from "./wording.ts";

type ProposalTask = Extract<DebateTask, { kind: "proposal" }>;

/**
 * A proposal: a draft, a step for each requirement that the model does not overlook, and the section on the coverage of
 * the requirements, which a model forgets the more often the less its skill. In later rounds it keeps to the result
 * and to the requirements of what it held before.
 */
export function proposal(mind: Mind, { brief, standing }: ProposalTask, question: string): string {
  const { major, minor } = brief.requirements;
  const before = standing === null ? [] : [standing];
  const missed = new Set(
    leftOpen(before, [...major, ...minor]).filter((one) => overlooks(mind, "requirement", one)),
  );
  const held = standing === null ? null : heldIn(mind, standing);
  const holding: Mind = { ...mind, belief: held ?? mind.belief };
  const answer = draft(holding, question);
  const steps = stepsFor(
    mind,
    [...major, ...minor].filter((one) => !missed.has(one)),
    1,
  );
  const plan = steps.length === 0 ? "" : `\n\n## Plan\n${steps.join("\n")}`;
  const body = `${answer}${plan}`;
  return overlooks(mind, "coverage", question) ? body : `${body}\n\n${coverageSection(body, brief)}`;
}

/** The result of a text of one's own, as a belief; null where it has none. */
export function heldIn(mind: Mind, text: string): Belief | null {
  const [appraisal] = appraise(mind, [{ label: "", text }]);
  const result = appraisal?.result;
  if (!result) return null;
  return appraisal?.agrees === true
    ? mind.belief
    : { answer: result.value, working: `What was found in the debate holds: it is ${result.value}.` };
}

const mostSteps = 40;
/** The quotes of a plan together, so that it stays shorter than a reply may be. */
const quotes = 6_000;

/** Lines of a plan, one for each requirement and at most 40, numbered from `first`. */
export function stepsFor({ wording }: Mind, requirements: readonly string[], first: number): string[] {
  const named = requirements.slice(0, mostSteps);
  const longest = Math.min(300, Math.floor(quotes / Math.max(1, named.length)));
  return named.map((requirement, index) => {
    const means = wording.pick(`means ${first + index}`, ways);
    return `- Step ${first + index}. For “${quotable(requirement, longest)}”: ${means}`;
  });
}

const ways = [
  "one part of its own does it, and a check shows that it does.",
  "the smallest thing that does it comes first, and is measured for two weeks.",
  "what is in use already does it, with one addition that can be taken out again.",
  "it is done in one place, written down, and tried out with the people concerned.",
  "it is done by hand at first, and by a program once the steps stay the same.",
  "two ways are tried on a small part, and the simpler one that does it stays.",
] as const;
