import {
  callOf,
  type Budget,
  type Call,
  type Cap,
  type DeliberationId,
  type Entry,
  type EventId,
  type FailureCode,
  type Quote,
  type Reservation,
  type Reservations,
} from "../kernel/index.ts";
import type { Affordable } from "./run.ts";

// BUDGET-1. A call's worst case is reserved before the call is sent: in memory at once, and durably.
// BUDGET-2. At every reservation and for every cap: spent + reserved + held back <= cap. Only its owner can use a share held back.
// BUDGET-3. The reservations of a process that died count as spent, because the provider may have charged for them.
// BUDGET-4. A recorded call of any process counts as soon as this driver reads it; a call that a fork adopted does not count.
// BUDGET-5. Once a step has recorded, nothing is held back for it any more. The same applies on a resume.

type Amount = Reservation;
const NOTHING: Amount = { calls: 0, tokens: 0, usd: 0 };
const plus = (a: Amount, b: Amount): Amount => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  usd: a.usd + b.usd,
});

/** A worst case as an amount. An unknown price is infinite, so that it exceeds every cost limit. */
const worst = (quote: Quote): Amount => ({
  calls: 1,
  tokens: quote.tokensIn + quote.tokensOut,
  usd: quote.usd ?? Infinity,
});

/** Failures after which a provider may still have charged for the call. */
const MAYBE_CHARGED: ReadonlySet<FailureCode> = new Set(["cancelled", "timed-out", "network", "unreadable"]);

/** A call's usage. If the provider reported none but may have charged, the reserved amount counts. */
function amountOf(call: Call, quote: Quote): Amount {
  if (call.attempts === 0) return NOTHING;
  const { in: tokensIn, out: tokensOut } = call.tokens;
  const charged = call.ok || MAYBE_CHARGED.has(call.failure.code);
  return {
    calls: 1,
    tokens: (tokensIn ?? (charged ? quote.tokensIn : 0)) + (tokensOut ?? (charged ? quote.tokensOut : 0)),
    usd: call.cost.usd ?? (charged ? (quote.usd ?? 0) : 0),
  };
}

/** The quote of a call without a budget. */
export const NO_QUOTE: Quote = { tokensIn: 0, tokensOut: 0, usd: null };

/** The cap that a call would exceed, and the message. */
type Passed = { readonly cap: Cap; readonly why: string };

/** The record of a call that was not made. */
export const overBudgetCall = (request: { readonly model: Call["model"] }, { why, cap }: Passed): Call => ({
  ok: false,
  failure: { code: "over-budget", message: why, cap },
  model: request.model,
  family: null,
  tokens: { in: null, out: null, cached: null, reasoning: null },
  cost: { source: "unknown", usd: null },
  latencyMs: 0,
  attempts: 0,
});

/** One driver's budget account. Caps hold per driver: the calls in flight of other drivers count only when they are recorded. */
export interface Ledger {
  readonly capped: boolean;
  readonly caps: Budget;
  /** Reserves `quote` durably, or returns the cap that it would exceed. */
  reserve(origin: string, quote: Quote, share?: string): Promise<{ ok: true } | ({ ok: false } & Passed)>;
  /** Ends a reservation. Without a call, nothing was sent. */
  settle(origin: string, call: Call | undefined, quote: Quote): void;
  /** Counts a call that another driver recorded. */
  recalled(event: EventId, call: Call, quote: Quote): void;
  /** Holds `quote` back for the call that names this share. */
  hold(share: string, quote: Quote): void;
  /** Ends a share after its call has recorded. */
  release(share: string): void;
  /** Returns how many of `quotes`, from the first, fit together now. An undefined quote costs nothing. */
  affordable(quotes: readonly (Quote | undefined)[]): Affordable;
  /** Returns the time until the time cap, Infinity without one. */
  timeLeftMs(): number;
}

export type LedgerOptions = {
  readonly id: DeliberationId;
  readonly budget: Budget;
  readonly reservations: Reservations;
  readonly now: () => number;
};

export async function openLedger(
  { id, budget, reservations, now }: LedgerOptions,
  past: readonly Entry[],
): Promise<Ledger> {
  const { usd, tokens, calls, timeMs } = budget;
  const capped = usd !== undefined || tokens !== undefined || calls !== undefined;
  const deadline = timeMs === undefined ? Infinity : now() + timeMs;
  let spent = capped ? await reservations.outstanding(id) : NOTHING;
  const recorded = capped ? recordedAmounts(past) : new Map<EventId, Amount>();
  const reserved = new Map<string, Amount>();
  const held = new Map<string, Amount>();

  const over = (extra: Amount, share?: string): Passed | undefined => {
    let sum = plus(spent, extra);
    for (const amount of recorded.values()) sum = plus(sum, amount);
    for (const amount of reserved.values()) sum = plus(sum, amount);
    for (const [name, amount] of held) if (name !== share) sum = plus(sum, amount);
    if (usd !== undefined && sum.usd > usd) {
      const why =
        extra.usd === Infinity
          ? "its price is unknown and the cost is limited"
          : `could exceed the limit of $${usd}`;
      return { cap: "usd", why };
    }
    if (tokens !== undefined && sum.tokens > tokens)
      return { cap: "tokens", why: `could exceed the limit of ${plural(tokens, "token")}` };
    if (calls !== undefined && sum.calls > calls)
      return { cap: "calls", why: `would exceed the limit of ${plural(calls, "call")}` };
    return undefined;
  };

  return {
    capped,
    caps: budget,
    async reserve(origin, quote, share) {
      if (now() >= deadline)
        return { ok: false, cap: "time", why: `the time limit of ${timeMs} ms has passed` };
      if (!capped) return { ok: true };
      const amount = worst(quote);
      const passed = over(amount, share);
      if (passed) return { ok: false, ...passed };
      reserved.set(origin, amount);
      if (share !== undefined) held.delete(share);
      await reservations.reserve(id, origin, {
        ...amount,
        usd: Number.isFinite(amount.usd) ? amount.usd : 0,
      });
      return { ok: true };
    },
    settle(origin, call, quote) {
      if (reserved.delete(origin) && call) spent = plus(spent, amountOf(call, quote));
    },
    recalled(event, call, quote) {
      if (capped) recorded.set(event, amountOf(call, quote));
    },
    release: (share) => void held.delete(share),
    hold(share, quote) {
      if (capped) held.set(share, worst(quote));
    },
    affordable(quotes) {
      let sum = NOTHING;
      for (const [index, quote] of quotes.entries()) {
        if (!quote) continue;
        sum = plus(sum, worst(quote));
        const passed = capped ? over(sum) : undefined;
        if (passed) return { fits: index, cap: passed.cap };
      }
      return { fits: quotes.length };
    },
    timeLeftMs: () => deadline - now(),
  };
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The recorded spending by event, including reactions. Adopted calls are left out: the fork's parent paid for them. */
function recordedAmounts(past: readonly Entry[]): Map<EventId, Amount> {
  return new Map(
    past.flatMap((entry) => {
      const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
      return call ? [[entry.id, amountOf(call, NO_QUOTE)] as const] : [];
    }),
  );
}
