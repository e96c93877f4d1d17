import { DeliberationId, OrganizationId, SeriesId, type Summary } from "../kernel/index.ts";
import { unescaped } from "./row.ts";

/** A head row as a list needs it. */
export type SummaryRow = {
  readonly id: string;
  readonly organization: string;
  readonly series: string | null;
  readonly protocol: string;
  readonly question: string;
  readonly opened_at: string;
  readonly status: string;
  readonly seq: number;
};

export const summaryOf = (row: SummaryRow): Summary => ({
  id: DeliberationId.parse(row.id),
  organization: OrganizationId.parse(row.organization),
  series: row.series === null ? null : SeriesId.parse(row.series),
  protocol: unescaped(row.protocol),
  question: unescaped(row.question),
  openedAt: row.opened_at,
  status: row.status,
  seq: row.seq,
});

/**
 * What a deliberation's started steps may have cost beyond what is recorded: of a step that recorded, its
 * last reservation is covered by the record and the earlier ones are attempts that were lost; of a step that
 * did not record, all are.
 *
 * @param id the placeholder of the deliberation's id
 * @param table the name of a table as this database wants it
 */
export const outstandingQuery = (id: string, table: (name: string) => string = (name) => name): string => `
  select cast(coalesce(sum(calls), 0) as float8) as calls, coalesce(sum(tokens), 0) as tokens,
    coalesce(sum(usd), 0) as usd
  from (
    select r.calls, r.tokens, r.usd,
      row_number() over (partition by r.origin_key order by r.number desc) as attempt,
      (select count(*) from ${table("event")} e
        where e.deliberation = r.deliberation and e.origin_key = r.origin_key and e.place = 0) as recorded
    from ${table("reservation")} r where r.deliberation = ${id}
  ) as reserved
  where attempt > recorded`;
