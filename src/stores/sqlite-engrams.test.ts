import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isFault, type Annotation } from "../kernel/index.ts";
import { vectorFor } from "../testing/engram-contract-samples.ts";
import { ada, atAngle, engram, engramId, grade, retired, said } from "../testing/engram-samples.ts";
import { storeChild } from "../testing/store-contract-child.ts";
import { LOCAL, byClient, byOpening, deliberation, note, opening, upTo } from "../testing/store-samples.ts";
import { toBlob } from "./engram-row.ts";
import { APPLICATION_ID, SQLITE_MIGRATIONS as MIGRATIONS } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";
import { bundledStore } from "../../test/support/store-child.ts";

const bundled = await bundledStore(new URL("./sqlite.ts", import.meta.url));

const model = "sim/vectors";
const by = { by: "ada", at: "2026-02-01T00:00:00.000Z" };

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-engrams-"));
  path = join(folder, "parley.db");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A file as the first version of the tables left it, with a deliberation of three events. */
async function firstVersion(): Promise<void> {
  const today = join(folder, "today.db");
  const store = await openSqlite(today);
  await store.for(LOCAL).append(deliberation("d1"), [opening("?"), note(1)], byOpening);
  await store.for(LOCAL).append(deliberation("d1"), [note(2)], byClient("a"));
  await store[Symbol.asyncDispose]();
  const database = new Database(path);
  database.exec(
    `${MIGRATIONS[0]}; pragma application_id = ${APPLICATION_ID}; pragma user_version = 1;
     attach '${today}' as today;
     insert into event select * from today.event; insert into deliberation
     select id, organization, series, protocol, question, opened, opened_at, status, seq, cursor from today.deliberation`,
  );
  database.close();
}

it("opens a store of the first version, keeps its events and makes the tables", async () => {
  await firstVersion();
  await using store = await openSqlite(path);
  expect((await store.for(LOCAL).read(deliberation("d1"))).map((entry) => entry.id)).toEqual([
    "d1/open#0",
    "d1/open#1",
    "d1/client/a#0",
  ]);
  expect(await store.engrams.put(engram("a", { summary: "zebra" }), engramId("a"))).toBe(true);
  expect(await store.engrams.matching(ada, { words: ["zebra"], limit: 3 })).toEqual(["a"]);
  const appended = await store.for(LOCAL).append(deliberation("d1"), [note(3)], byClient("b"));
  expect(appended).toMatchObject({ ok: true, events: [{ seq: 4, cursor: 4 }] });
});

it(
  "lets processes open a store of the first version at once, and remember in it",
  { timeout: 60_000 },
  async () => {
    await firstVersion();
    const open = { ...bundled, export: "openSqlite", args: [path] };
    const rivals = upTo(5).map((number) => storeChild(open, { task: "remember", number }));
    try {
      await Promise.all(rivals.map((rival) => rival.reported("ready")));
      for (const rival of rivals) rival.start();
      await Promise.all(rivals.map((rival) => rival.reported("acknowledged")));
      for (const rival of rivals) rival.finish();
      expect(await Promise.all(rivals.map((rival) => rival.ended))).toEqual(rivals.map(() => 0));
    } finally {
      await Promise.all(rivals.map((rival) => rival[Symbol.asyncDispose]()));
    }
    await using store = await openSqlite(path);
    expect(await store.for(LOCAL).read(deliberation("d1"))).toHaveLength(3);
    for (const number of upTo(5)) {
      const id = engramId(`${number}/0/1`);
      const near = await store.engrams.nearest(ada, { model, vector: vectorFor(id), limit: 1 });
      expect(near.map((one) => one.id)).toEqual([id]);
    }
  },
);

it("leaves nothing of what is forgotten in its file", async () => {
  const word = "quaggazebra";
  const vector = vectorFor("secret");
  const saying = "utterlyprivate";
  const inFile = async () => {
    const bytes = await readFile(path);
    // Heads and codes of the index too: the number that the codes are steps of is nobody else's.
    return [word, saying, toBlob(vector).subarray(0, 64)].map((what) => bytes.includes(what));
  };
  const store = await openSqlite(path);
  const target = { ...ada, id: engramId("secret") };
  for (const n of upTo(300)) await store.engrams.put(engram(`n${n}`, { summary: `w${n}` }), engramId("n"));
  await store.engrams.put(engram("secret", { summary: `${word} `.repeat(200), entities: [word] }), target.id);
  await store.engrams.embed(ada, { model, vectors: new Map([[target.id, vector]]) });
  await store.engrams.annotate(target, said("e1", { kind: "comment", text: saying.repeat(300) }));
  for (const n of upTo(300)) await store.engrams.put(engram(`m${n}`, { summary: `w${n}` }), engramId("m"));
  await store[Symbol.asyncDispose]();
  expect(await inFile()).toEqual([true, true, true]);
  const again = await openSqlite(path);
  expect(await again.engrams.forget(ada, { id: target.id, ...by })).toBe(true);
  await again[Symbol.asyncDispose]();
  expect(await inFile()).toEqual([false, false, false]);
});

it("ENGRAM-5: keeps what is not live out of blocks, and does not find it even there", async () => {
  await using store = await openSqlite(path);
  const { engrams } = store;
  const ids = ["a", "b", "c"].map(engramId);
  for (const id of ids) await engrams.put(engram(id), id);
  await engrams.embed(ada, { model, vectors: new Map(ids.map((id, index) => [id, atAngle(index / 10)])) });
  const found = async () =>
    (await engrams.nearest(ada, { model, vector: atAngle(0), limit: 9 })).map(({ id }) => id);
  expect(await found()).toEqual(["a", "b", "c"]);
  await engrams.annotate({ ...ada, id: engramId("b") }, retired("r"));
  const database = new Database(path);
  const placed = database
    .prepare(
      "select e.data ->> 'id' as id from engram e join engram_vector v on v.engram = e.number where v.block is not null",
    )
    .all() as { id: string }[];
  expect(placed.map(({ id }) => id)).toEqual(["a", "c"]);
  database.exec("update engram set live = 0 where data ->> 'id' = 'c'");
  database.close();
  expect(await found()).toEqual(["a"]);
});

it("refuses what it could not read back, and vectors that are no directions", async () => {
  await using store = await openSqlite(path);
  const { engrams } = store;
  const whyOf = (action: Promise<unknown>) =>
    action.then(
      () => "taken",
      (error: unknown) => (isFault(error, "event-invalid") ? error.details.type : String(error)),
    );
  const a = engramId("a");
  expect(await whyOf(engrams.put({ ...engram("a"), summary: "x".repeat(4_001) }, a))).toBe("engram");
  // An engram of a caller without types.
  const long = { ...ada, id: "x".repeat(2_001) } as never as { id: typeof a } & typeof ada;
  expect(await whyOf(engrams.annotate(long, grade("g")))).toBe("annotation");
  const wrong = { ...grade("g"), by: "x".repeat(1_001) } satisfies Annotation;
  expect(await whyOf(engrams.annotate({ ...ada, id: a }, wrong))).toBe("annotation");
  expect(await whyOf(engrams.put(engram("a"), a))).toBe("taken");
  const broken = [
    [],
    [0, 0],
    [2, 0],
    [Number.NaN, 1],
    [Infinity, 0],
    Array.from({ length: 16_385 }, () => 1 / 128),
  ];
  for (const numbers of broken) {
    const vector = Float32Array.from(numbers);
    expect(await whyOf(engrams.embed(ada, { model, vectors: new Map([[a, vector]]) }))).toBe("vector");
    expect(await whyOf(engrams.nearest(ada, { model, vector, limit: 1 }))).toBe("vector");
  }
  expect(await engrams.get(ada, [a])).toMatchObject([{ annotations: [], embedded: [] }]);
});

it("refuses engrams after it was closed, and has those that it acknowledged", async () => {
  const store = await openSqlite(path);
  const put = store.engrams.put(engram("a"), engramId("a"));
  await store[Symbol.asyncDispose]();
  expect(await put).toBe(true);
  const failures = await Promise.all(
    [
      store.engrams.put(engram("b"), engramId("b")),
      store.engrams.list(ada, { limit: 1 }),
      store.engrams.nearest(ada, { model, vector: atAngle(0), limit: 1 }),
    ].map((action) =>
      action.then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  );
  expect(failures.map((failure) => isFault(failure, "store-unavailable"))).toEqual([true, true, true]);
  await using again = await openSqlite(path);
  expect((await again.engrams.list(ada, { limit: 9 })).map((stored) => stored.engram.id)).toEqual(["a"]);
});

it("finds the few without a vector among many, in slices", { timeout: 60_000 }, async () => {
  await using store = await openSqlite(":memory:");
  const { engrams } = store;
  const ids = upTo(8_500).map((n) => engramId(`n${n}`));
  await Promise.all(ids.map((id) => engrams.put(engram(id), id)));
  const missing = new Set(["n1", "n4499", "n4500", "n8500"]);
  const embedded = ids.filter((id) => !missing.has(id));
  await engrams.embed(ada, { model, vectors: new Map(embedded.map((id) => [id, atAngle(1)])) });
  const found = async (limit: number) =>
    (await engrams.unembedded(ada, { model, limit })).map(({ id }) => id);
  expect(await found(2)).toEqual(["n8500", "n4500"]);
  expect(await found(9)).toEqual(["n8500", "n4500", "n4499", "n1"]);
  await engrams.embed(ada, { model, vectors: new Map([[engramId("n1"), atAngle(1)]]) });
  expect(await found(9)).toEqual(["n8500", "n4500", "n4499"]);
  // The lowest one ends what is looked through, and is still seen.
  await engrams.embed(ada, { model, vectors: new Map([[engramId("n4499"), atAngle(1)]]) });
  expect([await found(9), await found(9)]).toEqual([
    ["n8500", "n4500"],
    ["n8500", "n4500"],
  ]);
  await engrams.embed(ada, { model, vectors: new Map([...missing].map((id) => [engramId(id), atAngle(1)])) });
  expect(await found(9)).toEqual([]);
  await engrams.put(engram("late"), engramId("late"));
  expect(await found(9)).toEqual(["late"]);
  const near = await engrams.nearest(ada, { model, vector: atAngle(1), limit: 3 });
  expect(near.map(({ id }) => id)).toEqual(["n1", "n10", "n100"]);
});
