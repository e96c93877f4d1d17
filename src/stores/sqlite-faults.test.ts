import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isFault, type Store } from "../kernel/index.ts";
import { LOCAL, byClient, byOpening, deliberation, note, opening, upTo } from "../testing/store-samples.ts";
import { type SqliteConnections, openDatabase } from "./sqlite-database.ts";
import { openSqlite, sqliteStore } from "./sqlite.ts";

const id = deliberation("d1");
const isRoot = process.getuid?.() === 0;

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-faults-"));
  path = join(folder, "parley.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Why the store could not be used. */
const whyOf = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => "it could be used",
    (error: unknown) =>
      isFault(error, "store-unavailable") ? `${error.details.where}: ${error.details.why}` : String(error),
  );

/** Appends notes until one fails; the ids that were acknowledged, and why the last was not. */
async function fill(store: Store, bytes: number): Promise<{ acknowledged: string[]; why: string }> {
  const acknowledged: string[] = [];
  for (let round = 0; ; round++) {
    const append = store.for(LOCAL).append(id, [note("x".repeat(bytes))], byClient(`fill-${round}`));
    const why = await whyOf(append);
    if (why !== "it could be used") return { acknowledged, why };
    acknowledged.push(`d1/client/fill-${round}#0`);
  }
}

/** Lets the file grow by so many pages of 4 KB beyond what its tables take. */
async function limitPages({ reader, writer }: SqliteConnections, more: number): Promise<void> {
  const [row] = reader.prepare("pragma page_count").all([]) as { page_count: number }[]; // SQLite names it
  await writer.exec(`pragma max_page_count = ${(row?.page_count ?? 0) + more}`);
}

const idsIn = async (store: Store) =>
  (await store.for(LOCAL).read(id)).map((entry): string => entry.id).slice(1);

const run = (command: string, ...args: string[]): void => void execFileSync(command, args, { stdio: "pipe" });

/** A file system of its own, where this user may make one. */
function mountTiny(size: string): { unmount: () => void } | { because: string } {
  const at = join(folder, "tiny");
  mkdirSync(at);
  try {
    run("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", at);
    path = join(at, "parley.db");
    return { unmount: () => run("umount", "-l", at) };
  } catch {
    return { because: "this user may not mount a file system" };
  }
}

describe("the SQLite store, when the disk fails", () => {
  it("says that the database may not grow, loses nothing, and goes on when it may", async () => {
    const database = await openDatabase(path);
    await using store = await sqliteStore(database, Date.now);
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    await limitPages(database, 20);
    const { acknowledged, why } = await fill(store, 10_000);
    expect(why).toMatch(/the disk is full; free space and try again/);
    expect(acknowledged.length).toBeGreaterThan(3);
    expect(await idsIn(store)).toEqual(acknowledged);
    await database.writer.exec("pragma max_page_count = 100000");
    expect(await store.for(LOCAL).append(id, [note("after")], byClient("after"))).toMatchObject({
      ok: true,
      fresh: true,
    });
    expect(await idsIn(store)).toEqual([...acknowledged, "d1/client/after#0"]);
  });

  it("records of one tick what fits, when only one append does not", async () => {
    const database = await openDatabase(path);
    await using store = await sqliteStore(database, Date.now);
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    await limitPages(database, 20);
    const outcomes = await Promise.all(
      upTo(9).map((n) =>
        whyOf(store.for(LOCAL).append(id, [note("x".repeat(n === 5 ? 900_000 : 100))], byClient(`${n}`))),
      ),
    );
    expect(outcomes.map((why) => why === "it could be used")).toEqual(upTo(9).map((n) => n !== 5));
    expect(await idsIn(store)).toHaveLength(8);
  });

  it("says that the file is read-only, and goes on when it is not", async () => {
    const database = await openDatabase(path);
    await using store = await sqliteStore(database, Date.now);
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    await database.writer.exec("pragma query_only = on");
    expect(await whyOf(store.for(LOCAL).append(id, [note(1)], byClient("a")))).toMatch(
      /it is read-only; make the file/,
    );
    await database.writer.exec("pragma query_only = off");
    expect(await store.for(LOCAL).append(id, [note(1)], byClient("a"))).toMatchObject({
      ok: true,
      fresh: true,
    });
  });

  it("survives a file system without space (ENOSPC) and goes on when there is some again", async (context) => {
    const mount = mountTiny("600k");
    if ("because" in mount) return context.skip(mount.because);
    try {
      const ballast = join(folder, "tiny", "ballast");
      writeFileSync(ballast, "b".repeat(100_000));
      const store = await openSqlite(path);
      await store.for(LOCAL).append(id, [opening("?")], byOpening);
      const { acknowledged, why } = await fill(store, 10_000);
      expect(why).toContain("the disk is full");
      expect(await idsIn(store)).toEqual(acknowledged);
      rmSync(ballast);
      expect(await store.for(LOCAL).append(id, [note("after")], byClient("after"))).toMatchObject({
        ok: true,
      });
      await store[Symbol.asyncDispose]();
      await using again = await openSqlite(path);
      expect(await idsIn(again)).toEqual([...acknowledged, "d1/client/after#0"]);
    } finally {
      mount.unmount();
    }
  });

  it("says that there is no space to begin with, or no right to write (ENOSPC, EROFS)", async (context) => {
    const mount = mountTiny("4k");
    if ("because" in mount) return context.skip(mount.because);
    try {
      expect(await whyOf(openSqlite(path))).toContain("the disk is full");
      run("mount", "-o", "remount,ro", join(folder, "tiny"));
      expect(await whyOf(openSqlite(join(folder, "tiny", "new", "parley.db")))).toContain("it is read-only");
      expect(await whyOf(openSqlite(path))).toContain("it is read-only");
    } finally {
      mount.unmount();
    }
  });

  it("names what is wrong with a path", async () => {
    writeFileSync(path, "this is no database, whatever its name says".repeat(100));
    expect(await whyOf(openSqlite(path))).toBe(
      `${path}: it is not a database; name another file, or move this one away`,
    );
    expect(await whyOf(openSqlite(folder))).toContain("it is a folder, not a file");
    expect(await whyOf(openSqlite(join(path, "parley.db")))).toContain("a part of the path is not a folder");
  });

  it.each([
    ["one name of 300 characters", () => join(folder, "x".repeat(300), "parley.db")],
    ["the file's own name", () => join(folder, `${"y".repeat(260)}.db`)],
    ["a folder that is there, and a name below it", () => join(folder, "z".repeat(256))],
    ["names of several bytes", () => join(folder, "ü".repeat(200), "parley.db")],
    ["many short names", () => join(folder, "a/".repeat(3_000), "parley.db")],
  ])("says that a path is too long: %s", async (_, place) => {
    expect(await whyOf(openSqlite(place()))).toContain("its path is too long; set PARLEY_HOME to a shorter");
  });

  it("says that a path leads back to itself", async () => {
    symlinkSync("loop", join(folder, "loop"));
    expect(await whyOf(openSqlite(join(folder, "loop", "parley.db")))).toContain(
      "its path has a link that leads back to itself",
    );
  });

  it("names the missing right", async (context) => {
    if (isRoot) return context.skip("root may read and write everything, so no right is missing");
    const locked = join(folder, "locked");
    mkdirSync(locked, { mode: 0o500 });
    expect(await whyOf(openSqlite(join(locked, "parley.db")))).toContain(
      "this user may not read and write it",
    );
    await (await openSqlite(path))[Symbol.asyncDispose]();
    chmodSync(path, 0o400);
    expect(await whyOf(openSqlite(path))).toMatch(/it is read-only|this user may not/);
  });

  it("says that a file is damaged", async () => {
    const store = await openSqlite(path);
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    await Promise.all(
      upTo(50).map((n) => store.for(LOCAL).append(id, [note("x".repeat(2_000))], byClient(`${n}`))),
    );
    await store[Symbol.asyncDispose]();
    const database = new Database(path);
    database.pragma("wal_checkpoint(truncate)");
    database.close();
    truncateSync(path, 8_192);
    const outcome = await whyOf(openSqlite(path).then((opened) => opened.for(LOCAL).read(id)));
    expect(outcome).toContain("the file is damaged");
  });

  it("refuses another program's database, and a store of a newer version", async () => {
    const foreign = new Database(path);
    foreign.exec("create table song (title)");
    foreign.close();
    expect(await whyOf(openSqlite(path))).toContain("it is another program's database");
    const newer = join(folder, "newer.db");
    await (await openSqlite(newer))[Symbol.asyncDispose]();
    const database = new Database(newer);
    database.pragma("user_version = 99");
    database.close();
    const fault: unknown = await openSqlite(newer).catch((error: unknown) => error);
    expect(isFault(fault, "schema-newer") && fault.details).toMatchObject({
      what: `the store at ${newer}`,
      found: 99,
    });
  });

  it("makes its folder and file for this user alone", async () => {
    const deep = join(folder, "a", "b", "parley.db");
    await (await openSqlite(deep))[Symbol.asyncDispose]();
    expect(existsSync(deep)).toBe(true);
    expect(
      [join(folder, "a"), join(folder, "a", "b"), deep].map((file) => statSync(file).mode & 0o777),
    ).toEqual([0o700, 0o700, 0o600]);
  });

  it.each<[string, () => void]>([
    ["deleted", () => rmSync(path)],
    ["moved", () => renameSync(path, `${path}.moved`)],
    ["replaced by a copy", () => (copyFileSync(path, `${path}.copy`), renameSync(`${path}.copy`, path))],
    ["replaced by another file", () => (rmSync(path), writeFileSync(path, "another"))],
    ["emptied", () => truncateSync(path)],
    ["in a folder that was deleted", () => rmSync(folder, { recursive: true })],
    ["in a folder that was moved", () => renameSync(folder, `${folder}-moved`)],
    ["replaced by a folder", () => (rmSync(path), mkdirSync(path))],
  ])("SQLITE-4: acknowledges nothing in a file that was %s", async (_, harm) => {
    const store = await openSqlite(path);
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    harm();
    for (const key of ["a", "b"])
      expect(await whyOf(store.for(LOCAL).append(id, [note(1)], byClient(key)))).toMatch(
        /the file was deleted, moved or replaced while it was in use; put it back|the file is damaged/,
      );
    await whyOf(Promise.resolve(store[Symbol.asyncDispose]()));
    rmSync(`${folder}-moved`, { recursive: true, force: true });
  });

  it("SQLITE-4: goes on in a file that is back, with all that was written meanwhile", async () => {
    await using store = await openSqlite(path);
    await store.for(LOCAL).append(id, [opening("?")], byOpening);
    renameSync(path, `${path}.moved`);
    await whyOf(store.for(LOCAL).append(id, [note(1)], byClient("a")));
    renameSync(`${path}.moved`, path);
    expect(await store.for(LOCAL).append(id, [note(1)], byClient("a"))).toMatchObject({ ok: true });
    expect(await idsIn(store)).toEqual(["d1/client/a#0"]);
  });
});
