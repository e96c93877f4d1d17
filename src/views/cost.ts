import type { CostRow } from "../contract/figures.ts";
import { isEvent, timeOf, type Entry, type Tombstone } from "../kernel/index.ts";
import { billing, isUnpriced, unknownIn, type BillItem } from "./spending.ts";

/** What calls are counted by. */
export const COST_KEYS = ["model", "protocol", "persona", "user", "key", "day"] as const;
export type CostKey = (typeof COST_KEYS)[number];

export type CostNames = {
  /** The day of a time in milliseconds. */
  readonly dayOf: (ms: number) => string;
  /** Whose a client's key is. */
  readonly userOf?: (key: string | undefined) => string | undefined;
  /** What stays of runs that were forgotten; nobody knows any more which persona spoke. */
  readonly tombstones?: readonly Tombstone[];
};

/** What the calls of these runs took, by key, the most expensive first. Calls that a fork reuses were paid for by its parent. */
export function costBy(
  runs: readonly (readonly Entry[])[],
  by: CostKey,
  { dayOf, userOf, tombstones = [] }: CostNames,
): CostRow[] {
  const rows = new Map<string, CostRow>();
  for (const entries of runs) {
    const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
    const bill = billing();
    for (const entry of entries) {
      for (const item of bill(entry)) {
        const { speaker, model } = item;
        const keys: { readonly [key in CostKey]: () => string } = {
          model: () => model,
          protocol: () => opening?.protocol.name ?? "unknown",
          persona: () => opening?.participants.find(({ id }) => id === speaker)?.persona.name ?? speaker,
          user: () => opening?.user ?? userOf?.(opening?.client?.key) ?? "unknown",
          // Only what came to a server has one.
          key: () => opening?.client?.key ?? "unknown",
          day: () => dayOf(timeOf("call" in item ? entry : (entries[0] ?? entry))),
        };
        const key = keys[by]();
        rows.set(key, addItem(rows.get(key) ?? emptyRow(key), item));
      }
    }
  }
  for (const { protocol, user, key, spent } of tombstones) {
    const names = { protocol, persona: "forgotten", key: key ?? "unknown" };
    for (const sum of by === "day" ? spent.day : spent.model) {
      const own = { ...names, user: user ?? userOf?.(key ?? undefined) ?? "unknown", model: sum.key };
      const name = by === "day" ? dayOf(Number(sum.key)) : own[by];
      // `spentIn` made it.
      rows.set(name, addRows(rows.get(name) ?? emptyRow(name), sum as CostRow));
    }
  }
  const order = (one: CostRow, other: CostRow) =>
    by === "day" ? (one.key < other.key ? 1 : -1) : other.usd - one.usd || other.calls - one.calls;
  return [...rows.values()].sort(order);
}

const QUARTER_MS = 900_000;

/** What a run took, for its tombstone. */
export function spentIn(entries: readonly Entry[]): Tombstone["spent"] {
  const dayOf = (ms: number) => String(ms - (ms % QUARTER_MS));
  const sums = (by: CostKey) => costBy([entries], by, { dayOf });
  return { model: sums("model"), day: sums("day") };
}

const emptyRow = (key: string): CostRow => ({
  ...{ key, calls: 0, unknown: 0, unpriced: 0, subscription: 0 },
  ...{ usd: 0, tokens: { in: 0, out: 0, thinking: 0 } },
});

/** Older tombstones say nothing of thinking or subscriptions. */
const addRows = (row: CostRow, other: Omit<CostRow, "key">): CostRow => ({
  ...{ key: row.key, calls: row.calls + other.calls },
  ...{ unknown: row.unknown + other.unknown, unpriced: row.unpriced + other.unpriced },
  ...{ usd: row.usd + other.usd, subscription: row.subscription + (other.subscription ?? 0) },
  tokens: {
    ...{ in: row.tokens.in + other.tokens.in, out: row.tokens.out + other.tokens.out },
    thinking: row.tokens.thinking + (other.tokens.thinking ?? 0),
  },
});

function addItem(row: CostRow, item: BillItem): CostRow {
  if ("sent" in item) return { ...row, unknown: row.unknown + item.sent };
  const { attempts, tokens, cost } = item.call;
  const unknown = unknownIn(item.call);
  const calls = attempts - unknown;
  return addRows(row, {
    ...{ calls, unknown, unpriced: isUnpriced(item.call) ? calls : 0, usd: cost.usd ?? 0 },
    tokens: { in: tokens.in ?? 0, out: tokens.out ?? 0, thinking: tokens.reasoning ?? 0 },
    subscription: cost.source === "subscription" ? calls : 0,
  });
}

export const sumCosts = (rows: readonly CostRow[]): CostRow => rows.reduce(addRows, emptyRow("Total"));
