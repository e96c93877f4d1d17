import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { engramStoreContract } from "../../test/support/engram-store-contract.ts";
import { isFault } from "../kernel/index.ts";
import { storeContract } from "../testing/store-contract.ts";
import { openDatabase } from "./sqlite-database.ts";
import { nodeDriver } from "./sqlite-driver.ts";
import { openSqlite, sqliteStore } from "./sqlite.ts";

const hasOwn = nodeDriver() !== null;
/** As where npm left out the package, or another system's was copied. */
const missing = () =>
  Promise.reject(new Error("Cannot find module '@libsql/linux-x64-gnu'\nRequire stack:\n- x"));

describe("without libsql's native package", () => {
  it("a store is opened by Node's own SQLite, or a sentence says what is missing and what to do", async () => {
    const opened = await openDatabase(":memory:", missing).catch((error: unknown) => error);
    if (hasOwn) return expect(opened).toMatchObject({ path: ":memory:" });
    expect(isFault(opened, "store-unavailable") && opened.message).toMatch(
      /:memory:.*native package cannot be loaded \(Cannot find module '@libsql\/linux-x64-gnu'\); install .*optional packages included.*22\.16/,
    );
  });

  it("Node's SQLite without full-text search, as it is up to 22.15, is none", () => {
    class DatabaseSync {
      readonly isTransaction = false;
      exec(): void {}
      close(): void {}
      prepare() {
        return { run: () => ({ changes: 0 }), get: () => undefined, all: () => [] };
      }
    }
    expect(nodeDriver({ DatabaseSync })).toBeNull();
  });
});

async function place() {
  const folder = await mkdtemp(join(tmpdir(), "parley-node-sqlite-"));
  const path = join(folder, "parley.db");
  return {
    path,
    open: async () => sqliteStore(await openDatabase(path, missing), Date.now),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

if (hasOwn) {
  const because = "processes of its own open it by libsql";
  storeContract("Node's own SQLite", place, {
    describe,
    expect,
    it,
    skip: [
      {
        because,
        tests: [
          "lets many processes make and open a new store at once, and one of them record a contested step",
          "loses nothing acknowledged when half of the writing processes are killed",
        ],
      },
      {
        because: "what is in the file is the same as libsql's",
        tests: [
          "waits for a held lock without holding the event loop",
          "keeps data at rest as canonical JSON",
          "keeps an event of a type that it does not know",
          "refuses to read a deliberation that cannot be read, and follows all others",
        ],
      },
    ],
  });
  engramStoreContract("Node's own SQLite", place, {
    skip: [
      { because, tests: ["loses nothing acknowledged when two of four processes that remember are killed"] },
    ],
  });
  it("reads and writes the file that libsql made, and the other way round", async () => {
    await using at = await place();
    await using _first = await openSqlite(at.path);
    await using second = await at.open();
    await using _third = await openSqlite(at.path);
    expect(await second.for("local" as never).list({ limit: 1 })).toEqual([]);
  });
} else
  process.stdout.write(`Node's own SQLite is not tried: ${process.version} has none with full-text search\n`);
