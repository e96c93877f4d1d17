import type { UsageReport } from "../contract/figures.ts";
import type { OrganizationStore } from "../kernel/index.ts";
import { costBy, sumCosts, type CostKey } from "../views/cost.ts";
import type { Credential } from "../stores/credentials.ts";
import { listJournals } from "./lookup.ts";

/** Adds up what recorded calls cost, of the runs that were opened since a time in milliseconds since 1970. */
export async function usageSince(
  store: Pick<OrganizationStore, "list" | "read" | "tombstones">,
  {
    by,
    since,
    timeZone,
    keys = [],
    onUnreadable = () => undefined,
  }: {
    readonly by: CostKey;
    readonly since?: number | undefined;
    readonly timeZone: string;
    /** The credentials of clients, also those that do not hold any more. */
    readonly keys?: readonly Credential[];
    readonly onUnreadable?: (id: string) => void;
  },
): Promise<UsageReport> {
  const runs: Parameters<typeof costBy>[0][number][] = [];
  for await (const entries of listJournals(store, { since, onUnreadable })) runs.push(entries);
  // The form of a Swedish date is that of ISO 8601.
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
  const byId = new Map(keys.map((key) => [key.id, key]));
  const rows = costBy(runs, by, {
    tombstones: await store.tombstones(since === undefined ? undefined : new Date(since).toISOString()),
    dayOf: (ms) => day.format(ms),
    userOf: (key) => byId.get(key ?? "")?.principal.user,
  });
  const named = by === "key" ? rows.flatMap(({ key }) => byId.get(key) ?? []) : [];
  return {
    ...{ by, since: since === undefined ? null : new Date(since).toISOString(), timeZone },
    ...{ rows, total: sumCosts(rows) },
    names: Object.fromEntries(named.map(({ id, name }) => [id, name])),
  };
}
