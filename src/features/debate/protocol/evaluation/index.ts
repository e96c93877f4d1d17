import { defineProtocol, type ProtocolContext } from "../../../../engine/index.ts";
import type { ModelRequest, Participant } from "../../../../kernel/index.ts";
import { parseEvaluation } from "../../../../replies/evaluation.ts";
import { measure } from "../../../../protocols/phases/measure.ts";
import { modelParams, readReply } from "../../../../protocols/phases/reply.ts";
import {
  evaluationPrompt,
  evaluationSchema,
  evaluationTemplate,
  ownEvaluationPrompt,
  readTexts,
  type EvaluationPrompt,
} from "./prompt.ts";
import { EvaluationSettings } from "./work.ts";

export { createEvaluationContext, type EvaluationTexts } from "./prompt.ts";
export { EvaluationSettings } from "./work.ts";

// An evaluator whose call fails, or whose reply cannot be read, is left out and named; one with scores is enough.

/** Independent evaluators score the solution of a debate, all at once and each by itself. A view combines their scores. */
export const evaluation = defineProtocol<EvaluationSettings>({
  name: "evaluation",
  version: 1,
  summary: "have independent evaluators score the solution of a debate",
  seats: [{ name: "evaluator", filledBy: "judge", min: 1 }],
  settings: EvaluationSettings,
  templates: [evaluationTemplate],
  view: () => import("./view.ts"),
  report: () => import("./report.ts"),
  deliberate(context) {
    const { callTimeoutMs, requirements, timeoutsMs, unfulfilled } = context.settings;
    const material = { ...readTexts(context.context), requirements, unfulfilled };
    return measure(context, {
      name: "evaluation",
      prompts: context.seats("evaluator").map((evaluator) => {
        const { id } = evaluator;
        const loss = {
          ...{ what: `the evaluation by ${id}`, participant: id },
          weakens: "the scores rest on one evaluator less",
        };
        return {
          ...{ id, work: { by: id }, timeoutMs: timeoutsMs[id] ?? callTimeoutMs },
          request: evaluationRequest(context, material, evaluator),
          read: readReply<"evaluation-given">(loss, (reply, call) => {
            const read = parseEvaluation(reply);
            const cut = call.finish === "length" ? "; it was cut off at its limit" : "";
            if (!read.ok) return { unreadable: `${read.reason}${cut}` };
            const { ok, ...given } = read;
            return { type: "evaluation-given", data: { by: id, ...given } };
          }),
        };
      }),
      outcomes: ["evaluation-given", "degradation-noted"],
      key: "evaluated",
      reason: "who gave scores and who did not",
      body: (read, unread) => ({ read, unread }),
      nothing: "no evaluator gave scores that can be read",
    });
  },
});

/** The template of an evaluator's own prompt, which an opening pins only for those who have one. */
export const ownTemplate = (id: string): string => `evaluation/${id}`;

function evaluationRequest(
  context: ProtocolContext<EvaluationSettings>,
  material: Omit<EvaluationPrompt, "persona">,
  evaluator: Participant,
): ModelRequest {
  const { settings, opening } = context;
  const prompt = { ...material, persona: context.instructions(evaluator) };
  const own = ownTemplate(evaluator.id);
  const roles = Object.fromEntries(settings.debaters.map(({ id, role }) => [id, role]));
  return {
    ...modelParams(evaluator, settings.maxOutputTokens),
    messages: Object.hasOwn(opening.templates, own)
      ? ownEvaluationPrompt(context, prompt, { text: context.template(own), roles })
      : evaluationPrompt(context, prompt),
    reply: evaluationSchema,
  };
}
