import type { ProtocolContext, StepRunner } from "../../engine/index.ts";
import { type Event, type ModelRequest, type Participant } from "../../kernel/index.ts";
import {
  evaluationPrompt,
  evaluationSchema,
  readEvaluation,
  type EvaluationPrompt,
  ownEvaluationPrompt,
} from "./prompt.ts";
import { emptyReplyFailure, modelParams } from "../phases/draft.ts";
import { degradation } from "../phases/loss.ts";
import { readTexts } from "./material.ts";
import type { EvaluationSettings } from "./work.ts";

/** The template of an evaluator's own prompt, which an opening pins only for those who have one. */
export const ownTemplate = (id: string): string => `evaluation/${id}`;

/** What every evaluator is shown; personas are their own. */
type EvaluatorMaterial = Omit<EvaluationPrompt, "persona">;

export function readMaterial({ context, settings }: ProtocolContext<EvaluationSettings>): EvaluatorMaterial {
  const { requirements, unfulfilled } = settings;
  return { ...readTexts(context), requirements, unfulfilled };
}

/** The one request that an evaluator is asked with. */
export function evaluationRequest(
  context: ProtocolContext<EvaluationSettings>,
  shown: EvaluatorMaterial,
  evaluator: Participant,
): ModelRequest {
  const { settings, opening } = context;
  const prompt = { ...shown, persona: context.instructions(evaluator) };
  const own = ownTemplate(evaluator.id);
  const roles = Object.fromEntries(settings.debaters.map(({ id, role }) => [id, role]));
  return {
    ...modelParams(evaluator),
    messages: Object.hasOwn(opening.templates, own)
      ? ownEvaluationPrompt(context, prompt, { text: context.template(own), roles })
      : evaluationPrompt(context, prompt),
    maxOutputTokens: settings.maxOutputTokens,
    reply: evaluationSchema,
  };
}

type EvaluationCall = { readonly evaluator: Participant; readonly request: ModelRequest };

/** What an evaluator's step ends in: its scores as they were read, or that there are none. */
export type EvaluationEvent = Event<"evaluation-given"> | Event<"degradation-noted">;

/**
 * One evaluation under `evaluation/<id>`. A call that failed for good is asked again under keys of its own, as often as the
 * settings say; a reply that could not be read is not.
 */
export async function evaluate(
  { settings }: ProtocolContext<EvaluationSettings>,
  run: StepRunner,
  { evaluator, request }: EvaluationCall,
): Promise<EvaluationEvent> {
  const { id } = evaluator;
  const key = `evaluation/${id}`;
  for (let again = 0; ; again += 1) {
    const event = await run.call(
      {
        key: again === 0 ? key : `${key}/again-${again}`,
        outcomes: ["evaluation-given", "degradation-noted"],
        work: { kind: "evaluation", by: id, ...(again === 0 ? {} : { nth: again + 1 }) },
        request,
        timeoutMs: settings.timeoutsMs[id] ?? settings.callTimeoutMs,
      },
      (call) => {
        const lost = {
          what: `the evaluation by ${id}`,
          participant: id,
          weakens: "the scores rest on one evaluator less",
        };
        if (!call.ok) return degradation({ ...lost, failure: call.failure });
        const empty = emptyReplyFailure(call.reply);
        if (empty) return degradation({ ...lost, failure: empty });
        const read = readEvaluation(call.reply);
        if (!read.ok) {
          const cut = call.finish === "length" ? "; it was cut off at its limit" : "";
          return degradation({ ...lost, failure: { code: "unreadable", message: `${read.reason}${cut}` } });
        }
        const { scores, reasons, strengths, weaknesses, clamped, ignored } = read;
        const lists = { strengths: [...strengths], weaknesses: [...weaknesses], clamped: [...clamped] };
        return {
          type: "evaluation-given",
          data: { by: id, scores: { ...scores }, reasons: { ...reasons }, ...lists, ignored: [...ignored] },
        };
      },
    );
    const call = event.data.call;
    if (event.type === "evaluation-given" || call?.ok !== false) return event;
    if (call.failure.code === "over-budget" || again >= settings.again) return event;
  }
}
