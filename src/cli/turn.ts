import { conveneRespond, openRespond, type Parley, type Responding } from "../compose/index.ts";
import { isEvent, type DeliberationId, type Entry } from "../kernel/index.ts";
import { givenAnswer, gradeOf, resultOf } from "../projections/index.ts";
import { eventLine, oneLine, responseLine, styleOf, unpricedModels, wrapped } from "../reports/index.ts";
import { react } from "./afterwards.ts";
import { createAnswerView } from "./answer-view.ts";
import { finish } from "./conduct.ts";
import type { Showing } from "./showing.ts";
import type { Io } from "./command.ts";
import { EXIT } from "./exits.ts";
import { createWaitingLine } from "./waiting-line.ts";

/** One question to a respondent, shown as it is answered. */
export type Taken = {
  readonly id: DeliberationId;
  /** As the command exits with it. */
  readonly exit: number;
  /** Whether it came to its end. */
  readonly closed: boolean;
  /** Resolves when everything that comes of the answer has: a second answer, grades, memory. */
  readonly reactions: ReturnType<typeof react>;
  /** Resolves when the answer is graded, or will not be. */
  readonly graded: Promise<unknown>;
  /** All that is recorded so far, in order. */
  readonly entries: () => readonly Entry[];
};

export type Turning = {
  readonly parley: Parley;
  readonly responding: Responding;
  readonly signal: AbortSignal;
  /** Whether `--json` waits for what comes of the answer; by default it does. */
  readonly wait?: boolean;
};

/** Asks, and shows the answer as it comes. With `--json` it is shown when everything has come of it. @throws Fault */
export async function takeTurn(
  io: Io,
  { parley, responding, signal, wait = true }: Turning,
  showing: Showing,
): Promise<Taken> {
  const { output } = io;
  const { asked, notes } = await conveneRespond(parley, responding);
  if (!showing.quiet) for (const note of notes) output.note(note);
  const {
    fresh,
    opened: { deliberation: id },
  } = await openRespond(parley, asked);
  if (!fresh) output.note(`This was asked here before, as ${id}: what was recorded then is shown`);
  const [by] = asked.participants;
  const plain = !showing.json && !showing.events;
  const view = plain ? createAnswerView(output) : undefined;
  const waiting = createWaitingLine(output, showing.quiet ? undefined : (by?.model ?? ""));
  const entries = new Map<number, Entry>();
  const inOrder = () => [...entries.values()].sort((a, b) => a.seq - b.seq);
  let written = Promise.resolve();
  let grade: () => void = () => undefined;
  const given = new Promise<void>((resolve) => (grade = resolve));
  const onEntry = (entry: Entry) => {
    if (entries.has(entry.seq)) return;
    entries.set(entry.seq, entry);
    if (gradeOf(inOrder(), givenAnswer(inOrder())?.id)) grade();
    if (!showing.events) return;
    written = written.then(() => output.result(`${eventLine(entry)}\n`));
    written.catch(() => undefined); // awaited at the end
  };
  const unlisten = parley.frames.listen((frame) => {
    // The second respondent's words are nobody's answer.
    if (frame.deliberation !== id || !frame.step.startsWith(`answer/${by?.id ?? ""}`)) return;
    if (frame.kind === "text") waiting.stop();
    view?.frame(frame);
  });
  try {
    const driving = parley.engine.drive(id, { signal, onEntry });
    const reactions = react({ parley, id, onEntry }, driving, signal);
    const driven = await driving;
    waiting.stop();
    if (driven.status !== "closed") {
      await view?.breakOff();
      return { id, exit: EXIT.interrupted, closed: false, reactions, graded: reactions, entries: inOrder };
    }
    if (showing.json && wait) await reactions; // one object, so it has all that comes of the answer
    const exit = view ? await shown(io, inOrder(), { showing, view }) : await finish(io, inOrder(), showing);
    const all = reactions.then(after(() => written));
    return { id, exit, closed: true, reactions: all, graded: Promise.race([given, all]), entries: inOrder };
  } finally {
    waiting.stop();
    unlisten();
  }
}

const after =
  (last: () => Promise<void>) =>
  async <T>(result: T): Promise<T> => {
    await last();
    return result;
  };

type Shown = { readonly showing: Showing; readonly view: ReturnType<typeof createAnswerView> };

/** The answer, and on one line how it came about; without an answer, why. */
async function shown(io: Io, entries: readonly Entry[], { showing, view }: Shown): Promise<number> {
  const { output } = io;
  const result = resultOf(entries);
  if (result?.status !== "answered" || result.answer === null) return finish(io, entries, showing);
  await view.end(result.answer);
  if (showing.quiet) return EXIT.answered;
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const model = opened?.data.participants[0]?.model;
  const alone = resultOf(entries.filter(({ origin }) => origin.by !== "reactor")) ?? result; // what the answer itself took
  const line = responseLine(alone, { model: oneLine(model ?? ""), unpriced: unpricedModels(entries) });
  const { terminal, color, columns } = output.stdout;
  const { dim } = styleOf(color);
  if (terminal) await output.result(`${wrapped(line, columns).map(dim).join("\n")}\n`);
  else output.note(line);
  return EXIT.answered;
}
