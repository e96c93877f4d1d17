import { defineProtocol, type ProtocolContext, type StepRunner } from "../../engine/index.ts";
import {
  StepKey,
  type Closing,
  type Event,
  type Failure,
  type ModelRequest,
  type Participant,
} from "../../kernel/index.ts";
import { parseEvaluation } from "../../replies/evaluation.ts";
import { fanOut } from "../phases/fan-out.ts";
import { modelParams, readReply, stoppedByBudget } from "../phases/reply.ts";
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

// EVAL-1. An evaluator's step depends on the material and on the evaluator alone, and on no other evaluator.
// EVAL-2. An evaluator whose call fails, or whose reply cannot be read, is left out and named; one with scores is enough.

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
  async deliberate(context) {
    const evaluators = context.seats("evaluator");
    const { requirements, unfulfilled } = context.settings;
    const material = { ...readTexts(context.context), requirements, unfulfilled };
    const members = evaluators.map((evaluator) => ({
      id: evaluator.id,
      evaluator,
      request: evaluationRequest(context, material, evaluator),
    }));
    const done = await fanOut<(typeof members)[number], EvaluatorResult>(
      context.run,
      { name: "evaluation", work: { kind: "evaluation" }, members, patienceMs: null },
      async ({ id, ...call }, run) => {
        const event = await evaluate(context, run, call);
        // It is in even if it failed: a fork that asks it again finds its part of the phase incomplete.
        return { in: true, value: readResult(id, event) };
      },
    );
    const cut = done.cut.map(({ member: { id }, cap }): EvaluatorResult => {
      const message = `the budget does not reach for ${id}`;
      const failure = { code: "over-budget", message, ...(cap === undefined ? {} : { cap }) } as const;
      return { id, read: false, failure };
    });
    return close(context, [...done.in.map(({ value }) => value), ...cut]);
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
    ...modelParams(evaluator),
    messages: Object.hasOwn(opening.templates, own)
      ? ownEvaluationPrompt(context, prompt, { text: context.template(own), roles })
      : evaluationPrompt(context, prompt),
    maxOutputTokens: settings.maxOutputTokens,
    reply: evaluationSchema,
  };
}

type EvaluationEvent = Event<"evaluation-given"> | Event<"degradation-noted">;

/**
 * One evaluation under `evaluation/<id>`. A call that failed for good is made again under keys of its own, as often as the
 * settings say; a reply that could not be read is not asked for again.
 */
async function evaluate(
  { settings }: ProtocolContext<EvaluationSettings>,
  run: StepRunner,
  { evaluator: { id }, request }: { readonly evaluator: Participant; readonly request: ModelRequest },
): Promise<EvaluationEvent> {
  const key = `evaluation/${id}`;
  const loss = {
    what: `the evaluation by ${id}`,
    participant: id,
    weakens: "the scores rest on one evaluator less",
  };
  for (let again = 0; ; again += 1) {
    const event = await run.call(
      {
        key: again === 0 ? key : `${key}/again-${again}`,
        outcomes: ["evaluation-given", "degradation-noted"],
        work: { kind: "evaluation", by: id, ...(again === 0 ? {} : { nth: again + 1 }) },
        request,
        timeoutMs: settings.timeoutsMs[id] ?? settings.callTimeoutMs,
      },
      readReply<"evaluation-given">(loss, (reply, call) => {
        const read = parseEvaluation(reply);
        const cut = call.finish === "length" ? "; it was cut off at its limit" : "";
        if (!read.ok) return { unreadable: `${read.reason}${cut}` };
        const { ok, ...given } = read;
        return { type: "evaluation-given", data: { by: id, ...given } };
      }),
    );
    const call = event.data.call;
    if (event.type === "evaluation-given" || call?.ok !== false) return event;
    if (call.failure.code === "over-budget" || again >= settings.again) return event;
  }
}

/** `failure` is set where there is no reply. */
type EvaluatorResult = { readonly id: string; readonly read: boolean; readonly failure?: Failure };

const readResult = (id: string, { type, data }: EvaluationEvent): EvaluatorResult =>
  data.call?.ok === false
    ? { id, read: false, failure: data.call.failure }
    : { id, read: type === "evaluation-given" };

async function close({ run }: ProtocolContext, parts: readonly EvaluatorResult[]): Promise<Closing> {
  const ids = (read: boolean) => parts.flatMap((part) => (part.read === read ? [part.id] : []));
  const body = { read: ids(true), unread: ids(false) };
  await run.derive(
    { key: "evaluated", outcomes: ["note-taken"], work: { kind: "tally" }, input: body },
    () => ({
      type: "note-taken",
      data: { topic: "evaluated", reason: "who gave scores and who did not", body },
    }),
  );
  const answer = { answer: StepKey.parse("evaluated"), control: null };
  const best = body.read.length > 0 ? answer : null;
  const failures = parts.flatMap(({ failure }) => failure ?? []);
  const capped = failures.find(({ code }) => code === "over-budget");
  if (capped) return stoppedByBudget(capped.message, capped.cap, best);
  const [failure] = failures;
  if (failure && failures.length === parts.length)
    return { outcome: "failed", why: `${failure.code}: ${failure.message}` };
  if (!best) return { outcome: "inconclusive", why: "no evaluator gave scores that can be read", best };
  return { outcome: body.unread.length > 0 ? "answered-degraded" : "answered", ...answer };
}
