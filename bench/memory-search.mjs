import { fork } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadParley } from "./council.mjs";
import { median, quantile } from "./harness.mjs";
import { MODEL, SCOPE, TOP, engramOf, vectorsOf } from "./memory-samples.mjs";

/** @typedef {import("./clients/memory-search.mjs").Searched} Searched */

/** Engrams put at once: as many as share a commit. */
const AT_ONCE = 64;

/**
 * The nearest and the best matching of many engrams, in a file: in a process that has just opened it, and in one that has
 * searched before. The nearest are compared with those of a plain scan over the same vectors.
 *
 * @type {import("./harness.mjs").Measurement}
 */
export async function memorySearch({ dist, quick, repetitions = quick ? 1 : 5, scratch }) {
  const count = quick ? 10_000 : 100_000;
  const asked = quick ? 10 : 50;
  const rows = [];
  const notes = [];
  /** @type {Record<string, Searched[]>} */
  const raw = {};
  for (const kind of /** @type {const} */ (["uniform", "clustered"])) {
    const store = join(scratch, `memory-${kind}.db`);
    const startMs = performance.now();
    await fill(dist, { store, kind, count });
    const seconds = (performance.now() - startMs) / 1_000;
    /** @type {Searched[]} */
    const all = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1)
      all.push(await search({ dist, store, kind, count, asked }));
    raw[kind] = all;
    const of = (/** @type {(one: Searched) => number} */ figure) => median(all.map(figure));
    const name = `${kind}: ${count.toLocaleString("en")} engrams`;
    rows.push(
      { name: `${name}, warm, median`, value: of((one) => median(one.warmMs)), unit: "ms", target: 50 },
      { name: `${name}, warm, p95`, value: of((one) => quantile(one.warmMs, 0.95)), unit: "ms" },
      { name: `${name}, first of a process`, value: of((one) => one.firstMs), unit: "ms" },
      {
        name: `${kind}: event loop held while loading`,
        value: of((one) => one.heldMs),
        unit: "ms",
        target: 50,
      },
      {
        name: `${kind}: warm / a plain scan of an array`,
        value: of((one) => median(one.warmMs) / median(one.plainMs)),
        unit: "x",
      },
      {
        name: `${kind}: top ${TOP} as by a plain scan`,
        value: of((one) => one.equal),
        unit: "of 1",
        target: 1,
        least: /** @type {const} */ (true),
      },
      { name: `${kind}: held in memory`, value: of((one) => one.heldBytes) / 2 ** 20, unit: "MB" },
      { name: `${kind}: eight words, median`, value: of((one) => median(one.wordsMs)), unit: "ms" },
    );
    const size = (statSync(store).size / 2 ** 20).toFixed(0);
    notes.push(`${kind}: ${count} put and embedded in ${seconds.toFixed(0)} s; the file has ${size} MB`);
  }
  return { rows, notes, raw };
}

/** @param {string} dist @param {{ store: string, kind: import("./memory-samples.mjs").Kind, count: number }} options */
async function fill(dist, { store: path, kind, count }) {
  const parley = await loadParley(dist);
  const store = await parley.openStore(path);
  const { engrams } = store;
  try {
    const vectors = vectorsOf(kind, count);
    for (let from = 0; from < count; from += AT_ONCE) {
      const some = vectors
        .slice(from, from + AT_ONCE)
        .map((vector, index) => ({ vector, engram: engramOf(from + index) }));
      await Promise.all(some.map(({ engram }) => engrams.put(engram, engram.id)));
      await engrams.embed(SCOPE, {
        model: MODEL,
        vectors: new Map(some.map(({ engram, vector }) => [engram.id, vector])),
      });
    }
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/**
 * In a process of its own, so that its first search is the first.
 *
 * @param {object} options @returns {Promise<Searched>}
 */
function search(options) {
  const child = fork(fileURLToPath(new URL("clients/memory-search.mjs", import.meta.url)), [], {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.send(options);
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(/** @type {Searched} */ (message)));
    child.once("exit", (code) => reject(new Error(`a search ended with ${code}`)));
  });
}
