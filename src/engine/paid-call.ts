import {
  bareReference,
  type Call,
  callOf,
  type CallOptions,
  type Delta,
  type Entry,
  Fault,
  fitText,
  isFault,
  MAX_EVENT_BYTES,
  StepKey,
  type Cost,
  type ModelRequest,
  type NewEvent,
  type Origin,
  type Tokens,
} from "../kernel/index.ts";
import { UNREPORTED, type ReservedCall } from "./budget.ts";
import { isHalt } from "./halt.ts";
import type { StepsContext } from "./steps-context.ts";
import { toEvent, type CallSpec, type ReadReply, type ReplyEventType } from "./run.ts";

// PAID-1. A call that was made is recorded: a reply that cannot be read or recorded is recorded as a failed call, with its usage and with
//     the reply as far as an event holds it. It fails its step, and not the drive. Else: a paid reply and its cost are lost.

// STOP-1. What has come of the replies under way when a run is closed by somebody else is recorded once, each under its step, and is no
//     result: no fork adopts it, no reader reads it, and no participant is shown it. Else: money spent at a stop is in no bill.

type FailedCall = Extract<Call, { ok: false }>;

/** What a failed call's event holds besides the beginning of the reply. */
const RESERVED_BYTES = 64 * 1024;
const MAX_MESSAGE_LENGTH = 1_000;
/** Of what was thought an event holds its beginning. */
const MAX_THINKING_BYTES = MAX_EVENT_BYTES / 4;

/** Keeps what comes of a call's reply. `stopped` gives the event of it, if anything has come. (STOP-1) */
export function arrivalsOf({ request, key, work }: CallSpec<ReplyEventType>, now: () => number) {
  const startedAt = now();
  let text = "";
  let attempts = 1;
  return {
    take(delta: Delta): void {
      text = delta.attempt === attempts ? text.slice(0, delta.offset) + delta.text : delta.text;
      attempts = delta.attempt;
    },
    stopped(): NewEvent | undefined {
      if (text === "") return undefined;
      const reply = fitText(text, MAX_EVENT_BYTES - RESERVED_BYTES);
      const spent = { attempts, unreported: attempts, latencyMs: Math.max(0, now() - startedAt) };
      const call = {
        ok: true,
        reply,
        finish: "stopped",
        model: request.model,
        ...UNREPORTED,
        ...spent,
      } as const;
      return { type: "reply-stopped", data: { by: work?.by ?? key, call } };
    },
  };
}

type Arrivals = ReturnType<typeof arrivalsOf>;

/** Records what has come of a step when the run is closed by somebody else. (STOP-1) */
export function keepStopped(
  { history, id, journal, onStopped }: StepsContext,
  {
    signal,
    origin,
    event,
  }: {
    readonly signal: AbortSignal;
    readonly origin: Origin;
    readonly event: (() => NewEvent | undefined) | undefined;
  },
): void {
  if (!event || !onStopped) return;
  signal.addEventListener("abort", () => {
    const stopped = isHalt(signal.reason, "closed") ? event() : undefined;
    if (!stopped) return;
    const recorded = journal.append(id, [stopped], origin);
    onStopped(recorded.then((appended) => appended.ok && history.add(appended.events)));
  });
}

/** The size that all calls of the run to this model have. */
function contextFor(
  { model }: ModelRequest,
  contexts: StepsContext["contexts"] = {},
): Pick<CallOptions, "contextTokens"> {
  const bare = bareReference(model);
  return Object.hasOwn(contexts, bare) ? { contextTokens: contexts[bare] } : {};
}

/** Makes the call, within the time that the caps leave. */
export async function completeCall(
  { background, bytesOf, contexts, frames, id, ledger, models }: StepsContext,
  { request, key, limitedBy, work, timeoutMs = Infinity, attempts }: CallSpec<ReplyEventType>,
  {
    again,
    limit,
    signal,
    arrivals,
  }: Pick<ReservedCall, "again" | "limit"> & { readonly signal: AbortSignal; readonly arrivals: Arrivals },
): Promise<Call> {
  const frame = { deliberation: id, step: StepKey.parse(key), ...(work ? { work } : {}) };
  frames.emit({ ...frame, kind: "started" });
  const leftMs = ledger.timeLeftMs();
  const limitMs = Math.min(timeoutMs, leftMs);
  const call = await models.complete(request, {
    signal,
    ...(Number.isFinite(limitMs) ? { timeoutMs: Math.max(1, limitMs) } : {}),
    ...(Number.isFinite(leftMs) ? { withinMs: Math.max(1, leftMs) } : {}),
    ...(attempts === undefined ? {} : { attempts }),
    ...contextFor(request, contexts),
    ...(background === true ? { background } : {}),
    ...(limit === undefined ? {} : { limit }),
    beforeRetry: (soFar, more) =>
      again(soFar, more === undefined ? undefined : models.quote({ ...request, maxOutputTokens: more })),
    ...(bytesOf ? { bytesOf } : {}),
    onDelta: (delta) => {
      arrivals.take(delta);
      frames.emit({ ...frame, kind: "text", delta, ...(request.reply && { isObject: true }) });
    },
    onNews: (news) => frames.emit({ ...frame, ...news }),
  });
  // The time cap of the deliberation ended the call, not the call's own limit.
  const outOfTime =
    !call.ok && call.failure.code === "timed-out" && (leftMs <= timeoutMs || call.failure.cap === "time");
  const failure = { code: "over-budget", message: "the time limit has passed", cap: "time" } as const;
  return recordable(outOfTime ? { ...call, failure } : withSetting(call, limitedBy));
}

/** A reply that was lost to its limit says which setting that is. */
const withSetting = (call: Call, setting: string | undefined): Call =>
  setting !== undefined && !call.ok && call.failure.lost
    ? { ...call, failure: { ...call.failure, message: `${call.failure.message}; the limit is ${setting}` } }
    : call;

/** The call with null for every figure that cannot be recorded, because a provider may report any number, and no longer thinking than an event holds. */
function recordable(call: Call): Call {
  const [tokens, cost] = [knownTokens(call.tokens), knownCost(call.cost)];
  const isKnown = tokens.in === call.tokens.in && tokens.out === call.tokens.out;
  const { thinking } = call;
  return {
    ...call,
    ...(thinking && { thinking: { ...thinking, text: fitText(thinking.text, MAX_THINKING_BYTES) } }),
    ...{ tokens, cost, ...(isKnown ? {} : { unreported: call.attempts }) },
  };
}

const knownTokens = ({ in: tokensIn, out, cached, reasoning }: Tokens): Tokens => ({
  in: knownCount(tokensIn),
  out: knownCount(out),
  cached: knownCount(cached),
  reasoning: knownCount(reasoning),
});

const knownCount = (count: number | null): number | null =>
  Number.isSafeInteger(count) && count !== null && count >= 0 ? count : null;

const knownCost = (cost: Cost): Cost =>
  cost.usd !== null && !(Number.isFinite(cost.usd) && cost.usd >= 0)
    ? { source: "unknown", usd: null }
    : cost;

/** The event of a call; of the failed call where its reader refuses the reply. */
export function readCall<T extends ReplyEventType>(
  spec: CallSpec<T>,
  call: Call,
  read: ReadReply<T>,
): NewEvent {
  try {
    return toEvent(read(call), call);
  } catch (error) {
    return failedEvent(spec, unrecordedCall(call, error), read);
  }
}

/** The events of a recorded call, read again. @throws Fault `replay-differs` where none is recorded */
export function rereadCall<T extends ReplyEventType>(
  spec: CallSpec<T>,
  past: readonly Entry[],
  read: ReadReply<T>,
): readonly NewEvent[] {
  const recorded = past[0] && callOf(past[0]);
  if (!recorded) throw new Fault("replay-differs", { key: spec.key, what: "no model call is recorded" });
  return [readCall(spec, recorded, read)];
}

/** The event of a failed call. A reader that throws for it, too, gets an event of a type that says why, if the step has one. */
export function failedEvent<T extends ReplyEventType>(
  spec: CallSpec<T>,
  call: FailedCall,
  read: ReadReply<T>,
): NewEvent {
  try {
    return toEvent(read(call), call);
  } catch (error) {
    const why = call.failure.message;
    // `includes` accepts only the array's own element type.
    const outcomes: readonly string[] = spec.outcomes;
    if (outcomes.includes("degradation-noted")) {
      const data = { what: `the reply of "${spec.key}"`, why, weakens: "the answer does without it", call };
      return { type: "degradation-noted", data };
    }
    if (outcomes.includes("reaction-failed"))
      return { type: "reaction-failed", data: { code: "reply-unreadable", why, detail: null, call } };
    throw error;
  }
}

/** The failed call that stands for one whose event could not be made or recorded, and why. */
export function unrecordedCall(call: Call, error: unknown): FailedCall {
  const { model, family, tokens, cost, latencyMs, attempts, unreported } = call;
  const known = unreported === undefined ? {} : { unreported };
  const spent = { model, family, tokens, cost, latencyMs, attempts, ...known };
  if (!call.ok) {
    const message = call.failure.message.slice(0, MAX_MESSAGE_LENGTH);
    return { ok: false, failure: { ...call.failure, message }, ...spent };
  }
  const reply = fitText(call.reply, MAX_EVENT_BYTES - RESERVED_BYTES);
  const cut =
    reply.length < call.reply.length
      ? `; the first ${reply.length} of its ${call.reply.length} characters are recorded`
      : "";
  const message = `the reply could not be used: ${describe(error)}${cut}`;
  return { ok: false, failure: { code: "unreadable", message }, reply, ...spent };
}

const describe = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE_LENGTH);

/** True if a store refused an event for what it holds, so that it will never be recorded. */
export const isRefused = (error: unknown): boolean =>
  isFault(error, "event-too-large") || isFault(error, "event-invalid");
