import { setMaxListeners } from "node:events";
import {
  withSent,
  type DeliberationId,
  type Entry,
  type Event,
  type Frame,
  type Opening,
} from "../kernel/index.ts";
import { limitTime, linkAbort, type DriveResult } from "../engine/index.ts";
import type { Note } from "../engine/opening-part.ts";
import type { AppContext } from "./context.ts";
import { driveAlone, type DriverContext, type DriverOptions } from "./driver.ts";
import { findOpening } from "./lookup.ts";
import type { answerText } from "./live-answer.ts";
import type { Outcome } from "./outcome.ts";

// Reactions (a second answer, a grade, memory) never delay the answer, and their failure never fails the answer.
// RUN-3. If calls, tokens or cost are capped, no reaction starts before the answer, because it could use the answer's budget. Else: a grade
//     uses it up.
// RUN-4. An interruption closes nothing: a resume reuses everything recorded so far. Else: paid work is lost with Ctrl-C.
// The time cap covers the reactions as well: those that it ends are owed, and a worker or a resume makes them.

/** A piece of a model's streamed text, or the start of a call. */
export type Token = Frame;

/**
 * The outcome of the reactions; `failed` says why they could not be completed, `timedOut` that the time cap ended before
 * they did, so that a worker or a resume has to complete them.
 */
export type ReactionsOutcome = { readonly failed: string | null; readonly timedOut?: true };

/** A running deliberation: its recorded events, its live text and its outcome. */
export interface Run {
  readonly id: DeliberationId;
  readonly opening: Opening;
  /** False if the same request had already opened it. */
  readonly fresh: boolean;
  /** Notices about the run, known at its start. */
  readonly notes: readonly Note[];
  /** Resolves with who drives the run already, where another process does, which this one follows; else with undefined. */
  readonly rival: Promise<string | undefined>;
  /**
   * Yields recorded events in order, each once, after the `seq` `after` (by default from the beginning), until the
   * deliberation and its reactions have ended; with `until: "outcome"`, until the deliberation has ended.
   */
  events(options?: {
    readonly after?: number;
    readonly until?: "outcome" | "reactions";
  }): AsyncIterable<Entry>;
  /** Yields live text until the deliberation ends. Lossy: a slow reader misses pieces, and other processes see none. */
  tokens(): AsyncIterable<Token>;
  /**
   * Yields the text of the result and nothing else: as it is written by whoever writes for all, and what is left of it at the end.
   * Together it is `result.answer`. Where a writer fails or begins again with other words, what was yielded is void: `onRestart` is called
   * before the whole text follows. @throws Fault `answer-differs` then, without `onRestart`
   * @example
   * ```ts
   * for await (const text of run.answer()) process.stdout.write(text);
   * ```
   */
  answer(options?: { readonly onRestart?: () => void }): AsyncIterable<string>;
  /** Resolves when the drive has ended, while reactions may still run. @throws errors of the store or the protocol */
  outcome(): Promise<Outcome>;
  /** Resolves when grading, memory and other reactions have ended. Never rejects. */
  readonly reactions: Promise<ReactionsOutcome>;
  /** Returns the events that this run has received so far, in order. */
  recorded(): readonly Entry[];
  /** Stops the running calls and ends the run as `interrupted`; recorded steps are kept. */
  interrupt(): void;
}

export type RunOptions = {
  /** Interrupts the run when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the run and its reactions, milliseconds; then it ends as interrupted and stays open. The time cap of its opening counts beside it. */
  readonly waitMs?: number | undefined;
  /** `none` runs no reactions, for benchmarks; by default those of the opening run. */
  readonly reactions?: "none" | undefined;
  /** What to do with a run that another process drives: `wait` follows it to its outcome, `leave` ends as interrupted. */
  readonly ifHeld?: DriverOptions["ifHeld"] | undefined;
};

/** Drives an opened deliberation and its reactions. */
export function follow(
  context: DriverContext & Pick<AppContext, "frames" | "protocols" | "usual">,
  { deliberation: id, data: opening }: Event<"deliberation-opened">,
  {
    signal: outer = new AbortController().signal,
    waitMs = Infinity,
    reactions: wanted,
    ifHeld = "wait",
    fresh = false,
    notes = [],
  }: RunOptions & { readonly fresh?: boolean; readonly notes?: readonly Note[] } = {},
): Run {
  setMaxListeners(0, outer); // a server shares one between all runs
  const own = linkAbort(outer);
  const limit = (signal: AbortSignal, ms: number) =>
    limitTime({ world: context.world, signal, ms, reason: () => new Error("the time limit has passed") });
  const wait = limit(own.signal, waitMs);
  const { signal } = wait;
  const time = limit(signal, opening.budget.timeMs ?? Infinity);
  const log = createLog();
  const { driven: driving, holder, rival } = driveAlone(context, id, { signal, onEntry: log.add, ifHeld });
  const react = async (): Promise<ReactionsOutcome> => {
    if (wanted === "none") return { failed: null };
    try {
      const isFollowing = (await rival) !== undefined; // its driver makes the reactions, too
      if (isFollowing || isCapped(opening)) await driving.catch(() => undefined); // RUN-3
      if (isFollowing && ifHeld === "leave") return { failed: null };
      const draining = { worker: holder, signal: time.signal, until: driving, onEntry: log.add };
      await context.engine.drain(id, draining);
      if (!time.isUp() && !wait.isUp()) return { failed: null };
      await driving.catch(() => undefined); // its last events may need reactions
      return (await context.engine.owesReactions(id)) ? { failed: null, timedOut: true } : { failed: null };
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) };
    }
  };
  const reactions = react();
  const ended = Promise.allSettled([driving, reactions]).then(() => {
    time.end();
    wait.end();
    own.release();
    log.end("reactions");
  });
  const end = () => log.end("outcome");
  driving.then(end, end);
  const outcome = driving.then(async (driven): Promise<Outcome> => {
    const timedOut = driven.status === "interrupted" && wait.isUp();
    log.putOpening(withSent(log.recorded(), await context.store.reservations(id))[0]);
    const described = { id, entries: log.recorded(), protocols: context.protocols };
    const { describeOutcome } = await import("./outcome.ts");
    return { ...(await describeOutcome(driven, described)), ...(timedOut ? { timedOut } : {}) };
  });
  outcome.catch(() => undefined); // callers of `outcome()` get the rejection
  return {
    id,
    opening,
    fresh,
    notes,
    rival,
    events: ({ after = 0, until = "reactions" } = {}) =>
      log.from(after, until, async (seq) => (await ended, context.store.read(id, seq))),
    tokens: () => tokensOf(context, id, driving),
    answer: ({ onRestart } = {}) => answerOf(tokensOf(context, id, driving), outcome, onRestart),
    outcome: () => outcome,
    reactions,
    recorded: log.recorded,
    interrupt: () => own.abort(new Error("the run was interrupted")),
  };
}

/** Continues a deliberation from its journal, or completes the reactions of a finished one. @throws Fault `deliberation-missing` */
export async function resume(
  context: Parameters<typeof follow>[0],
  id: DeliberationId,
  options?: RunOptions,
): Promise<Run> {
  const opened = findOpening(await context.store.read(id), id);
  await context.usual.follow(context.store, id, opened.data.participants);
  return follow(context, opened, options);
}

/** True if reactions could use the answer's budget. */
const isCapped = ({ budget: { usd, tokens, calls } }: Opening): boolean =>
  [usd, tokens, calls].some((cap) => cap !== undefined);

/** Collects the events of one deliberation, which arrive from several sources and out of order. */
function createLog() {
  const entries = new Map<number, Entry>();
  const bell = createBell();
  const over = new Set<"outcome" | "reactions">();
  return {
    add(entry: Entry): void {
      if (entries.has(entry.seq)) return;
      entries.set(entry.seq, entry);
      bell.ring();
    },
    /** Takes the opening as it is read when the run has ended: with the requests that no event accounts for. */
    putOpening(opening: Entry | undefined): void {
      if (opening) entries.set(opening.seq, opening);
    },
    end(part: "outcome" | "reactions"): void {
      over.add(part);
      bell.ring();
    },
    recorded: (): readonly Entry[] => [...entries.values()].sort((one, other) => one.seq - other.seq),
    async *from(
      after: number,
      until: "outcome" | "reactions",
      rest: (seq: number) => Promise<readonly Entry[]>,
    ): AsyncGenerator<Entry> {
      let seq = after;
      for (;;) {
        const next = entries.get(seq + 1);
        if (next) {
          seq += 1;
          yield next;
        } else if (over.has(until)) {
          // Events that other processes recorded.
          if (until === "reactions") yield* await rest(seq);
          return;
        } else await bell.rung();
      }
    },
  };
}

/** `rung` resolves at the next `ring`. */
function createBell(): { readonly rung: () => Promise<void>; readonly ring: () => void } {
  const waiting: (() => void)[] = [];
  return {
    rung: () => new Promise((resolve) => void waiting.push(resolve)),
    ring: () => waiting.splice(0).forEach((resolve) => resolve()),
  };
}

async function* answerOf(...given: Parameters<typeof answerText>): AsyncGenerator<string> {
  yield* (await import("./live-answer.ts")).answerText(...given);
}

/** A slow reader's buffer; the oldest pieces are dropped. */
const MAX_PENDING_TOKENS = 10_000;

/** Listens from this call on, so that the first read misses nothing. */
function tokensOf(
  { frames }: Pick<AppContext, "frames">,
  id: DeliberationId,
  driving: Promise<DriveResult>,
): AsyncIterable<Token> {
  let pending: Token[] = [];
  const bell = createBell();
  let over = false;
  const unlisten = frames.listen((frame) => {
    if (frame.deliberation !== id) return;
    if (pending.length >= MAX_PENDING_TOKENS) pending.shift();
    pending.push(frame);
    bell.ring();
  });
  const end = () => {
    unlisten();
    over = true;
    bell.ring();
  };
  driving.then(end, end);
  return (async function* () {
    try {
      while (!over || pending.length > 0) {
        const ready = pending;
        pending = [];
        yield* ready;
        if (pending.length === 0 && !over) await bell.rung();
      }
    } finally {
      unlisten();
    }
  })();
}
