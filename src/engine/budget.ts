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

// BUDGET-1. Nothing is sent before its worst case is reserved, in memory at once and durably before the call.
// BUDGET-2. Spent + reserved + held back <= cap, for every cap, at every reservation. A share held back is free to its owner alone.
// BUDGET-3. What a process that died had reserved counts as spent: the provider may have charged for it.
// BUDGET-4. A recorded call counts, whoever made it, from the moment that this driver meets it; one that a fork adopted does not.
// BUDGET-5. Once a step has recorded, nothing is held back for it any more, on a resume as well.

type Amount = Reservation;
const NOTHING: Amount = { calls: 0, tokens: 0, usd: 0 };
const plus = (a: Amount, b: Amount): Amount => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  usd: a.usd + b.usd,
});

/** A worst case as an amount; an unknown price under a money cap is more than any cap. */
const worst = (quote: Quote): Amount => ({
  calls: 1,
  tokens: quote.tokensIn + quote.tokensOut,
  usd: quote.usd ?? Infinity,
});

/** Failures after which a provider may have charged for all that was asked of it. */
const MAYBE_CHARGED: ReadonlySet<FailureCode> = new Set(["cancelled", "timed-out", "network", "unreadable"]);

/** What a call took; where the provider did not say and may have charged, what was reserved for it. */
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

/** Of a call whose worst case nobody asks for. */
export const NO_QUOTE: Quote = { tokensIn: 0, tokensOut: 0, usd: null };

/** Which cap a call would pass, and how that is said. */
type Passed = { readonly cap: Cap; readonly why: string };

/** A call that was not made: nothing was sent, and nothing spent. */
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

/** One driver's account of one deliberation. The cap holds per driver: a rival's calls in flight are not seen until they record. */
export interface Ledger {
  readonly capped: boolean;
  readonly caps: Budget;
  /** Takes `quote` out of what is left, durably; or says which cap would be passed. */
  reserve(origin: string, quote: Quote, share?: string): Promise<{ ok: true } | ({ ok: false } & Passed)>;
  /** Ends a reservation; without a call nothing was sent. */
  settle(origin: string, call: Call | undefined, quote: Quote): void;
  /** Counts a call that an earlier driver or a rival recorded. */
  recalled(event: EventId, call: Call, quote: Quote): void;
  /** Keeps a part back for the call that will name this share. */
  hold(share: string, quote: Quote): void;
  /** The call that named this share has recorded. */
  release(share: string): void;
  /** How many of `quotes`, from the first, fit together now; an undefined one costs nothing. */
  affordable(quotes: readonly (Quote | undefined)[]): Affordable;
  /** Milliseconds until the time cap, Infinity without one. */
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

/** What the journal says was spent here, by event, reactions included; what a fork adopted was paid for by its parent. */
function recordedAmounts(past: readonly Entry[]): Map<EventId, Amount> {
  return new Map(
    past.flatMap((entry) => {
      const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
      return call ? [[entry.id, amountOf(call, NO_QUOTE)] as const] : [];
    }),
  );
}
