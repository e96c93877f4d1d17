import type { DebateRecord } from "../view/record.ts";
import { formatNumber, formatUsd } from "../../../../../text/format.ts";

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
  /** What the judge said, where that was capped. */
  readonly said?: number | undefined;
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
      said: synthesis?.capped?.said,
    },
  ];
  const least = (figure: "tokens" | "usd") => columns.reduce((sum, one) => sum + (one[figure] ?? 0), 0);
  return {
    simulated,
    columns,
    heads: ["", "Confidence", "Calls", "Tokens", "Cost"],
    rows: [
      ...columns.map((one) => [
        one.name,
        one.confidence === null ? "none" : withSaid(one.confidence, "said" in one ? one.said : undefined),
        figureText(one.calls, formatNumber),
        figureText(one.tokens, formatNumber),
        figureText(one.usd, formatUsd),
      ]),
      [
        "Total",
        "",
        figureText(record.calls, formatNumber),
        figureText(record.tokens, formatNumber, least("tokens")),
        figureText(record.usd, formatUsd, least("usd")),
      ],
    ],
  };
}

const withSaid = (confidence: number, said: number | undefined): string =>
  said === undefined ? String(confidence) : `${confidence} (the judge said ${said})`;

/** A figure in words; of one with a part missing, `least` is a lower bound. */
const figureText = (figure: number | null, format: (figure: number) => string, least = 0): string =>
  figure !== null ? format(figure) : least === 0 ? "unknown" : `unknown, at least ${format(least)}`;
