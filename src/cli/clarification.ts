import type { PendingQuestions } from "../contract/runs.ts";
import type { AppContext } from "../app/context.ts";
import type { Parley } from "../app/parley.ts";
import type { DeliberationId, OrganizationStore } from "../kernel/index.ts";
import { printable } from "../reports/printable.ts";
import { pendingQuestions } from "../views/pending-questions.ts";
import { hasPeople } from "../views/veil.ts";
import type { Io } from "./command.ts";
import { EXIT } from "./exits.ts";
import { askOnTerminal } from "./input.ts";
import { runDeliberation, type RunRequest } from "./show.ts";
import type { Taken } from "./seats.ts";
import type { Showing } from "./session.ts";

/** As `runDeliberation`; where it waits for answers and there is a terminal, asks there and continues. */
export async function runWithQuestions(
  io: Io,
  { context: { store, principal }, me }: { readonly context: AppContext; readonly me: Parley },
  { begin, progress, showing }: Pick<RunRequest, "begin" | "progress"> & { readonly showing: Showing },
): Promise<{ readonly exit: number; readonly id: DeliberationId | undefined }> {
  const answersHere = process.stdin.isTTY === true;
  let id: DeliberationId | undefined;
  const next: RunRequest["begin"] = async (signal) => {
    const run = await (id === undefined ? begin(signal) : me.resume(id, { signal }));
    id = run.id;
    return run;
  };
  let taken = "none" as Taken;
  const takeSeatsHere: RunRequest["takeSeats"] = async (run, onAsk) => {
    taken = "none";
    if (!hasPeople(run.opening)) return taken;
    const { takeSeats } = await import("./seats.ts");
    return (taken = await takeSeats(io, { me, user: principal.user }, { run, onAsk }));
  };
  const own = answersHere ? takeSeatsHere : undefined;
  for (;;) {
    const exit = await runDeliberation(io, { answersHere, begin: next, progress, takeSeats: own }, showing);
    if (exit === EXIT.waiting && taken === "answered") continue;
    const pending = id === undefined ? undefined : pendingQuestions(await store.read(id));
    if (exit !== EXIT.waiting || id === undefined || !pending || !answersHere) return { exit, id };
    if (!(await answerOnTerminal(io, { store, id, pending }))) return { exit, id };
  }
}

export type OpenQuestions = {
  readonly store: OrganizationStore;
  readonly id: DeliberationId;
  readonly pending: PendingQuestions;
};

/** Asks what a run waits for on the terminal, and records the answers; false where nobody wants to answer now. */
export async function answerOnTerminal(io: Io, open: OpenQuestions): Promise<boolean> {
  const { output } = io;
  const { id } = open;
  const { questions } = open.pending;
  const answers = new Map<string, string>();
  const refusal = {
    why: "the questions cannot be asked without a terminal",
    next: `parley answer ${id} FILE, as parley answer --help says`,
  };
  const isDone = await askOnTerminal(refusal, async (question) => {
    output.note("Press Enter to skip");
    for (const [index, one] of questions.entries()) {
      output.note(`\n${index + 1} of ${questions.length}, ${printable(one.by)} asks: ${printable(one.text)}`);
      const answer = (await question("> ")).trim();
      if (answer !== "") answers.set(one.id, answer);
    }
    return true;
  });
  if (isDone) await recordAnswers(io, open, answers);
  else output.note(`Paused: questions are unanswered\nTry: parley answer ${id}`);
  return isDone === true;
}

export async function recordAnswers(
  { output }: Pick<Io, "output">,
  { store, id, pending }: OpenQuestions,
  answers: ReadonlyMap<string, string>,
): Promise<void> {
  const { answerQuestions } = await import("../app/clarification.ts");
  const isFresh = await answerQuestions(store, id, { pending, answers });
  if (!isFresh) output.note("These questions were answered meanwhile; the first answers stand");
}
