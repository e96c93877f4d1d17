import type { BenchRow } from "../contract.ts";
import { sameAnswer } from "../../../replies/answer.ts";
import { writeAnswer } from "../../../text/format.ts";
import { callOf, isEvent, workOf, type Answer, type Entry, type Event } from "../../../kernel/index.ts";
import { answersIn, type AnswerEvent } from "../../../views/answer-event.ts";
import { isSimulated } from "../../../views/simulated.ts";
import { groupBy } from "../../../stats/numbers.ts";
import { criticalPathMs } from "../../../views/critical-path.ts";
import { spending } from "../../../views/spending.ts";
import { csvHeader, csvLines, type CsvColumns } from "../../../reports/csv.ts";
import { oneCoin } from "./dawid-skene.ts";
import type { RecordedArm } from "../protocol/index.ts";
import { expectedAnswer, type BenchTask } from "../../../app/tasks.ts";

/**
 * Scores one arm on one question, from the journals of the deliberations that it took: a fork goes on from the one
 * before it. Only what the last one answered counts; an inconclusive one has not answered, even where it says what would
 * have been best. Null for no entries.
 */
export function benchRow(
  { arm, task }: { readonly arm: string; readonly task: BenchTask },
  links: readonly (readonly Entry[])[],
): BenchRow | null {
  const openings = links.flatMap(([entry]) =>
    entry && isEvent(entry, "deliberation-opened") ? [entry] : [],
  );
  const last = links.at(-1) ?? [];
  const [first, opened] = [openings[0], openings.at(-1)];
  if (!first || !opened) return null;
  const right = scoring(task.answer);
  const closing = last.find((entry) => isEvent(entry, "deliberation-closed"))?.data;
  const ending =
    closing?.outcome === "answered" || closing?.outcome === "answered-degraded" ? closing : undefined;
  const best = closing && "best" in closing ? closing.best : ending;
  const given = answersIn(last);
  const cut = isCut(last);
  const failed = closing?.outcome === "failed" && !cut ? closing.why : null;
  const { calls, tokens, cost } = spending(links.flat()).total;
  return {
    arm,
    task: task.id,
    kind: task.kind ?? null,
    deliberations: openings.map(({ deliberation }) => deliberation),
    openedAt: first.at,
    outcome: closing?.outcome ?? "open",
    finished: closing !== undefined && closing.outcome !== "cancelled" && failed === null && !cut,
    failed,
    ...right(ending && given.get(ending.answer)?.data),
    // A vote that ends level elects nobody, as in the arm that only votes; whose draft is best says no more of it.
    control:
      best?.control && task.answer !== undefined
        ? right(best.control.kind === "draft-majority" ? { final: best.control.answer } : undefined)
        : null,
    drafts: draftsOf(opened, [...given.values()]).map(({ by, model, ...draft }) => ({
      by,
      model,
      ...right(draft),
    })),
    calls,
    tokens: { in: tokens.in, out: tokens.out },
    latencyMs: links.reduce((sum, entries) => sum + criticalPathMs(entries), 0),
    steps: stepsOf(links.flat()),
    usd: cost.usd,
    simulated: links.some(isSimulated),
  };
}

/** Calls and tokens by kind of step, in the order of their first call. */
function stepsOf(entries: readonly Entry[]): BenchRow["steps"] {
  const kinds = groupBy(
    entries.filter((entry) => entry.origin.by !== "adopted" && callOf(entry) !== null),
    (entry) => workOf(entry)?.kind ?? "other",
  );
  return [...kinds].map(([kind, own]) => {
    const { calls, tokens } = spending(own).total;
    return { kind, calls, tokens: { in: tokens.in, out: tokens.out } };
  });
}

/** Whether a cap in money, tokens or calls decided any part of it: more of it would have gone on. */
export const isCut = (entries: readonly Entry[]): boolean =>
  entries.some((entry) => {
    if (isEvent(entry, "deliberation-closed")) return entry.data.outcome === "stopped-by-budget";
    if (isEvent(entry, "roster-fixed"))
      return workOf(entry)?.kind === "admission" && entry.data.out.length > 0;
    const call = callOf(entry);
    return call?.ok === false && call.failure.code === "over-budget";
  });

export type ScoredAnswer = Pick<BenchRow, "answer" | "right">;

/** Scores answers to a question whose right answer is `expected`; undefined for an open one. */
function scoring(expected: string | undefined) {
  const truth = expected === undefined ? null : expectedAnswer(expected);
  return (given: { readonly final: Answer | null; readonly text?: string } | undefined): ScoredAnswer =>
    expected === undefined
      ? { answer: given?.text?.trim() || null, right: null }
      : {
          answer: given?.final ? writeAnswer(given.final) : null,
          right: given?.final ? truth !== null && sameAnswer(given.final, truth) : false,
        };
}

const draftsOf = (opened: Event<"deliberation-opened">, given: readonly AnswerEvent[]) =>
  opened.data.participants.flatMap(({ id: by, seat, model }) => {
    const draft = given.find(
      (event) => event.type === "answer-given" && event.data.by === by && event.data.kind === "draft",
    );
    return seat === "member" && draft ? [{ by, model, final: draft.data.final, text: draft.data.text }] : [];
  });

/** The columns of `rows.csv`, with what stands in them. Unknown is empty; money is in US dollars. */
const COLUMNS: CsvColumns<BenchRow> = {
  arm: ({ arm }) => arm,
  task: ({ task }) => task,
  kind: ({ kind }) => kind,
  outcome: ({ outcome }) => outcome,
  finished: ({ finished }) => finished,
  failed: ({ failed }) => failed,
  answer: ({ answer }) => answer,
  right: ({ right }) => right,
  control_answer: ({ control }) => control?.answer ?? null,
  control_right: ({ control }) => control?.right ?? null,
  drafts: ({ drafts }) => drafts.length,
  drafts_right: ({ drafts }) => drafts.filter(({ right }) => right).length,
  calls: ({ calls }) => calls,
  tokens_in: ({ tokens }) => tokens.in,
  tokens_out: ({ tokens }) => tokens.out,
  steps: ({ steps }) =>
    steps
      .map(({ kind, calls, tokens }) => `${kind} ${calls}/${tokens.in ?? ""}/${tokens.out ?? ""}`)
      .join("; "),
  latency_ms: ({ latencyMs }) => latencyMs,
  usd: ({ usd }) => usd,
  deliberation: ({ deliberations }) => deliberations.at(-1) ?? null,
};

/** The rows of a bench for a spreadsheet or a data frame, one a line under a header; `steps` is `kind calls/in/out`. */
export const rowsCsv = (rows: readonly BenchRow[]): string => csvHeader(COLUMNS) + csvLines(COLUMNS, rows);

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

export type DraftRule = NonNullable<RecordedArm["rule"]>;

export const DRAFT_RULES: { readonly [name in DraftRule]: DeriveRows } = {
  weighted: weightedVotes,
  "best-member": bestMember,
};
