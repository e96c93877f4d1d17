// C1. A place is held only while an attempt is being made, and given back before a call waits, retries or ends.
// C2. Whatever ended the call from outside (abort, deadline, close) decides its failure, unless a whole reply had come.
// C3. Text of an attempt goes out under that attempt's number; the reply is the text of the last attempt alone.
// C4. What any attempt reported as used is added up, also when the attempt failed.

import type { Call, CallOptions, Failure, ModelRequest } from "../kernel/model.ts";
import type { Attempted, Transport } from "../kernel/transport.ts";
import type { Clock } from "./clock.ts";
import type { Limiter, Place, Slot } from "./limiter.ts";
import type { Price } from "./prices.ts";
import { waitBefore, type Backoff } from "./retry.ts";
import { createSpending } from "./spending.ts";
import type { Watch } from "./watch.ts";

/** Where a call goes and what is known about it. */
export type Route = {
  readonly transport: Transport;
  readonly place: Place;
  readonly family: string | null;
  readonly price: Price | "free" | null;
};

export type Persistence = Backoff & { readonly attempts: number };

export type Around = {
  readonly clock: Clock;
  readonly random: () => number;
  readonly limiter: Limiter;
  readonly persistence: Persistence;
};

export type Calling = { readonly request: ModelRequest; readonly route: Route; readonly watch: Watch };

const seconds = (ms: number): string => `${Math.max(0, Math.round(ms / 100) / 10)} s`;

/** Sends one request until it is answered, may not be sent again, or is stopped. */
export const call = async (
  { request, route, watch }: Calling,
  onDelta: CallOptions["onDelta"],
  { clock, random, limiter, persistence }: Around,
): Promise<Call> => {
  const startedMs = clock.now();
  const spending = createSpending(route.price);
  let attempts = 0;
  let tries = 0;
  let firstSentMs: number | null = null;
  let lastByteMs = 0;
  let queuedMs = 0;
  let last: Failure | null = null;

  const spent = () => ({
    model: request.model,
    family: route.family,
    tokens: spending.tokens(),
    cost: spending.cost(),
    latencyMs: firstSentMs === null ? 0 : Math.max(0, lastByteMs - firstSentMs - queuedMs),
    attempts,
  });
  const failed = (failure: Failure): Call => ({ ok: false, failure, ...spent() });

  const stopped = (where: string): Call => {
    const after = last === null ? "" : `; the last attempt failed: ${last.message}`;
    if (watch.stopped() === "cancelled")
      return failed({ code: "cancelled", message: `cancelled ${where}${after}` });
    return failed({
      code: "timed-out",
      message: `no reply within ${seconds(clock.now() - startedMs)}, ${where}${after}`,
    });
  };

  const queue = async (): Promise<Slot | null> => {
    const from = clock.now();
    const slot = await limiter.acquire(route.place, watch.signal);
    if (firstSentMs !== null) queuedMs += clock.now() - from;
    return slot;
  };

  const send = async (): Promise<{ attempted: Attempted; length: number }> => {
    attempts += 1;
    firstSentMs ??= clock.now();
    const attempt = attempts;
    let offset = 0;
    const onText = (text: string): void => {
      const delta = { attempt, offset, text };
      offset += text.length;
      onDelta?.(delta);
    };
    const attempted = await route.transport.send(request, { attempt, signal: watch.signal, onText });
    lastByteMs = clock.now();
    spending.add(attempted.usage);
    return { attempted, length: offset };
  };

  /** How long to wait before the next attempt, or why there is none. */
  const plan = (attempted: Extract<Attempted, { ok: false }>): number | Failure => {
    const { failure, retry, waitMs: namedMs } = attempted;
    if (retry === "now") return 0;
    tries += 1;
    if (retry === "never" || tries >= persistence.attempts) return failure;
    const waitMs = waitBefore(tries, namedMs, { ...persistence, random });
    if (waitMs < watch.leftMs()) return waitMs;
    if (namedMs === null) return failure;
    const left = seconds(watch.leftMs());
    return {
      ...failure,
      message: `${failure.message}; it asks to wait ${seconds(namedMs)}, and ${left} are left`,
    };
  };

  for (;;) {
    const slot = await queue();
    if (slot === null) return stopped("while waiting for a free place");
    const outcome = { ok: false, crowded: false, pauseMs: null as number | null };
    let attempted: Attempted;
    let next: number | Failure | null = null;
    let length = 0;
    try {
      if (watch.stopped() !== null) return stopped("before it was sent");
      ({ attempted, length } = await send());
      outcome.ok = attempted.ok;
      if (!attempted.ok && watch.stopped() === null) {
        next = plan(attempted);
        outcome.crowded = attempted.crowded;
        outcome.pauseMs = typeof next === "number" ? attempted.waitMs : null;
      }
    } finally {
      slot.release(outcome);
    }
    if (attempted.ok) {
      const { text, toolCalls, finish } = attempted;
      return {
        ok: true,
        reply: text,
        ...(toolCalls.length > 0 ? { toolCalls: [...toolCalls] } : {}),
        finish,
        ...spent(),
      };
    }
    if (watch.stopped() !== null) {
      return stopped(length === 0 ? "before the first text came" : `after ${length} characters`);
    }
    last = attempted.failure;
    if (typeof next !== "number") return failed(next ?? last);
    if (next > 0) await watch.sleep(next);
    if (watch.stopped() !== null) return stopped("while waiting to send it again");
  }
};
