import type { MemoryScope } from "../kernel/index.ts";
import type { EventBatch, Decision } from "./batch.ts";

/** What stands for a parameter; an array for `among` and for words. */
export type Value = string | number | boolean | null | Uint8Array | readonly (string | number)[];

/**
 * SQL that both databases take: `$1` is a parameter, `@name` a table of the store, and what differs comes from the dialect.
 * Values that the text does not name are left out; they stand last. `Row` is what the select names.
 */
export type Statements = {
  all<Row extends object>(sql: string, ...values: Value[]): Promise<readonly Row[]>;
  first<Row extends object>(sql: string, ...values: Value[]): Promise<Row | undefined>;
  /** Resolves to the number of rows that were written. */
  run(sql: string, ...values: Value[]): Promise<number>;
};

/** How a database spells what the two have in common. */
export type SqlDialect = {
  /** JSON text of an array of what a column holds in these rows, in this order. */
  list(column: string, order: string, where?: string): string;
  /** Whether a column is one of a parameter's. */
  among(column: string, parameter: string, type: "text" | "bigint"): string;
  /** Of the engrams `e`. */
  readonly isLive: string;
  /** The time that leases are compared with; `clock` is a parameter with this machine's. */
  now(clock: string): string;
  /** That time and a lease's own: parameters with its seconds, and with its end by this machine's clock. */
  until(seconds: string, end: string): string;
  /** The words of an engram: a further column of its row with `$10` as its value, or a table of their own. */
  readonly words: {
    readonly column: string;
    readonly value: string;
    add(statements: Statements, engram: number, words: readonly string[]): Promise<void>;
    drop(statements: Statements, engram: number): Promise<void>;
  };
  /** The names of live engrams that have one or more of these words, best match first, as `bestMatches` weighs them. */
  matching(statements: Statements, query: MatchQuery): Promise<readonly string[]>;
};

export type MatchQuery = MemoryScope & {
  readonly scope: number;
  /** Letters and digits only, with their scope before them. */
  readonly words: readonly string[];
  readonly limit: number;
  readonly without: string | null;
};

/** A database that has the store's tables. Reads see what is committed. */
export interface Database extends Statements {
  readonly location: string;
  readonly dialect: SqlDialect;
  /** How often another process's commits are looked for, while somebody subscribes. */
  readonly pollMs: number;
  /**
   * Runs a job in one transaction, together with others and one after the other, so that what it looked up still holds
   * when it writes. Durable when it resolves. `size`: about how many characters are written.
   */
  transaction<T>(size: number, job: (statements: Statements) => Promise<T>): Promise<T>;
  /** As `transaction`, beside no `append`; afterwards no file has what the job deleted (FORGET-3). */
  erase<T>(job: (statements: Statements) => Promise<T>): Promise<T>;
  /** Records a batch, together with others. Durable when it resolves. */
  append(batch: EventBatch): Promise<Decision>;
  /** An error of the database as a fault; anything else as it is. */
  fault(error: unknown): Error;
  /** Resolves when all that was begun has ended. */
  close(): Promise<void>;
}

/** Translates a text once. */
export function createTranslator(translate: (sql: string) => string) {
  const known = new Map<string, { readonly text: string; readonly values: number }>();
  return (sql: string) => {
    const before = known.get(sql);
    if (before) return before;
    const numbers = [...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
    const made = { text: translate(sql), values: Math.max(0, ...numbers) };
    known.set(sql, made);
    return made;
  };
}

/** Lets the event loop go on with what else there is. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The code of an error of a database or of the operating system; empty where it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/**
 * How a store waits for a lock that another process holds: by asking again, never by letting the database
 * block the thread (measured: a blocking wait of 1.2 s with eight processes, every token stream stalled).
 */
const MAX_PAUSE_MS = 25;

/** Longer than any honest transaction, shorter than a person waits. */
const MAX_WAIT_MS = 30_000;

type Patience = {
  readonly maxPauseMs?: number;
  /** How long to go on after the first refusal, milliseconds. */
  readonly maxWaitMs?: number;
};

/**
 * Tries until `attempt` is not refused as busy. Pauses have full jitter and grow, so that many processes do
 * not ask in step.
 * @throws whatever `attempt` throws that is not busy; the busy error itself after `maxWaitMs`, 30 s by default
 */
export async function retryWhileBusy<T>(
  attempt: () => T | Promise<T>,
  isBusy: (error: unknown) => boolean,
  { maxPauseMs = MAX_PAUSE_MS, maxWaitMs = MAX_WAIT_MS }: Patience = {},
): Promise<T> {
  let refusedMs: number | undefined;
  for (let tries = 0; ; tries++)
    try {
      return await attempt();
    } catch (error) {
      refusedMs ??= performance.now();
      if (!isBusy(error) || performance.now() - refusedMs > maxWaitMs) throw error;
      const pauseMs = Math.random() * Math.min(maxPauseMs, 2 ** Math.min(tries, 10));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
}
