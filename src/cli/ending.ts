import { describeProblem, type Outcome } from "../app/outcome.ts";
import { protocols } from "../app/registry.ts";
import { loadShown } from "../app/result.ts";
import type { ReactionsOutcome, Run } from "../app/run.ts";
import type { DeliberationId, Entry } from "../kernel/index.ts";
import { answerText, briefAnswerText } from "../reports/answer.ts";
import { oneLine } from "../reports/printable.ts";
import { scoreLine } from "../reports/score.ts";
import { styleOf } from "../reports/style.ts";
import { unpricedModels } from "../reports/unpriced.ts";
import { answerEvent, gradeOf } from "../views/answer-event.ts";
import type { Result } from "../views/result.ts";
import { EXIT, exitOf } from "./exits.ts";
import { raiseWords, remedyOf } from "./remedies.ts";
import type { Io } from "./command.ts";
import type { Showing } from "./showing.ts";

/** What it waits for, and how to answer: the questions, where it has asked some. */
export function waitingLines({ id, waiting }: Outcome): readonly string[] {
  const { questions = [], requests = [] } = waiting ?? {};
  const [first] = questions;
  if (!first) return [`Waiting for an answer to: ${requests.join(", ")}. Go on with: parley resume ${id}`];
  return [
    ...questions.map(({ id: question, by, text }) => `${question}  ${oneLine(by)}: ${oneLine(text)}`),
    `Waiting for answers; nothing is lost. Answer with: parley answer ${id}, or parley answer ${id} FILE, with {"${first.id}": "…"}`,
  ];
}

/** Prints the outcome of a closed deliberation, and gives its exit code. */
export async function finish(
  { output }: Pick<Io, "output">,
  entries: readonly Entry[],
  showing: Showing,
): Promise<number> {
  const shown = await loadShown(protocols, entries);
  if (!shown) return EXIT.usage;
  const { result, isVerdict = false } = shown;
  const { color, columns: width, terminal } = output.stdout;
  const isShown = !showing.json && !showing.events && (result.answer !== null || isVerdict);
  if (showing.json) await output.result(`${JSON.stringify(result, undefined, 2)}\n`);
  if (isShown) {
    const style = { color, width, unpriced: unpricedModels(entries) };
    const isBrief = terminal && result.answer !== null;
    await output.result(isBrief ? briefAnswerText(shown, style) : answerText(shown, style));
    if (!showing.quiet) output.note(isBrief ? `Details: parley show ${result.id}` : nextLine(result));
  }
  const { failures } = describeProblem(result, entries);
  const exit = exitOf(
    result,
    failures.map(({ code }) => code),
    showing.onDegraded,
  );
  if (exit !== EXIT.answered) output.note(problemLine(result, entries));
  return exit;
}

/** What else there is to see of a run, or how to continue it. */
export function nextLine({ id, status, protocol }: Result): string {
  if (status === "open") return `Continue: parley resume ${id} · so far: parley show ${id} --all`;
  return protocol.name === "debate"
    ? `Every round: parley report ${id}; as a page: parley report ${id} --output FILE.html`
    : `All drafts, reviews and steps: parley show ${id} --all`;
}

function problemLine(result: Result, entries: readonly Entry[]): string {
  const { status, reason, caps, failures } = describeProblem(result, entries);
  const why = (reason ?? "no reason was recorded").replaceAll(/[\s\p{C}]+/gu, " ").slice(0, 600);
  return `parley: ${status}: ${why}; next: ${next()}`;

  function next(): string {
    if (status === "stopped-by-budget") {
      const smaller = caps.some((cap) => cap === "usd" || cap === "tokens")
        ? ", or lower draft-tokens, review-tokens and synthesis-tokens in parley.yaml, which bound each reply"
        : "";
      return `${raiseWords(caps)}, or ask fewer models${smaller}`;
    }
    const remedy = remedyOf(failures.map(({ code }) => code));
    return remedy === undefined ? `parley show ${result.id}` : `${remedy}, then ask again`;
  }
}

type Reacting = {
  readonly id: DeliberationId;
  readonly run: Pick<Run, "reactions" | "recorded">;
  /** Resolves when the answer is graded, or will not be; by default with the reactions. */
  readonly graded?: Promise<unknown>;
  readonly signal: AbortSignal;
};

/** Waits for the reactions to an answer that was shown, and shows its grade under it. */
export async function showReactions(
  { output }: Pick<Io, "output">,
  { id, run, graded = run.reactions, signal }: Reacting,
  showing: Showing,
): Promise<void> {
  await graded;
  if (!showing.json && !showing.events && !showing.quiet) await showGrade({ output }, run.recorded());
  const { failed }: ReactionsOutcome = await run.reactions;
  if (failed !== null) output.note(`Grading or memory failed: ${failed}; next: parley resume ${id}`);
  else if (signal.aborted)
    output.note(`The answer is kept; continue its grading and memory with: parley resume ${id}`);
}

/** The grade under an answer; why there is none, where a judge was asked and gave none. */
async function showGrade({ output }: Pick<Io, "output">, entries: readonly Entry[]): Promise<void> {
  const grade = gradeOf(entries, answerEvent(entries)?.id);
  if (!grade) return;
  const { terminal } = output.stdout;
  const { color, columns: width } = terminal ? output.stdout : output.stderr;
  const line = scoreLine(grade, { style: styleOf(color), width });
  if (line === undefined) output.note(`Not graded: ${oneLine(grade.why ?? "no reason was recorded", 300)}`);
  else if (terminal) await output.result(`${line}\n`);
  else output.note(line);
}
