import { setMaxListeners } from "node:events";
import { isEvent, StepKey, type Entry, type Event } from "../kernel/index.ts";
import { openLedger } from "./budget.ts";
import { digestOf } from "./digest.ts";
import type { DriveContext } from "./drive.ts";
import { pinnedFloor } from "./floor.ts";
import { createHistory } from "./history.ts";
import { linkedTo } from "./link.ts";
import { FAILED_REACTION, owes, type AnyReactor } from "./reactor.ts";
import { createSteps } from "./steps.ts";

// A reaction that throws is tried again, then noted; it stops neither the reactor nor anybody's answer. (X4)
// What it may spend is what the deliberation's caps leave; its time is its own.

const TRIES = 5;

export type ReactionContext = Omit<DriveContext, "protocols" | "follower">;

export type Due = { readonly reactor: AnyReactor; readonly entry: Entry; readonly signal: AbortSignal };

/** Makes one reaction, noted failures included, unless `signal` aborts; an event that the reactor does not answer is none. */
export async function makeReaction(
  context: ReactionContext,
  { reactor, entry, signal: held }: Due,
): Promise<void> {
  // Of its own, and let go: what `AbortSignal.any` makes of a worker's signal stays on it for as long as the worker lives.
  setMaxListeners(0, held);
  const own = linkedTo(held);
  try {
    await persist(context, { reactor, entry, signal: own.signal });
  } finally {
    own.release();
  }
}

async function persist(context: ReactionContext, { reactor, entry, signal }: Due): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptReaction(context, { reactor, entry, signal });
    } catch (error) {
      if (signal.aborted) return;
      if (attempt >= TRIES) return noteFailure(context, { reactor, entry, error });
      await context.world.sleep(2 ** (attempt - 1) * 1_000, signal);
    }
  }
}

async function attemptReaction(context: ReactionContext, { reactor, entry, signal }: Due): Promise<void> {
  const { store, models, frames, world, ports = {} } = context;
  const id = entry.deliberation;
  const history = createHistory(store, id);
  await history.catchUp();
  const entries = history.entries();
  const [opened] = entries;
  const before = entries.filter(({ seq }) => seq <= entry.seq);
  if (!opened || !isEvent(opened, "deliberation-opened") || !owes(reactor, entry, before)) return;
  const { text, history: turns, ...pinned } = await pinnedFloor(store, opened);
  const { timeMs: _timeMs, ...budget } = opened.data.budget;
  const ignore = () => undefined;
  const run = createSteps(
    {
      id,
      journal: store,
      history,
      models,
      frames,
      ledger: await openLedger({ id, budget, reservations: store, now: world.now }, entries),
      world,
      originOf: (step) => ({ by: "reactor", reactor: reactor.name, event: entry.id, ...step }),
      replay: false,
      background: true,
      watch: { started: ignore, ended: ignore, waiting: () => ignore, used: ignore },
    },
    signal,
  );
  const settings =
    reactor.settings && reactor.settings.parse(JSON.parse(text(opened.data.reactions?.[reactor.name])));
  // `owes` has admitted the entry's type, and the reactor's own schema the settings.
  await reactor.react(entry as Event<never>, {
    ...pinned,
    run,
    ports,
    history: entries,
    turns,
    settings: settings as never,
  });
}

async function noteFailure(
  { store }: Pick<ReactionContext, "store">,
  { reactor, entry, error }: Pick<Due, "reactor" | "entry"> & { readonly error: unknown },
): Promise<void> {
  const why = error instanceof Error ? error.message : String(error);
  await store.append(
    entry.deliberation,
    [
      {
        type: "note-taken",
        data: {
          topic: FAILED_REACTION,
          reason: why.slice(0, 1_000),
          body: { event: entry.id, tries: TRIES },
        },
      },
    ],
    {
      by: "reactor",
      reactor: reactor.name,
      event: entry.id,
      step: StepKey.parse("failed"),
      digest: digestOf({ event: entry.id }),
      after: [],
    },
  );
}
