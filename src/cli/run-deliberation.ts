import type { Run } from "../app/run.ts";
import { jsonText, type Io } from "./command.ts";
import { EXIT } from "./exits.ts";
import { interruptible, type Showing } from "./session.ts";
import type { Screen } from "./screen.ts";

export type RunRequest = {
  /** Starts the run, to be interrupted by the signal. */
  readonly begin: (signal: AbortSignal) => Promise<Run>;
  readonly progress?: (() => Screen) | undefined;
  /** Whether the caller asks what the run waits for, so that nobody need be told how to answer. */
  readonly answersHere?: boolean;
};

/** Shows a run to wherever it gets, and gives the exit code. Ctrl-C leaves it open and says how to continue. */
export const runDeliberation = (
  io: Io,
  { begin, progress, answersHere = false }: RunRequest,
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
      screen = showing.quiet || showing.events ? undefined : (progress?.() ?? (await usualScreen(output)));
      const written = showing.events ? writeEvents(io, run) : Promise.resolve();
      written.catch(() => undefined); // Awaited at the end; what is recorded until then is worth more than what is shown.
      const ending = import("./ending.ts");
      const drawn = screen ? Promise.all([drawEvents(run, screen), drawTokens(run, screen)]) : undefined;
      drawn?.catch(() => undefined);
      const outcome = await run.outcome();
      await drawn;
      screen?.stop();
      // What shows an answer is loaded while the models write it.
      const { finish, showReactions, noteWaiting } = await ending;
      if (outcome.status === "interrupted" || outcome.status === "waiting") {
        await run.reactions;
        await written;
        if (outcome.status === "interrupted") return noteInterrupted(io, run.id);
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

/** Says how to continue what Ctrl-C stopped; `again`: where the same command does, too. */
export function noteInterrupted({ output }: Pick<Io, "output">, id: string, again = false): number {
  output.note("Interrupted; everything so far is recorded");
  output.note(`Try: ${again ? "the same command, or " : ""}parley resume ${id}`);
  return EXIT.interrupted;
}

async function usualScreen({ stderr }: Io["output"]): Promise<Screen> {
  const { createScreen } = await import("./screen.ts");
  return createScreen({ output: process.stderr, ...stderr });
}

/** Every event as a line of JSON, as it is recorded. */
export async function writeEvents({ output }: Pick<Io, "output">, run: Run): Promise<void> {
  const { eventLine } = await import("../reports/event-line.ts");
  for await (const entry of run.events()) await output.result(`${eventLine(entry)}\n`);
}

async function drawEvents(run: Run, screen: Screen): Promise<void> {
  for await (const entry of run.events({ until: "outcome" }))
    if (entry.origin.by !== "reactor") screen.event(entry);
}

async function drawTokens(run: Run, screen: Screen): Promise<void> {
  for await (const token of run.tokens()) screen.frame(token);
}
