import pg from "pg";
import { Fault } from "../kernel/index.ts";
import { isLost, postgresFault } from "./postgres-faults.ts";
import { MIGRATIONS } from "./postgres-schema.ts";

export type PostgresDatabase = {
  /** User, host, database and schema; never a password. */
  readonly where: string;
  readonly pool: pg.Pool;
  /** Qualified, quoted name of a table. */
  readonly table: (name: string) => string;
  /** SQL that takes the store's one write lock until the transaction ends. */
  readonly lock: string;
  /** The same for its engrams. */
  readonly engramLock: string;
};

const INT8 = 20;

/**
 * Opens a store in a schema of a database, making both the schema and its tables where they are missing.
 *
 * @param schema lower-case letters, digits and underscores
 * @throws Fault `store-unavailable`, `schema-newer`, `configuration`
 */
export async function openDatabase(url: string, schema: string): Promise<PostgresDatabase> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    const next = "use lower-case letters, digits and underscores";
    throw new Fault("configuration", { why: `"${schema}" cannot be the name of a schema`, next });
  }
  const { user, host, port, database: name } = addressOf(url);
  const pool = poolOf(url);
  const where = `postgres://${user ?? ""}@${host}:${port}/${name ?? ""} (schema ${schema})`;
  const database: PostgresDatabase = {
    where,
    pool,
    table: (table) => `"${schema}".${table}`,
    lock: lockSql("append", schema),
    engramLock: lockSql("engrams", schema),
  };
  try {
    await migrate(database, schema);
    return database;
  } catch (error) {
    await pool.end();
    throw postgresFault(error, where);
  }
}

function addressOf(url: string): pg.Client {
  try {
    return new pg.Client({ connectionString: url });
  } catch {
    // The driver's own message may quote the address, and with it the password.
    const why =
      "it is not an address of a PostgreSQL server; write postgres://USER:PASSWORD@HOST:PORT/DATABASE";
    throw new Fault("store-unavailable", { where: "DATABASE_URL", why });
  }
}

function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    application_name: "parley",
    // Cursors and sums are far below 2^53.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
  });
  // An idle connection that breaks is replaced by the next query; unheard, it would end the process.
  pool.on("error", () => undefined);
  return pool;
}

const lockSql = (purpose: string, schema: string): string =>
  `select pg_advisory_xact_lock(hashtext('parley ${purpose}'), hashtext('${schema}'))`;

async function migrate({ pool, where, table }: PostgresDatabase, schema: string): Promise<void> {
  const version = async (client: pg.Pool | pg.PoolClient): Promise<number> => {
    // Not `to_regclass`: it may answer from what this connection cached before it waited for the lock.
    const sql =
      "select exists (select from pg_tables where schemaname = $1 and tablename = 'version') as there";
    const there = await client.query<{ there: boolean }>(sql, [schema]);
    if (!there.rows[0]?.there) return 0;
    const { rows } = await client.query<{ version: number }>(`select version from ${table("version")}`);
    const found = rows[0]?.version ?? 0;
    if (found <= MIGRATIONS.length) return found;
    throw new Fault("schema-newer", { what: `the store at ${where}`, found, known: MIGRATIONS.length });
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
 * server that is set to acknowledge before writing. A wait for a lock ends after 30 s.
 */
export async function transaction<T>(
  pool: pg.Pool,
  first: string,
  body: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(`
      begin;
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
