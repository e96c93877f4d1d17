import { setMaxListeners } from "node:events";
import {
  callOf,
  canonical,
  Fault,
  isEvent,
  unlessForgotten,
  isOutage,
  type Closing,
  type DeliberationId,
  type Entry,
  type Event,
  type Frames,
  type Models,
  type Opening,
  type OrganizationStore,
  type World,
} from "../kernel/index.ts";
import type { Ledger, Ledgers } from "./budget.ts";
import { loadPinned, settingsOf } from "./opening.ts";
import type { Follower } from "./follower.ts";
import { Halt, isHalt, linkAbort, quiet } from "./halt.ts";
import { createHistory, type History } from "./history.ts";
import { type AnyProtocol, type Ports, loadProtocol, type Registry } from "./protocol.ts";
import type { StepScope } from "./run.ts";
import { createSteps } from "./steps.ts";
import type { StepsContext } from "./steps-context.ts";

// DRIVE-1. A drive ends as `closed` only with the closing that the journal holds, from any process. Else: callers get another answer.
// A drive ends as `waiting` only when no step is running and a client's event is missing, also among those that others recorded up to then.
// DRIVE-3. An interrupted drive closes nothing, even if the protocol treated the interruption as a failure. Else: an interrupted run is
//     closed, and its paid work cannot be resumed.
// DRIVE-4. A fork adopts a parent's step that failed for lack of budget only under the same budget; otherwise it repeats the step. Else: a
//     fork keeps a failure that its larger budget would have avoided, or pays again for nothing.
// A fork that asks outages repeats a parent's step that failed by one, and what was decided after it.

/** How a drive ended. `interrupted` and `waiting` leave the deliberation open for another drive. */
export type DriveResult =
  | { readonly status: "closed"; readonly closing: Event<"deliberation-closed"> }
  | { readonly status: "waiting"; readonly requests: readonly string[] }
  | { readonly status: "interrupted" };

export type DriveContext = {
  readonly store: OrganizationStore;
  readonly models: Models;
  readonly frames: Frames;
  readonly world: World;
  readonly protocols: Registry<AnyProtocol>;
  readonly follower: Follower;
  readonly ledgers: Ledgers;
  readonly ports?: Ports;
};

/** Continues a deliberation from its journal. */
export async function drive(
  context: DriveContext,
  id: DeliberationId,
  {
    signal,
    onEntry,
  }: { readonly signal: AbortSignal; readonly onEntry?: ((entry: Entry) => void) | undefined },
): Promise<DriveResult> {
  const history = createHistory(context.store, id);
  if (onEntry) history.listen(onEntry);
  const unfollow = context.follower.follow(id, history);
  setMaxListeners(0, signal); // a server shares one between all drives, and Node reports many listeners as a leak
  const stop = linkAbort(signal, () => new Halt("interrupted"));
  let ledger: Ledger | undefined;
  const stopped: Promise<unknown>[] = [];
  try {
    await history.catchUp();
    history.expect("close", () => stop.abort(new Halt("closed")));
    const opened = openingOf(history, id);
    const past = closingOf(history);
    if (past) return { status: "closed", closing: past };
    const idle = idleWatch();
    const { store: reservations, world } = context;
    const { budget } = opened.data;
    const accounted = { id, budget, reservations, now: world.now };
    ledger = await context.ledgers.open(accounted, history.entries());
    const run = createSteps(
      {
        ...(await liveSteps(context, { id, history, opened, ledger, watch: idle.watch })),
        onStopped: (recorded) => void stopped.push(quiet(recorded)),
      },
      stop.signal,
    );
    return await Promise.race([
      runProtocol(context, { id, history, opened, run, watch: idle.watch }),
      waitingFor(history, idle),
    ]);
  } catch (error) {
    if (isHalt(error, "closed") || isHalt(error, "interrupted")) {
      await Promise.all(stopped); // STOP-1
      return await haltedResult(history);
    }
    throw error;
  } finally {
    // Stop whatever the protocol left running.
    stop.abort(new Halt("interrupted"));
    stop.release();
    ledger?.close();
    unfollow();
  }
}

type ProtocolRun = {
  readonly id: DeliberationId;
  readonly history: History;
  readonly opened: Event<"deliberation-opened">;
  readonly run: StepScope;
  readonly watch: StepsContext["watch"];
};

async function runProtocol(
  context: DriveContext,
  { id, history, opened, run, watch }: ProtocolRun,
): Promise<DriveResult> {
  const closing = await deliberate(context, { opened, run });
  run.signal.throwIfAborted(); // DRIVE-3
  watch.started(); // A drive that closes is not waiting
  const appended = await context.store.append(id, [{ type: "deliberation-closed", data: closing }], {
    by: "close",
    after: [...run.frontier].sort(),
  });
  if (appended.ok) history.add(appended.events);
  return haltedResult(history);
}

/** Runs the protocol that the opening names. @throws Fault `protocol-unknown`, `text-missing`, `invalid-request` */
export async function deliberate(
  { store, protocols, ports = {} }: Pick<DriveContext, "store" | "protocols" | "ports">,
  { opened, run }: { readonly opened: Event<"deliberation-opened">; readonly run: StepScope },
): Promise<Closing> {
  const protocol = await loadProtocol(protocols, opened.data.protocol);
  const { text: _text, ...pinned } = await loadPinned(store, opened);
  // The protocol's schema has parsed the settings, so they have the type of its context.
  const settings = settingsOf(protocol, opened.data.settings) as never;
  return protocol.deliberate({ ...pinned, run, ports, settings });
}

async function liveSteps(
  { store, models, frames, world }: DriveContext,
  { id, history, opened, ledger, watch }: Omit<ProtocolRun, "run"> & { readonly ledger: Ledger },
): Promise<StepsContext> {
  const parent = opened.data.parent;
  return {
    id,
    journal: store,
    history,
    models,
    bytesOf: (digest) => store.text(digest),
    frames,
    ledger,
    world,
    originOf: (step) => ({ by: "protocol", ...step }),
    seatTimeoutMs: opened.data.seatTimeoutMs,
    contexts: opened.data.contexts,
    ...(parent ? { parent: await parentOf(store, { ...parent, opening: opened.data }) } : {}),
    replay: false,
    watch,
  };
}

/** The steps that a fork may adopt: its parent's, up to the seq in the opening. @throws Fault `deliberation-missing` */
async function parentOf(
  store: OrganizationStore,
  { id, upToSeq, asksOutages, opening }: NonNullable<Opening["parent"]> & { readonly opening: Opening },
): Promise<NonNullable<StepsContext["parent"]>> {
  let isForgotten = false;
  const gone = (error: unknown) => ((isForgotten = true), unlessForgotten(error));
  const read = async (of: DeliberationId) =>
    (await store.read(of).catch(gone)).filter(({ seq }) => seq <= upToSeq);
  const history = createHistory({ read }, id);
  await history.catchUp();
  // Of a parent that was forgotten nothing is adopted any more.
  const { budget } = isForgotten ? opening : openingOf(history, id).data;
  const sameBudget = canonical(budget) === canonical(opening.budget);
  const isRepeated = (entry: Entry): boolean => {
    const call = callOf(entry);
    if (call?.ok !== false) return false;
    const isOverBudget = !sameBudget && call.failure.code === "over-budget"; // DRIVE-4
    return isOverBudget || (asksOutages === true && isOutage(call.failure));
  };
  return {
    id,
    batch(origin) {
      const batch = history.batch(origin);
      return batch?.some(isRepeated) ? undefined : batch;
    },
  };
}

export function openingOf(history: Pick<History, "batch">, id: DeliberationId): Event<"deliberation-opened"> {
  const opened = history.batch("open")?.[0];
  if (!opened || !isEvent(opened, "deliberation-opened")) throw new Fault("deliberation-missing", { id });
  return opened;
}

export function closingOf(history: Pick<History, "batch">): Event<"deliberation-closed"> | undefined {
  const closing = history.batch("close")?.at(-1);
  return closing && isEvent(closing, "deliberation-closed") ? closing : undefined;
}

async function haltedResult(history: History): Promise<DriveResult> {
  const closing = closingOf(history) ?? (await history.catchUp(), closingOf(history));
  return closing ? { status: "closed", closing } : { status: "interrupted" };
}

/** Resolves when the protocol only waits for what nobody has recorded. */
async function waitingFor(history: History, idle: ReturnType<typeof idleWatch>): Promise<DriveResult> {
  for (;;) {
    await idle.next();
    await history.catchUp();
    await new Promise(setImmediate); // what was waited for goes on in this turn
    const requests = idle.missing();
    if (requests.length > 0) return { status: "waiting", requests };
  }
}

/** Detects a protocol that only waits for clients: no step is running in a turn of the event loop. */
function idleWatch() {
  const requested = new Set<{ readonly request: string }>();
  let running = 0;
  let idle = (): void => undefined;
  const missing = (): string[] =>
    running > 0 ? [] : [...new Set([...requested].map(({ request }) => request))].sort();
  const check = () => setImmediate(() => void (missing().length > 0 && idle()));
  const watch: StepsContext["watch"] = {
    started: () => void (running += 1),
    ended: () => {
      running -= 1;
      if (requested.size > 0) check();
    },
    waiting(request) {
      const pending = { request };
      requested.add(pending);
      check();
      return () => void requested.delete(pending);
    },
    used: () => undefined,
  };
  const next = () =>
    new Promise<void>((resolve) => {
      idle = resolve;
      check();
    });
  return { watch, missing, next };
}
