import type { Outcome } from "../app/outcome.ts";
import type { Run } from "../app/run.ts";
import { callOf } from "../kernel/index.ts";
import { type Io } from "./command.ts";
import { jsonText } from "../reports/printable.ts";
import { EXIT } from "./exits.ts";
import { pendingSeats } from "../views/pending-seats.ts";
import { hasPeople, hideText } from "../views/veil.ts";
import type { Taken } from "./seats.ts";
import { interruptible, type Showing } from "./session.ts";
import type { Screen, ScreenOptions } from "./screen.ts";

export type DisplayedRun = {
  readonly run: Run;
  readonly outcome: Outcome;
  /** As the command exits with it; undefined where it was broken off, or waits. */
  readonly exit: number | undefined;
  /** What people on this terminal did in it. */
  readonly taken: Taken | undefined;
  /** Resolves when everything that follows the answer is recorded and written. */
  readonly done: Promise<unknown>;
};

type ShowOptions = {
  readonly showing: Showing;
  readonly screen?: ((run: Run) => Screen | undefined | Promise<Screen | undefined>) | undefined;
  /** Lets a person on this terminal take the steps that wait for it; `onAsk` clears the screen before it. */
  readonly takeSeats?: ((run: Run, onAsk: () => void) => Promise<Taken>) | undefined;
  /** Whether `--json` waits for grading and memory; by default it does. */
  readonly wait?: boolean | undefined;
};

/** Shows a run to its answer, or as far as it gets; what follows the answer goes on. */
export async function show(
  io: Io,
  run: Run,
  { showing, screen: made = () => usualScreen(io, showing), takeSeats, wait = true }: ShowOptions,
): Promise<DisplayedRun> {
  const { output } = io;
  let screen: Screen | undefined;
  try {
    if (!showing.quiet && run.notes.length > 0) {
      const { wordNote } = await import("./notes.ts");
      for (const note of run.notes) output.note(wordNote(note));
    }
    const rival = await run.rival;
    if (rival !== undefined && !showing.quiet)
      output.note(`Driven by ${rival}: shown as it goes on there, and taken over when that stops`);
    const open = await made(run);
    screen = open && hasPeople(run.opening) ? veilScreen(open) : open;
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
    const done = run.reactions.then(() => written);
    done.catch(() => undefined);
    const isClosed = outcome.status !== "interrupted" && outcome.status !== "waiting";
    if (isClosed && showing.json && wait) await run.reactions; // one object, so it has everything that follows the answer
    const { finish } = await ending;
    const own = await screen?.end?.(isClosed);
    const exit = isClosed ? (own ?? (await finish(io, run.recorded(), showing))) : undefined;
    return { run, outcome, exit, taken, done };
  } finally {
    screen?.stop();
  }
}

export type RunRequest = Pick<ShowOptions, "takeSeats"> & {
  readonly begin: (signal: AbortSignal) => Promise<Run>;
  readonly progress?: (() => Screen) | undefined;
  /** Whether the caller asks what the run waits for, so that nobody need be told how to answer. */
  readonly answersHere?: boolean;
};

/** Shows a run to wherever it gets, and gives the exit code. Ctrl-C leaves it open and says how to continue. */
export const runDeliberation = (
  io: Io,
  { begin, progress, answersHere = false, takeSeats }: RunRequest,
  showing: Showing,
): Promise<number> =>
  interruptible(async (signal) => {
    const run = await begin(signal);
    const screen = progress && !showing.quiet && !showing.events ? progress : undefined;
    const { outcome, exit, taken, done } = await show(io, run, { showing, screen, takeSeats });
    if (exit === undefined) {
      await done;
      const goesOn = taken === "answered" && !signal.aborted;
      const asksNext = answersHere && !outcome.timedOut && (outcome.waiting?.questions.length ?? 0) > 0;
      return goesOn || (asksNext && outcome.status === "waiting")
        ? EXIT.waiting
        : noteOpen(io, { run, outcome }, showing);
    }
    const { showReactions } = await import("./ending.ts");
    await showReactions(io, { id: run.id, run, signal }, showing);
    await done;
    return signal.aborted ? EXIT.interrupted : exit;
  });

/** Says why a run was left open, and how to continue it. */
export async function noteOpen(
  io: Pick<Io, "output">,
  { run, outcome }: Pick<DisplayedRun, "run" | "outcome">,
  showing: Pick<Showing, "json">,
): Promise<number> {
  if (outcome.timedOut) {
    io.output.note("The time limit ended the wait; the run is open, and everything so far is recorded");
    io.output.note(`Try: parley resume ${run.id}`);
    return EXIT.budget;
  }
  // A person's answer continues it, where it waits for one.
  const next = pendingSeats(run.recorded()).length > 0 ? "seat" : "resume";
  if (outcome.status === "interrupted") return noteInterrupted(io, run.id, `parley ${next} ${run.id}`);
  const { noteWaiting } = await import("./ending.ts");
  if (showing.json) await io.output.result(jsonText(outcome.result));
  return noteWaiting(io, outcome);
}

/** Resolves with the first reply of a model, or the outcome: what shows an answer is loaded then, while others write. */
async function untilReply(run: Run): Promise<void> {
  for await (const entry of run.events({ until: "outcome" })) if (callOf(entry)) return;
}

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

/** The same screen without what participants write, for a run in which a person takes part (VEIL-1). */
const veilScreen = (screen: Screen): Screen => ({
  event: (entry) => hideText(entry).forEach((shown) => screen.event(shown)),
  frame: (frame) =>
    screen.frame(frame.kind === "text" ? { ...frame, delta: { ...frame.delta, text: "" } } : frame),
  stop: screen.stop,
  end: screen.end,
});

async function usualScreen(
  { output: { stderr } }: Io,
  { quiet, events }: Showing,
): Promise<Screen | undefined> {
  if (quiet || events) return undefined;
  const { createScreen } = await import("./screen.ts");
  return createScreen({ output: process.stderr, ...stderr, ...(await drawingKeys()) });
}

/** The key that shows finished texts, on a terminal that nobody else reads, as a conversation does. */
async function drawingKeys(): Promise<Pick<ScreenOptions, "keys">> {
  const { stdin } = process;
  if (!stdin.isTTY || stdin.isRaw) return {};
  const { listenKeys } = await import("./keys.ts");
  const interrupt = () => void process.kill(process.pid, "SIGINT");
  return { keys: (show) => listenKeys({ d: show, interrupt }) };
}

/**
 * Every event as a line of JSON as it is recorded, between them the text that models write, by step, and at the end the result
 * as `--json` prints it, wherever the run got.
 */
export async function writeEvents(
  { output, protocols }: Pick<Io, "output" | "protocols">,
  run: Run,
): Promise<void> {
  const { eventLine, besideEvents, frameLine } = await import("../reports/event-line.ts");
  const events = async () => {
    for await (const entry of run.events()) await output.result(`${eventLine(entry)}\n`);
  };
  const text = async () => {
    if (hasPeople(run.opening)) return; // VEIL-1
    for await (const frame of run.tokens()) await output.result(`${besideEvents(frameLine(frame))}\n`);
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
