// A place is held only while an attempt is being made, and given back before a call waits, retries or ends.
// Whatever ended the call from outside (abort, deadline, close) decides its failure, unless a whole reply had come.
// Text of an attempt goes out under that attempt's number; the reply is the text of the last attempt alone.
// CALL-4. What any attempt reported as used is added up, also when the attempt failed. Else: failed attempts are paid and in no bill.
// CALL-5. No more requests are sent than the call's own bound allows, but for those that go out again without what was refused in them,
//     and those that a server refuses while it loads its model.
//     Else: a failing provider is paid on.
// CALL-6. No request is sent again that the caller's budget does not allow, and each one whose usage is unknown is counted. Else: a retry
//     exceeds the cap.
// Waiting for a place is not the call's time, and what a call waits for it tells.
// No text comes of nothing: where a reply has text, a count of 0 tokens is one that is not known.

import { mayBeCharged } from "../kernel/model.ts";
import type { Call, CallNews, CallOptions, CallUsage, Failure, ModelRequest } from "../kernel/model.ts";
import type { Attempt, Transport, Usage } from "../kernel/transport.ts";
import type { Clock, Watch } from "./clock.ts";
import type { Limiter, RateKey, Slot } from "./limiter.ts";
import { type Price, type Unpriced, createSpending, quoteRequest, type Spending } from "./prices.ts";
import { MAX_NAMED_WAIT_MS, waitBefore, type Backoff } from "./retry.ts";

/** Where a call goes and what is known about it. */
export type Route = {
  readonly transport: Transport;
  readonly key: RateKey;
  readonly family: string | null;
  readonly price: Price | Unpriced | null;
  /** When it answered last, of a model that a server at home loads when it is asked for; absent for others. */
  readonly loaded?: { atMs: number } | undefined;
};

/** A model at home that has said nothing for so long is probably being loaded, if it has not answered lately. */
const LOADING_AFTER_MS = 3_000;
/** How long Ollama and LM Studio keep a model, or longer (Ollama FAQ, "keep_alive"). */
const KEPT_MS = 5 * 60_000;

export type RetryPolicy = Backoff & { readonly attempts: number };

export type CallServices = {
  readonly clock: Clock;
  readonly random: () => number;
  readonly limiter: Limiter;
  readonly persistence: RetryPolicy;
};

export type RoutedCall = Pick<CallOptions, "attempts" | "beforeRetry" | "contextTokens"> & {
  readonly request: ModelRequest;
  /** The reply's limit in tokens. */
  readonly limit: number;
  /** The longest reply of the model; undefined where it is not known. */
  readonly most: number | undefined;
  readonly route: Route;
  readonly watch: Watch;
};

function formatSeconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 100) / 10)} s`;
}

function wordWait(ms: number): string {
  return ms < MAX_NAMED_WAIT_MS ? formatSeconds(ms) : "for a day or longer";
}

type AnsweredAttempt = Extract<Attempt, { ok: true }>;

/** True of a reply whose limit was reached before a word of it came. */
const isLost = ({ text, toolCalls, finish }: AnsweredAttempt): boolean =>
  finish === "length" && toolCalls.length === 0 && text.trim() === "";

function lostWords({ thinking, usage: { tokens } }: AnsweredAttempt, limit: number): string {
  const isThought = thinking !== undefined || (tokens.reasoning ?? 0) > 0;
  const count = (tokens.reasoning ?? tokens.out ?? limit).toLocaleString("en-US");
  return isThought ? `it thought for ${count} tokens and wrote nothing` : `${count} tokens came and no word`;
}

const thoughtOf = ({ thinking }: AnsweredAttempt) => (thinking ? { thinking } : {});

/** What counts against the tokens of a minute; undefined where nobody knows. */
function tokensTaken(attempted: Attempt): number | undefined {
  const { in: tokensIn, out } = attempted.usage.tokens;
  if (tokensIn !== null && out !== null) return tokensIn + out;
  return attempted.ok || (attempted.charged ?? mayBeCharged(attempted.failure)) ? undefined : 0;
}

/** The usage of a request that brought text. */
const believable = ({ tokens, ...usage }: Usage): Usage => ({
  ...usage,
  tokens: { ...tokens, in: tokens.in === 0 ? null : tokens.in, out: tokens.out === 0 ? null : tokens.out },
});

/**
 * Sends one request until it is answered, may not be sent again, or is stopped. A class, because as many are at work as
 * calls are under way: closures over the same would take 2 KB each.
 */
export class Caller {
  readonly #calling: RoutedCall;
  readonly #onDelta: CallOptions["onDelta"];
  readonly #onNews: CallOptions["onNews"];
  readonly #around: CallServices;
  readonly #startedMs: number;
  readonly #spending: Spending;
  #attempts = 0;
  #tries = 0;
  /** Requests that may have been charged for and did not say their usage. */
  #unreported = 0;
  #firstSentMs: number | null = null;
  #lastByteMs = 0;
  #queuedMs = 0;
  /** What it waited for before its first request, too. */
  #heldMs = 0;
  #isWaiting = false;
  #last: Failure | null = null;
  /** What the last attempt was asked without. */
  #without: readonly string[] = [];
  /** Characters of the attempt's text so far. */
  #offset = 0;
  /** Whether anything has come of the attempt, text or thinking. */
  #isHeard = false;
  #limit: number;

  constructor(
    calling: RoutedCall,
    { onDelta, onNews }: Pick<CallOptions, "onDelta" | "onNews">,
    around: CallServices,
  ) {
    this.#calling = calling;
    this.#limit = calling.limit;
    this.#onDelta = onDelta;
    this.#onNews = onNews;
    this.#around = around;
    this.#startedMs = around.clock.now();
    this.#spending = createSpending(calling.route.price);
  }

  async run(): Promise<Call> {
    const { watch } = this.#calling;
    for (;;) {
      const slot = await this.#queue();
      if (slot === null) return this.#stopped("while waiting for a free place");
      const outcome = {
        ...{ ok: false, crowded: false, pauseMs: null as number | null },
        tokens: undefined as number | undefined,
      };
      let attempted: Attempt;
      let next: number | Failure | null = null;
      try {
        if (watch.stopped() !== null) return this.#stopped("before it was sent");
        attempted = await this.#send();
        outcome.ok = attempted.ok;
        outcome.tokens = tokensTaken(attempted);
        if (!attempted.ok && watch.stopped() === null) {
          next = this.#plan(attempted);
          outcome.crowded = attempted.crowded;
          outcome.pauseMs = typeof next === "number" ? attempted.waitMs : null;
        }
      } finally {
        slot.release(outcome);
      }
      if (attempted.ok && isLost(attempted)) {
        const message = lostWords(attempted, this.#limit);
        const failure = { code: "unreadable", message, lost: true } as const;
        const refused = await this.#makeRoom(failure);
        if (refused) return { ...this.#failed(refused), ...thoughtOf(attempted) };
        continue;
      }
      if (attempted.ok) {
        const { text, toolCalls, finish } = attempted;
        return {
          ok: true,
          reply: text,
          ...thoughtOf(attempted),
          ...(toolCalls.length > 0 ? { toolCalls: [...toolCalls] } : {}),
          ...(attempted.sources?.length ? { sources: [...attempted.sources] } : {}),
          finish,
          ...this.#spent(),
        };
      }
      if (watch.stopped() !== null) {
        const heard = this.#offset;
        return this.#stopped(heard === 0 ? "before the first text came" : `after ${heard} characters`);
      }
      this.#last = attempted.failure;
      if (typeof next !== "number") return this.#failed(next ?? attempted.failure);
      const refused = await this.#calling.beforeRetry?.(this.#usage()); // CALL-6
      if (refused) {
        const { cap, why } = refused;
        const message = `${attempted.failure.message}; not sent again: ${why}`;
        return this.#failed({ ...attempted.failure, message, cap });
      }
      if (next > 0) {
        const { code } = attempted.failure;
        const of = Math.min(this.#calling.attempts ?? Infinity, this.#around.persistence.attempts);
        this.#wait({ kind: "waiting", for: "again", code, ms: next, attempt: this.#attempts + 1, of });
        await watch.sleep(next);
      }
      if (watch.stopped() !== null) return this.#stopped("while waiting to send it again");
    }
  }

  /** Doubles the room for a reply that was lost to its limit, once and as far as the model and the caps go; else says why it failed. */
  async #makeRoom(failure: Failure): Promise<Failure | undefined> {
    const { most = Infinity, attempts = Infinity, limit } = this.#calling;
    const doubled = Math.min(2 * limit, most);
    this.#tries += 1;
    if (this.#limit >= doubled || this.#tries >= attempts) return failure; // CALL-5
    const refused = await this.#calling.beforeRetry?.(this.#usage(), doubled); // CALL-6
    if (refused) {
      const { cap, why } = refused;
      return { ...failure, message: `${failure.message}; not asked again with more: ${why}`, cap };
    }
    this.#limit = doubled;
    this.#last = failure;
    return undefined;
  }

  #usage(): CallUsage {
    const [tokens, cost] = [this.#spending.tokens(), this.#spending.cost()];
    return { tokens, cost, attempts: this.#attempts, unreported: this.#unreported };
  }

  #spent() {
    const { request, route } = this.#calling;
    const firstSentMs = this.#firstSentMs;
    const { unreported, ...usage } = this.#usage();
    const searches = this.#spending.searches();
    return {
      model: request.model,
      family: route.family,
      ...usage,
      latencyMs: firstSentMs === null ? 0 : Math.max(0, this.#lastByteMs - firstSentMs - this.#queuedMs),
      ...(unreported > 0 ? { unreported } : {}),
      ...(this.#attempts > 0 ? { limit: this.#limit } : {}),
      ...(this.#without.length > 0 ? { without: [...this.#without] } : {}),
      ...(searches > 0 ? { searches } : {}),
    };
  }

  #failed(failure: Failure): Call {
    // 0 is said as well: without the number, a failure that may have been charged counts in full.
    return { ok: false, failure, ...this.#spent(), unreported: this.#unreported };
  }

  #stopped(where: string): Call {
    const after = this.#last === null ? "" : `; the last attempt failed: ${this.#last.message}`;
    if (this.#calling.watch.stopped() === "cancelled")
      return this.#failed({ code: "cancelled", message: `cancelled ${where}${after}` });
    const isOverall = this.#calling.watch.stopped() === "out-of-time";
    const tookMs = this.#around.clock.now() - this.#startedMs - (isOverall ? 0 : this.#heldMs);
    const message = `no reply within ${formatSeconds(tookMs)}, ${where}${after}`;
    return this.#failed({ code: "timed-out", message, ...(isOverall ? { cap: "time" } : {}) });
  }

  #wait(news: CallNews): void {
    this.#isWaiting = true;
    this.#onNews?.(news);
  }

  async #queue(): Promise<Slot | null> {
    const { clock, limiter } = this.#around;
    const { request, route, watch } = this.#calling;
    const from = clock.now();
    const isCounted = route.key.rates?.tokens !== undefined;
    watch.hold();
    const slot = await limiter.acquire(route.key, watch.signal, {
      tokens: isCounted ? quoteRequest(request, null).tokensIn + this.#limit : 0,
      onWait: () => this.#wait({ kind: "waiting", for: "place" }),
    });
    watch.goOn();
    this.#heldMs += clock.now() - from;
    if (this.#firstSentMs !== null) this.#queuedMs += clock.now() - from;
    return slot;
  }

  async #send(): Promise<Attempt> {
    const { clock } = this.#around;
    const { request, route, watch } = this.#calling;
    this.#attempts += 1;
    this.#firstSentMs ??= clock.now();
    const attempt = this.#attempts;
    this.#offset = 0;
    this.#isHeard = false;
    const onText = (text: string): void => {
      const delta = { attempt, offset: this.#offset, text };
      this.#isHeard = true;
      this.#offset += text.length;
      this.#onDelta?.(delta);
    };
    const context = Math.max(request.contextTokens ?? 0, this.#calling.contextTokens ?? 0);
    const asked =
      this.#limit === request.maxOutputTokens && context === (request.contextTokens ?? 0)
        ? request
        : { ...request, maxOutputTokens: this.#limit, ...(context > 0 ? { contextTokens: context } : {}) };
    if (this.#isWaiting) this.#onNews?.({ kind: "sent", attempt });
    this.#isWaiting = false;
    const cancelLoading = this.#noteLoading();
    const attempted = await route.transport.send(asked, {
      ...{ attempt, signal: watch.signal, onText },
      onThinking: (text) => {
        this.#isHeard = true;
        this.#onNews?.({ kind: "thinking", attempt, text });
      },
      onRetract: () => {
        this.#offset = 0;
        onText("");
      },
    });
    cancelLoading();
    this.#lastByteMs = clock.now();
    if (attempted.ok && route.loaded) route.loaded.atMs = this.#lastByteMs;
    this.#without = attempted.without ?? [];
    const usage = this.#isHeard ? believable(attempted.usage) : attempted.usage;
    this.#spending.add(usage);
    const { in: tokensIn, out: tokensOut } = usage.tokens;
    const isCharged =
      attempted.ok || (attempted.charged ?? (this.#isHeard || mayBeCharged(attempted.failure)));
    if (isCharged && (tokensIn === null || tokensOut === null)) this.#unreported += 1;
    return attempted;
  }

  /** Tells that a model is being loaded, where that is likely and it goes on; returns what takes that back. */
  #noteLoading(): () => void {
    const { clock } = this.#around;
    const { loaded } = this.#calling.route;
    if (!loaded || !this.#onNews || clock.now() - loaded.atMs < KEPT_MS) return () => undefined;
    return clock.after(LOADING_AFTER_MS, () => {
      if (!this.#isHeard) this.#wait({ kind: "waiting", for: "loading" });
    });
  }

  /** How long to wait before the next attempt, or why there is none. */
  #plan(attempted: Extract<Attempt, { ok: false }>): number | Failure {
    const { persistence, random } = this.#around;
    const { watch, attempts: most = Number.POSITIVE_INFINITY } = this.#calling;
    const { failure, retry, waitMs: namedMs } = attempted;
    if (retry === "now") return 0;
    this.#tries += 1;
    // CALL-5
    if (retry === "never" || this.#tries >= Math.min(most, persistence.attempts)) return failure;
    const waitMs = waitBefore(this.#tries, namedMs, { ...persistence, random });
    if (waitMs < watch.leftMs()) return waitMs;
    if (namedMs === null) return failure;
    const left = formatSeconds(watch.leftMs());
    return {
      ...failure,
      message: `${failure.message}; it asks to wait ${wordWait(namedMs)}, and ${left} are left`,
    };
  }
}
