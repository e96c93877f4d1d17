import { callOf, isEvent, timeOf, type Call, type Entry } from "../kernel/index.ts";
import { isCostUnknown, speakerOf } from "./spending.ts";

/** What calls are counted by. */
export const COST_KEYS = ["model", "protocol", "persona", "user", "key", "day"] as const;
export type CostKey = (typeof COST_KEYS)[number];

/** Calls of one key. `usd` has only those whose cost is known. */
export type CostRow = {
  readonly key: string;
  readonly calls: number;
  /** The calls that may have been charged for and did not fully report their usage, or whose price is not known. */
  readonly unknown: number;
  readonly tokens: { readonly in: number; readonly out: number };
  readonly usd: number;
};

export type CostNames = {
  /** The day of a time in milliseconds. */
  readonly dayOf: (ms: number) => string;
  /** Whose a client's key is. */
  readonly userOf?: (key: string | undefined) => string | undefined;
};

/**
 * What the calls of these runs took, by key, the most expensive first. Calls that a fork reuses were paid for by its parent.
 */
export function costBy(
  runs: readonly (readonly Entry[])[],
  by: CostKey,
  { dayOf, userOf }: CostNames,
): readonly CostRow[] {
  const rows = new Map<string, CostRow>();
  for (const entries of runs) {
    const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
    for (const entry of entries) {
      const call = entry.origin.by === "adopted" ? undefined : callOf(entry);
      if (!call || call.attempts === 0) continue;
      const speaker = speakerOf(entry);
      const keys: { readonly [key in CostKey]: () => string } = {
        model: () => call.model,
        protocol: () => opening?.protocol.name ?? "unknown",
        persona: () => opening?.participants.find(({ id }) => id === speaker)?.persona.name ?? speaker,
        user: () => opening?.user ?? userOf?.(opening?.client?.key) ?? "unknown",
        // Only what came to a server has one.
        key: () => opening?.client?.key ?? "unknown",
        day: () => dayOf(timeOf(entry)),
      };
      const key = keys[by]();
      rows.set(key, addCall(rows.get(key) ?? emptyRow(key), call));
    }
  }
  const order = (one: CostRow, other: CostRow) =>
    by === "day" ? (one.key < other.key ? 1 : -1) : other.usd - one.usd || other.calls - one.calls;
  return [...rows.values()].sort(order);
}

const emptyRow = (key: string): CostRow => ({ key, calls: 0, unknown: 0, tokens: { in: 0, out: 0 }, usd: 0 });

const addCall = ({ key, calls, unknown, tokens, usd }: CostRow, call: Call): CostRow => ({
  key,
  calls: calls + 1,
  unknown: unknown + Number(isCostUnknown(call)),
  tokens: { in: tokens.in + (call.tokens.in ?? 0), out: tokens.out + (call.tokens.out ?? 0) },
  usd: usd + (call.cost.usd ?? 0),
});

/** All rows together. */
export const sumCosts = (rows: readonly CostRow[]): CostRow =>
  rows.reduce(
    (sum, row) => ({
      key: "Total",
      calls: sum.calls + row.calls,
      unknown: sum.unknown + row.unknown,
      tokens: { in: sum.tokens.in + row.tokens.in, out: sum.tokens.out + row.tokens.out },
      usd: sum.usd + row.usd,
    }),
    emptyRow("Total"),
  );
