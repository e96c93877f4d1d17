import { setMaxListeners } from "node:events";
import {
  isEvent,
  isFault,
  isIntermediate,
  isUnreadable,
  StepKey,
  type Entry,
  type Event,
  type NewEvent,
} from "../kernel/index.ts";
import { digestOf } from "./digest.ts";
import type { DriveContext } from "./drive.ts";
import { loadPinned } from "./opening.ts";
import { createHistory } from "./history.ts";
import { linkAbort } from "./halt.ts";
import {
  isEnabledFor,
  loadReactorSettings,
  needsReaction,
  NOTHING_TO_SAY,
  subscribesTo,
  type AnyReactor,
} from "./reactor.ts";
import { createSteps } from "./steps.ts";

// A reaction may spend what the deliberation's caps leave. The time cap does not apply to it.
// REACT-10. What an earlier build recorded of a reaction stands: this build's reactor, which would ask something else, adds nothing. Else:
//     an upgrade pays again for what is graded already.

const MAX_ATTEMPTS = 5;

export type ReactionContext = Omit<DriveContext, "protocols" | "follower">;

export type DueReaction = {
  readonly reactor: AnyReactor;
  readonly entry: Entry;
  readonly signal: AbortSignal;
};

/** Runs one reaction and records its failure, unless `signal` aborts. Does nothing for an event that needs no reaction. */
export async function makeReaction(
  context: ReactionContext,
  { reactor, entry, signal: held }: DueReaction,
): Promise<void> {
  // A released link: a signal of `AbortSignal.any` would stay on the worker's signal for the worker's lifetime.
  setMaxListeners(0, held);
  const link = linkAbort(held);
  try {
    await retryReaction(context, { reactor, entry, signal: link.signal });
  } finally {
    link.release();
  }
}

async function retryReaction(
  context: ReactionContext,
  { reactor, entry, signal }: DueReaction,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptReaction(context, { reactor, entry, signal });
    } catch (error) {
      if (signal.aborted) return;
      if (isUnreadable(error)) throw error;
      if (isFault(error, "step-changed") && (await isAnswered(context, { reactor, entry }))) return; // REACT-10
      if (attempt >= MAX_ATTEMPTS || isPermanent(error))
        return noteFailure(context, { reactor, entry, error, tries: attempt });
      await context.world.sleep(2 ** (attempt - 1) * 1_000, signal);
    }
  }
}

/** A store may come back, and a bug may depend on the moment; any other fault of ours is the same the next time. */
const isPermanent = (error: unknown): boolean => isFault(error) && !isFault(error, "store-unavailable");

const isAnswered = async ({ store }: Pick<ReactionContext, "store">, { reactor, entry }: ReactionTarget) =>
  hasReacted(reactor, entry, await store.read(entry.deliberation));

async function attemptReaction(
  context: ReactionContext,
  { reactor, entry, signal }: DueReaction,
): Promise<void> {
  const { store, models, frames, world, ports = {} } = context;
  const id = entry.deliberation;
  const history = createHistory(store, id);
  await history.catchUp();
  const entries = history.entries();
  const [opened] = entries;
  const before = entries.filter(({ seq }) => seq <= entry.seq);
  if (!opened || !isEvent(opened, "deliberation-opened")) return;
  if (!subscribesTo(reactor, entry) || !isEnabledFor(reactor, opened.data)) return;
  const settings = await loadReactorSettings(store, reactor, opened.data);
  if (!needsReaction(reactor, entry, { before, settings: { ok: true, value: settings } })) return;
  const { text: _text, history: turns, ...pinned } = await loadPinned(store, opened);
  const { timeMs: _timeMs, ...budget } = opened.data.budget;
  const ledger = await context.ledgers.open({ id, budget, reservations: store, now: world.now }, entries);
  const ignore = () => undefined;
  const run = createSteps(
    {
      id,
      journal: store,
      history,
      models,
      bytesOf: (digest) => store.text(digest),
      frames,
      ledger,
      world,
      originOf: (step) => ({ by: "reactor", reactor: reactor.name, event: entry.id, ...step }),
      replay: false,
      contexts: opened.data.contexts,
      background: true,
      watch: { started: ignore, ended: ignore, waiting: () => ignore, used: ignore },
    },
    signal,
  );
  const reaction = { ...pinned, run, ports, history: entries, turns, settings: settings as never };
  let end: Awaited<ReturnType<AnyReactor["react"]>>;
  try {
    // `needsReaction` has checked the entry's type, and the reactor's schema the settings.
    end = await reactor.react(entry as Event<never>, reaction);
  } finally {
    ledger.close();
  }
  if (end !== NOTHING_TO_SAY || signal.aborted) return;
  const data = { topic: end, reason: "the reactor had nothing to say", body: { event: entry.id } };
  await record(context, { reactor, entry }, { step: "nothing", event: { type: "note-taken", data } });
}

/** True if the journal holds the outcome of this reactor's reaction to an event. */
export function hasReacted({ name }: AnyReactor, { id }: Entry, journal: readonly Entry[]): boolean {
  return journal.some(
    (entry) =>
      entry.origin.by === "reactor" &&
      entry.origin.reactor === name &&
      entry.origin.event === id &&
      !isIntermediate(entry),
  );
}

type ReactionTarget = Pick<DueReaction, "reactor" | "entry">;

async function noteFailure(
  context: Pick<ReactionContext, "store">,
  { reactor, entry, error, tries }: ReactionTarget & { readonly error: unknown; readonly tries: number },
): Promise<void> {
  const why = error instanceof Error ? error.message : String(error);
  const detail = { event: entry.id, tries };
  const data = { code: "reaction-failed", why: why.slice(0, 1_000), detail };
  await record(context, { reactor, entry }, { step: "failed", event: { type: "reaction-failed", data } });
}

/** Records the engine's own event about a reaction. */
async function record(
  { store }: Pick<ReactionContext, "store">,
  { reactor, entry }: ReactionTarget,
  { step, event }: { readonly step: string; readonly event: NewEvent },
): Promise<void> {
  await store.append(entry.deliberation, [event], {
    by: "reactor",
    reactor: reactor.name,
    event: entry.id,
    step: StepKey.parse(step),
    digest: digestOf({ event: entry.id }),
    after: [],
  });
}
