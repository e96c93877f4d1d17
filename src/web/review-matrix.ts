import { isEvent, workOf, type Entry, type StepKey } from "../kernel/index.ts";
import { answersIn } from "../views/answer-event.ts";

/** Where a draft stood when a reviewer read it, and where the reviewer ranked it; `rank` is null where no ranking was read. */
export type ReviewCell = { readonly position: number; readonly rank: number | null };

export type ShownReview = {
  readonly step: string;
  /** The reviewer's id. */
  readonly by: string;
  readonly round: number | null;
  readonly isTieBreak: boolean;
  /** Why its ranking could not be read; null where it was. */
  readonly unreadable: string | null;
  /** By the author's id: only those whose drafts were shown. */
  readonly cells: ReadonlyMap<string, ReviewCell>;
  readonly remarks: readonly {
    readonly of: string;
    readonly strengths: readonly string[];
    readonly weaknesses: readonly string[];
  }[];
};

/** Who ranked whom. */
export type ReviewMatrix = {
  /** Those whose drafts were reviewed, in the order of their seats. */
  readonly authors: readonly string[];
  readonly reviews: readonly ShownReview[];
  /** Reviewers whose review is missing, and why. */
  readonly missing: readonly { readonly id: string; readonly why: string }[];
};

/** Folds the reviews of a run. Those whose reviewer was left out of the roster are missing, even where one came late. */
export function reviewMatrix(entries: readonly Entry[]): ReviewMatrix {
  const participants =
    entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data.participants ?? [];
  const answers = answersIn(entries);
  const authorOf = (step: StepKey): string => answers.get(step)?.data.by ?? step;
  const reviews = entries.flatMap((entry): ShownReview[] => {
    if (!isEvent(entry, "review-given") || !("step" in entry.origin)) return [];
    const { by, shown, ranking, remarks } = entry.data;
    const work = workOf(entry);
    const ranks = ranking.ok ? ranking.steps.map(authorOf) : [];
    const cells = shown.map(authorOf).map((author, index): [string, ReviewCell] => {
      const rank = ranks.indexOf(author);
      return [author, { position: index + 1, rank: rank < 0 ? null : rank + 1 }];
    });
    return [
      {
        ...{
          step: entry.origin.step,
          by,
          round: work?.round ?? null,
          isTieBreak: work?.kind === "tie-break",
        },
        unreadable: ranking.ok ? null : ranking.reason,
        cells: new Map(cells),
        remarks: remarks.map(({ of, strengths, weaknesses }) => ({
          of: authorOf(of),
          strengths,
          weaknesses,
        })),
      },
    ];
  });
  const reviewed = new Set(reviews.flatMap(({ cells }) => [...cells.keys()]));
  const seated = participants.map(({ id }) => String(id)).filter((id) => reviewed.has(id));
  const left = entries.flatMap((entry) =>
    isEvent(entry, "roster-fixed") && workOf(entry)?.of === "review" ? entry.data.out : [],
  );
  return {
    authors: [...seated, ...[...reviewed].filter((id) => !seated.includes(id))],
    reviews,
    missing: [...new Map(left.map(({ id, why }) => [id, { id, why }])).values()],
  };
}
