import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Digest, OrganizationId, isFault, type NewEvent } from "../kernel/index.ts";
import { storeChild } from "../testing/store-contract-child.ts";
import { byClient, byOpening, deliberation, note, opening, upTo } from "../testing/store-samples.ts";
import { APPLICATION_ID, SQLITE_MIGRATIONS as MIGRATIONS } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";
import { NEW_SUMS, NEW_SUMS_AFTER, OLD_PARTS, OLD_SUMS, oldSums } from "../../test/support/old-sums.ts";
import { bundledStore } from "../../test/support/store-child.ts";

const bundled = await bundledStore(new URL("./sqlite.ts", import.meta.url));

const local = OrganizationId.parse("local");
const acme = OrganizationId.parse("acme");
const digest = (digit: string): Digest => Digest.parse(digit.repeat(64));

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-migration-"));
  path = join(folder, "parley.db");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** An opening that pins these texts, and, as every opening of these tests, the digest of zeros. */
function pinning(organization: string, texts: Readonly<Record<string, string>>): NewEvent {
  const event = opening(`a question of ${organization} with "quotes"`, { organization });
  if (event.type !== "deliberation-opened") throw new Error("an opening was asked for");
  const templates = Object.fromEntries(Object.entries(texts).map(([name, digit]) => [name, digest(digit)]));
  return { ...event, data: { ...event.data, templates } };
}

/** A file as the second version of the tables left it: these openings as d1, d2, …, and a text for each digit of `texts`. */
async function secondVersion(openings: readonly NewEvent[], texts: string): Promise<void> {
  const today = join(folder, "today.db");
  const store = await openSqlite(today);
  for (const [index, event] of openings.entries()) {
    if (event.type !== "deliberation-opened") continue;
    const part = store.for(event.data.organization);
    await part.append(deliberation(`d${index + 1}`), [event, note(index)], byOpening);
  }
  await store[Symbol.asyncDispose]();
  const database = new Database(path);
  database.exec(
    `pragma journal_mode = wal; ${MIGRATIONS[0]}; ${MIGRATIONS[1]};
     pragma application_id = ${APPLICATION_ID}; pragma user_version = 2; attach '${today}' as today;
     insert into event select * from today.event; insert into deliberation
     select id, organization, series, protocol, question, opened, opened_at, status, seq, cursor from today.deliberation`,
  );
  const put = database.prepare("insert into content (digest, content) values (?, ?)");
  for (const digit of texts) put.run(digest(digit), JSON.stringify(`text ${digit}`));
  database.close();
}

/** What the organizations read under each digit; a dot for nothing. */
async function textsIn(at: string, digits: string): Promise<{ local: string; acme: string }> {
  await using store = await openSqlite(at);
  const read = async (organization: OrganizationId): Promise<string> => {
    const found = [...digits].map((digit) =>
      store
        .for(organization)
        .text(digest(digit))
        .then((text) => text.replace("text ", ""))
        .catch((error: unknown) => (isFault(error, "text-missing") ? "." : Promise.reject(error as Error))),
    );
    return (await Promise.all(found)).join("");
  };
  return { local: await read(local), acme: await read(acme) };
}

it("STORE-2: gives every text of a store of the second version to its one organization", async () => {
  await secondVersion([pinning("acme", { a: "a" }), pinning("acme", { b: "b" })], "0abf");
  expect(await textsIn(path, "0abf")).toEqual({ local: "....", acme: "0abf" });
  await using store = await openSqlite(path);
  expect((await store.for(acme).read(deliberation("d2"))).map((entry) => entry.seq)).toEqual([1, 2]);
  expect(await store.for(acme).append(deliberation("d2"), [note(3)], byClient("a"))).toMatchObject({
    ok: true,
    events: [{ seq: 3, cursor: 5 }],
  });
});

it("STORE-2: gives the texts of a store that has no deliberation to the organization local", async () => {
  await secondVersion([], "a");
  expect(await textsIn(path, "a")).toEqual({ local: "a", acme: "." });
});

it("STORE-2: gives each of several organizations the texts that its openings pin", async () => {
  const openings = [
    pinning("local", { a: "a", shared: "c" }),
    pinning("acme", { b: "b", shared: "c" }),
    pinning("local", { d: "d" }),
  ];
  await secondVersion(openings, "0abcdf");
  expect(await textsIn(path, "0abcdf")).toEqual({ local: "0a.cd.", acme: "0.bc.." });
});

it("begins again where a process died amid the migration", async () => {
  await secondVersion([pinning("local", { a: "a" })], "a");
  const dying = new Database(path);
  dying.exec(`begin immediate; ${MIGRATIONS[2]}`);
  dying.close();
  expect(await textsIn(path, "a")).toEqual({ local: "a", acme: "." });
  expect(await textsIn(path, "a")).toEqual({ local: "a", acme: "." });
});

it("lets twenty openings of a store of the second version migrate it at once", async () => {
  await secondVersion([pinning("local", { a: "a" }), pinning("acme", { b: "b" })], "ab");
  const found = await Promise.all(upTo(20).map(() => textsIn(path, "ab")));
  expect(found).toEqual(upTo(20).map(() => ({ local: "a.", acme: ".b" })));
});

it("lets processes migrate a store of the second version at once", { timeout: 60_000 }, async () => {
  await secondVersion([pinning("local", { a: "a" })], "a");
  const open = { ...bundled, export: "openSqlite", args: [path] };
  const rivals = upTo(5).map((number) => storeChild(open, { task: "race", number }));
  try {
    await Promise.all(rivals.map((rival) => rival.reported("ready")));
    for (const rival of rivals) rival.start();
    await Promise.all(rivals.map((rival) => rival.reported("raced")));
    for (const rival of rivals) rival.finish();
    expect(await Promise.all(rivals.map((rival) => rival.ended))).toEqual(rivals.map(() => 0));
  } finally {
    await Promise.all(rivals.map((rival) => rival[Symbol.asyncDispose]()));
  }
  expect(await textsIn(path, "a")).toEqual({ local: "a", acme: "." });
});

it("makes anew the sums of a store that added to them and took from them", async () => {
  const before = await openSqlite(path);
  await before.for(local).projection.put(OLD_PARTS);
  await before[Symbol.asyncDispose]();
  const old = new Database(path);
  old.exec(`${OLD_SUMS} pragma user_version = 9`);
  old.close();
  await using store = await openSqlite(path);
  const { projection } = store.for(local);
  expect(await oldSums(projection)).toEqual(NEW_SUMS);
  expect(await oldSums(projection, "2026-02-02")).toEqual(NEW_SUMS_AFTER);
});
