import { defineProtocol, type ProtocolContext } from "../../engine/index.ts";
import { StepKey, type Closing, type Failure } from "../../kernel/index.ts";
import { evaluationTemplate } from "./prompt.ts";
import { fanOut, type FanOut, type FanOutMember } from "../phases/fan-out.ts";
import { stoppedByBudget } from "../phases/loss.ts";
import { evaluate, evaluationRequest, readMaterial, type EvaluationEvent } from "./evaluate.ts";
import { EvaluationSettings } from "./work.ts";

export { createEvaluationContext, type EvaluationTexts } from "./material.ts";
export { ownTemplate } from "./evaluate.ts";
export { EvaluationSettings } from "./work.ts";

// EVAL-1. An evaluator's step depends on the material and on the evaluator alone, and on no other evaluator.
// EVAL-2. Whose call fails, or whose reply cannot be read, is left out and named; one that gives scores is enough.

/**
 * Independent evaluators score the solution of a debate, all at once and each by itself. What their
 * scores come to together is a projection's to say.
 */
export const evaluation = defineProtocol<EvaluationSettings>({
  name: "evaluation",
  version: 1,
  summary: "have independent evaluators score the solution of a debate",
  seats: [{ name: "evaluator", filledBy: "judge", min: 1 }],
  settings: EvaluationSettings,
  templates: [evaluationTemplate],
  async deliberate(context) {
    const evaluators = context.seats("evaluator");
    const shown = readMaterial(context);
    const members = evaluators.map((evaluator) => ({
      id: evaluator.id,
      evaluator,
      request: evaluationRequest(context, shown, evaluator),
    }));
    const done = await fanOut<(typeof members)[number], EvaluatorResult>(
      context.run,
      { name: "evaluation", work: { kind: "evaluation" }, members, patienceMs: null },
      async ({ id, ...asked }, run) => {
        const event = await evaluate(context, run, asked);
        // In, whatever came of it: a fork that asks a failed one again finds its part of the phase incomplete.
        return { in: true, value: readResult(id, event) };
      },
    );
    return close(context, [...done.in.map(({ value }) => value), ...done.cut.map(unaffordable)]);
  },
});

/** What became of an evaluator; `failure` where there is no reply. */
type EvaluatorResult = { readonly id: string; readonly read: boolean; readonly failure?: Failure };

const readResult = (id: string, { type, data }: EvaluationEvent): EvaluatorResult =>
  data.call?.ok === false
    ? { id, read: false, failure: data.call.failure }
    : { id, read: type === "evaluation-given" };

const unaffordable = ({
  member: { id },
  cap,
}: FanOut<FanOutMember, EvaluatorResult>["cut"][number]): EvaluatorResult => ({
  id,
  read: false,
  failure: {
    code: "over-budget",
    message: `the budget does not reach for ${id}`,
    ...(cap === undefined ? {} : { cap }),
  },
});

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
