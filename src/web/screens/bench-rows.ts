import type { BenchRow } from "../../contract/bench.ts";

/** How an answer differs from what the run's own drafts elect: the verdict on these, and the one on the answer. */
export const CHANGES = ["right-wrong", "wrong-right", "right-none", "none-right"] as const;
export type BenchChange = (typeof CHANGES)[number];

type RightOrWrong = Pick<BenchRow, "answer" | "right">;

/** Whether an answer is right, wrong or missing; `open` where no right answer is known. */
export const verdictOf = ({ answer, right }: RightOrWrong): "right" | "wrong" | "none" | "open" =>
  right === null ? "open" : right ? "right" : answer === null ? "none" : "wrong";

/** What deliberating changed in a run; undefined where nothing counts as changed. */
export function changeOf({ finished, control, ...row }: BenchRow): BenchChange | undefined {
  if (!finished || control === null) return undefined;
  const change = `${verdictOf(control)}-${verdictOf(row)}`;
  return CHANGES.find((one) => one === change);
}

/** The runs of an arm; of a change, those alone. */
export const rowsOf = (
  rows: readonly BenchRow[],
  arm: string,
  change: BenchChange | undefined,
): readonly BenchRow[] =>
  rows.filter((row) => row.arm === arm && (change === undefined || changeOf(row) === change));
