import { setMaxListeners } from "node:events";
import {
  type Appended,
  callOf,
  Fault,
  originKey,
  personOf,
  stepOrigin,
  StepKey,
  type Call,
  type Digest,
  type Entry,
  type Event,
  type EventType,
  type ModelRequest,
  type NewEvent,
  type Origin,
} from "../kernel/index.ts";
import { NO_QUOTE, overBudgetCall, type ReservedCall } from "./budget.ts";
import { clientEntry, nextClientEntry } from "./client-entry.ts";
import { digestOf } from "./digest.ts";
import { Halt, linkAbort, quiet, withinTime } from "./halt.ts";
import {
  arrivalsOf,
  completeCall,
  failedEvent,
  isRefused,
  keepStopped,
  readCall,
  rereadCall,
  unrecordedCall,
} from "./paid-call.ts";
import {
  toEvent,
  type CallSpec,
  type EffectSpec,
  type EffectWork,
  type JoinWork,
  type ReadReply,
  type ReplyEventType,
  type StepOutcome,
  type StepScope,
  type StepSpec,
  type WorkSpec,
} from "./run.ts";
import { openedSeat, seatOpening, seatWork } from "./seat.ts";
import type { ProducedStep, StepsContext, StepWork } from "./steps-context.ts";
import {
  assertDeclared,
  refuseDifference,
  outcomeOf,
  toNewEvent,
  firstOf,
  matchingBatch,
  verifyDigest,
} from "./verification.ts";

// STEP-1. A step's result is what the journal holds, from the append or the history, never what the work returned. Else: replays differ.
// STEP-2. The first record wins: another process's record of a step aborts our work on it and replaces its result; we catch up. Else: two
//     processes continue with different results of one step.
// STEP-3. There is no await between the check that a step was not started and the note that it was. Else: a step is paid twice.
// STEP-4. A recorded step with another digest is a fault, whichever process recorded it. Else: a prompt gets the answer to another.
// STEP-5. A step makes at most one model call: `read` has no means to make another. Else: a call is in no budget or replay.
// STEP-6. An interrupted call records nothing. A call with a final failure is recorded and not repeated. Else: an interruption becomes a
//     lasting failure, or a failure is paid again and again.
// STEP-7. Origins do not depend on the order in which concurrent steps end: a step's dependencies are sorted. Else: a resume pays again.

/** Where nothing is made, what is not recorded never ends. */
const FOREVER = new Promise<never>(() => undefined);

type ScopeState = { readonly signal: AbortSignal; readonly recallOnly: boolean; frontier: StepKey[] };

/** Creates the step runner of one drive. `signal` belongs to this drive alone. */
export function createSteps(context: StepsContext, signal: AbortSignal): StepScope {
  return new Steps(context, new Set(), { signal, recallOnly: false, frontier: [] });
}

/** A class, because every member of every phase has one: closures would take 4 KB each. */
class Steps implements StepScope {
  readonly #context: StepsContext;
  readonly #claimed: Set<string>;
  readonly #state: ScopeState;

  constructor(context: StepsContext, claimed: Set<string>, state: ScopeState) {
    this.#context = context;
    this.#claimed = claimed;
    this.#state = state;
    setMaxListeners(0, state.signal); // every running step listens to it, and Node reports more than ten as a leak
  }

  get signal(): AbortSignal {
    return this.#state.signal;
  }

  get frontier(): readonly StepKey[] {
    return this.#state.frontier;
  }

  call<T extends ReplyEventType>(spec: CallSpec<T>, read: ReadReply<T>): Promise<Event<T>> {
    return quiet(this.#call(spec, read));
  }

  derive<T extends EventType>(spec: WorkSpec<T>, make: () => StepOutcome<T>): Promise<Event<T>> {
    const events = () => [toEvent(make())];
    return this.#work(spec, () => Promise.resolve({ events: events() }), { again: events });
  }

  effect<T extends EventType>(spec: EffectSpec<T>, effect: EffectWork<T>): Promise<Event<T>> {
    const made = (signal: AbortSignal) => withinTime({ ...this.#context, ...spec, signal }, effect);
    return this.#work(spec, async (signal) => ({ events: [toEvent(await made(signal))] }));
  }

  join<T extends EventType>(
    spec: WorkSpec<T> & { readonly adopt: boolean },
    join: JoinWork<T>,
  ): Promise<Event<T>> {
    return this.#work(
      spec,
      async (signal) => {
        const { ending, after } = await this.#idle(() => join(signal));
        return { events: [toEvent(ending)], after };
      },
      { adopt: spec.adopt, parts: join },
    );
  }

  settled(key: string, request: ModelRequest): boolean {
    const { history, parent } = this.#context;
    const digest = digestOf({ request });
    const name = this.#nameOf(StepKey.parse(key), digest);
    const past = matchingBatch(history.batch(name), digest) ?? matchingBatch(parent?.batch(name), digest);
    return past !== undefined;
  }

  recorded<T extends EventType>(spec: WorkSpec<T>): Event<T> | undefined {
    const key = StepKey.parse(spec.key);
    const digest = digestOf({ input: spec.input });
    const name = this.#nameOf(key, digest);
    const batch = this.#context.history.batch(name);
    const past = verifyDigest(batch, digest, key) ?? this.#inherited(name, digest);
    return past && outcomeOf(past, spec);
  }

  awaits(request: string): Promise<Entry> {
    return quiet(this.#awaited(request));
  }

  scope({ signal, recallOnly = false }: Parameters<StepScope["scope"]>[0]): StepScope {
    const state = this.#state;
    return new Steps(this.#context, this.#claimed, {
      signal: signal ?? state.signal,
      recallOnly: recallOnly || state.recallOnly,
      frontier: [...state.frontier],
    });
  }

  catchUp(): Promise<void> {
    return this.#busy(() => this.#context.history.catchUp());
  }

  get budget(): StepScope["budget"] {
    const { ledger, models } = this.#context;
    return {
      capped: ledger.capped,
      caps: ledger.caps,
      quote: (request) => models.quote(request),
      affordable: (quotes) => ledger.affordable(quotes),
      hold: (share, quotes, optional) => ledger.hold(share, quotes, optional),
      release: (share) => ledger.release(share),
    };
  }

  sleep(ms: number, until: AbortSignal): Promise<void> {
    return this.#busy(() => this.#context.world.sleep(ms, until));
  }

  /** The origin key of a step, which does not depend on `after`. */
  #nameOf(step: StepKey, digest: Digest): string {
    return originKey(this.#context.originOf({ step, digest, after: [] }));
  }

  async #step<T extends EventType>(spec: StepSpec<T>, input: unknown, work: StepWork): Promise<Event<T>> {
    const { history, onDifference, originOf, replay, watch } = this.#context;
    const state = this.#state;
    const key = StepKey.parse(spec.key);
    const before = [...state.frontier];
    const digest = digestOf(input);
    const originAfter = (after: readonly StepKey[]) =>
      originOf({ step: key, digest, after: [...after].sort(), ...(spec.work ? { work: spec.work } : {}) }); // STEP-7
    const name = originKey(originAfter(before));
    if (!state.recallOnly) {
      if (this.#claimed.has(name)) throw new Fault("step-repeated", { key });
      this.#claimed.add(name);
    }
    watch.started();
    try {
      const batch =
        verifyDigest(history.batch(name), digest, key) ??
        (work.adopt ? await this.#adopted(name, originAfter(before)) : undefined) ??
        (await this.#made(name, originAfter, { before, spec, work }));
      verifyDigest(batch, digest, key);
      const event = outcomeOf(batch, spec);
      if (replay) refuseDifference(work.again(batch), batch, { key, onDifference });
      watch.used(name);
      await Promise.resolve(); // STEP-7: recalled or made, a step never ends before a concurrent one has started
      state.frontier = [...state.frontier.filter((earlier) => !before.includes(earlier)), key];
      return event;
    } finally {
      watch.ended();
    }
  }

  async #adopted(name: string, origin: Origin): Promise<readonly Entry[] | undefined> {
    const { parent, replay } = this.#context;
    if (!parent || replay || origin.by !== "protocol") return undefined;
    const past = matchingBatch(parent.batch(name), origin.digest);
    if (!past) return undefined;
    const after = past[0] && "after" in past[0].origin ? past[0].origin.after : origin.after;
    return this.#copy(past, { ...origin, by: "adopted", from: parent.id, after });
  }

  async #made(
    name: string,
    originAfter: (after: readonly StepKey[]) => Origin,
    { before, spec, work }: { before: readonly StepKey[]; spec: StepSpec<EventType>; work: StepWork },
  ): Promise<readonly Entry[]> {
    const { history, replay, onSeat } = this.#context;
    const state = this.#state;
    if (state.recallOnly) throw new Halt("unrecorded");
    if (onSeat) {
      if (work.seat) onSeat(name, work.seat);
      return this.#idle(async () => (await work.parts?.(state.signal), FOREVER));
    }
    if (replay) {
      await work.parts?.(state.signal);
      throw new Fault("step-unrecorded", { key: name });
    }
    const link = linkAbort(state.signal);
    const { signal } = link;
    keepStopped(this.#context, { signal, origin: originAfter(before), event: work.stopped });
    let recordedElsewhere = false;
    let recordedAs: string | undefined;
    const stopExpecting = history.expect(name, () => {
      recordedElsewhere = true;
      link.abort(new Halt("recorded"));
    });
    try {
      signal.throwIfAborted();
      const { events, after = before } = await work.produce(signal, name);
      for (const event of events) assertDeclared(event, spec);
      if (!work.parts) stopExpecting(); // finished work needs no abort
      const appended = await this.#record(events, originAfter(after), work.instead);
      if (appended.fresh) recordedAs = name;
      return appended.events;
    } catch (error) {
      const past = history.batch(name);
      if (past && recordedElsewhere) return past; // STEP-2
      link.abort(new Halt("interrupted")); // stops whatever the work left running
      throw error;
    } finally {
      stopExpecting();
      link.release();
      work.settled?.(recordedAs);
    }
  }

  async #copy(past: readonly Entry[], origin: Origin): Promise<readonly Entry[]> {
    return (await this.#record(past.map(toNewEvent), origin)).events;
  }

  async #record(
    events: readonly NewEvent[],
    origin: Origin,
    instead?: StepWork["instead"],
  ): Promise<Extract<Appended, { ok: true }>> {
    const { history, id, journal } = this.#context;
    const appended = await journal.append(id, events, origin).catch((error: unknown) => {
      if (!instead || !isRefused(error)) throw error;
      return journal.append(id, instead(error), origin);
    });
    if (!appended.ok)
      throw appended.reason === "closed" ? new Halt("closed") : new Fault("deliberation-missing", { id });
    history.add(appended.events);
    if (!appended.fresh) await history.catchUp(); // another process is ahead: its other steps can be recalled, too
    return appended;
  }

  async #seat<T extends ReplyEventType>(
    spec: CallSpec<T>,
    read: ReadReply<T>,
    person: string,
  ): Promise<Event<T>> {
    const event = openedSeat(spec.key, person, this.#context.seatTimeoutMs);
    const opened = await this.#work(seatOpening(spec), () => Promise.resolve({ events: [event] }));
    const record = async (...batch: [events: readonly NewEvent[], origin: Origin]) =>
      (await this.#record(...batch)).events;
    const work = seatWork({ ...this.#context, record }, { spec, read, opened });
    return this.#step(spec, { request: spec.request }, work);
  }

  async #call<T extends ReplyEventType>(spec: CallSpec<T>, read: ReadReply<T>): Promise<Event<T>> {
    const person = personOf(spec.request.model);
    if (person !== undefined) return this.#seat(spec, read, person);
    const { ledger, models } = this.#context;
    const { request, share = spec.key } = spec;
    const quote = ledger.capped ? models.quote(request) : NO_QUOTE;
    let answered: Call | undefined;
    let reserved: ReservedCall | undefined;
    const arrivals = arrivalsOf(spec, this.#context.world.now);
    const ended = await this.#step(
      spec,
      { request },
      {
        adopt: true,
        produce: async (signal, name) => {
          const room = await ledger.reserve(name, quote, { ...spec, share });
          reserved = room.ok ? room.call : undefined;
          signal.throwIfAborted();
          answered = room.ok
            ? await completeCall(this.#context, spec, { ...room.call, signal, arrivals })
            : overBudgetCall(request, room);
          if (!answered.ok && answered.failure.code === "cancelled") {
            signal.throwIfAborted();
            throw new Halt("interrupted"); // STEP-6
          }
          return { events: [readCall(spec, answered, read)] };
        },
        instead: (refusal) => (answered ? [failedEvent(spec, unrecordedCall(answered, refusal), read)] : []),
        again: (past) => rereadCall(spec, past, read),
        stopped: arrivals.stopped,
        settled: (recordedAs) => reserved?.settle(answered, recordedAs),
      },
    );
    const recorded = callOf(ended);
    if (recorded && ended.origin.by !== "adopted") ledger.recalled(originKey(ended.origin), recorded, quote);
    ledger.release(share);
    return ended;
  }

  #work<T extends EventType>(
    spec: WorkSpec<T>,
    produce: (signal: AbortSignal) => Promise<ProducedStep>,
    {
      again = () => undefined,
      adopt = true,
      ...rest
    }: Partial<Pick<StepWork, "adopt" | "parts">> & { again?: () => readonly NewEvent[] | undefined } = {},
  ): Promise<Event<T>> {
    return quiet(this.#step(spec, { input: spec.input }, { produce, again, adopt, ...rest }));
  }

  /** A parent's decision is valid only if the fork has repeated none of the steps that it depends on. */
  #inherited(name: string, digest: Digest): readonly Entry[] | undefined {
    const { history, parent } = this.#context;
    const past = matchingBatch(parent?.batch(name), digest);
    const origin = past?.[0]?.origin;
    const after = origin && "after" in origin ? origin.after.map(stepOrigin) : [];
    const madeAnew = (key: string) => history.batch(key)?.[0]?.origin.by === "protocol";
    return after.some((key) => !parent?.batch(key) || madeAnew(key)) ? undefined : past;
  }

  /** Counts work outside any step, so that the drive does not end as `waiting`. */
  async #busy<T>(work: () => Promise<T>): Promise<T> {
    const { watch } = this.#context;
    watch.started();
    try {
      return await work();
    } finally {
      watch.ended();
    }
  }

  /** Stops counting a step while it waits for its own nested steps. */
  async #idle<T>(work: () => Promise<T>): Promise<T> {
    const { watch } = this.#context;
    watch.ended();
    try {
      return await work();
    } finally {
      watch.started();
    }
  }

  async #awaited(request: string): Promise<Entry> {
    const { onSeat, parent, replay } = this.#context;
    const { recallOnly, signal } = this.#state;
    const name = `client/${request}`;
    const recorded = clientEntry(this.#context, request);
    if (recorded) return recorded;
    if (onSeat) return FOREVER;
    if (replay) throw new Fault("step-unrecorded", { key: name });
    const known = parent?.batch(name);
    if (known && parent)
      return firstOf(await this.#busy(() => this.#copy(known, { by: "client", request, from: parent.id })));
    if (recallOnly) throw new Halt("unrecorded");
    signal.throwIfAborted();
    return nextClientEntry(this.#context, signal, request);
  }
}
