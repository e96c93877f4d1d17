/** How an answer differs from what the run's own drafts elect: the verdict on these, and the one on the answer. */
export const CHANGES = ["right-wrong", "wrong-right", "right-none", "none-right"] as const;
export type BenchChange = (typeof CHANGES)[number];

/** `right`: null where no right answer is known. */
type MarkedAnswer = { readonly answer: string | null; readonly right: boolean | null };
/** `control`: what the run's own drafts elect. */
type ScoredRow = MarkedAnswer & {
  readonly arm: string;
  readonly finished: boolean;
  readonly control: MarkedAnswer | null;
};

/** Whether an answer is right, wrong or missing; `open` where no right answer is known. */
export const verdictOf = ({ answer, right }: MarkedAnswer): "right" | "wrong" | "none" | "open" =>
  right === null ? "open" : right ? "right" : answer === null ? "none" : "wrong";

/** What deliberating changed in a run; undefined where nothing counts as changed. */
export function changeOf({ finished, control, ...row }: Omit<ScoredRow, "arm">): BenchChange | undefined {
  if (!finished || control === null) return undefined;
  const change = `${verdictOf(control)}-${verdictOf(row)}`;
  return CHANGES.find((one) => one === change);
}

/** The runs of an arm; of a change, those alone. */
export const rowsOf = <R extends ScoredRow>(
  rows: readonly R[],
  arm: string,
  change: BenchChange | undefined,
): readonly R[] =>
  rows.filter((row) => row.arm === arm && (change === undefined || changeOf(row) === change));
