import { join } from "node:path";
import { CALL_MS, CALLS_PER_COUNCIL, WAVES } from "./council.mjs";
import { recordCalls } from "./calls.mjs";
import { cpuOf, inTurn, median, startClient, startSimServer } from "./harness.mjs";

const CRITICAL_PATH_MS = WAVES * CALL_MS;

/** @typedef {{ wallMs: number, cpuMs: number }} Burst */
/** @typedef {{ one: number, some: Burst, many: Burst, serverMs: number }} Bursts Wall time of one council, bursts, and the server's processor time for `many`. */

/** Hundreds before the first that is measured, after which a process is warm. */
const WARMING = 4;

/** Wall time and processor time of councils in warm processes, against the same calls by hand. @type {import("./harness.mjs").Measurement} */
export async function councils({ dist, against, quick, repetitions, scratch }) {
  const sizes = quick ? { some: 20, many: 60 } : { some: 100, many: 1_000 };
  const times = repetitions ?? (quick ? 3 : 5);
  const server = await startSimServer(dist);
  const contestants = [
    { name: "fetch", file: "clients/fetch.mjs", build: dist },
    { name: "parley", file: "clients/parley.mjs", build: dist },
    ...(against === undefined ? [] : [{ name: "against", file: "clients/parley.mjs", build: against }]),
  ];
  /** @type {{ name: string, client: Awaited<ReturnType<typeof startClient>>, results: Bursts[] }[]} */
  const running = [];
  try {
    const calls = await recordCalls(dist, { url: server.url, store: join(scratch, "calls.db") });
    for (const { name, file, build } of contestants) {
      const store = join(scratch, `councils-${name}.db`);
      const client = await startClient(file, { dist: build, url: server.url, store, calls });
      running.push({ name, client, results: [] });
      for (let index = 0; index < WARMING; index += 1) await client.ask({ n: sizes.some });
    }
    for (let repetition = 0; repetition < times; repetition += 1) {
      for (const { client, results } of inTurn(running, repetition)) {
        const burst = async (/** @type {number} */ n) => /** @type {Burst} */ (await client.ask({ n }));
        const ones = [await burst(1), await burst(1), await burst(1)].map(({ wallMs }) => wallMs);
        const some = await burst(sizes.some);
        const before = cpuOf(server.pid);
        const many = await burst(sizes.many);
        results.push({ one: median(ones), some, many, serverMs: cpuOf(server.pid) - before });
      }
    }
    const floor = running[0]?.results ?? [];
    return {
      rows: running.flatMap(({ name, results }) => rowsOf(name, { own: results, floor, ...sizes })),
      raw: Object.fromEntries(running.map(({ name, results }) => [name, results])),
    };
  } finally {
    for (const { client } of running) client.stop();
    server.stop();
  }
}

/** @param {string} name @param {{ own: readonly Bursts[], floor: readonly Bursts[], some: number, many: number }} measured */
function rowsOf(name, { own, floor, some, many }) {
  const path = (/** @type {(one: Bursts) => number} */ wall) => median(own.map(wall)) / CRITICAL_PATH_MS;
  const perCall = (/** @type {(one: Bursts) => number} */ cpu, /** @type {number} */ n) =>
    median(own.map(cpu)) / n / CALLS_PER_COUNCIL;
  /** The median of the ratios of repetitions. */
  const toFloor = (/** @type {(one: Bursts) => number} */ of) =>
    median(own.map((one, index) => of(one) / of(/** @type {Bursts} */ (floor[index]))));
  /** @returns {import("./harness.mjs").Row} */
  const row = (
    /** @type {string} */ what,
    /** @type {number} */ value,
    /** @type {{ unit?: string, target?: number }} */ { unit = "x", target } = {},
  ) => ({
    ...{ name: `${name}: ${what}`, value, unit },
    ...(name === "parley" && target !== undefined && { target }),
  });
  const besideFetch = [
    row(
      `${many} at once, wall / fetch's`,
      toFloor((one) => one.many.wallMs),
      { target: 1 },
    ),
    row(
      `CPU a call / fetch's, ${some}`,
      toFloor((one) => one.some.cpuMs),
    ),
    row(
      `CPU a call / fetch's, ${many}`,
      toFloor((one) => one.many.cpuMs),
      { target: 1.1 },
    ),
  ];
  return [
    row(
      "1 council, wall / critical path",
      path((one) => one.one),
      { target: 1.03 },
    ),
    row(
      `${some} at once, wall / critical path`,
      path((one) => one.some.wallMs),
      { target: 1.45 },
    ),
    row(
      `${many} at once, wall / critical path`,
      path((one) => one.many.wallMs),
    ),
    ...(name === "fetch" ? [] : besideFetch),
    row(
      `CPU a call, ${some}`,
      perCall((one) => one.some.cpuMs, some),
      { unit: "ms" },
    ),
    row(
      `CPU a call, ${many}`,
      perCall((one) => one.many.cpuMs, many),
      { unit: "ms" },
    ),
    row(
      "CPU a call of the server",
      perCall((one) => one.serverMs, many),
      { unit: "ms" },
    ),
  ];
}
