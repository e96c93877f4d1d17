import type { Budget, Entry, Reservation } from "../kernel/index.ts";
import { spending } from "../views/spending.ts";

// PURSE-1. Spent plus granted never exceeds a cap, however many deliberations run at once. Else: runs at once spend more than their cap.
// Requests are served in order; a request for all that is left holds up those behind it.

/** An amount that may be spent; `settle` replaces it by what was spent. */
export type Grant = { readonly cap: Budget; settle(spent: Reservation): void };

/** What is left of caps that many deliberations share. A promise resolves to undefined when too little is left. */
export interface Purse {
  /** Grants an even part of what is free, for one of as many slots as may be in use. */
  share(): Promise<Grant | undefined>;
  /** Grants exactly `need`, which has an amount for everything that is capped. */
  exactly(need: Budget): Promise<Grant | undefined>;
  /** Grants all that is left, once nothing else runs; only if that is more of something than `before`. */
  rest(before?: Budget): Promise<Grant | undefined>;
}

/** Usage; null where a provider did not report it. */
export type RunUsage = {
  readonly calls: number;
  readonly tokens: number | null;
  readonly usd: number | null;
};

/** The usage of an entry list's own calls; tokens are input and output together. */
export function usageIn(entries: readonly Entry[]): RunUsage {
  const { calls, unknown, tokens, cost } = spending(entries).total;
  const known = tokens.in !== null && tokens.out !== null;
  return { calls: calls + unknown, tokens: known ? tokens.in + tokens.out : null, usd: cost.usd };
}

/** What a budget leaves after this usage, at least 0; what was not reported counts as nothing. */
export const remainingBudget = (budget: Budget, used: RunUsage): Budget => ({
  ...budget,
  ...budgetOf((kind) => {
    const cap = budget[kind];
    return cap === undefined ? undefined : Math.max(0, cap - (used[kind] ?? 0));
  }),
});

const KINDS = ["usd", "tokens", "calls"] as const;
type Kind = (typeof KINDS)[number];

const part = (kind: Kind, amount: number): number =>
  kind === "usd" ? amount : Math.max(1, Math.floor(amount));

const budgetOf = (amount: (kind: Kind) => number | undefined): Budget =>
  Object.fromEntries(
    KINDS.flatMap((kind) => {
      const value = amount(kind);
      return value === undefined ? [] : [[kind, value]];
    }),
  );

type Offer = (
  free: Budget,
  at: { readonly alone: boolean; readonly held: number },
) => Budget | "wait" | undefined;

/** @param spent by earlier runs; `slots`: how many deliberations may run at once */
export function createPurse(total: Budget, { spent, slots }: { spent: Reservation; slots: number }): Purse {
  const gone = { ...spent };
  const held = new Set<Budget>();
  const waiting: { readonly offer: Offer; readonly resolve: (grant: Grant | undefined) => void }[] = [];

  const free = (): Budget =>
    budgetOf((kind) => {
      const cap = total[kind];
      if (cap === undefined) return undefined;
      return [...held].reduce((left, one) => left - (one[kind] ?? 0), cap - gone[kind]);
    });
  const serve = () => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      const cap = next.offer(free(), { alone: held.size === 0, held: held.size });
      if (cap === "wait") return;
      waiting.shift();
      next.resolve(cap && granted(cap));
    }
  };
  const granted = (cap: Budget): Grant => {
    held.add(cap);
    return {
      cap,
      settle(amount) {
        if (!held.delete(cap)) return;
        for (const kind of KINDS) gone[kind] += amount[kind];
        serve();
      },
    };
  };
  const take = (offer: Offer) =>
    new Promise<Grant | undefined>((resolve) => {
      waiting.push({ offer, resolve });
      serve();
    });
  const isSpent = (left: Budget) => KINDS.some((kind) => (left[kind] ?? 1) <= 0);

  return {
    share: () =>
      take((left, { alone, held: others }) => {
        if (isSpent(left)) return alone ? undefined : "wait";
        return budgetOf((kind) => {
          const amount = left[kind];
          return amount === undefined ? undefined : part(kind, amount / Math.max(1, slots - others));
        });
      }),
    exactly: (need) =>
      take((left, { alone }) => {
        if (KINDS.every((kind) => (need[kind] ?? Infinity) <= (left[kind] ?? Infinity))) return { ...need };
        return alone ? undefined : "wait";
      }),
    rest: (before) =>
      take((left, { alone }) => {
        if (!alone) return "wait";
        const more =
          before === undefined || KINDS.some((kind) => (left[kind] ?? Infinity) > (before[kind] ?? Infinity));
        return more && !isSpent(left) ? { ...left } : undefined;
      }),
  };
}
