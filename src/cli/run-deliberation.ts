import type { Run } from "../app/run.ts";
import { callOf } from "../kernel/index.ts";
import { type Io } from "./command.ts";
import { jsonText } from "../reports/printable.ts";
import { EXIT } from "./exits.ts";
import { pendingSeats } from "../views/pending-seats.ts";
import { hasPeople, hideText } from "../views/veil.ts";
import type { Taken } from "./seats.ts";
import { interruptible, type Showing } from "./session.ts";
import type { Screen } from "./screen.ts";

export type RunRequest = {
  /** Starts the run, to be interrupted by the signal. */
  readonly begin: (signal: AbortSignal) => Promise<Run>;
  readonly progress?: (() => Screen) | undefined;
  /** Whether the caller asks what the run waits for, so that nobody need be told how to answer. */
  readonly answersHere?: boolean;
  /** Lets a person on this terminal take the steps that wait for it; `onAsk` clears the screen before it. */
  readonly takeSeats?: ((run: Run, onAsk: () => void) => Promise<Taken>) | undefined;
};

/** Shows a run to wherever it gets, and gives the exit code. Ctrl-C leaves it open and says how to continue. */
export const runDeliberation = (
  io: Io,
  { begin, progress, answersHere = false, takeSeats }: RunRequest,
  showing: Showing,
): Promise<number> =>
  interruptible(async (signal) => {
    const { output } = io;
    let screen: Screen | undefined;
    try {
      const run = await begin(signal);
      if (!showing.quiet && run.notes.length > 0) {
        const { wordNote } = await import("./notes.ts");
        for (const note of run.notes) output.note(wordNote(note));
      }
      const rival = await run.rival;
      if (rival !== undefined && !showing.quiet)
        output.note(`Driven by ${rival}: shown as it goes on there, and taken over when that stops`);
      const usual =
        showing.quiet || showing.events ? undefined : (progress?.() ?? (await usualScreen(output)));
      screen = usual && hasPeople(run.opening) ? veilScreen(usual) : usual;
      const taking = takeSeats?.(run, () => screen?.stop());
      taking?.catch(() => undefined);
      const written = showing.events ? writeEvents(io, run) : Promise.resolve();
      written.catch(() => undefined); // Awaited at the end; what is recorded until then is worth more than what is shown.
      const ending = untilReply(run).then(() => import("./ending.ts"));
      ending.catch(() => undefined);
      const drawn = screen ? Promise.all([drawEvents(run, screen), drawTokens(run, screen)]) : undefined;
      drawn?.catch(() => undefined);
      const outcome = await run.outcome();
      const taken = await taking;
      await drawn;
      screen?.stop();
      const { finish, showReactions, noteWaiting } = await ending;
      if (outcome.status === "interrupted" || outcome.status === "waiting") {
        await run.reactions;
        await written;
        if (taken === "answered" && !signal.aborted) return EXIT.waiting; // The caller goes on.
        if (outcome.timedOut) return noteTimedOut(io, run.id);
        if (outcome.status === "interrupted") return noteInterrupted(io, run.id, continuation(run));
        if (answersHere && outcome.waiting && outcome.waiting.questions.length > 0) return EXIT.waiting;
        if (showing.json) await output.result(jsonText(outcome.result));
        return noteWaiting(io, outcome);
      }
      if (showing.json) await run.reactions; // one object, so it has everything that follows the answer
      const exit = await finish(io, run.recorded(), showing);
      await showReactions(io, { id: run.id, run, signal }, showing);
      await written;
      return signal.aborted ? EXIT.interrupted : exit;
    } finally {
      screen?.stop();
    }
  });

/** Resolves with the first reply of a model, or the outcome: what shows an answer is loaded then, while others write. */
async function untilReply(run: Run): Promise<void> {
  for await (const entry of run.events({ until: "outcome" })) if (callOf(entry)) return;
}

/** What continues a run that stopped: its person's answer, where it waits for one. */
const continuation = (run: Run): string =>
  `parley ${pendingSeats(run.recorded()).length > 0 ? "seat" : "resume"} ${run.id}`;

/** Says how to continue what Ctrl-C stopped. */
export function noteInterrupted(
  { output }: Pick<Io, "output">,
  id: string,
  next = `parley resume ${id}`,
): number {
  output.note("Interrupted; everything so far is recorded");
  output.note(`Try: ${next}`);
  return EXIT.interrupted;
}

function noteTimedOut({ output }: Pick<Io, "output">, id: string): number {
  output.note("The time limit ended the wait; the run is open, and everything so far is recorded");
  output.note(`Try: parley resume ${id}`);
  return EXIT.budget;
}

/** The same screen without what participants write, for a run in which a person takes part (VEIL-1). */
const veilScreen = (screen: Screen): Screen => ({
  event: (entry) => hideText(entry).forEach((shown) => screen.event(shown)),
  frame: (frame) =>
    screen.frame(frame.kind === "text" ? { ...frame, delta: { ...frame.delta, text: "" } } : frame),
  stop: screen.stop,
});

async function usualScreen({ stderr }: Io["output"]): Promise<Screen> {
  const { createScreen } = await import("./screen.ts");
  return createScreen({ output: process.stderr, ...stderr });
}

/**
 * Every event as a line of JSON as it is recorded, between them the text that models write, by step, and at the end the result
 * as `--json` prints it, wherever the run got.
 */
export async function writeEvents(
  { output, protocols }: Pick<Io, "output" | "protocols">,
  run: Run,
): Promise<void> {
  const { eventLine, besideEvents } = await import("../reports/event-line.ts");
  const events = async () => {
    for await (const entry of run.events()) await output.result(`${eventLine(entry)}\n`);
  };
  const text = async () => {
    if (hasPeople(run.opening)) return; // VEIL-1
    for await (const frame of run.tokens()) {
      if (frame.kind !== "text") continue;
      const { attempt, text: written } = frame.delta;
      await output.result(`${besideEvents({ type: "text", step: frame.step, attempt, text: written })}\n`);
    }
  };
  await Promise.all([events(), text()]);
  const { loadResult } = await import("../app/result.ts");
  const result = await loadResult(protocols, run.recorded());
  if (result) await output.result(`${besideEvents({ type: "result", ...result })}\n`);
}

async function drawEvents(run: Run, screen: Screen): Promise<void> {
  for await (const entry of run.events({ until: "outcome" }))
    if (entry.origin.by !== "reactor") screen.event(entry);
}

async function drawTokens(run: Run, screen: Screen): Promise<void> {
  for await (const token of run.tokens()) screen.frame(token);
}
