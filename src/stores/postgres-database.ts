import { Fault, isFault, refusal } from "../kernel/index.ts";
import { errorCode, retryWhileBusy } from "./database.ts";
import type pg from "pg";
import { POSTGRES_MIGRATIONS as MIGRATIONS } from "./schema.ts";

const KEPT = "nothing acknowledged was lost";

const NO_SERVER = "no server answers there; start it, or correct the host and port in the store's address";
const PASSWORD = "the server refused the user or the password; correct them in the store's address";
const IN_THE_WAY = `transactions of other processes got in the way for 30 s; try again: ${KEPT}`;

const UNREACHABLE = "ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ETIMEDOUT ENOENT".split(" ");

/** By PostgreSQL's SQLSTATE, or by the operating system's error code. */
const WHY: ReadonlyMap<string, string> = new Map([
  ...UNREACHABLE.map((code) => [code, NO_SERVER] as const),
  [
    "EACCES",
    "this user may not use the server's socket; change its permissions, or connect by host and port",
  ],
  ["28P01", PASSWORD],
  ["28000", PASSWORD],
  ["3D000", "the server has no such database; create it, or correct its name in the store's address"],
  ["42501", "the user lacks the rights to it; grant them, or connect as the schema's owner"],
  ["25006", `the server is read-only; connect to the primary, then try again: ${KEPT}`],
  ["53100", `the server's disk is full; free space there and try again: ${KEPT}`],
  ["53200", `the server has no memory left; try again: ${KEPT}`],
  [
    "53300",
    "the server has had no connection left for 30 s; end other programs, lower the setting store-connections, or raise the server's max_connections",
  ],
  ["40001", IN_THE_WAY],
  ["40P01", IN_THE_WAY],
  [
    "55P03",
    `another process has kept the journal locked for 30 s; end its transaction and try again: ${KEPT}`,
  ],
  ["57P03", `the server is starting, stopping or recovering; try again in a moment: ${KEPT}`],
]);

/** SQLSTATEs and system errors of a connection that ended: another one may well work. */
const LOST = new Set("57P01 57P02 57P05 25P03 08000 08003 08006 ECONNRESET EPIPE".split(" "));
const LOST_WORDS = /^(?:Connection terminated|Client has encountered a connection error)/;

/** The driver's words when none of the pool's connections became free, and when a new one was not made in time. */
const POOL_BUSY = "timeout exceeded when trying to connect";
const NOT_CONNECTED = "Connection terminated due to connection timeout";

/** SQLSTATEs of what passes: no place on the server, a server that starts, transactions in each other's way. */
const PASSING = new Set(["53300", "57P03", "40001", "40P01"]);
/** A connection pooler's words for the same; its SQLSTATE says nothing. */
const POOLER_BUSY = /no more connections allowed|query_wait_timeout/;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "");

/** Whether the connection broke, so that nobody knows what became of its transaction. */
function isLost(error: unknown): boolean {
  const message = messageOf(error);
  return LOST.has(errorCode(error)) || (LOST_WORDS.test(message) && message !== NOT_CONNECTED);
}

/** Whether the same may work in a moment, with a server that can be reached. */
function isPassing(error: unknown): boolean {
  const message = messageOf(error);
  return isLost(error) || PASSING.has(errorCode(error)) || message === POOL_BUSY || POOLER_BUSY.test(message);
}

/** Whether the same may work in a moment with a server that has answered before. */
export const isTransient = (error: unknown): boolean =>
  isPassing(error) || UNREACHABLE.includes(errorCode(error)) || messageOf(error) === NOT_CONNECTED;

/** An error of the database or of the network as a fault; anything else as it is. */
export function postgresFault(error: unknown, where: string): Error {
  if (isFault(error)) return error;
  const plain = error instanceof Error ? error : new Error(String(error));
  const why = describeError(plain);
  return why === undefined ? plain : new Fault("store-unavailable", { where, why }, { cause: error });
}

function describeError(error: Error): string | undefined {
  const code = errorCode(error);
  if (error.message === NOT_CONNECTED) return NO_SERVER;
  if (isLost(error)) return `the connection broke; try again: ${KEPT}`;
  if (error.message === POOL_BUSY || POOLER_BUSY.test(error.message))
    return `all connections have been busy for 30 s; raise the setting store-connections, or the pooler's limit: ${KEPT}`;
  const known = WHY.get(code);
  if (known !== undefined) return known;
  return /^[0-9A-Z]{5}$/.test(code) ? `PostgreSQL says: ${error.message} (${code})` : undefined;
}

export type PostgresDatabase = {
  /** User, host, database and schema; never a password. */
  readonly location: string;
  readonly pool: pg.Pool;
  /** Runs what can be done twice, again and again for 30 s while the server has no place or does not answer. */
  repeatable<T>(this: void, action: () => Promise<T>): Promise<T>;
  /** Qualified, quoted name of a table. */
  readonly table: (name: string) => string;
  /** SQL that takes the store's one write lock until the transaction ends. */
  readonly lock: string;
  /** The same for its engrams. */
  readonly engramLock: string;
};

export type PostgresOptions = {
  /** Lower-case letters, digits and underscores. */
  readonly schema?: string;
  /** Connections of this process at most. */
  readonly connections?: number;
  /** How long to wait for a connection, or for a server that has gone away; milliseconds. */
  readonly maxWaitMs?: number;
};

const INT8 = 20;
/** One for the journal's writes, one for the memory's, and two for reads. */
const CONNECTIONS = 4;
const MAX_WAIT_MS = 30_000;
/** For one try to connect, or to get a connection of the pool. */
const CONNECT_MS = 10_000;
/** Between two tries at a server. */
const MAX_PAUSE_MS = 500;
/** An unused connection is given back for other processes. */
const IDLE_MS = 2_000;

/**
 * Opens a store in a schema of a database, making both the schema and its tables where they are missing.
 * @throws Fault `store-unavailable`, `schema-newer`, `configuration`
 */
export async function openDatabase(
  url: string,
  { schema = "parley", connections = CONNECTIONS, maxWaitMs = MAX_WAIT_MS }: PostgresOptions,
): Promise<PostgresDatabase> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    const next = "use lower-case letters, digits and underscores";
    throw refusal(`"${schema}" cannot be the name of a schema`, next);
  }
  const driver = await loadDriver();
  const { user, host, port, database: name } = parseAddress(driver, url);
  const pool = createPool(driver, url, { connections, connectMs: Math.min(CONNECT_MS, maxWaitMs) });
  const patience = { maxPauseMs: MAX_PAUSE_MS, maxWaitMs };
  const location = `postgres://${user ?? ""}@${host}:${port}/${name ?? ""} (schema ${schema})`;
  const database: PostgresDatabase = {
    location,
    pool,
    repeatable: (action) => retryWhileBusy(action, isTransient, patience),
    table: (table) => `"${schema}".${table}`,
    lock: lockSql("append", schema),
    engramLock: lockSql("engrams", schema),
  };
  try {
    await retryWhileBusy(() => migrate(database, schema), isPassing, patience);
    return database;
  } catch (error) {
    await pool.end();
    throw postgresFault(error, location);
  }
}

type Pg = typeof pg;

/** The package is the user's to install: most stores are a file. */
async function loadDriver(): Promise<Pg> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    if (!/^(?:ERR_)?MODULE_NOT_FOUND$/.test(errorCode(error))) throw error;
    const next = "run npm install pg (globally, where Parley is installed globally)";
    throw refusal("a store in PostgreSQL needs the package pg, which is not installed", next);
  }
}

function parseAddress({ Client }: Pg, url: string): pg.Client {
  try {
    return new Client({ connectionString: url });
  } catch {
    // The driver's own message may quote the address, and with it the password.
    const why =
      "it is not an address of a PostgreSQL server; write postgres://USER:PASSWORD@HOST:PORT/DATABASE";
    throw new Fault("store-unavailable", { where: "postgres://…", why });
  }
}

function createPool(
  { Pool, types }: Pg,
  url: string,
  { connections, connectMs }: { connections: number; connectMs: number },
): pg.Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: connectMs,
    allowExitOnIdle: true,
    application_name: "parley",
    // Cursors and sums are far below 2^53.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)) },
  });
  // An idle connection that breaks is replaced by the next query; unheard, it would end the process.
  pool.on("error", () => undefined);
  // So is one that breaks between two queries of a transaction: its next query says so.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

function lockSql(purpose: string, schema: string): string {
  return `select pg_advisory_xact_lock(hashtext('parley ${purpose}'), hashtext('${schema}'))`;
}

async function migrate({ pool, location, table }: PostgresDatabase, schema: string): Promise<void> {
  const version = async (client: pg.Pool | pg.PoolClient): Promise<number> => {
    // Not `to_regclass`: it may answer from what this connection cached before it waited for the lock.
    const sql =
      "select exists (select from pg_tables where schemaname = $1 and tablename = 'version') as there";
    const there = await client.query<{ there: boolean }>(sql, [schema]);
    if (!there.rows[0]?.there) return 0;
    const { rows } = await client.query<{ version: number }>(`select version from ${table("version")}`);
    const found = rows[0]?.version ?? 0;
    if (found <= MIGRATIONS.length) return found;
    throw new Fault("schema-newer", { what: `the store at ${location}`, found, known: MIGRATIONS.length });
  };
  if ((await version(pool)) === MIGRATIONS.length) return;
  await transaction(pool, lockSql("migration", schema), async (client) => {
    // Asked again under the lock: another process may have been first.
    const from = await version(client);
    if (from === MIGRATIONS.length) return;
    if (from === 0) {
      await client.query(`create schema if not exists "${schema}"`);
      await client.query(`create table ${table("version")} (version integer not null)`);
      await client.query(`insert into ${table("version")} values (0)`);
    }
    await client.query(`set local search_path to "${schema}"`);
    for (const step of MIGRATIONS.slice(from)) await client.query(step);
    await client.query(`update ${table("version")} set version = ${MIGRATIONS.length}`);
  });
}

/**
 * Runs `body` between `begin` with `first` and `commit`. Its commit is durable when this resolves, also on a
 * server that is set to acknowledge before writing. A wait for a lock ends after 30 s. What is looked up under a lock is
 * up to date on a server with another default isolation, too.
 */
export async function transaction<T>(
  pool: pg.Pool,
  first: string,
  body: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(`
      begin isolation level read committed;
      set local lock_timeout = '30s';
      select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off';
      ${first}`);
    const result = await body(client);
    await client.query("commit");
    client.release();
    return result;
  } catch (error) {
    const clean =
      !isLost(error) &&
      (await client.query("rollback").then(
        () => true,
        () => false,
      ));
    client.release(!clean);
    throw error;
  }
}
