import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inTurn, median, quantile, startClient, startServer, startSimServer } from "./harness.mjs";

/** @typedef {import("./clients/critic.mjs").Arm} Arm */
/** @typedef {import("./clients/critic.mjs").Answered} Answered */
/** @typedef {import("./critic-check.mjs").Checked} Checked */
/** @typedef {{ heapBytes: number, externalBytes: number, rssBytes: number }} Held */
/** @typedef {import("./harness.mjs").Row} Row */
/** @typedef {{ name: string, second: boolean, shared: boolean, drains: boolean, arms: readonly Arm[], blocks: number, n: number, least: number, early?: number }} Setting `least`: milliseconds between one question and the next at least; `early`: after so many blocks the heap is measured for the first time */
/** @typedef {{ blocks: Map<Arm, Answered[]>, everyMs: number, early: Held | undefined, late: Held, checked: Checked }} Measured */

const ANSWER_MS = 200;
/** Questions come no faster than leaves the process two thirds of a core: beyond, what is measured is a queue for the processor. */
const CORE_SHARE = 1 / 3;
/** Answers before the measured ones, of each kind, after which the processor time of one is known. */
const WARMING = 40;
const WARMING_EVERY_MS = 40;

/**
 * Answers of a respondent that take 200 ms, with a critic half of whose calls come to nothing and without, in turns in one
 * process on one store.
 *
 * @type {import("./harness.mjs").Measurement}
 */
export async function critic({ dist, quick, scratch }) {
  const server = await startSimServer(dist);
  const judge = await startServer([fileURLToPath(new URL("unruly-judge.mjs", import.meta.url))]);
  /** @type {Row[]} */
  const rows = [];
  /** @type {string[]} */
  const notes = [];
  /** @type {Record<string, unknown>} */
  const raw = {};
  try {
    for (const setting of settingsOf(quick)) {
      const store = join(scratch, `critic-${setting.name.replaceAll(/\W+/g, "-")}.db`);
      const measured = await measure(setting, { dist, url: server.url, judge: judge.url, store });
      rows.push(...rowsOf(setting, measured, quick));
      notes.push(...notesOf(setting, measured));
      raw[setting.name] = { ...measured, blocks: Object.fromEntries(measured.blocks) };
    }
    return { rows, notes, raw };
  } finally {
    server.stop();
    judge.stop();
  }
}

/** @param {boolean} quick @returns {Setting[]} */
function settingsOf(quick) {
  const usual = { second: false, shared: false, drains: false };
  const all = /** @type {const} */ (["without", "critic", "bare"]);
  const two = /** @type {const} */ (["without", "critic"]);
  // 20 under way at a time, where the processor allows it.
  const service = quick ? { blocks: 3, n: 60, least: 10 } : { blocks: 10, n: 100, least: 10, early: 2 };
  // Two: with the judge's calls that is less than its provider's four places.
  const few = quick ? { blocks: 2, n: 30, least: 100 } : { blocks: 6, n: 50, least: 100 };
  const oneShot = quick ? { blocks: 2, n: 20, least: 50 } : { blocks: 4, n: 25, least: 50 };
  return [
    { ...usual, name: "A alone", arms: all, ...service },
    { ...usual, name: "A and B", second: true, arms: two, ...service },
    { ...usual, name: "judge and A share 4 places", shared: true, arms: two, ...few },
    { ...usual, name: "drained beside the drive", drains: true, arms: two, ...oneShot },
  ];
}

/** @param {Setting} setting @param {{ dist: string, url: string, judge: string, store: string }} where @returns {Promise<Measured>} */
async function measure({ arms, blocks, early, second, shared, drains, n, least }, where) {
  const client = await startClient("clients/critic.mjs", { ...where, second, shared, drains });
  const run = async (/** @type {import("./clients/critic.mjs").Block} */ block) =>
    /** @type {Answered} */ (await client.ask({ block }));
  const heap = async () => /** @type {Held} */ (await client.ask({ heap: true }));
  try {
    let everyMs = least;
    for (const arm of [...arms, ...arms]) {
      const { cpuMs } = await run({ arm, n: WARMING / 2, everyMs: WARMING_EVERY_MS });
      if (arm === "critic") everyMs = Math.max(least, Math.ceil(cpuMs / (WARMING / 2) / CORE_SHARE));
    }
    /** @type {Measured["blocks"]} */
    const answered = new Map(arms.map((arm) => [arm, []]));
    /** @type {Held | undefined} */
    let before;
    for (let index = 0; index < blocks; index += 1) {
      for (const arm of inTurn(arms, index)) answered.get(arm)?.push(await run({ arm, n, everyMs }));
      if (index + 1 === early) before = await heap();
    }
    const late = await heap();
    const checked = /** @type {Checked} */ (await client.ask({}));
    return { blocks: answered, everyMs, early: before, late, checked };
  } finally {
    client.stop();
  }
}

/** @param {Setting} setting @param {Measured} measured @param {boolean} quick @returns {Row[]} */
function rowsOf({ name, arms, blocks, n, early }, { blocks: all, everyMs, ...measured }, quick) {
  const { early: before, late, checked } = measured;
  const atOnce = Math.max(1, Math.round(ANSWER_MS / everyMs));
  const is = (/** @type {string} */ what) => `${name}: ${what}`;
  // While a block's first are under way, nothing is there yet to be graded.
  const timesOf = (/** @type {Arm} */ arm) => (all.get(arm) ?? []).flatMap(({ ms }) => ms.slice(atOnce));
  const ratio = (/** @type {Arm} */ arm, /** @type {(times: number[]) => number} */ of) =>
    of(timesOf("critic")) / of(timesOf(arm));
  const p95 = (/** @type {number[]} */ times) => quantile(times, 0.95);
  const cpu = (/** @type {Arm} */ arm) => median((all.get(arm) ?? []).map(({ cpuMs }) => cpuMs / n));
  const wrong = checked.notOnce + checked.whyless;
  const memory = checked.unremembered + checked.unannotated;
  const caughtUp = (all.get("critic") ?? []).map(({ caughtUpMs }) => caughtUpMs);
  return [
    {
      name: is(`${blocks * n} answers, ${atOnce} at a time, p50`),
      value: median(timesOf("critic")),
      unit: "ms",
    },
    { name: is("with a critic / without, p50"), value: ratio("without", median), unit: "x", target: 1.05 },
    { name: is("with a critic / without, p95"), value: ratio("without", p95), unit: "x", target: 1.05 },
    ...(arms.includes("bare")
      ? [
          { name: is("with a critic / no reactor, p50"), value: ratio("bare", median), unit: "x" },
          { name: is("with a critic / no reactor, p95"), value: ratio("bare", p95), unit: "x" },
        ]
      : []),
    ...arms.map((arm) => ({ name: is(`CPU an answer, ${WORDS[arm]}`), value: cpu(arm), unit: "ms" })),
    { name: is("answers without a grade or a why"), value: wrong, unit: "answers", target: 0 },
    { name: is("engrams or their grades missing"), value: memory, unit: "answers", target: 0 },
    { name: is("events that a reactor still owes"), value: checked.owed, unit: "events", target: 0 },
    { name: is("reactors behind at the end"), value: checked.behind, unit: "reactors", target: 0 },
    { name: is("reactors caught up after a block"), value: median(caughtUp), unit: "ms" },
    ...(before === undefined
      ? []
      : [
          {
            name: is(`heap at ${blocks * n} / at ${(early ?? 0) * n}`),
            value: late.heapBytes / before.heapBytes,
            unit: "x",
            ...(quick ? {} : { target: 1.1 }),
          },
          { name: is("RSS, the same"), value: late.rssBytes / before.rssBytes, unit: "x" },
        ]),
  ];
}

/** @type {Readonly<Record<Arm, string>>} */
const WORDS = { bare: "no reactor", without: "without", critic: "with a critic" };

/** @param {Setting} setting @param {Measured} measured */
function notesOf({ name }, { checked, late }) {
  const { answers, graded, preferences, engrams, annotated, whys } = checked;
  const reasons = Object.entries(whys).map(([why, times]) => `${times} × ${why}`);
  const heap = (late.heapBytes / 2 ** 20).toFixed(1);
  return [
    `${name}: of ${answers} answers ${graded} have a score; ${preferences} preferences; ${engrams} engrams, ${annotated} of them graded; heap ${heap} MB at the end`,
    ...reasons.map((reason) => `  null: ${reason}`),
  ];
}
