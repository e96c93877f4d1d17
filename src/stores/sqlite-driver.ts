/** Bytes are given as a `Buffer`: what else libsql takes for bytes is not said. */
export type SqlValue = string | number | Buffer | null;

/** What this store uses of a libsql statement. Rows are typed by who wrote the select. Values in one array need no copying. */
export type Statement = {
  run(values: SqlValue[]): { readonly changes: number };
  /** The first row, or undefined. */
  get(values: SqlValue[]): unknown;
  /** May be a promise: it reads in a thread of its own where the connection is the writer. */
  all(values: SqlValue[]): unknown;
};

export type SqliteReader = {
  prepare(sql: string): Omit<Statement, "all"> & { all(values: SqlValue[]): unknown[] };
};

/** `exec` may return a promise, and so may `prepare`; `run` and `get` of the statements are synchronous. */
export type SqliteWriter = {
  exec(sql: string): unknown;
  prepare(sql: string): Statement | Promise<Statement>;
};

export type SqliteConnection = SqliteWriter &
  SqliteReader & { readonly inTransaction: boolean; close(): void };

/** What opens a file: `writer` may work in a thread of its own. */
export type SqliteDriver = {
  readonly reader: (path: string) => SqliteConnection;
  readonly writer: (path: string) => SqliteConnection;
};

/** What is used of `node:sqlite`, whose types are not in those of Node 20. */
type NodeStatement = {
  run(...values: unknown[]): { readonly changes: number | bigint };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
};
type NodeDatabase = {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
};
type NodeSqlite = { readonly DatabaseSync: new (path: string, options?: object) => NodeDatabase };

/** SQLite's primary result codes that are told apart; `node:sqlite` gives their numbers alone. */
const NAMES = new Map(
  Object.entries({
    ...{ PERM: 3, BUSY: 5, LOCKED: 6, NOMEM: 7, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14 },
    ...{ CONSTRAINT: 19, AUTH: 23, NOTADB: 26 },
  }).map(([name, code]) => [code, `SQLITE_${name}`]),
);

/** As libsql throws: with the name of the result code. */
function withCodeName<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    const number = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
    if (!(error instanceof Error) || number === 0) throw error;
    throw Object.assign(error, { code: NAMES.get(number) ?? "SQLITE_ERROR" });
  }
}

/** A whole number is bound as one; numbered parameters by their names, which Node reads in every version. */
function bound(sql: string, values: readonly SqlValue[]): unknown[] {
  const given = values.map((value) => (Number.isSafeInteger(value) ? BigInt(value as number) : value));
  const names = new Set(sql.match(/\?\d+/g));
  return names.size === 0
    ? given
    : [Object.fromEntries([...names].map((name) => [name, given[Number(name.slice(1)) - 1]]))];
}

function connect({ DatabaseSync }: NodeSqlite, path: string): SqliteConnection {
  // As libsql opens it: the busy timeout is set by a pragma.
  const options = { enableForeignKeyConstraints: false, enableDoubleQuotedStringLiterals: true };
  const database = withCodeName(() => new DatabaseSync(path, options));
  return {
    get inTransaction() {
      return database.isTransaction;
    },
    exec: (sql) => withCodeName(() => database.exec(sql)),
    close: () => database.close(),
    prepare: (sql): Statement & { all(values: SqlValue[]): unknown[] } => {
      const statement = withCodeName(() => database.prepare(sql));
      return {
        run: (values) => ({
          changes: Number(withCodeName(() => statement.run(...bound(sql, values))).changes),
        }),
        get: (values) => withCodeName(() => statement.get(...bound(sql, values))),
        all: (values) => withCodeName(() => statement.all(...bound(sql, values))),
      };
    },
  };
}

/** Node's own SQLite, whose commits hold this thread; null where it has none with full-text search (from 22.16 on). */
export function nodeDriver(module = builtin()): SqliteDriver | null {
  if (module === undefined) return null;
  const memory = new module.DatabaseSync(":memory:");
  const found = memory
    .prepare("select 1 from pragma_compile_options where compile_options = 'ENABLE_FTS5'")
    .get();
  memory.close();
  const open = (path: string): SqliteConnection => connect(module, path);
  return found === undefined ? null : { reader: open, writer: open };
}

function builtin(): NodeSqlite | undefined {
  // It is Node's own module of this name, or undefined.
  return process.getBuiltinModule("node:sqlite" as "node:fs") as unknown as NodeSqlite | undefined;
}

/** A missing or unfit native package in a sentence. */
export function unusableWhy(error: unknown): string {
  const words = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  return `SQLite's native package cannot be loaded (${words}); install Parley again on this machine, its optional packages included, or use Node 22.16 or later, which has SQLite itself`;
}
