import type { DeliberationId, Entry, Event, Frame, Opening } from "../kernel/index.ts";
import type { DriveResult } from "../engine/index.ts";
import type { Note } from "../engine/opening-part.ts";
import type { AppContext } from "./context.ts";
import { findOpening } from "./lookup.ts";
import { describeOutcome, type Outcome } from "./outcome.ts";

// RUN-1. Whoever drives a deliberation does it here: commands, servers, workers and measurements alike.
// RUN-2. Reactions (a second answer, a grade, memory) never hold the answer back, and their failure is never the answer's.
// RUN-3. Where calls, tokens or money are capped, no reaction starts before the answer: it could take what the answer needs.
// RUN-4. An interruption closes nothing: everything recorded so far is reused when the deliberation is resumed.

/** A piece of text as a model writes it, or the start of a call. */
export type Token = Frame;

/** How the reactions to a deliberation ended; `failed` says why they could not be completed. */
export type ReactionsOutcome = { readonly failed: string | null };

/** A deliberation under way: what it records, what its models are writing, and how it ends. */
export interface Run {
  readonly id: DeliberationId;
  readonly opening: Opening;
  /** False where the same request had opened it before. */
  readonly fresh: boolean;
  /** What its owner should know before it starts. */
  readonly notes: readonly Note[];
  /**
   * Recorded events in order, each once, from the one after `after` (a `seq`; by default from the beginning) until the
   * deliberation and its reactions have ended; with `until: "outcome"` until the deliberation has.
   */
  events(options?: {
    readonly after?: number;
    readonly until?: "outcome" | "reactions";
  }): AsyncIterable<Entry>;
  /** Live text from now until the deliberation ends. Lossy: a slow reader misses pieces, and another process sees none. */
  tokens(): AsyncIterable<Token>;
  /** Where the drive ended. Reactions may still be under way. @throws what the store or the protocol throws */
  outcome(): Promise<Outcome>;
  /** Resolves when grading, memory and other reactions have ended. Never rejects. */
  readonly reactions: Promise<ReactionsOutcome>;
  /** Everything recorded that this run has heard of, in order. */
  recorded(): readonly Entry[];
  /** Stops the calls under way and ends the run as `interrupted`; nothing that is recorded is lost. */
  interrupt(): void;
}

export type RunOptions = {
  /** Interrupts the run when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** `none`: for what is measured and not answered; by default those that the opening names. */
  readonly reactions?: "none" | undefined;
};

type Begun = { readonly fresh?: boolean; readonly notes?: readonly Note[] };

/** What following a deliberation takes of a process. */
export type RunContext = Pick<AppContext, "engine" | "store" | "frames" | "worker" | "protocols">;

/** Drives a deliberation that has been opened, and its reactions beside it. */
export function follow(
  context: RunContext,
  { deliberation: id, data: opening }: Event<"deliberation-opened">,
  { signal: outer, reactions: wanted, fresh = false, notes = [] }: RunOptions & Begun = {},
): Run {
  const own = new AbortController();
  const signal = outer ? AbortSignal.any([outer, own.signal]) : own.signal;
  const log = createLog();
  const driving = context.engine.drive(id, { signal, onEntry: log.add });
  const react = async (): Promise<ReactionsOutcome> => {
    if (wanted === "none") return { failed: null };
    try {
      if (isCapped(opening)) await driving.catch(() => undefined); // RUN-3
      await context.engine.drain(id, { worker: context.worker, signal, until: driving, onEntry: log.add });
      return { failed: null };
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) }; // RUN-2
    }
  };
  const reactions = react();
  const ended = Promise.allSettled([driving, reactions]).then(() => log.end("reactions"));
  driving.then(
    () => log.end("outcome"),
    () => log.end("outcome"),
  );
  const outcome = driving.then((driven) =>
    describeOutcome(driven, { id, entries: log.recorded(), protocols: context.protocols }),
  );
  outcome.catch(() => undefined); // whoever asks for it is told
  return {
    id,
    opening,
    fresh,
    notes,
    events: ({ after = 0, until = "reactions" } = {}) =>
      log.from(after, until, async (seq) => (await ended, context.store.read(id, seq))),
    tokens: () => tokensOf(context, id, driving),
    outcome: () => outcome,
    reactions,
    recorded: log.recorded,
    interrupt: () => own.abort(),
  };
}

/** Continues a deliberation wherever its journal says it is; of one that has ended, completes the reactions. @throws Fault `deliberation-missing` */
export async function resume(context: RunContext, id: DeliberationId, options?: RunOptions): Promise<Run> {
  return follow(context, findOpening(await context.store.read(id), id), options);
}

/** Whether reactions could take what the answer needs. */
const isCapped = ({ budget: { usd, tokens, calls } }: Opening): boolean =>
  [usd, tokens, calls].some((cap) => cap !== undefined);

/** The events of one deliberation as they are heard, from several sources and out of order. */
function createLog() {
  const entries = new Map<number, Entry>();
  let heard = createBell();
  const over = new Set<"outcome" | "reactions">();
  const ring = () => {
    heard.ring();
    heard = createBell();
  };
  return {
    add(entry: Entry): void {
      if (entries.has(entry.seq)) return;
      entries.set(entry.seq, entry);
      ring();
    },
    end(part: "outcome" | "reactions"): void {
      over.add(part);
      ring();
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
          // What somebody else recorded meanwhile.
          if (until === "reactions") yield* await rest(seq);
          return;
        } else await heard.rung;
      }
    },
  };
}

function createBell(): { readonly rung: Promise<void>; readonly ring: () => void } {
  let ring: () => void = () => undefined;
  const rung = new Promise<void>((resolve) => (ring = resolve));
  return { rung, ring };
}

/** Pieces that a reader may be behind; older ones are dropped. */
const MAX_PENDING_TOKENS = 10_000;

/** Listens from the call on, so that nothing is missed between it and the first read. */
function tokensOf(
  { frames }: Pick<AppContext, "frames">,
  id: DeliberationId,
  driving: Promise<DriveResult>,
): AsyncIterable<Token> {
  let pending: Token[] = [];
  let bell = createBell();
  let over = false;
  const ring = () => {
    bell.ring();
    bell = createBell();
  };
  const unlisten = frames.listen((frame) => {
    if (frame.deliberation !== id) return;
    if (pending.length >= MAX_PENDING_TOKENS) pending.shift();
    pending.push(frame);
    ring();
  });
  const end = () => {
    unlisten();
    over = true;
    ring();
  };
  driving.then(end, end);
  return (async function* () {
    try {
      while (!over || pending.length > 0) {
        const ready = pending;
        pending = [];
        yield* ready;
        if (pending.length === 0 && !over) await bell.rung;
      }
    } finally {
      unlisten();
    }
  })();
}
