import type { CallCount, Plan, PlanContext, PlannedCall } from "../../../../engine/index.ts";
import type { ModelRequest } from "../../../../kernel/index.ts";
import { leastPairs, TRIAL_TEST } from "../../../../stats/sequential-sign-test.ts";
import { draftPrompt } from "../../../../protocols/phases/draft.ts";
import { preferencePrompt } from "../../../../protocols/phases/judge-prompts.ts";
import { seatedAt, textNamed } from "../../../../protocols/phases/measure.ts";
import { modelParams } from "../../../../protocols/phases/reply.ts";
import type { TrialSettings } from "./work.ts";

/** What a child is compared with: its parent, or an answer without a persona. */
export type Rival = "parent" | "none";
export type TrialItem = TrialSettings["items"][number];

export function materialOf(context: Pick<PlanContext, "context">, { name }: TrialItem) {
  const more = textNamed(context, `${name}/context`);
  return {
    question: textNamed(context, `${name}/question`) ?? "",
    context: more === undefined ? [] : [{ name: "context", text: more }],
  };
}

/** The request for an answer in this seat. */
export function answerRequest(
  context: Omit<PlanContext<TrialSettings>, "memoryTokens">,
  item: TrialItem,
  seat: "child" | Rival,
): ModelRequest {
  const by = seatedAt(context, seat);
  const messages = draftPrompt(context, {
    material: materialOf(context, item),
    persona: context.instructions(by),
  });
  return { ...modelParams(by), messages, maxOutputTokens: context.settings.answerTokens };
}

/** Pairs that a decision took on the mean over 20,000 simulated trials of children at 0.6: see the decision on evolution. */
const USUAL_PAIRS = 80;

/** The calls of a trial: at least as many as a decision needs, at most all questions. */
export function planTrial(context: PlanContext<TrialSettings>): Plan {
  const { settings } = context;
  const { items, alpha, answerTokens } = settings;
  const most = items.length;
  const low = Math.min(most, leastPairs({ ...TRIAL_TEST, alpha }));
  const count = (each: number): CallCount => ({
    low: each * low,
    expected: each * Math.min(most, Math.max(low, USUAL_PAIRS)),
    high: each * most,
  });
  const [longest] = items.toSorted((one, other) => sizeOf(context, other.name) - sizeOf(context, one.name));
  if (!longest) return [];
  const answers = (["child", "parent", "none"] as const).map((seat): PlannedCall => ({
    ...count(1),
    request: answerRequest(context, longest, seat),
    shows: [],
  }));
  const isJudged = items.some(({ answer }) => answer === undefined);
  const comparisons = (isJudged ? context.seats("judge") : []).map((judge): PlannedCall => {
    const form = settings.form[judge.id] ?? "json";
    const question = textNamed(context, `${longest.name}/question`) ?? "";
    const messages = preferencePrompt(context, {
      form,
      rubric: settings.rubric,
      question,
      first: "",
      second: "",
    });
    const request = { ...modelParams(judge), messages, maxOutputTokens: settings.judgeTokens };
    // Two rivals, in both orders.
    return { ...count(4), request, shows: [answerTokens, answerTokens] };
  });
  return [
    { name: "answers", calls: answers },
    ...(comparisons.length === 0 ? [] : [{ name: "comparisons", calls: comparisons }]),
  ];
}

const sizeOf = ({ context }: PlanContext<TrialSettings>, name: string): number =>
  context.filter((one) => one.name.startsWith(`${name}/`)).reduce((sum, { text }) => sum + text.length, 0);
