import { join } from "node:path";
import pg from "pg";
import { asked, loadParley } from "./council.mjs";

/** Whose deliberations are measured. */
const LOCAL = /** @type {import("../src/kernel/index.ts").OrganizationId} */ ("local");

/** Appends a second, each acknowledged when it is durable. @type {import("./harness.mjs").Measurement} */
export async function journal({ dist, quick, scratch }) {
  const parley = await loadParley(dist);
  const forMs = quick ? 300 : 3_000;
  const file = await measure(parley, { name: "sqlite", target: join(scratch, "journal.db"), forMs });
  const server = await postgres();
  if ("because" in server) return { rows: file, notes: [`postgres: skipped, ${server.because}`] };
  try {
    return { rows: [...file, ...(await measure(parley, { name: "postgres", target: server.url, forMs }))] };
  } finally {
    await server.drop();
  }
}

/** A few deliberations at once, as few users make, and many. */
const AT_ONCE = [1, 8, 64];

/**
 * @param {import("./council.mjs").Parley} parley
 * @param {{ name: string, target: string, forMs: number }} options
 */
async function measure(parley, { name, target, forMs }) {
  const store = await parley.openStore(target);
  const engine = parley.createEngine({
    store,
    models: parley.createModels({
      env: {},
      compatible: { bench: { url: "http://127.0.0.1:9/v1", local: true } },
    }),
    frames: parley.localFrames(),
    world: parley.systemWorld,
    protocols: [parley.council],
    reactors: [],
  });
  const rows = [];
  try {
    for (const lanes of AT_ONCE) {
      /** @type {import("../src/kernel/index.ts").DeliberationId[]} */
      const ids = [];
      for (let lane = 0; lane < lanes; lane += 1) {
        const { opened } = await engine.open(parley.systemWorld.id(), asked(parley, { seed: "bench" }));
        ids.push(opened.deliberation);
      }
      const startMs = performance.now();
      let appends = 0;
      const own = store.for(LOCAL);
      const lane = async (/** @type {typeof ids[number]} */ id) => {
        while (performance.now() - startMs < forMs) {
          const data = { topic: "bench", reason: "measured", body: "x".repeat(400) };
          const appended = await own.append(id, [{ type: "note-taken", data }], {
            by: "client",
            request: `${lanes}-${(appends += 1)}`,
          });
          if (!appended.ok || !appended.fresh) throw new Error("an append was not taken");
        }
      };
      await Promise.all(ids.map(lane));
      const value = appends / ((performance.now() - startMs) / 1_000);
      rows.push({ name: `${name}: appends of one event, ${lanes} at once`, value, unit: "a second" });
    }
    return rows;
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** A database of its own on the server that PARLEY_DATABASE_URL names, or one of this machine that asks for no password. */
async function postgres() {
  const given = process.env["PARLEY_DATABASE_URL"];
  const server = given === undefined || given === "" ? "postgres://postgres@127.0.0.1:5432/postgres" : given;
  const name = `parley_bench_${process.pid}`;
  const query = async (/** @type {string} */ text) => {
    const client = new pg.Client({ connectionString: server, connectionTimeoutMillis: 2_000 });
    try {
      await client.connect();
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  try {
    await query(`create database ${name}`);
  } catch (error) {
    const why = error instanceof Error && error.message !== "" ? error.message : "it does not answer";
    return {
      because: `no database can be made on the server (${given ? "PARLEY_DATABASE_URL" : "127.0.0.1:5432"}): ${why}`,
    };
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => query(`drop database ${name} with (force)`) };
}
