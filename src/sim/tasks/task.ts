/** What kinds of task there are. `yes-no` has two possible answers, for which Condorcet's formula is exact. */
export const TASK_KINDS = ["arithmetic", "logic", "yes-no"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** A question with its one right answer. */
export type Task = {
  readonly id: string;
  readonly kind: TaskKind;
  readonly question: string;
  readonly answer: string;
};
