import type { ReviewerBallot } from "../stats/rank-correlation.ts";
import {
  isEvent,
  workOf,
  type Answer,
  type Entry,
  type Event,
  type Json,
  type Participant,
  type ParticipantId,
} from "../kernel/index.ts";
import { answerEvent, type AnswerEvent } from "./answer-event.ts";

/** What somebody wrote, and the final answer that could be extracted from it. */
export type SpokenEvent = { readonly text: string; readonly final: Answer | null };

/** A member whose draft was in. `first` and `last` are one where it was not asked again. */
export type Drafter = { readonly id: ParticipantId; readonly first: SpokenEvent; readonly last: SpokenEvent };

/** What contributions are measured from: facts of one closed deliberation. */
export type Grounds = {
  readonly opened: Event<"deliberation-opened">;
  readonly closed: Event<"deliberation-closed">;
  readonly given: AnswerEvent;
  /** In seat order. */
  readonly drafters: readonly Drafter[];
  /** The readable rankings, by the ids of the answers' authors. */
  readonly ballots: readonly ReviewerBallot[];
  readonly standing: Event<"standing-reached">["data"] | undefined;
};

/** From all entries of a deliberation, in order; or why nothing of it can be measured. */
export function groundsOf(
  entries: readonly Entry[],
): { readonly ok: true; readonly grounds: Grounds } | { readonly ok: false; readonly why: string } {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const closed = entries.find((entry) => isEvent(entry, "deliberation-closed"));
  if (!opened || !closed) return { ok: false, why: "it is open" };
  const given = answerEvent(entries);
  if (!given) return { ok: false, why: `it was closed without an answer (${closed.data.outcome})` };
  const inTime = stragglersOf(entries);
  const answers = entries.filter((entry) => isEvent(entry, "answer-given")).filter(inTime);
  const authors = new Map(
    answers.flatMap(({ origin, data }) => ("step" in origin ? [[origin.step, data.by] as const] : [])),
  );
  const reviews = entries
    .filter((entry) => isEvent(entry, "review-given"))
    .filter((entry) => workOf(entry)?.kind !== "tie-break" && inTime(entry));
  return {
    ok: true,
    grounds: {
      opened,
      closed,
      given,
      drafters: opened.data.participants.flatMap(({ id, seat }) => {
        const own = seat === "member" ? answers.filter(({ data }) => data.by === id) : [];
        const [first, last] = [own[0], own.at(-1)];
        return first && last ? [{ id, first: saidIn(first.data), last: saidIn(last.data) }] : [];
      }),
      ballots: reviews.flatMap(({ data: { by, ranking } }) =>
        ranking.ok
          ? [{ reviewer: by, ranking: ranking.steps.flatMap((step) => authors.get(step) ?? []) }]
          : [],
      ),
      standing: entries.findLast((entry) => isEvent(entry, "standing-reached"))?.data,
    },
  };
}

/** The answer as the chair of a fork wrote it; undefined where no chair did. */
export function synthesisIn(entries: readonly Entry[]): SpokenEvent | undefined {
  const found = groundsOf(entries);
  return found.ok && found.grounds.given.type === "synthesis-given"
    ? saidIn(found.grounds.given.data)
    : undefined;
}

const saidIn = ({ text, final }: SpokenEvent): SpokenEvent => ({ text, final });

type Spoken = Event<"answer-given"> | Event<"review-given">;

/** Whether what somebody said came before the phase went on without them: its roster says who was in. */
function stragglersOf(entries: readonly Entry[]): (entry: Spoken) => boolean {
  const rosters = entries.flatMap((entry) =>
    isEvent(entry, "roster-fixed") && workOf(entry)?.kind === "roster" ? [entry] : [],
  );
  return (spoken) => {
    const work = workOf(spoken);
    return rosters
      .filter((roster) => workOf(roster)?.of === work?.kind && workOf(roster)?.round === work?.round)
      .every((roster) => roster.data.in.includes(spoken.data.by));
  };
}

/** Of a fork that was made to measure contributions: whom it leaves out of the synthesis; empty where it only asks again. */
export function withheldIn({
  settings,
}: {
  readonly settings: Readonly<Record<string, Json>>;
}): readonly string[] | undefined {
  const { rewriting } = settings;
  if (typeof rewriting !== "object" || rewriting === null || Array.isArray(rewriting)) return undefined;
  const { withheld, nth } = rewriting;
  const isRead = Array.isArray(withheld) && typeof nth === "number";
  return isRead && withheld.every((one) => typeof one === "string") ? withheld : undefined;
}

/** The chair who wrote the answer; undefined where none did. */
export const writtenBy = ({ opened, given }: Grounds): Participant | undefined =>
  given.type === "synthesis-given"
    ? opened.data.participants.find(({ id }) => id === given.data.by)
    : undefined;
