import {
  callOf,
  type Budget,
  type Call,
  type DeliberationId,
  type Entry,
  type Quote,
  type Reservation,
  type Reservations,
} from "../kernel/index.ts";

// B1. Nothing is sent before its worst case is reserved, in memory at once and durably before the call.
// B2. Spent + reserved + held back <= cap, for every cap, at every reservation. A share held back is free to its owner alone.
// B3. What a process that died had reserved counts as spent: the provider may have charged for it.

type Amount = Reservation;
const NOTHING: Amount = { calls: 0, tokens: 0, usd: 0 };
const plus = (a: Amount, b: Amount): Amount => ({ calls: a.calls + b.calls, tokens: a.tokens + b.tokens, usd: a.usd + b.usd });

/** A worst case as an amount; an unknown price under a money cap is more than any cap. */
const worst = (quote: Quote): Amount => ({ calls: 1, tokens: quote.tokensIn + quote.tokensOut, usd: quote.usd ?? Infinity });

/** What a call took; where the provider did not say, what was reserved for it. */
export function amountOf(call: Call, quote: Quote): Amount {
  if (call.attempts === 0) return NOTHING;
  const { in: tokensIn, out: tokensOut } = call.tokens;
  return {
    calls: 1,
    tokens: (tokensIn ?? quote.tokensIn) + (tokensOut ?? (call.ok ? quote.tokensOut : 0)),
    usd: call.cost.usd ?? (call.ok ? (quote.usd ?? 0) : 0),
  };
}

/** One driver's account of one deliberation. The cap holds per driver: a rival's calls in flight are not seen until they record. */
export interface Ledger {
  readonly capped: boolean;
  /** Takes `quote` out of what is left, durably; why not, in words, when a cap would be passed. */
  reserve(origin: string, quote: Quote, share?: string): Promise<{ ok: true } | { ok: false; why: string }>;
  settle(origin: string, call: Call, quote: Quote): void;
  /** Keeps a part back for the call that will name this share. */
  hold(share: string, quote: Quote): void;
  /** How many of `quotes`, from the first, fit together now. */
  affordable(quotes: readonly Quote[]): number;
  /** Milliseconds until the time cap, Infinity without one. */
  timeLeftMs(): number;
}

export type LedgerOptions = {
  readonly id: DeliberationId;
  readonly budget: Budget;
  readonly reservations: Reservations;
  readonly now: () => number;
};

export async function openLedger({ id, budget, reservations, now }: LedgerOptions, past: readonly Entry[]): Promise<Ledger> {
  const { usd, tokens, calls, timeMs } = budget;
  const capped = usd !== undefined || tokens !== undefined || calls !== undefined;
  const deadline = timeMs === undefined ? Infinity : now() + timeMs;
  let spent = capped ? plus(recordedAmount(past), await reservations.outstanding(id)) : NOTHING;
  const reserved = new Map<string, Amount>();
  const held = new Map<string, Amount>();

  const over = (extra: Amount, share?: string): string | undefined => {
    let sum = plus(spent, extra);
    for (const amount of reserved.values()) sum = plus(sum, amount);
    for (const [name, amount] of held) if (name !== share) sum = plus(sum, amount);
    if (usd !== undefined && sum.usd > usd) {
      return extra.usd === Infinity ? "its price is unknown and money is capped" : `it could pass the cap of $${usd}`;
    }
    if (tokens !== undefined && sum.tokens > tokens) return `it could pass the cap of ${tokens} tokens`;
    if (calls !== undefined && sum.calls > calls) return `it would pass the cap of ${calls} calls`;
    return undefined;
  };

  return {
    capped,
    async reserve(origin, quote, share) {
      if (now() >= deadline) return { ok: false, why: `the time of ${timeMs} ms is up` };
      if (!capped) return { ok: true };
      const amount = worst(quote);
      const why = over(amount, share);
      if (why !== undefined) return { ok: false, why };
      reserved.set(origin, amount);
      if (share !== undefined) held.delete(share);
      await reservations.reserve(id, origin, { ...amount, usd: Number.isFinite(amount.usd) ? amount.usd : 0 });
      return { ok: true };
    },
    settle(origin, call, quote) {
      if (!reserved.delete(origin)) return;
      spent = plus(spent, amountOf(call, quote));
    },
    hold(share, quote) {
      if (capped) held.set(share, worst(quote));
    },
    affordable(quotes) {
      let sum = NOTHING;
      for (const [index, quote] of quotes.entries()) {
        sum = plus(sum, worst(quote));
        if (capped && over(sum) !== undefined) return index;
      }
      return quotes.length;
    },
    timeLeftMs: () => deadline - now(),
  };
}

/** What the journal says was spent here; what a fork adopted was paid for by its parent. */
function recordedAmount(past: readonly Entry[]): Amount {
  let sum = NOTHING;
  for (const entry of past) {
    const call = entry.origin.by === "protocol" ? callOf(entry) : undefined;
    if (call) sum = plus(sum, amountOf(call, { tokensIn: 0, tokensOut: 0, usd: null }));
  }
  return sum;
}

