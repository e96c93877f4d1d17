import type { BenchRow } from "../../contract/bench.ts";
import { sameAnswer } from "../../replies/answer.ts";
import { oneCoin } from "../../stats/dawid-skene.ts";
import type { RecordedArm } from "../../protocols/bench/index.ts";
import { expectedAnswer } from "./row.ts";

// What a rule over drafts answers to a question never rests on which answer to it is right.

/** An arm's rows as a rule over the drafts of all of them answers; the rows given are those of the vote. */
export type DeriveRows = (rows: readonly BenchRow[]) => BenchRow[];

/** The same row with another answer, as one of its drafts gives it; none where no draft does. */
function withAnswer(row: BenchRow, answer: string | null): BenchRow {
  const draft = answer === null ? undefined : row.drafts.find((one) => one.answer === answer);
  const right = row.right === null ? null : (draft?.right ?? false);
  return { ...row, answer: draft?.answer ?? null, right, outcome: draft ? "answered" : "inconclusive" };
}

/**
 * Weighs each draft by how often its author agrees with the others over all questions: Dawid and Skene's model with one
 * accuracy a member, which sees the drafts alone. Drafts that say the same in other words count as one answer.
 */
export const weightedVotes: DeriveRows = (rows) => {
  const labels = rows
    .filter(({ finished }) => finished)
    .flatMap(({ task, drafts }) => {
      const seen: string[] = [];
      return drafts.flatMap(({ by, answer }) => {
        if (answer === null) return [];
        const same = seen.find((other) => isSame(other, answer)) ?? answer;
        if (same === answer) seen.push(answer);
        return [{ item: task, worker: by, label: same }];
      });
    });
  const { items } = oneCoin(labels);
  return rows.map((row) => {
    const [best, next] = Object.entries(items[row.task] ?? {}).toSorted(([, a], [, b]) => b - a);
    const isTie = best !== undefined && next !== undefined && best[1] - next[1] < LEVEL;
    return row.finished ? withAnswer(row, isTie ? null : (best?.[0] ?? null)) : row;
  });
};

/** Shares that are no further apart than this elect nobody. */
const LEVEL = 1e-9;

function isSame(one: string, other: string): boolean {
  const [a, b] = [expectedAnswer(one), expectedAnswer(other)];
  return one === other || (a !== null && b !== null && sameAnswer(a, b));
}

/**
 * Answers with the draft of the member that is right most often on all other questions, the first of equals: what somebody
 * gets who tries all members out and keeps the best.
 */
export const bestMember: DeriveRows = (rows) => {
  const counted = rows.filter(({ finished }) => finished);
  const right = new Map<string, number>();
  for (const { drafts } of counted)
    for (const draft of drafts) right.set(draft.by, (right.get(draft.by) ?? 0) + Number(draft.right));
  return rows.map((row) => {
    if (!row.finished) return row;
    const own = (by: string) => Number(row.drafts.find((draft) => draft.by === by)?.right ?? false);
    const [best] = [...right]
      .map(([by, count]) => ({ by, count: count - own(by) }))
      .toSorted((a, b) => b.count - a.count);
    return withAnswer(row, row.drafts.find(({ by }) => by === best?.by)?.answer ?? null);
  });
};

/** The name of a rule over drafts, as a recorded arm has it. */
export type DraftRule = NonNullable<RecordedArm["rule"]>;

/** Every rule over drafts. */
export const DRAFT_RULES: { readonly [name in DraftRule]: DeriveRows } = {
  weighted: weightedVotes,
  "best-member": bestMember,
};
