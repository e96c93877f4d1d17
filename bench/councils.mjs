import { join } from "node:path";
import { CALL_MS, CALLS_PER_COUNCIL, WAVES } from "./council.mjs";
import { recordCalls } from "./calls.mjs";
import { cpuOf, inTurn, median, startClient, startSimServer } from "./harness.mjs";

const CRITICAL_PATH_MS = WAVES * CALL_MS;

/** @typedef {{ wallMs: number, cpuMs: number }} Burst */
/** @typedef {{ one: number, first: Burst, warm: Burst, crowd: Burst, serverMs: number }} Repetition Wall time of one council, and bursts. */

/** Wall time and processor time of councils, against the same calls by hand. @type {import("./harness.mjs").Measurement} */
export async function councils({ dist, against, quick, repetitions, scratch }) {
  const sizes = quick ? { some: 20, many: 60 } : { some: 100, many: 1_000 };
  const times = repetitions ?? (quick ? 1 : 5);
  const server = await startSimServer(dist);
  try {
    const calls = await recordCalls(dist, { url: server.url, store: join(scratch, "calls.db") });
    /** @type {ReadonlyMap<string, { file: string, build: string }>} */
    const contestants = new Map([
      ["parley", { file: "clients/parley.mjs", build: dist }],
      ["fetch", { file: "clients/fetch.mjs", build: dist }],
      ["undici", { file: "clients/undici.mjs", build: dist }],
      ...(against === undefined
        ? []
        : [/** @type {const} */ (["against", { file: "clients/parley.mjs", build: against }])]),
    ]);
    const names = [...contestants.keys()];
    /** @type {Record<string, Repetition[]>} */
    const results = Object.fromEntries(names.map((name) => [name, []]));
    const run = async (/** @type {string} */ name, /** @type {number} */ repetition) => {
      const { file = "", build = dist } = contestants.get(name) ?? {};
      const store = join(scratch, `councils-${name}-${repetition}.db`);
      const client = await startClient(file, { dist: build, url: server.url, store, calls });
      const burst = async (/** @type {number} */ n) => /** @type {Burst} */ (await client.ask({ n }));
      try {
        for (let index = 0; index < 3; index += 1) await burst(1);
        const ones = [await burst(1), await burst(1), await burst(1)];
        const first = await burst(sizes.some);
        const warm = await burst(sizes.some);
        const before = cpuOf(server.pid);
        const crowd = await burst(sizes.many);
        return {
          one: median(ones.map(({ wallMs }) => wallMs)),
          first,
          warm,
          crowd,
          serverMs: cpuOf(server.pid) - before,
        };
      } finally {
        client.stop();
      }
    };
    await run("undici", -1); // so that nobody is the first that the server meets
    for (let repetition = 0; repetition < times; repetition += 1) {
      for (const name of inTurn(names, repetition)) results[name]?.push(await run(name, repetition));
    }
    return { rows: names.flatMap((name) => rowsOf(name, results, sizes)), raw: results };
  } finally {
    server.stop();
  }
}

/** @param {string} name @param {Record<string, Repetition[]>} results @param {{ some: number, many: number }} sizes */
function rowsOf(name, results, { some, many }) {
  const own = results[name] ?? [];
  const floor = results["fetch"] ?? [];
  const measured = name === "parley";
  const path = (/** @type {(one: Repetition) => number} */ wall) =>
    median(own.map((one) => wall(one) / CRITICAL_PATH_MS));
  /** The median of the ratios of repetitions, and the ratio of the medians. */
  const toFloor = (/** @type {(one: Repetition) => number} */ of) => ({
    paired: median(own.map((one, index) => of(one) / of(/** @type {Repetition} */ (floor[index])))),
    medians: median(own.map(of)) / median(floor.map(of)),
  });
  const crowdWall = toFloor(({ crowd }) => crowd.wallMs);
  const crowdCpu = toFloor(({ crowd }) => crowd.cpuMs);
  const warmCpu = toFloor(({ warm }) => warm.cpuMs);
  const perCall = (/** @type {Burst} */ { cpuMs }, /** @type {number} */ n) => cpuMs / n / CALLS_PER_COUNCIL;
  const target = (/** @type {number} */ value) => (measured ? { target: value } : {});
  const is = (/** @type {string} */ what) => `${name}: ${what}`;
  return [
    {
      name: is("1 council, wall / critical path"),
      value: path(({ one }) => one),
      unit: "x",
      ...target(1.03),
    },
    { name: is(`${some} at once, first burst`), value: path(({ first }) => first.wallMs), unit: "x" },
    { name: is(`${some} at once, warm`), value: path(({ warm }) => warm.wallMs), unit: "x", ...target(1.35) },
    { name: is(`${many} at once`), value: path(({ crowd }) => crowd.wallMs), unit: "x" },
    ...(name === "fetch"
      ? []
      : [
          { name: is(`${many} at once, wall / fetch's`), value: crowdWall.medians, unit: "x", ...target(1) },
          { name: is(`${many} at once, wall / fetch's, paired`), value: crowdWall.paired, unit: "x" },
        ]),
    {
      name: is(`CPU a call, ${some} warm`),
      value: median(own.map(({ warm }) => perCall(warm, some))),
      unit: "ms",
    },
    {
      name: is(`CPU a call, ${many}`),
      value: median(own.map(({ crowd }) => perCall(crowd, many))),
      unit: "ms",
    },
    ...(name === "fetch"
      ? []
      : [
          { name: is(`CPU a call / fetch's, ${some} warm`), value: warmCpu.medians, unit: "x" },
          { name: is(`CPU a call / fetch's, ${many}`), value: crowdCpu.medians, unit: "x", ...target(0.9) },
          { name: is(`CPU a call / fetch's, ${many}, paired`), value: crowdCpu.paired, unit: "x" },
        ]),
    {
      name: is("CPU a call of the server"),
      value: median(own.map(({ serverMs }) => serverMs)) / many / CALLS_PER_COUNCIL,
      unit: "ms",
    },
  ];
}
