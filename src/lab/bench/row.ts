import * as z from "zod";
import type { BenchRow } from "../../contract/bench.ts";
import { sameAnswer } from "../../replies/answer.ts";
import { writeAnswer } from "../../text/format.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import { callOf, isEvent, workOf, type Answer, type Entry, type Event } from "../../kernel/index.ts";
import { type AnswerEvent, answersIn } from "../../views/answer-event.ts";
import { isSimulated } from "../../views/simulated.ts";
import { groupBy } from "../../stats/numbers.ts";
import { criticalPathMs } from "../../views/critical-path.ts";
import { spending } from "../../views/spending.ts";

/** A question with its one right answer: a line of a file of tasks. */
export const BenchLine = z.strictObject({
  question: z.string().trim().min(1),
  /** As it would stand behind `Final answer:`; a number may be written as one. */
  answer: z
    .union([z.string().trim().min(1), z.number().transform(String)])
    .refine(
      (answer) => expectedAnswer(answer) !== null,
      "cannot be compared; give a number, a letter, a few words, or lines such as those of a grid",
    ),
  /** Names it in the report; by default its line. */
  id: z.string().trim().min(1).max(200).optional(),
  /** Accuracy is shown by kind, too. */
  kind: z.string().trim().min(1).max(60).optional(),
  /** Material to work with, shown to the models as data. */
  context: z.string().optional(),
});
/** The same, where a question may be open: it has no right answer. */
export const OpenLine = BenchLine.partial({ answer: true });
export type BenchTask = z.infer<typeof OpenLine> & { readonly id: string };

/** A question as a judge reads it, with its material. */
export const wholeQuestion = ({ question, context }: BenchTask): string =>
  context === undefined ? question : `${question}\n\n${context}`;

/** What an answer in a file of tasks comes to, read as a model's is. */
export const expectedAnswer = (answer: string): Answer | null =>
  (answer.includes("\n") ? null : extractAnswer(`Final answer: ${answer}`)) ??
  (/(?:\p{L}{2,}[,;]?\s+){4}/u.test(answer) ? null : extractAnswer(`<answer>\n${answer}\n</answer>`));

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

type GivenAnswer = { readonly final: Answer | null; readonly text?: string };

export type ScoredAnswer = Pick<BenchRow, "answer" | "right">;

/** Scores answers to a question whose right answer is `expected`; undefined for an open one. */
function scoring(expected: string | undefined) {
  const truth = expected === undefined ? null : expectedAnswer(expected);
  return (given: GivenAnswer | undefined): ScoredAnswer =>
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
