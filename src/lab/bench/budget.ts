import type { Budget, Reservation } from "../../kernel/index.ts";

// BUDGET-1. Spent + granted <= cap, for every cap, at every grant: no number of deliberations at once passes it.
// BUDGET-2. Who asks first is answered first; who needs all that is left holds up those behind.

/** So much may be spent, until it is settled by what was. */
export type Grant = { readonly cap: Budget; settle(spent: Reservation): void };

/** What is left of the caps of many deliberations; every promise resolves to undefined when what is left is not enough. */
export interface Purse {
  /** An even part of what is free, for one of as many as may be at work. */
  share(): Promise<Grant | undefined>;
  /** This much; where something is capped, `need` says how much of it. */
  exactly(need: Budget): Promise<Grant | undefined>;
  /** All that is left, once nobody else is at work; only if that is more of something than `before`. */
  rest(before?: Budget): Promise<Grant | undefined>;
}

const KINDS = ["usd", "tokens", "calls"] as const;
type Kind = (typeof KINDS)[number];

const part = (kind: Kind, amount: number): number =>
  kind === "usd" ? amount : Math.max(1, Math.floor(amount));

/** A budget of these amounts. */
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

/** @param spent by earlier runs; `slots`: how many may be at work at once */
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
      if (cap === "wait") return; // BUDGET-2
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
