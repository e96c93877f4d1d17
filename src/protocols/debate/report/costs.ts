import type { DebateRecord } from "../view/record.ts";
import { formatNumber, formatUsd } from "../../../text/format.ts";

/** What every round took, what was spent around them, and all of it: a table, and the figures to draw. */
export type CostTable = {
  readonly simulated: boolean;
  readonly heads: readonly string[];
  /** One a column, the last one the whole. */
  readonly rows: readonly (readonly string[])[];
  /** The rounds, then what is around them; without the whole. */
  readonly columns: readonly CostColumn[];
};

export type CostColumn = {
  /** Short, for an axis: `1`, `2`, `final`. */
  readonly label: string;
  readonly name: string;
  /** The judge's, 0 to 100: after a round, or in its synthesis. */
  readonly confidence: number | null;
  readonly tokens: number | null;
  readonly usd: number | null;
};

export function costTable(record: DebateRecord): CostTable {
  const { rounds, outside, synthesis, simulated } = record;
  const columns = [
    ...rounds.map((one) => ({ ...one, label: String(one.round), name: `Round ${one.round}` })),
    {
      ...outside,
      label: "final",
      name: "Before and after the rounds",
      confidence: synthesis?.confidence ?? null,
    },
  ];
  const least = (figure: (one: DebateRecord["outside"]) => number | null) =>
    columns.reduce((sum, one) => sum + (figure(one) ?? 0), 0);
  return {
    simulated,
    columns,
    heads: ["", "Confidence", "Calls", "Tokens", "Cost"],
    rows: [
      ...columns.map((one) => [
        one.name,
        one.confidence === null ? "none" : String(one.confidence),
        one.calls === null ? UNKNOWN : formatNumber(one.calls),
        one.tokens === null ? UNKNOWN : formatNumber(one.tokens),
        one.usd === null ? UNKNOWN : formatUsd(one.usd),
      ]),
      [
        "Total",
        "",
        record.calls === null ? UNKNOWN : formatNumber(record.calls),
        record.tokens === null
          ? atLeast(
              least(({ tokens }) => tokens),
              formatNumber,
            )
          : formatNumber(record.tokens),
        record.usd === null
          ? atLeast(
              least(({ usd }) => usd),
              formatUsd,
            )
          : formatUsd(record.usd),
      ],
    ],
  };
}

const UNKNOWN = "unknown";

/** A sum with a part missing is a lower bound. */
const atLeast = (sum: number, inWords: (sum: number) => string): string =>
  sum === 0 ? UNKNOWN : `${UNKNOWN}, at least ${inWords(sum)}`;
