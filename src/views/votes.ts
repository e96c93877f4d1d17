import type { PeerVote, PeerVoter } from "../contract/knowledge.ts";
import { isEvent, personOf, type Entry, type Event, type Participant } from "../kernel/index.ts";
import { detectIntent } from "../text/intent.ts";
import { answersIn } from "./answer-event.ts";

/**
 * The id of a participant's persona. One that sits twice has the ids `analyst` and `analyst-2`, and the names `Analyst` and
 * `Analyst 2`.
 */
export function personaIdOf({
  id,
  persona: { name },
}: Pick<Participant, "id"> & { readonly persona: { readonly name: string } }): string {
  const [, turn] = /(?: |^)(\d+)$/.exec(name) ?? [];
  return turn !== undefined && id.endsWith(`-${turn}`) ? id.slice(0, -turn.length - 1) : id;
}

export const voterOf = (participant: Participant): PeerVoter => ({
  persona: personaIdOf(participant),
  model: personOf(participant.model) === undefined ? participant.model.replace(/\?.*$/s, "") : "a person",
  family: participant.family,
});

/** The kind of a question: `comparison`, `procedure`, `explanation`, `fact` or `other`. */
export const kindOfQuestion = (question: string): string => detectIntent(question);

/** Whether this deliberation made the event, and did not take it over from the one that it is a fork of. */
export const isCast = ({ origin }: Pick<Entry, "origin">): boolean => origin.by !== "adopted";

/** The votes of a deliberation, review by review in the journal's order. */
export function votesIn(entries: readonly Entry[]): readonly PeerVote[] {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (!opened) return [];
  const { protocol, series, participants, question } = opened.data;
  const kind = kindOfQuestion(question);
  const seated = new Map(participants.map((one) => [one.id as string, voterOf(one)]));
  const answers = answersIn(entries);
  const reviews = entries.filter((entry): entry is Event<"review-given"> => isEvent(entry, "review-given"));
  return reviews.filter(isCast).flatMap(({ id: event, at, data: { by, shown, ranking, remarks } }) => {
    const voter = seated.get(by);
    return shown.flatMap((draft, index): PeerVote[] => {
      const candidate = seated.get(answers.get(draft)?.data.by ?? "");
      if (!voter || !candidate) return [];
      const { strengths = [], weaknesses = [] } = remarks.find(({ of }) => of === draft) ?? {};
      const place = ranking.ok ? ranking.steps.indexOf(draft) : -1;
      return [
        {
          ...{ deliberation: opened.deliberation, conversation: series?.id ?? opened.deliberation },
          ...{ turn: (series?.index ?? 0) + 1, at, protocol: protocol.name, kind, voter, candidate },
          ...{ draft, position: index + 1, of: shown.length, rank: place < 0 ? null : place + 1 },
          ...{ strengths, weaknesses, event },
        },
      ];
    });
  });
}
