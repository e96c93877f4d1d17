import type { OpenQuestion, PendingQuestions } from "../contract/runs.ts";
import { isEvent, workOf, type Entry, type Participant } from "../kernel/index.ts";

/** The client request that a round's answers belong to. */
export const clarificationRequest = (round: number): string => `clarification-${round}`;

/** Returns the unanswered questions; undefined if there are none, or if the round of questions is not complete. */
export function pendingQuestions(entries: readonly Entry[]): PendingQuestions | undefined {
  const fold = questionFold();
  for (const entry of entries) fold.take(entry);
  return fold.read();
}

/** The same, entry by entry. */
export function questionFold() {
  const asked = new Map<number, OpenQuestion[]>();
  const ended = new Set<number>();
  const answered = new Set<string>();
  let participants: readonly Participant[] | undefined;
  let round = 0;
  let isClosed = false;
  const nameOf = (id: string) => participants?.find((one) => one.id === id)?.persona.name ?? id;
  return {
    take(entry: Entry): void {
      if (isEvent(entry, "deliberation-opened")) participants ??= entry.data.participants;
      if (entry.type === "deliberation-closed") isClosed = true;
      if (entry.origin.by === "client") answered.add(entry.origin.request);
      const work = workOf(entry);
      if (work?.kind === "roster" && work.of === "clarification") ended.add(work.nth ?? 0);
      if (!isEvent(entry, "clarification-asked")) return;
      const { by, questions } = entry.data;
      const nth = work?.nth ?? 0;
      round = Math.max(round, nth);
      const known = asked.get(nth) ?? [];
      asked.set(nth, [...known, ...questions.map((question) => ({ ...question, by: nameOf(by) }))]);
    },
    read(): PendingQuestions | undefined {
      const request = clarificationRequest(round);
      const questions = asked.get(round) ?? [];
      // Before a round has ended, participants may still ask, and an answer would close the round.
      const waits = round > 0 && ended.has(round) && !answered.has(request) && !isClosed;
      return waits && participants && questions.length > 0 ? { request, questions } : undefined;
    },
  };
}
