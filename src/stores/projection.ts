import { Cursor, DeliberationId, type OrganizationId } from "../kernel/index.ts";
import type { Database, SqlDialect, Statements, Value } from "./database.ts";
import { escapeText, unescapeText } from "./batch.ts";

// A projection is derived: it may be cleared at any time, and is then made anew from the journals.
// PROJ-2. A part that changes empties the sums that it is in, in one transaction, and an older part never replaces a newer one. An empty
//     sum is made anew when it is read: a day's of all its parts, a month's of its days. Else: sums stay wrong after a change.

/** What one deliberation adds, as of its event `seq`. */
export type StoredPart = {
  readonly deliberation: DeliberationId;
  readonly seq: number;
  /** The place of its opening among all: a later one is higher. */
  readonly opened: number;
  readonly openedAt: string;
  readonly protocol: string;
  readonly kind: string;
  /** Whom it can be found by. */
  readonly people: readonly string[];
  /** JSON text; null for one that adds nothing. */
  readonly data: string | null;
};

/** What all parts of one month (`2026-11`) or day (`2026-11-27`), protocol and kind of question come to. */
export type StoredSum = {
  readonly period: string;
  readonly protocol: string;
  readonly kind: string;
  /** JSON text. */
  readonly data: string;
};

/** Of all months, or after a day: of the days that are left of its month, and of the months after it. */
export type SumQuery = Pick<PartQuery, "protocol" | "kind"> & { readonly after?: string };

export type PartQuery = {
  readonly protocol?: string | undefined;
  readonly kind?: string | undefined;
  /** Only those that name all of these. */
  readonly people?: readonly string[];
  /** From then on, and before then: times in ISO 8601, UTC. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Those that add nothing, instead of those that add something. */
  readonly empty?: boolean;
};

/** What is known over the deliberations of an organization, kept beside their journals. */
export interface RunProjection {
  /** How far it has come; undefined where it has not begun, or is of another version. */
  cursor(version: number): Promise<Cursor | undefined>;
  /** Of which event each of these deliberations' parts is, where there is one. */
  seqs(): Promise<ReadonlyMap<string, number>>;
  /** Puts parts in the place of older ones (PROJ-2). */
  put(parts: readonly StoredPart[]): Promise<void>;
  /** Records that all parts up to a cursor are in. */
  reach(version: number, cursor: Cursor): Promise<void>;
  /** Those that have parts; `sumOf` makes anew what has changed. */
  sums(query: SumQuery, sumOf: SumOf): Promise<readonly StoredSum[]>;
  /** The newest opening first. */
  parts(
    query: PartQuery,
    page: { readonly limit: number; readonly before?: Pick<StoredPart, "openedAt" | "opened"> },
  ): Promise<readonly StoredPart[]>;
  /** Forgets all of it. */
  clear(): Promise<void>;
}

type PartRow = {
  readonly deliberation: string;
  readonly seq: number;
  readonly opened: number;
  readonly opened_at: string;
  readonly protocol: string;
  readonly kind: string;
  readonly people: string;
  readonly data: string | null;
};

const PART_COLUMNS = "deliberation, seq, opened, opened_at, protocol, kind, people, data";
const CURSOR = "select cursor from @projection where organization = $1 and version = $2";
const REACH = `insert into @projection (organization, version, cursor) values ($1, $2, $3)
  on conflict (organization) do update set version = excluded.version, cursor = excluded.cursor`;
const SEQS = "select deliberation, seq from @run_part where organization = $1";
const PUT_PART = `insert into @run_part as known (organization, ${PART_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (organization, deliberation) do update
  set seq = excluded.seq, protocol = excluded.protocol, kind = excluded.kind, people = excluded.people, data = excluded.data
  where known.seq < excluded.seq`;
// An empty text stands for a sum that is to be made anew.
const outdateSums = ({
  among,
}: SqlDialect) => `insert into @part_sum (organization, period, protocol, kind, data)
  select distinct organization, substr(opened_at, 1, size), protocol, kind, ''
  from @run_part cross join (select 7 as size union select 10) sizes
  where organization = $1 and ${among("deliberation", "$2", "text")} and data is not null
  on conflict (organization, period, protocol, kind) do update set data = excluded.data`;
const SUMS = `select period, protocol, kind, data from @part_sum
  where organization = $1 and period > $2 and (length(period) = 7 or substr(period, 1, 7) = substr($2, 1, 7))`;
const OF_SUM = "organization = $1 and protocol = $3 and kind = $4";
const SUM_DAYS = `select period, protocol, kind, data from @part_sum where ${OF_SUM} and period > $2 and period < $2 || '~'`;
const SUM_PARTS = `select data from @run_part
  where ${OF_SUM} and opened_at >= $2 and opened_at < $2 || '~' and data is not null`;
const PUT_SUM = `update @part_sum set data = $5 where ${OF_SUM} and period = $2`;
const DROP_SUM = `delete from @part_sum where ${OF_SUM} and period = $2`;
const TABLES = ["projection", "run_part", "part_sum"];

const toPart = ({ deliberation, opened_at, people, data, ...row }: PartRow): StoredPart => ({
  ...row,
  protocol: unescapeText(row.protocol),
  deliberation: DeliberationId.parse(deliberation),
  openedAt: opened_at,
  people: JSON.parse(people) as string[], // `putParts` wrote it
  data,
});

/** What parts, or other sums, come to. All are JSON texts. */
export type SumOf = (what: "parts" | "sums", texts: readonly string[]) => string;

export function createProjection(database: Database, organization: OrganizationId): RunProjection {
  /** Makes a day's sum of its parts, and a month's of its days; empty, and dropped, where there are none. */
  const renewSum = async (
    to: Statements,
    { period, protocol, kind }: StoredSum,
    sumOf: SumOf,
  ): Promise<string> => {
    const at = [organization, period, protocol, kind];
    const isMonth = period.length === 7;
    const texts: string[] = [];
    for (const row of await to.all<StoredSum>(isMonth ? SUM_DAYS : SUM_PARTS, ...at))
      texts.push(row.data === "" ? await renewSum(to, row, sumOf) : row.data);
    const known = texts.filter((text) => text !== "");
    const sum = known.length === 0 ? "" : sumOf(isMonth ? "sums" : "parts", known);
    await (sum === "" ? to.run(DROP_SUM, ...at) : to.run(PUT_SUM, ...at, sum));
    return sum;
  };
  return {
    async cursor(version) {
      const row = await database.first<{ cursor: number }>(CURSOR, organization, version);
      return row && Cursor.parse(row.cursor);
    },
    async seqs() {
      const rows = await database.all<{ deliberation: string; seq: number }>(SEQS, organization);
      return new Map(rows.map(({ deliberation, seq }) => [deliberation, seq]));
    },
    put: (parts) =>
      database.transaction(
        parts.reduce((size, { data }) => size + 200 + (data?.length ?? 0), 0),
        (to) => putParts(to, database.dialect, { organization, parts }),
      ),
    reach: async (version, cursor) => void (await database.run(REACH, organization, version, cursor)),
    async sums({ protocol, kind, after = "" }, sumOf) {
      const values: Value[] = [organization, after];
      const which = conditions(values, { protocol, kind });
      const rows = await database.all<StoredSum>(
        `${SUMS}${which} order by period, protocol, kind`,
        ...values,
      );
      const sums: StoredSum[] = [];
      for (const row of rows) {
        const data = row.data || (await database.transaction(0, (to) => renewSum(to, row, sumOf)));
        if (data !== "") sums.push({ ...row, protocol: unescapeText(row.protocol), data });
      }
      return sums;
    },
    async parts(query, { limit, before = { openedAt: "~", opened: 0 } }) {
      const values: Value[] = [organization, before.openedAt, before.opened, limit];
      const rows = await database.all<PartRow>(
        `select ${PART_COLUMNS} from @run_part where organization = $1 and (opened_at, opened) < ($2, $3)
          and data is ${query.empty === true ? "" : "not "}null${conditions(values, query)}
          order by opened_at desc, opened desc limit $4`,
        ...values,
      );
      return rows.map(toPart);
    },
    clear: () =>
      database.transaction(0, async (statements) => {
        for (const table of TABLES)
          await statements.run(`delete from @${table} where organization = $1`, organization);
      }),
  };
}

/** Conditions for a statement's end; their values are added to `values`. */
function conditions(values: Value[], { protocol, kind, people = [], since, until }: PartQuery): string {
  const put = (value: string) => `$${values.push(value)}`;
  const all = [
    protocol === undefined ? [] : `protocol = ${put(escapeText(protocol))}`,
    kind === undefined ? [] : `kind = ${put(kind)}`,
    since === undefined ? [] : `opened_at >= ${put(since)}`,
    until === undefined ? [] : `opened_at < ${put(until)}`,
    people.map((name) => `length(replace(people, ${put(JSON.stringify(name))}, '')) < length(people)`),
  ].flat(2);
  return all.map((one) => ` and ${one}`).join("");
}

export async function putParts(
  to: Statements,
  dialect: SqlDialect,
  { organization, parts }: { readonly organization: OrganizationId; readonly parts: readonly StoredPart[] },
): Promise<void> {
  const ids = parts.map((part): string => part.deliberation);
  // The sums that they were in, and then those that they are in. (PROJ-2)
  await to.run(outdateSums(dialect), organization, ids);
  for (const { deliberation, seq, opened, openedAt, protocol, kind, people, data } of parts)
    await to.run(
      PUT_PART,
      ...[organization, deliberation, seq, opened, openedAt, escapeText(protocol), kind],
      ...[JSON.stringify(people), data],
    );
  await to.run(outdateSums(dialect), organization, ids);
}
