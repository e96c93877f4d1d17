/** @typedef {"uniform" | "clustered"} Kind Directions anywhere, or near one of a thousand centres, as texts about the same things lie. */

export const DIMENSIONS = 384;
export const MODEL = "bench/vectors";
export const TOP = 10;
const CENTERS = 1_000;

/** Checked when an engram is put. */
export const SCOPE = /** @type {import("../src/kernel/index.ts").MemoryScope} */ (
  /** @type {unknown} */ ({ organization: "local", user: "bench" })
);

/** Numbers from 0 to 1 that are the same in each process (mulberry32). @param {number} seed */
export function drawing(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param {() => number} draw @param {Float32Array | undefined} center */
function direction(draw, center) {
  const vector = new Float32Array(DIMENSIONS);
  let squares = 0;
  for (let index = 0; index < DIMENSIONS; index += 1) {
    // About as far from the centre as the centre is from the origin, so that a neighbour's cosine is 0.5 to 0.8.
    const value = (center?.[index] ?? 0) + (draw() + draw() - 1) * (center ? 0.08 : 1);
    vector[index] = value;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}

/** @param {Kind} kind @param {{ count: number, seed: number }} options @returns {Float32Array[]} */
function directions(kind, { count, seed }) {
  const draw = drawing(7);
  const centers = Array.from({ length: CENTERS }, () => direction(draw, undefined));
  const own = drawing(seed);
  return Array.from({ length: count }, () =>
    direction(own, kind === "uniform" ? undefined : centers[Math.floor(own() * CENTERS)]),
  );
}

/** @param {Kind} kind @param {number} count */
export const vectorsOf = (kind, count) => directions(kind, { count, seed: 1 });

/** @param {Kind} kind @param {number} count */
export const questionsOf = (kind, count) => directions(kind, { count, seed: 2 });

/** A word of 20,000, the first ones far more often than the last, as in a language. @param {() => number} draw */
const word = (draw) => `w${Math.floor(20_000 ** draw())}`;

/** @param {() => number} draw @param {number} count */
export const wordsOf = (draw, count) => Array.from({ length: count }, () => word(draw));

/** @param {number} number */
export const idOf = (number) => `bench/${number}#0`;

/** An engram of 40 words. @param {number} number @returns {import("../src/kernel/index.ts").Engram} */
export function engramOf(number) {
  const draw = drawing(number);
  return /** @type {import("../src/kernel/index.ts").Engram} */ (
    /** @type {unknown} */ ({
      ...{ id: idOf(number), type: "episodic", ...SCOPE },
      ...{ question: wordsOf(draw, 10).join(" "), summary: wordsOf(draw, 28).join(" ") },
      ...{ intent: "fact", entities: wordsOf(draw, 2), participant: "respondent", respondent: "A" },
      ...{ models: ["sim/ada"], temperature: 0.5, deliberation: `d${number}`, conversation: `d${number}` },
      ...{ tools: false, at: "2026-01-01T00:00:00.000Z" },
    })
  );
}
