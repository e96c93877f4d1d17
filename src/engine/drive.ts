import {
  callOf,
  canonical,
  Fault,
  isEvent,
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
import { openLedger } from "./budget.ts";
import { loadPinned, settingsOf } from "./opening.ts";
import type { Follower } from "./follower.ts";
import { Halt, isHalt } from "./halt.ts";
import { createHistory, type History } from "./history.ts";
import { type AnyProtocol, type Ports, loadProtocol, type Registry } from "./protocol.ts";
import type { StepScope } from "./run.ts";
import { createSteps } from "./steps.ts";
import type { StepsContext } from "./steps-context.ts";

// DRIVE-1. A drive ends as `closed` only with what the journal holds under `close`, whoever recorded it.
// DRIVE-2. It ends as `waiting` only when no step is at work and a client's event is missing.
// DRIVE-3. An interrupted drive closes nothing, even where the protocol took the interruption for a failure.
// DRIVE-4. What only money decided is adopted from a fork's parent only under the same budget: a larger one decides anew.

/** How a drive ended. `interrupted` and `waiting` leave the deliberation open, for another drive. */
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
  readonly ports?: Ports;
};

/** Carries a deliberation on from wherever the journal says it is. */
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
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Halt("interrupted"));
  // Not on `signal` itself: a server has one for all its drives, and Node takes many listeners for a leak.
  const caller = AbortSignal.any([signal]);
  caller.addEventListener("abort", interrupt, { once: true });
  if (caller.aborted) interrupt();
  try {
    await history.catchUp();
    history.expect("close", () => stop.abort(new Halt("closed")));
    const opened = openingOf(history, id);
    const past = closingOf(history);
    if (past) return { status: "closed", closing: past };
    const idle = idleWatch();
    const run = createSteps(
      await liveSteps(context, { id, history, opened, watch: idle.watch }),
      stop.signal,
    );
    return await Promise.race([
      conduct(context, { id, history, opened, run, watch: idle.watch }),
      idle.waiting,
    ]);
  } catch (error) {
    if (isHalt(error, "closed") || isHalt(error, "interrupted")) return await halted(history);
    throw error;
  } finally {
    // Whatever a protocol left running ends with its driver.
    stop.abort(new Halt("interrupted"));
    caller.removeEventListener("abort", interrupt);
    unfollow();
  }
}

type Conducted = {
  readonly id: DeliberationId;
  readonly history: History;
  readonly opened: Event<"deliberation-opened">;
  readonly run: StepScope;
  readonly watch: StepsContext["watch"];
};

async function conduct(
  context: DriveContext,
  { id, history, opened, run, watch }: Conducted,
): Promise<DriveResult> {
  const closing = await deliberate(context, { opened, run });
  run.signal.throwIfAborted(); // DRIVE-3
  watch.started(); // DRIVE-2: a drive that closes does not wait
  const appended = await context.store.append(id, [{ type: "deliberation-closed", data: closing }], {
    by: "close",
    after: [...run.frontier].sort(),
  });
  if (appended.ok) history.add(appended.events);
  return halted(history);
}

/** Runs the protocol that the opening names. @throws Fault `protocol-unknown`, `text-missing`, `invalid-request` */
export async function deliberate(
  { store, protocols, ports = {} }: Pick<DriveContext, "store" | "protocols" | "ports">,
  { opened, run }: { readonly opened: Event<"deliberation-opened">; readonly run: StepScope },
): Promise<Closing> {
  const protocol = await loadProtocol(protocols, opened.data.protocol);
  const { text: _text, ...pinned } = await loadPinned(store, opened);
  // The protocol's own schema has admitted the settings that its floor is typed by.
  const settings = settingsOf(protocol, opened.data.settings) as never;
  return protocol.deliberate({ ...pinned, run, ports, settings });
}

type LiveSteps = Pick<Conducted, "id" | "history" | "opened"> & Pick<StepsContext, "watch">;

async function liveSteps(
  context: DriveContext,
  { id, history, opened, watch }: LiveSteps,
): Promise<StepsContext> {
  const { store, models, frames, world } = context;
  const parent = opened.data.parent;
  const ledger = await openLedger(
    { id, budget: opened.data.budget, reservations: store, now: world.now },
    history.entries(),
  );
  return {
    id,
    journal: store,
    history,
    models,
    frames,
    ledger,
    world,
    originOf: (step) => ({ by: "protocol", ...step }),
    ...(parent ? { parent: await parentOf(store, { ...parent, opening: opened.data }) } : {}),
    replay: false,
    watch,
  };
}

type ParentHistory = NonNullable<Opening["parent"]> & { readonly opening: Opening };

/** What a fork may adopt: its parent's steps up to the seq that the opening names. @throws Fault `deliberation-missing` */
async function parentOf(
  store: OrganizationStore,
  { id, upToSeq, opening }: ParentHistory,
): Promise<NonNullable<StepsContext["parent"]>> {
  const history = createHistory(
    { read: async (deliberation) => (await store.read(deliberation)).filter(({ seq }) => seq <= upToSeq) },
    id,
  );
  await history.catchUp();
  const { budget } = openingOf(history, id).data;
  const sameBudget = canonical(budget) === canonical(opening.budget);
  return {
    id,
    batch(origin) {
      const batch = history.batch(origin);
      return sameBudget || !batch?.some(isOverBudget) ? batch : undefined; // DRIVE-4
    },
  };
}

function isOverBudget(entry: Entry): boolean {
  const call = callOf(entry);
  return call?.ok === false && call.failure.code === "over-budget";
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

async function halted(history: History): Promise<DriveResult> {
  const closing = closingOf(history) ?? (await history.catchUp(), closingOf(history));
  return closing ? { status: "closed", closing } : { status: "interrupted" };
}

/** Notices when a protocol can only wait for clients: a turn of the event loop in which no step is at work. */
function idleWatch() {
  const wishes = new Set<{ readonly request: string }>();
  let atWork = 0;
  let end: (driven: DriveResult) => void = () => undefined;
  const waiting = new Promise<DriveResult>((resolve) => (end = resolve));
  const look = () =>
    setImmediate(() => {
      const requests = new Set([...wishes].map(({ request }) => request));
      if (atWork === 0 && requests.size > 0) end({ status: "waiting", requests: [...requests].sort() }); // DRIVE-2
    });
  const watch: StepsContext["watch"] = {
    started: () => void (atWork += 1),
    ended: () => {
      atWork -= 1;
      if (wishes.size > 0) look();
    },
    waiting(request) {
      const wish = { request };
      wishes.add(wish);
      look();
      return () => void wishes.delete(wish);
    },
    used: () => undefined,
  };
  return { waiting, watch };
}
