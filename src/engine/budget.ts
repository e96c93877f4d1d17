import {
  callOf,
  mayBeCharged,
  originKey,
  requestsCovered,
  type Budget,
  type Call,
  type CallUsage,
  type Cap,
  type DeliberationId,
  type Entry,
  type Needs,
  type Quote,
  type RequestNames,
  type Reservation,
  type Reservations,
  type StepReservation,
} from "../kernel/index.ts";
import { noUsage } from "../kernel/transport.ts";
import type { Affordable, CallSpec, ReplyEventType } from "./run.ts";

// BUDGET-1. A request's worst case is reserved before the request is sent: in memory at once, and durably. Else: calls at once pass a cap.
// BUDGET-2. At every reservation and for every cap: spent + reserved + held back <= cap. Only its owner can use a share held back. Else: a
//     cap is exceeded.
// BUDGET-3. The reservations of a process that died count as spent, because the provider may have charged for them. Else: a cap is passed.
// BUDGET-4. A recorded call of any process counts as soon as this driver reads it; a call that a fork adopted does not count. Else:
//     processes spend beyond a shared cap, or a fork cannot spend its own.
// BUDGET-5. Once a step has recorded, nothing is held back for it any more. The same applies on a resume. Else: money is held for finished
//     steps, and later ones fail for lack of it.
// BUDGET-6. Every request counts, also one that is sent again. One whose usage was not reported counts as its worst case if the provider
//     may have charged for it, in this process and after a resume. Else: retries spend beyond the cap unseen.
// BUDGET-7. A process has one account for a deliberation: its drive and all reactions see each other's reservations. Else: a cap is passed.
// BUDGET-8. Every request of every run, capped or not, has its row before its first byte leaves. Else: a charged request is in no bill.

type Amount = Reservation;
const NOTHING: Amount = { calls: 0, tokens: 0, usd: 0 };
const plus = (a: Amount, b: Amount): Amount => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  usd: a.usd + b.usd,
});
const times = ({ calls, tokens, usd }: Amount, count: number): Amount =>
  count === 0 ? NOTHING : { calls: calls * count, tokens: tokens * count, usd: usd * count };

/** A request's worst case as an amount. An unknown price is infinite, so that it exceeds every cost limit. */
const worst = (quote: Quote): Amount => ({
  calls: 1,
  tokens: quote.tokensIn + quote.tokensOut,
  usd: quote.usd ?? Infinity,
});

/** A call's worst case with the shortest reply that is worth it, and what the longest one would add. */
type CallSpread = { readonly least: Amount; readonly more: Amount };

/** What is held back for later calls; without what is `optional` the run still comes to its end. */
type Held = CallSpread & { readonly optional: boolean };

function spreadOf(quote: Quote): CallSpread {
  const [full, least] = [worst(quote), worst({ ...quote, ...quote.least })];
  const usd = Number.isFinite(full.usd) ? full.usd - least.usd : 0;
  return { least, more: { calls: 0, tokens: full.tokens - least.tokens, usd } };
}

const sumOf = (spreads: readonly CallSpread[]): CallSpread =>
  spreads.reduce((sum, one) => ({ least: plus(sum.least, one.least), more: plus(sum.more, one.more) }), {
    ...{ least: NOTHING, more: NOTHING },
  });

/** What a call's requests come to. `request` is the worst case of one of them. */
function amountOf({ attempts, cost, tokens, unreported }: CallUsage, request: Amount): Amount {
  const isUnpriced = cost.usd === null && (tokens.in !== null || tokens.out !== null);
  return {
    calls: attempts,
    tokens: (tokens.in ?? 0) + (tokens.out ?? 0) + times(request, unreported).tokens,
    usd: (cost.usd ?? 0) + times(request, isUnpriced ? attempts : unreported).usd,
  };
}

/** A recorded call's usage. Older journals and foreign models do not say which requests were unreported. */
function usageOf(call: Call): CallUsage {
  const { attempts, tokens } = call;
  const isReported = tokens.in !== null && tokens.out !== null;
  const unreported = isReported || !(call.ok || mayBeCharged(call.failure)) ? 0 : attempts;
  return { ...call, unreported: call.unreported ?? unreported };
}

/** The quote of a call without a budget. */
export const NO_QUOTE: Quote = { tokensIn: 0, tokensOut: 0, usd: null };

/** The cap that a request would exceed, and the message, which says how much would do. */
export type Passed = { readonly cap: Cap; readonly why: string; readonly needs?: Needs };

/** What is recorded of a call of which nobody has reported anything. */
export const UNREPORTED: Pick<Call, "family" | "tokens" | "cost"> = {
  family: null,
  tokens: noUsage.tokens,
  cost: { source: "unknown", usd: null },
};

/** The record of a call that was not made. */
export const overBudgetCall = ({ model }: Pick<Call, "model">, { why, cap, needs }: Passed): Call => ({
  ok: false,
  failure: { code: "over-budget", message: why, cap, ...(needs && { needs }) },
  ...{ ...UNREPORTED, model, latencyMs: 0, attempts: 0 },
});

/** The reservation of a call whose first request may be sent. */
export interface ReservedCall {
  /** The reply's limit in tokens, where the budget has less than was asked for. */
  readonly limit?: number | undefined;
  /**
   * Reserves one more request durably, or returns the cap that it would exceed. `soFar` is what the earlier ones came to;
   * `quote`: the worst case of this one, where it is another.
   */
  again(soFar: CallUsage, quote?: Quote): Promise<Passed | undefined>;
  /** Ends the reservation. Without a call, nothing was sent. `origin`: where the call was recorded, if it was. */
  settle(call: Call | undefined, origin: string | undefined): void;
}

/**
 * One drive's or reaction's access to its process's account of a deliberation. Caps hold per process: the calls in flight of
 * other processes count only when they are recorded.
 */
export interface Ledger {
  readonly capped: boolean;
  readonly caps: Budget;
  /** Writes the row of a call's first request, or returns the cap that it would exceed. */
  reserve(
    origin: string,
    quote: Quote,
    asked?: Partial<Pick<CallSpec<ReplyEventType>, "request" | "share" | "work">>,
  ): Promise<{ ok: true; call: ReservedCall } | ({ ok: false } & Passed)>;
  /** Counts a recorded call, of whatever driver. */
  recalled(origin: string, call: Call, quote: Quote): void;
  /**
   * Holds the least of these quotes back for the calls that name this share; what they could use beyond it is shared out among
   * all calls in proportion. `optional`: it makes room for other calls rather than refuse them.
   */
  hold(share: string, quotes: readonly Quote[], optional?: boolean): void;
  /** Ends a share after its call has recorded. */
  release(share: string): void;
  /** Returns how many of `quotes`, from the first, fit together now, with their least replies. An undefined quote costs nothing. */
  affordable(quotes: readonly (Quote | undefined)[]): Affordable;
  /** Returns the time until the time cap, Infinity without one. */
  timeLeftMs(): number;
  /** Gives up what it holds back. */
  close(): void;
}

export type LedgerOptions = {
  readonly id: DeliberationId;
  readonly budget: Budget;
  readonly reservations: Reservations;
  readonly now: () => number;
};

/** What a process has spent and reserved of one deliberation's budget. */
type Account = {
  /** Of steps that recorded, by origin. */
  readonly recorded: Map<string, Amount>;
  /** Of calls under way. */
  readonly reserved: Set<{ amount: Amount }>;
  /** By share, of each drive or reaction that has the account open. */
  readonly held: Set<Map<string, Held>>;
  /** Of requests that no record covers; undefined until the earlier ones are read. */
  lost: Amount | undefined;
};

/** The accounts of one process, each open as long as a drive or a reaction uses it. */
export type Ledgers = {
  /** Opens the account of a deliberation with these events, or joins those who have it open. */
  open(options: LedgerOptions, past: readonly Entry[]): Promise<Ledger>;
};

export function createLedgers(): Ledgers {
  const accounts = new Map<DeliberationId, Account>();
  return {
    async open(options, past) {
      const { id, budget, reservations } = options;
      const account = accounts.get(id) ?? {
        ...{ recorded: new Map(), reserved: new Set(), held: new Set(), lost: undefined },
      };
      const held = new Map<string, Held>();
      account.held.add(held);
      accounts.set(id, account);
      const close = () => {
        account.held.delete(held);
        if (account.held.size === 0 && accounts.get(id) === account) accounts.delete(id);
      };
      try {
        if (isCapped(budget)) readPast(account, past, await reservations.reservations(id));
      } catch (error) {
        close();
        throw error;
      }
      return createLedger(options, { account, held, close });
    },
  };
}

const isCapped = ({ usd, tokens, calls }: Budget): boolean =>
  usd !== undefined || tokens !== undefined || calls !== undefined;

/** Adds what is recorded and, the first time, what was reserved and lost. Adopted calls are left out: the fork's parent paid for them. */
function readPast(account: Account, past: readonly Entry[], steps: readonly StepReservation[]): void {
  const bySeq = new Map(past.map((entry) => [entry.seq, entry]));
  const requests = new Map(steps.map((step) => [step.recorded, requestOf(step)]));
  for (const entry of past) {
    const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
    const origin = originKey(entry.origin);
    if (call && !account.recorded.has(origin))
      account.recorded.set(origin, amountOf(usageOf(call), requests.get(entry.seq) ?? NOTHING));
  }
  account.lost ??= steps.reduce((sum, step) => {
    const entry = step.recorded === null ? undefined : bySeq.get(step.recorded);
    return plus(sum, times(requestOf(step), Math.max(0, step.calls - (entry ? requestsCovered(entry) : 0))));
  }, NOTHING);
}

/** The worst case of one of a step's requests. */
const requestOf = ({ calls, tokens, usd }: StepReservation): Amount =>
  calls === 0 ? NOTHING : { calls: 1, tokens: tokens / calls, usd: usd / calls };

/** What a deliberation has spent so far at most: what is recorded, and what was reserved and never recorded. */
export function spentSoFar(past: readonly Entry[], steps: readonly StepReservation[]): Reservation {
  const account: Account = { recorded: new Map(), reserved: new Set(), held: new Set(), lost: undefined };
  readPast(account, past, steps);
  return totalOf(account);
}

type OwnShare = { readonly held: ReadonlyMap<string, Held>; readonly share: string | undefined };

/** What is held back, but for one share. */
const heldBy = ({ held }: Account, own?: OwnShare): readonly Held[] =>
  [...held].flatMap((shares) =>
    [...shares].flatMap(([share, one]) => (shares === own?.held && share === own.share ? [] : [one])),
  );

/** The whole account but one share of what is held back, and what is optional. */
function totalOf(account: Account, own?: OwnShare): Amount {
  const { recorded, reserved, lost = NOTHING } = account;
  let sum = lost;
  for (const amount of recorded.values()) sum = plus(sum, amount);
  for (const { amount } of reserved) sum = plus(sum, amount);
  return plus(sum, sumOf(heldBy(account, own).filter(({ optional }) => !optional)).least);
}

/** What sums of dollars lose, in tokens. */
const ROUNDING = 1e-6;

/** How much of what they could use beyond their least all calls get, these and those that are held for: 0 to 1. */
function fractionFor(
  { usd = Infinity, tokens = Infinity }: Budget,
  account: Account,
  { call, own }: { readonly call: CallSpread; readonly own: OwnShare },
): number {
  const others = heldBy(account, own);
  let base = plus(totalOf(account, own), call.least);
  const roomy = others.filter(({ optional, least }) => {
    const next = optional ? plus(base, least) : base;
    const fits = next.usd <= usd && next.tokens <= tokens;
    if (fits) base = next;
    return fits || !optional;
  });
  const { more } = sumOf([call, ...roomy]);
  const part = (left: number, of: number): number => (of > 0 ? left / of : 1);
  return Math.max(0, Math.min(1, part(usd - base.usd, more.usd), part(tokens - base.tokens, more.tokens)));
}

/** A ledger without other users. */
export const openLedger = (options: LedgerOptions, past: readonly Entry[]): Promise<Ledger> =>
  createLedgers().open(options, past);

function createLedger(
  { id, budget, reservations, now }: LedgerOptions,
  { account, held, close }: { readonly account: Account; readonly held: Map<string, Held>; close(): void },
): Ledger {
  const { timeMs } = budget;
  const deadline = timeMs === undefined ? Infinity : now() + timeMs;
  const capped = isCapped(budget);
  const over = (extra: Amount, share?: string): Passed | undefined =>
    capped ? capPassed(budget, plus(totalOf(account, { held, share }), extra)) : undefined;
  const record = (origin: string, { usd, ...request }: Amount & RequestNames): Promise<void> =>
    reservations.reserve(id, origin, { ...request, usd: Number.isFinite(usd) ? usd : 0 });

  return {
    capped,
    caps: budget,
    async reserve(origin, quote, { request: asked, share, work } = {}) {
      if (now() >= deadline)
        return { ok: false, cap: "time", why: `the time limit of ${timeMs} ms has passed` };
      const spread = spreadOf(quote);
      const passed = over(spread.least, share);
      if (passed) return { ok: false, ...passed };
      const fraction = capped ? fractionFor(budget, account, { call: spread, own: { held, share } }) : 1;
      let limit = quote.tokensOut;
      let request = worst(quote);
      if (fraction < 1) {
        const { tokensOut } = { ...quote, ...quote.least };
        limit = tokensOut + Math.floor(fraction * (limit - tokensOut) + ROUNDING);
        request = { ...plus(spread.least, times(spread.more, fraction)), tokens: quote.tokensIn + limit };
      }
      const names = { ...(asked && { model: asked.model }), ...(work?.by && { speaker: work.by }) };
      const own = { amount: request };
      account.reserved.add(own);
      if (share !== undefined) held.delete(share);
      const call: ReservedCall = {
        ...(limit < quote.tokensOut ? { limit } : {}),
        async again(soFar, other) {
          const before = own.amount;
          const spent = amountOf(soFar, request);
          const next = other ? worst(other) : request;
          own.amount = spent;
          const refused = over(next);
          own.amount = refused ? before : plus(spent, next);
          if (refused) return refused;
          request = next;
          await record(origin, { ...request, ...names });
          return undefined;
        },
        settle(made, recordedAs) {
          account.reserved.delete(own);
          if (!made) return;
          const spent = amountOf(usageOf(made), request);
          if (recordedAs === undefined) account.lost = plus(account.lost ?? NOTHING, spent);
          else account.recorded.set(recordedAs, spent);
        },
      };
      await record(origin, { ...request, ...names });
      return { ok: true, call };
    },
    recalled(origin, call, quote) {
      if (capped && !account.recorded.has(origin))
        account.recorded.set(origin, amountOf(usageOf(call), worst(quote)));
    },
    release: (share) => void held.delete(share),
    hold(share, quotes, optional = false) {
      if (capped) held.set(share, { ...sumOf(quotes.map(spreadOf)), optional });
    },
    affordable(quotes) {
      if (!capped) return { fits: quotes.length };
      let sum = NOTHING;
      let fits = quotes.length;
      for (const [index, quote] of quotes.entries()) {
        if (!quote) continue;
        sum = plus(sum, spreadOf(quote).least);
        if (fits > index && over(sum)) fits = index;
      }
      const passed = over(sum);
      return passed ? { fits, ...passed } : { fits };
    },
    timeLeftMs: () => deadline - now(),
    close,
  };
}

/** The first cap that an amount exceeds, with a message about all of them. */
function capPassed({ usd, tokens, calls }: Budget, sum: Amount): Passed | undefined {
  const passed: Passed[] = [];
  if (usd !== undefined && sum.usd > usd) {
    const why =
      sum.usd === Infinity
        ? "its price is unknown and the cost is limited"
        : `could exceed the limit of $${usd}; $${roundUp(sum.usd)} would do`;
    passed.push({ cap: "usd", why });
  }
  if (tokens !== undefined && sum.tokens > tokens) {
    const why = `could exceed the limit of ${plural(tokens, "token")}; ${plural(Math.ceil(sum.tokens), "token")} would do`;
    passed.push({ cap: "tokens", why });
  }
  if (calls !== undefined && sum.calls > calls) {
    const why = `would exceed the limit of ${plural(calls, "call")}; ${plural(sum.calls, "call")} would do`;
    passed.push({ cap: "calls", why });
  }
  const [first] = passed;
  const needs = {
    usd: sum.usd === Infinity ? null : roundUp(sum.usd),
    tokens: Math.ceil(sum.tokens),
    calls: sum.calls,
  };
  return first && { cap: first.cap, why: passed.map(({ why }) => why).join(", and "), needs };
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
/** Dollars that are surely enough, to a hundredth of a cent, or to a millionth of a dollar where they are few. */
const roundUp = (usd: number): number => {
  const parts = usd >= 0.01 ? 1e4 : 1e6;
  return Math.ceil(usd * parts) / parts;
};
