import { setMaxListeners } from "node:events";
import {
  callOf,
  Fault,
  originKey,
  stepOrigin,
  StepKey,
  type Call,
  type DeliberationId,
  type Digest,
  type Entry,
  type Event,
  type EventType,
  type Frames,
  type Journal,
  type Models,
  type NewEvent,
  type Origin,
  type World,
} from "../kernel/index.ts";
import { NO_QUOTE, unaffordable, type Ledger } from "./budget.ts";
import { digestOf } from "./digest.ts";
import { Halt } from "./halt.ts";
import type { History } from "./history.ts";
import { linkedTo } from "./link.ts";
import {
  asEvent,
  type CallSpec,
  type Ending,
  type MadeType,
  type Scope,
  type StepSpec,
  type WorkSpec,
} from "./run.ts";
import { compare, declared, ending, eventOf, first, sameDigest, verified } from "./verification.ts";

// R1. A step's result is what the journal holds, read back from the append or from the history, never what the work returned.
// R2. The first to record wins: a rival's record ends our work on the same step, and replaces its result; whoever comes second catches up.
// R3. No await between checking that a step was not started and noting that it was.
// R4. Recalling a step with another digest is a fault, ours or a rival's alike.
// R5. At most one model call a step: `read` gets no way to make one.
// R6. An interrupted call records nothing; a call that failed for good is recorded, and not made again.
// R7. Origins do not depend on the order in which concurrent steps ended: what a step comes after is sorted.

type Made = { readonly events: readonly NewEvent[]; readonly after?: readonly StepKey[] };
type Work = {
  readonly adopt: boolean;
  /** Makes the step's events; absent in what can only be recalled. */
  produce(signal: AbortSignal, name: string): Promise<Made>;
  /** In a replay: the events again, from the recorded call or from the input; undefined where the journal is believed. */
  again(past: readonly Entry[]): readonly NewEvent[] | undefined;
  /** In a replay, where the step is not recorded: reads the recorded steps again that it is made of. */
  parts?(signal: AbortSignal): Promise<unknown>;
  settled?(name: string): void;
};

export type StepsContext = {
  readonly id: DeliberationId;
  readonly journal: Pick<Journal, "append">;
  readonly history: History;
  readonly models: Models;
  readonly frames: Frames;
  readonly ledger: Ledger;
  readonly world: World;
  /** Whose steps these are: a protocol's or a reaction's. */
  readonly originOf: (step: { step: StepKey; digest: Digest; after: StepKey[] }) => Origin;
  /** What the parent of a fork recorded under an origin key. */
  readonly parent?: { readonly id: DeliberationId; batch(origin: string): readonly Entry[] | undefined };
  /** Nothing is made or appended; what is recorded is read anew and compared. */
  readonly replay: boolean;
  /** Told of each step's start and end, of each record that is used, and of each client event that is waited for, until it says that it is no more. */
  readonly watch: {
    started(): void;
    ended(): void;
    waiting(request: string): () => void;
    used(origin: string): void;
  };
};

type ScopeState = { readonly signal: AbortSignal; readonly recallOnly: boolean; frontier: StepKey[] };

/** The run of one driver: its steps, recalled or made. `signal` is this run's own. */
export function createSteps(context: StepsContext, signal: AbortSignal): Scope {
  return scopeOf(context, new Set(), { signal, recallOnly: false, frontier: [] });
}

function scopeOf(context: StepsContext, claimed: Set<string>, state: ScopeState): Scope {
  const { history, ledger, models, world } = context;
  setMaxListeners(0, state.signal); // every step that is at work listens to it, and Node takes more than ten for a leak

  const step = async <T extends EventType>(
    spec: StepSpec<T>,
    input: unknown,
    work: Work,
  ): Promise<Event<T>> => {
    const key = StepKey.parse(spec.key);
    const before = [...state.frontier];
    const digest = digestOf(input);
    const originAfter = (after: readonly StepKey[]) =>
      context.originOf({ step: key, digest, after: [...after].sort() }); // R7
    const name = originKey(originAfter(before));
    if (!state.recallOnly) {
      if (claimed.has(name)) throw new Fault("step-repeated", { key });
      claimed.add(name);
    }
    context.watch.started();
    try {
      const batch =
        verified(history.batch(name), digest, key) ??
        (work.adopt ? await adopted(name, originAfter(before)) : undefined) ??
        (await made(name, originAfter, { before, spec, work }));
      verified(batch, digest, key);
      const event = ending(batch, spec);
      if (context.replay) compare(work.again(batch), batch, key);
      context.watch.used(name);
      await Promise.resolve(); // R7: recalled or made, a step never comes before one that was started beside it
      state.frontier = [...state.frontier.filter((earlier) => !before.includes(earlier)), key];
      return event;
    } finally {
      context.watch.ended();
    }
  };

  const adopted = async (name: string, origin: Origin): Promise<readonly Entry[] | undefined> => {
    if (!context.parent || context.replay || origin.by !== "protocol") return undefined;
    const past = sameDigest(context.parent.batch(name), origin.digest);
    if (!past) return undefined;
    const after = past[0] && "after" in past[0].origin ? past[0].origin.after : origin.after;
    return record(past.map(eventOf), { ...origin, by: "adopted", from: context.parent.id, after });
  };

  const made = async (
    name: string,
    originAfter: (after: readonly StepKey[]) => Origin,
    { before, spec, work }: { before: readonly StepKey[]; spec: StepSpec<EventType>; work: Work },
  ): Promise<readonly Entry[]> => {
    if (state.recallOnly) throw new Halt("unrecorded");
    if (context.replay) {
      await work.parts?.(state.signal);
      throw new Fault("step-unrecorded", { key: name });
    }
    const own = linkedTo(state.signal);
    const { signal } = own;
    let rivalled = false;
    const forget = history.expect(name, () => {
      rivalled = true;
      own.abort(new Halt("recorded"));
    });
    try {
      signal.throwIfAborted();
      const { events, after = before } = await work.produce(signal, name);
      for (const event of events) declared(event, spec); // before it is recorded for good
      if (!work.parts) forget(); // what has its answer has nothing left to end
      return await record(events, originAfter(after));
    } catch (error) {
      const past = history.batch(name);
      if (past && rivalled) return past; // R2
      own.abort(new Halt("interrupted")); // what the work left running ends with it
      throw error;
    } finally {
      forget();
      own.release();
      work.settled?.(name);
    }
  };

  const record = async (events: readonly NewEvent[], origin: Origin): Promise<readonly Entry[]> => {
    const appended = await context.journal.append(context.id, events, origin);
    if (!appended.ok)
      throw appended.reason === "closed"
        ? new Halt("closed")
        : new Fault("deliberation-missing", { id: context.id });
    history.add(appended.events);
    if (!appended.fresh) await history.catchUp(); // a rival is ahead: what else it has recorded need not be made
    return appended.events;
  };

  const call = async <T extends MadeType>(
    spec: CallSpec<T>,
    read: (call: Call) => Ending<T>,
  ): Promise<Event<T>> => {
    const { request } = spec;
    const quote = ledger.capped ? models.quote(request) : NO_QUOTE;
    let answered: Call | undefined;
    let offered = false;
    const ended = await step(
      spec,
      { request },
      {
        adopt: true,
        async produce(signal, name) {
          const room = await ledger.reserve(name, quote, spec.share);
          signal.throwIfAborted();
          answered = room.ok ? await complete(spec, signal) : unaffordable(request, room.why);
          if (!answered.ok && answered.failure.code === "cancelled") {
            signal.throwIfAborted();
            throw new Halt("interrupted"); // R6
          }
          offered = true;
          return { events: [asEvent(read(answered), answered)] };
        },
        again(past) {
          const recorded = past[0] && callOf(past[0]);
          if (!recorded)
            throw new Fault("replay-differs", { key: spec.key, what: "no model call is recorded" });
          return [asEvent(read(recorded), recorded)];
        },
        settled(name) {
          ledger.settle(name, answered, quote);
        },
      },
    );
    const recorded = callOf(ended);
    if (!offered && recorded && ended.origin.by === "protocol") ledger.recalled(ended.id, recorded, quote);
    if (spec.share !== undefined) ledger.release(spec.share);
    return ended;
  };

  const complete = async (
    { request, key, timeoutMs = Infinity }: CallSpec<MadeType>,
    signal: AbortSignal,
  ): Promise<Call> => {
    const frame = { deliberation: context.id, step: StepKey.parse(key) };
    context.frames.emit({ ...frame, kind: "started" });
    const leftMs = ledger.timeLeftMs();
    const limitMs = Math.min(timeoutMs, leftMs);
    const call = await models.complete(request, {
      signal,
      ...(Number.isFinite(limitMs) ? { timeoutMs: Math.max(1, limitMs) } : {}),
      onDelta: (delta) => context.frames.emit({ ...frame, kind: "text", delta }),
    });
    // The cap on the whole ended it, not the limit on one call.
    const outOfTime = !call.ok && call.failure.code === "timed-out" && leftMs <= timeoutMs;
    return outOfTime ? { ...call, failure: { code: "over-budget", message: "the time is up" } } : call;
  };

  const work = <T extends EventType>(
    spec: WorkSpec<T>,
    produce: (signal: AbortSignal) => Promise<Made>,
    {
      again = () => undefined,
      adopt = true,
      ...rest
    }: Partial<Pick<Work, "adopt" | "parts">> & { again?: () => readonly NewEvent[] | undefined } = {},
  ) => quiet(step(spec, { input: spec.input }, { produce, again, adopt, ...rest }));

  /** What a fork's parent decided stands only on the parent's own steps: one that was made anew here undoes it. */
  const inherited = (name: string, digest: Digest): readonly Entry[] | undefined => {
    const past = sameDigest(context.parent?.batch(name), digest);
    const origin = past?.[0]?.origin;
    const undone =
      origin &&
      "after" in origin &&
      origin.after
        .map(stepOrigin)
        .some((key) => !context.parent?.batch(key) || history.batch(key)?.[0]?.origin.by === "protocol");
    return undone ? undefined : past;
  };

  /** Work that no step counts, so that a drive is not taken for one that only waits. */
  const busy = async <T>(work: () => Promise<T>): Promise<T> => {
    context.watch.started();
    try {
      return await work();
    } finally {
      context.watch.ended();
    }
  };

  /** The opposite: while a step waits for steps of its own, only they count. */
  const idle = async <T>(work: () => Promise<T>): Promise<T> => {
    context.watch.ended();
    try {
      return await work();
    } finally {
      context.watch.started();
    }
  };

  const awaited = async (request: string): Promise<Entry> => {
    const name = `client/${request}`;
    const found = clientEntry(request);
    if (found) return found;
    if (context.replay) throw new Fault("step-unrecorded", { key: name });
    const known = context.parent?.batch(name);
    if (known) return first(await busy(() => record(known.map(eventOf), { by: "client", request })));
    if (state.recallOnly) throw new Halt("unrecorded");
    state.signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const end = () => {
        forget();
        noMore();
        state.signal.removeEventListener("abort", halt);
      };
      const halt = () => {
        end();
        reject(state.signal.reason as Error); // the engine's own Halt
      };
      const forget = history.expect(name, () => {
        const entry = clientEntry(request);
        if (!entry) return;
        end();
        resolve(entry);
      });
      const noMore = context.watch.waiting(request);
      state.signal.addEventListener("abort", halt, { once: true });
    });
  };

  return {
    signal: state.signal,
    get frontier() {
      return state.frontier;
    },
    call: (spec, read) => quiet(call(spec, read)),
    derive: (spec, make) => {
      const events = () => [asEvent(make())];
      return work(spec, () => Promise.resolve({ events: events() }), { again: events });
    },
    effect: (spec, effect) => work(spec, async (signal) => ({ events: [asEvent(await effect(signal))] })),
    join: (spec, join) =>
      work(
        spec,
        async (signal) => {
          const { ending, after } = await idle(() => join(signal));
          return { events: [asEvent(ending)], after };
        },
        { adopt: spec.adopt, parts: join },
      ),
    settled(key, request) {
      const digest = digestOf({ request });
      const name = originKey(context.originOf({ step: StepKey.parse(key), digest, after: [] }));
      const past = sameDigest(history.batch(name), digest) ?? sameDigest(context.parent?.batch(name), digest);
      return past !== undefined;
    },
    recorded(spec) {
      const key = StepKey.parse(spec.key);
      const digest = digestOf({ input: spec.input });
      const name = originKey(context.originOf({ step: key, digest, after: [] }));
      const past = verified(history.batch(name), digest, key) ?? inherited(name, digest);
      return past && ending(past, spec);
    },
    awaits: (request) => quiet(awaited(request)),
    scope: ({ signal, recallOnly = false }) =>
      scopeOf(context, claimed, {
        signal: signal ?? state.signal,
        recallOnly: recallOnly || state.recallOnly,
        frontier: [...state.frontier],
      }),
    catchUp: () => busy(() => history.catchUp()),
    budget: {
      capped: ledger.capped,
      caps: ledger.caps,
      quote: (request) => models.quote(request),
      affordable: (quotes) => ledger.affordable(quotes),
      hold: (share, quote) => ledger.hold(share, quote),
    },
    sleep: (ms, until) => busy(() => world.sleep(ms, until)),
  };

  function clientEntry(request: string): Entry | undefined {
    const batch = history.batch(`client/${request}`);
    if (batch) context.watch.used(`client/${request}`);
    return batch?.[0];
  }
}

/**
 * A protocol may begin a step early and await it late. When the drive halts in between, the step's rejection is
 * nobody's yet, and must not bring the process down.
 */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
