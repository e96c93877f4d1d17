import type { CostRow, UsageReport } from "../../contract/figures.ts";
import { usageSince } from "../../app/usage.ts";
import { align } from "../../reports/labelled-rows.ts";
import { wrap } from "../../reports/text-width.ts";
import { formatBill, formatNumber, formatSubscription, formatUsd, pluralize } from "../../text/format.ts";
import type { StreamFace } from "../output.ts";
import { print, type Io, type Values } from "../command.ts";
import type { COST } from "../options.ts";
import { withStore } from "../session.ts";

/** Adds up what recorded calls cost, of the runs that were started since a time. */
export const cost = (io: Io, { by = "model", since, json }: Values<typeof COST>): Promise<void> =>
  withStore(io, async ({ store, whole }) => {
    const onUnreadable = (id: string) => io.output.note(`Left out: ${id}, which cannot be read`);
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const keys = await whole.credentials.list(store.organization);
    const value = await usageSince(store, { by, since, timeZone, keys, onUnreadable });
    await print(io, { json, value }, () => costText(value, io.output.stdout));
  });

const NARROW = 60;

export function costText(
  { by, since, rows, total, timeZone }: UsageReport,
  { terminal, columns }: Pick<StreamFace, "terminal" | "columns">,
): string {
  const width = terminal ? columns : 1_000; // two efforts of a model differ in the last words of its reference
  if (rows.length === 0)
    return since === null ? "No calls are recorded.\n" : `No calls are recorded since ${since}.\n`;
  const isWide = width >= NARROW;
  const thought = total.tokens.thinking > 0;
  const cells = ({ key, calls, tokens, unknown, unpriced, usd, subscription }: CostRow) => [
    key,
    formatNumber(calls),
    ...(isWide ? [tokens.in, tokens.out, ...(thought ? [tokens.thinking] : [])] : []).map(formatNumber),
    unpriced === calls && usd === 0 && unknown === 0
      ? "unknown"
      : formatBill(
          { calls: calls - unpriced, unknown: unknown + unpriced, usd },
          [
            ...(usd > 0 || subscription < calls ? [formatUsd(usd)] : []),
            ...(subscription > 0 ? [formatSubscription(subscription)] : []),
          ].join(" + "),
        ),
  ];
  const counted = isWide ? ["INPUT", "OUTPUT", ...(thought ? ["THINKING"] : [])] : [];
  const heads = [by.toUpperCase(), "CALLS", ...counted, "COST"];
  const notes = [
    ...(total.unknown + total.unpriced > 0
      ? [
          `The cost of ${pluralize(total.unknown + total.unpriced, "call")} is unknown and not in the sums: no price, or no usage was reported.`,
        ]
      : []),
    ...(isWide && thought ? ["Thinking is counted as output, too."] : []),
    ...(by === "day" ? [`Days in ${timeZone}.`] : []),
  ].flatMap((note) => wrap(note, width));
  const table = align([heads, ...[...rows, total].map(cells)], width);
  return `${[...table, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n")}\n`;
}
