import type { PendingQuestions } from "../contract/runs.ts";
import { type DeliberationId, type OrganizationStore, refusal } from "../kernel/index.ts";
import { pendingQuestions } from "../views/pending-questions.ts";

/**
 * Records a client's answers. An unanswered question counts as "NA".
 * @returns false if answers were already recorded; the first answers count
 * @throws Fault `configuration` for an answer to an unknown question
 */
export async function answerQuestions(
  store: Pick<OrganizationStore, "append">,
  id: DeliberationId,
  { pending, answers }: { readonly pending: PendingQuestions; readonly answers: ReadonlyMap<string, string> },
): Promise<boolean> {
  const known = pending.questions.map((question) => question.id);
  const stray = [...answers.keys()].find((key) => !known.includes(key));
  if (stray !== undefined)
    throw refusal(
      `there is no open question ${JSON.stringify(stray.slice(0, 80))}`,
      `the open ones are ${known.join(", ")}`,
    );
  const appended = await store.append(
    id,
    [
      {
        type: "clarification-answered",
        data: { answers: [...answers].map(([question, text]) => ({ id: question, text })) },
      },
    ],
    { by: "client", request: pending.request },
  );
  return appended.ok && appended.fresh;
}

/** The same for a run that may wait. @throws Fault `configuration` where it does not, too */
export async function answerPending(
  store: OrganizationStore,
  id: DeliberationId,
  answers: ReadonlyMap<string, string>,
): Promise<boolean> {
  const pending = pendingQuestions(await store.read(id));
  if (pending) return answerQuestions(store, id, { pending, answers });
  throw refusal(`${id} is not waiting for answers`, "resume it, if it has not ended");
}
