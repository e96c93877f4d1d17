import { admitted, defineProtocol, phase, type Floor, type Joined } from "../../engine/index.ts";
import { StepKey, type Closing, type Failure } from "../../kernel/index.ts";
import { EVALUATION_TEMPLATES } from "../../prompts/index.ts";
import { byId } from "../../phases/draft.ts";
import { evaluate, requestOf, shownOn, type Evaluated } from "./evaluate.ts";
import { EvaluationSettings } from "./settings.ts";

export { contextOf, type EvaluationTexts } from "./material.ts";
export { ownTemplate } from "./evaluate.ts";
export { EvaluationSettings } from "./settings.ts";

// E1. An evaluator's step depends on the material and on the evaluator alone, and on no other evaluator.
// E2. Whose call fails, or whose reply cannot be read, is left out and named; one that gives scores is enough.

/**
 * Independent evaluators (the seat `evaluator`) score the solution of a debate, all at once and each by itself. What their
 * scores come to together is a projection's to say.
 */
export const evaluation = defineProtocol<EvaluationSettings>({
  name: "evaluation",
  version: 1,
  settings: EvaluationSettings,
  templates: EVALUATION_TEMPLATES,
  async deliberate(floor) {
    const evaluators = floor.seats("evaluator");
    const shown = shownOn(floor);
    const members = evaluators.map((evaluator) => ({
      id: evaluator.id as string,
      request: requestOf(floor, shown, evaluator),
    }));
    const may = await admitted(floor.run, { name: "evaluation", members });
    const done = await phase(
      floor.run,
      { name: "evaluation", members: may },
      async (id, run): Promise<Joined<Part>> => {
        const evaluator = byId(evaluators, id);
        const request =
          members.find((member) => member.id === id)?.request ?? requestOf(floor, shown, evaluator);
        const event = await evaluate(floor, run, { evaluator, request });
        // In, whatever came of it: a fork that asks a failed one again finds its part of the phase incomplete.
        return { in: true, value: partOf(id, event) };
      },
    );
    const cut = evaluators.filter(({ id }) => !may.includes(id)).map(({ id }) => unaffordable(id));
    return close(floor, [...done.in.map(({ value }) => value), ...cut]);
  },
});

/** What became of an evaluator; `failure` where there is no reply. */
type Part = { readonly id: string; readonly read: boolean; readonly failure?: Failure };

const partOf = (id: string, { type, data }: Evaluated): Part =>
  data.call?.ok === false
    ? { id, read: false, failure: data.call.failure }
    : { id, read: type === "note-taken" };

const unaffordable = (id: string): Part => ({
  id,
  read: false,
  failure: { code: "over-budget", message: `the budget does not reach for ${id}` },
});

async function close({ run }: Floor, parts: readonly Part[]): Promise<Closing> {
  const ids = (read: boolean) => parts.flatMap((part) => (part.read === read ? [part.id] : []));
  const body = { read: ids(true), unread: ids(false) };
  await run.derive({ key: "evaluated", ends: ["note-taken"], input: body }, () => ({
    type: "note-taken",
    data: { topic: "evaluated", reason: "who gave scores and who did not", body },
  }));
  const answer = { answer: StepKey.parse("evaluated"), control: null };
  const best = body.read.length > 0 ? answer : null;
  const failures = parts.flatMap(({ failure }) => failure ?? []);
  const capped = failures.find(({ code }) => code === "over-budget");
  if (capped) return { outcome: "stopped-by-budget", why: capped.message, best };
  const [failure] = failures;
  if (failure && failures.length === parts.length)
    return { outcome: "failed", why: `${failure.code}: ${failure.message}` };
  if (!best) return { outcome: "inconclusive", why: "no evaluator gave scores that can be read", best };
  return { outcome: body.unread.length > 0 ? "answered-degraded" : "answered", ...answer };
}
