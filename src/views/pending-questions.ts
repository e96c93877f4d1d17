import { isEvent, workOf, type Entry } from "../kernel/index.ts";

/** The client request that a round's answers belong to. */
export const clarificationRequest = (round: number): string => `clarification-${round}`;

/** A question that a debate waits for; `by` is the name of its participant. */
export type OpenQuestion = { readonly id: string; readonly by: string; readonly text: string };

/** The questions that a debate waits for, and the client request that answers them. */
export type PendingQuestions = { readonly request: string; readonly questions: readonly OpenQuestion[] };

/** Returns the unanswered questions; undefined if there are none, or if the round of questions is not complete. */
export function pendingQuestions(entries: readonly Entry[]): PendingQuestions | undefined {
  const [opened] = entries;
  const asked = entries.flatMap((entry) =>
    isEvent(entry, "clarification-asked") ? [{ round: workOf(entry)?.nth ?? 0, data: entry.data }] : [],
  );
  const round = Math.max(0, ...asked.map((one) => one.round));
  if (!opened || !isEvent(opened, "deliberation-opened") || round === 0) return undefined;
  // Before that, participants may still ask, and an answer would close the round.
  const ended = entries.some((entry) => {
    const work = workOf(entry);
    return work?.kind === "roster" && work.of === "clarification" && work.nth === round;
  });
  const request = clarificationRequest(round);
  const settled = entries.some(
    ({ origin, type }) =>
      (origin.by === "client" && origin.request === request) || type === "deliberation-closed",
  );
  const nameOf = (id: string) =>
    opened.data.participants.find((participant) => participant.id === id)?.persona.name ?? id;
  const questions = asked
    .filter((one) => one.round === round)
    .flatMap(({ data }) => data.questions.map((question) => ({ ...question, by: nameOf(data.by) })));
  return settled || !ended || questions.length === 0 ? undefined : { request, questions };
}
