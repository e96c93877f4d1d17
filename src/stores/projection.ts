import { Cursor, DeliberationId, type FoldParts, type OrganizationId } from "../kernel/index.ts";
import type { Database, Statements, Value } from "./database.ts";
import { escapeText, unescapeText } from "./row.ts";

// PROJ-1. A projection is derived: it may be cleared at any time, and is then made anew from the journals.
// PROJ-2. A part and the sums that it is in change in one transaction, and an older part never replaces a newer one.

/** What one deliberation adds, as of its event `seq`. */
export type StoredPart = {
  readonly deliberation: DeliberationId;
  readonly seq: number;
  /** The place of its opening among all: a later one is higher. */
  readonly opened: number;
  readonly openedAt: string;
  readonly protocol: string;
  /** The kind of question. */
  readonly kind: string;
  /** Whom it can be found by. */
  readonly people: readonly string[];
  /** JSON text; null for one that adds nothing. */
  readonly data: string | null;
};

/** The sum of all parts of one month (`2026-11`), protocol and kind of question. */
export type StoredSum = {
  readonly month: string;
  readonly protocol: string;
  readonly kind: string;
  /** JSON text. */
  readonly data: string;
};

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
  /** Puts parts in the place of older ones, and brings the sums up to them (PROJ-2). */
  put(parts: readonly StoredPart[], fold: FoldParts): Promise<void>;
  /** Records that all parts up to a cursor are in. */
  reach(version: number, cursor: Cursor): Promise<void>;
  sums(query: Pick<PartQuery, "protocol" | "kind">): Promise<readonly StoredSum[]>;
  /** The newest opening first. */
  parts(
    query: PartQuery,
    page: { readonly limit: number; readonly before?: Pick<StoredPart, "openedAt" | "opened"> },
  ): Promise<readonly StoredPart[]>;
  /** Forgets all of it (PROJ-1). */
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
const PART = `select ${PART_COLUMNS} from @run_part where organization = $1 and deliberation = $2`;
const PUT_PART = `insert into @run_part (organization, ${PART_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (organization, deliberation) do update
  set seq = excluded.seq, protocol = excluded.protocol, kind = excluded.kind, people = excluded.people, data = excluded.data`;
const SUM_AT = "organization = $1 and month = $2 and protocol = $3 and kind = $4";
const SUM = `select data from @part_sum where ${SUM_AT}`;
const PUT_SUM = `insert into @part_sum (organization, month, protocol, kind, data) values ($1, $2, $3, $4, $5)
  on conflict (organization, month, protocol, kind) do update set data = excluded.data`;
const DROP_SUM = `delete from @part_sum where ${SUM_AT}`;
const TABLES = ["projection", "run_part", "part_sum"];

const toPart = ({ deliberation, opened_at, people, data, ...row }: PartRow): StoredPart => ({
  ...row,
  protocol: unescapeText(row.protocol),
  deliberation: DeliberationId.parse(deliberation),
  openedAt: opened_at,
  people: JSON.parse(people) as string[], // `putParts` wrote it
  data,
});

export function createProjection(database: Database, organization: OrganizationId): RunProjection {
  return {
    async cursor(version) {
      const row = await database.first<{ cursor: number }>(CURSOR, organization, version);
      return row && Cursor.parse(row.cursor);
    },
    async seqs() {
      const rows = await database.all<{ deliberation: string; seq: number }>(SEQS, organization);
      return new Map(rows.map(({ deliberation, seq }) => [deliberation, seq]));
    },
    put: (parts, fold) =>
      database.transaction(
        parts.reduce((size, { data }) => size + 200 + (data?.length ?? 0), 0),
        (statements) => putParts(statements, organization, { parts, fold }),
      ),
    reach: async (version, cursor) => void (await database.run(REACH, organization, version, cursor)),
    async sums({ protocol, kind }) {
      const values: Value[] = [organization];
      const which = conditions(values, { protocol, kind });
      const rows = await database.all<StoredSum>(
        `select month, protocol, kind, data from @part_sum where organization = $1${which} order by month, protocol, kind`,
        ...values,
      );
      return rows.map((row) => ({
        ...row,
        protocol: unescapeText(row.protocol),
      }));
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

type Putting = { readonly parts: readonly StoredPart[]; readonly fold: FoldParts };
type Change = {
  readonly at: readonly [string, string, string];
  readonly less: string[];
  readonly more: string[];
};

export async function putParts(
  statements: Statements,
  organization: OrganizationId,
  { parts, fold }: Putting,
): Promise<void> {
  const changes = new Map<string, Change>();
  const changeOf = ({ openedAt, protocol, kind }: StoredPart): Change => {
    const at = [openedAt.slice(0, 7), escapeText(protocol), kind] as const;
    const key = JSON.stringify(at);
    const known = changes.get(key) ?? { at, less: [], more: [] };
    changes.set(key, known);
    return known;
  };
  for (const part of parts) {
    const row = await statements.first<PartRow>(PART, organization, part.deliberation);
    if (row && row.seq >= part.seq) continue; // PROJ-2
    const old = row && toPart(row);
    if (old?.data) changeOf(old).less.push(old.data);
    if (part.data) changeOf(part).more.push(part.data);
    const { deliberation, seq, opened, openedAt, protocol, kind, people, data } = part;
    await statements.run(
      PUT_PART,
      ...[organization, deliberation, seq, opened, openedAt, escapeText(protocol), kind],
      ...[JSON.stringify(people), data],
    );
  }
  for (const { at, less, more } of changes.values()) {
    const row = await statements.first<{ data: string }>(SUM, organization, ...at);
    const sum = fold(row?.data ?? null, { less, more });
    if (sum === null) await statements.run(DROP_SUM, organization, ...at);
    else await statements.run(PUT_SUM, organization, ...at, sum);
  }
}
