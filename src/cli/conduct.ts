import { isEvent, type DeliberationId, type Entry } from "../kernel/index.ts";
import { pendingQuestions, type Parley } from "../compose/index.ts";
import { evaluationOf, resultOf, verdictOf, type Result } from "../projections/index.ts";
import {
  answerText,
  evaluationMarkdown,
  eventLine,
  judgeReport,
  oneLine,
  unpricedModels,
} from "../reports/index.ts";
import { EXIT, exitOf, failuresIn } from "./exits.ts";
import { interruption } from "./interruption.ts";
import { afterwards, react } from "./afterwards.ts";
import { capsPassed, raiseWords, remedyOf } from "./remedies.ts";
import type { Io } from "./command.ts";
import type { Showing } from "./showing.ts";
import { createScreen, type Screen } from "./screen.ts";

export type Conducting = {
  readonly parley: Parley;
  readonly id: DeliberationId;
  readonly progress?: (() => Screen) | undefined;
  /** Whether the caller asks what it waits for, so that nobody need be told how to answer. */
  readonly answersHere?: boolean;
};

/** Drives a deliberation to wherever it gets, shows it, and gives the exit code. Ctrl-C leaves it open and says how to go on. */
export async function conduct(
  io: Io,
  { parley, id, progress, answersHere = false }: Conducting,
  showing: Showing,
): Promise<number> {
  const { output } = io;
  const stop = interruption();
  const screen =
    showing.quiet || showing.events
      ? undefined
      : (progress?.() ?? createScreen({ output: process.stderr, ...output.stderr }));
  const entries = new Map<number, Entry>();
  const inOrder = () => [...entries.values()].sort((one, other) => one.seq - other.seq);
  let written = Promise.resolve();
  const onEntry = (entry: Entry) => {
    if (entries.has(entry.seq)) return;
    entries.set(entry.seq, entry);
    if (entry.origin.by !== "reactor") screen?.event(entry);
    if (!showing.events) return;
    written = written.then(() => output.result(`${eventLine(entry)}\n`));
    // Awaited at the end; what is recorded until then is worth more than what is shown.
    written.catch(() => undefined);
  };
  const unlisten =
    screen && parley.frames.listen((frame) => frame.deliberation === id && screen.frame(frame));
  try {
    const driving = parley.engine.drive(id, { signal: stop.signal, onEntry });
    const reactions = react({ parley, id, onEntry }, driving, stop.signal);
    const driven = await driving;
    screen?.stop();
    if (driven.status === "interrupted") {
      await reactions;
      await written;
      output.note(`Interrupted; everything so far is recorded. Go on with: parley resume ${id}`);
      return EXIT.interrupted;
    }
    if (driven.status === "waiting") {
      await reactions;
      await written;
      if (answersHere && pendingQuestions(inOrder())) return EXIT.answered;
      if (showing.json) await output.result(`${JSON.stringify(resultOf(inOrder()), undefined, 2)}\n`);
      for (const line of waitingLines({ id, requests: driven.requests }, inOrder())) output.note(line);
      return EXIT.answered;
    }
    if (showing.json) await reactions; // one object, so it has all that comes of the answer
    const exit = await finish(io, inOrder(), showing);
    await afterwards(io, { id, reactions, signal: stop.signal, entries: inOrder }, showing);
    await written;
    return stop.signal.aborted ? EXIT.interrupted : exit;
  } finally {
    screen?.stop();
    unlisten?.();
    stop.release();
  }
}

/** What it waits for, and how to go on: the questions, where it has asked some. */
function waitingLines(
  { id, requests }: { readonly id: DeliberationId; readonly requests: readonly string[] },
  entries: readonly Entry[],
): readonly string[] {
  const pending = pendingQuestions(entries);
  if (!pending) return [`Waiting for an answer to: ${requests.join(", ")}. Go on with: parley resume ${id}`];
  return [
    ...pending.questions.map(({ id: question, by, text }) => `${question}  ${oneLine(by)}: ${oneLine(text)}`),
    `Waiting for answers; nothing is lost. Answer with: parley answer ${id}, or parley answer ${id} FILE, with {"${pending.questions[0]?.id ?? "id"}": "…"}`,
  ];
}

/** Prints the outcome of a closed deliberation, and gives its exit code. */
export async function finish(
  { output }: Pick<Io, "output">,
  entries: readonly Entry[],
  showing: Showing,
): Promise<number> {
  const inOrder = [...entries].sort((a, b) => a.seq - b.seq);
  const result = resultOf(inOrder);
  if (!result) return EXIT.usage;
  const { color, columns: width } = output.stdout;
  const evaluation = evaluationOf(inOrder);
  const judged = evaluation ? evaluationMarkdown(evaluation) : judgeReport(inOrder, { color, width });
  const whole = evaluation ?? verdictOf(inOrder) ?? result;
  if (showing.json) await output.result(`${JSON.stringify(whole, undefined, 2)}\n`);
  else if (!showing.events && judged !== undefined) await output.result(judged);
  else if (!showing.events && result.answer !== null) {
    await output.result(answerText(result, { color, width, unpriced: unpricedModels(inOrder) }));
  }
  const codes = failuresIn(answering(inOrder)).map(({ code }) => code);
  const exit = exitOf(result, codes, showing.onDegraded);
  if (exit !== EXIT.answered) output.note(outcomeLine(result, inOrder));
  return exit;
}

/** Without what reactors did, which decides nobody's outcome. */
const answering = (entries: readonly Entry[]) => entries.filter(({ origin }) => origin.by !== "reactor");

function outcomeLine({ id, status, degraded }: Result, entries: readonly Entry[]): string {
  const why = degraded[0]?.why ?? "no reason was recorded";
  return `parley: ${status}: ${why.replaceAll(/[\s\p{C}]+/gu, " ").slice(0, 600)}; next: ${nextOf({ id, status, degraded }, entries)}`;
}

function nextOf(
  { id, status, degraded }: Pick<Result, "id" | "status" | "degraded">,
  entries: readonly Entry[],
): string {
  const failures = failuresIn(answering(entries));
  if (status === "stopped-by-budget") {
    const whys = [...degraded.map(({ why }) => why), ...failures.map(({ message }) => message)];
    const [budget = {}] = entries.flatMap((entry) =>
      isEvent(entry, "deliberation-opened") ? [entry.data.budget] : [],
    );
    const caps = capsPassed(whys, budget);
    const smaller = caps.some((cap) => cap === "usd" || cap === "tokens")
      ? ", or lower draft-tokens, review-tokens and synthesis-tokens in parley.yaml, which bound each reply"
      : "";
    return `${raiseWords(caps)}, or ask fewer models${smaller}`;
  }
  const remedy = remedyOf(failures.map(({ code }) => code));
  return remedy === undefined ? `parley show ${id}` : `${remedy}, then ask again`;
}
