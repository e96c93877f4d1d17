// Searches a store's engrams, in a process that has done nothing before, and tells its parent what it took.
import { loadParley } from "../council.mjs";
import {
  DIMENSIONS,
  MODEL,
  SCOPE,
  TOP,
  drawing,
  idOf,
  questionsOf,
  vectorsOf,
  wordsOf,
} from "../memory-samples.mjs";

/** @typedef {{ dist: string, store: string, kind: import("../memory-samples.mjs").Kind, count: number, asked: number }} Options */
/**
 * `heldMs`: the longest time for which the event loop did nothing else during the first search; `equal`: the share of
 * questions whose nearest are those of the plain scan.
 * @typedef {{ firstMs: number, heldMs: number, warmMs: number[], plainMs: number[], wordsMs: number[], heldBytes: number, equal: number }} Searched
 */

process.once("message", (/** @type {Options} */ options) => {
  void search(options).then((searched) => process.send?.(searched, () => process.exit()));
});

/** @param {Options} options @returns {Promise<Searched>} */
async function search({ dist, store: path, kind, count, asked }) {
  const questions = questionsOf(kind, asked);
  const parley = await loadParley(dist);
  const store = await parley.openStore(path);
  const { engrams } = store;
  const nearest = async (/** @type {Float32Array} */ vector) => {
    const startMs = performance.now();
    const near = await engrams.nearest(SCOPE, { model: MODEL, vector, limit: TOP });
    return { ms: performance.now() - startMs, ids: near.map(({ id }) => id).join(" ") };
  };
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  const loop = watchLoop();
  const first = await nearest(questions[0] ?? new Float32Array(DIMENSIONS));
  const heldMs = loop.longestMs();
  globalThis.gc?.();
  const heldBytes = process.memoryUsage().arrayBuffers - before;
  /** @type {Awaited<ReturnType<typeof nearest>>[]} */
  const warm = [];
  for (const question of questions) warm.push(await nearest(question));
  const draw = drawing(3);
  const wordsMs = [];
  for (let round = 0; round < asked; round += 1) {
    const startMs = performance.now();
    await engrams.matching(SCOPE, { words: wordsOf(draw, 8), limit: 50 });
    wordsMs.push(performance.now() - startMs);
  }
  await store[Symbol.asyncDispose]();
  const plain = plainScan(vectorsOf(kind, count));
  const plainly = questions.map(plain);
  const equal = plainly.filter(({ ids }, index) => ids === warm[index]?.ids).length / asked;
  if (plainly[0]?.ids !== first.ids)
    throw new Error("the first search of a process is not that of a plain scan");
  return {
    ...{ firstMs: first.ms, heldMs, warmMs: warm.map(({ ms }) => ms), plainMs: plainly.map(({ ms }) => ms) },
    ...{ wordsMs, heldBytes, equal },
  };
}

/** Every vector in one array, one after the other. @param {readonly Float32Array[]} vectors */
function plainScan(vectors) {
  const all = new Float32Array(vectors.length * DIMENSIONS);
  vectors.forEach((vector, index) => all.set(vector, index * DIMENSIONS));
  return (/** @type {Float32Array} */ question) => {
    const startMs = performance.now();
    const found = [];
    for (let index = 0, at = 0; index < vectors.length; index += 1) {
      let similarity = 0;
      for (let place = 0; place < DIMENSIONS; place += 1)
        similarity += (all[at++] ?? 0) * (question[place] ?? 0);
      found.push({ index, similarity });
    }
    const best = found.sort((a, b) => b.similarity - a.similarity).slice(0, TOP);
    return { ms: performance.now() - startMs, ids: best.map(({ index }) => idOf(index)).join(" ") };
  };
}

function watchLoop() {
  let longestMs = 0;
  let lastMs = performance.now();
  let watching = true;
  const look = () => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (watching) setImmediate(look);
  };
  setImmediate(look);
  return {
    longestMs: () => {
      watching = false;
      return Math.max(longestMs, performance.now() - lastMs);
    },
  };
}
