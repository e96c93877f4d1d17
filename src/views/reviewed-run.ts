import { isEvent, type Entry } from "../kernel/index.ts";
import type { GivenReview, ReviewedRun } from "../stats/reviewer-leans.ts";
import { answersIn } from "./answer-event.ts";

/** What reviews are counted by. */
export type ReviewerKey = "model" | "persona";

/** Who reviewed whom in a deliberation, and how. What a fork took over was counted in its parent. */
export function reviewedRun(entries: readonly Entry[], by: ReviewerKey): ReviewedRun {
  const participants =
    entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data.participants ?? [];
  const answers = answersIn(entries);
  const authorOf = (step: Parameters<typeof answers.get>[0]): string[] => {
    const author = answers.get(step)?.data.by;
    return author === undefined ? [] : [author];
  };
  const reviews = entries.flatMap((entry): GivenReview[] => {
    if (!isEvent(entry, "review-given") || entry.origin.by === "adopted") return [];
    const { by: reviewer, shown, ranking, remarks } = entry.data;
    const who = participants.find(({ id }) => id === reviewer);
    if (!who) return [];
    return [
      {
        reviewer,
        key: by === "model" ? who.model : who.persona.name,
        family: who.family,
        shown: shown.flatMap(authorOf),
        ranking: ranking.ok ? ranking.steps.flatMap(authorOf) : null,
        remarks: remarks.flatMap(({ of, strengths, weaknesses }) =>
          authorOf(of).map((author) => ({
            of: author,
            strengths: strengths.length,
            weaknesses: weaknesses.length,
          })),
        ),
      },
    ];
  });
  return { reviews, families: new Map(participants.map(({ id, family }) => [id as string, family])) };
}
