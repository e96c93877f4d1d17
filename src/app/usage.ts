import type { OrganizationStore } from "../kernel/index.ts";
import { costBy, sumCosts, type CostKey, type CostRow } from "../views/cost.ts";
import { listJournals } from "./lookup.ts";

/** What recorded calls cost. `since` is ISO 8601 in UTC; null for all time. */
export type UsageReport = {
  readonly by: CostKey;
  readonly since: string | null;
  /** Whose days the rows by day are. */
  readonly timeZone: string;
  readonly rows: readonly CostRow[];
  readonly total: CostRow;
};

/** Adds up what recorded calls cost, of the runs that were opened since a time in milliseconds since 1970. */
export async function usageSince(
  store: Pick<OrganizationStore, "list" | "read">,
  {
    by,
    since,
    timeZone,
    onUnreadable = () => undefined,
  }: {
    readonly by: CostKey;
    readonly since?: number | undefined;
    readonly timeZone: string;
    readonly onUnreadable?: (id: string) => void;
  },
): Promise<UsageReport> {
  const runs: Parameters<typeof costBy>[0][number][] = [];
  for await (const entries of listJournals(store, { since, onUnreadable })) runs.push(entries);
  // The form of a Swedish date is that of ISO 8601.
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
  const rows = costBy(runs, by, (ms) => day.format(ms));
  const total = sumCosts(rows);
  return { by, since: since === undefined ? null : new Date(since).toISOString(), timeZone, rows, total };
}
