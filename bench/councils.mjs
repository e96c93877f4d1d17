import { join } from "node:path";
import { CALL_MS, CALLS_PER_COUNCIL, WAVES } from "./council.mjs";
import { recordCalls } from "./calls.mjs";
import { cpuOf, inTurn, median, startClient, startSimServer } from "./harness.mjs";

const CRITICAL_PATH_MS = WAVES * CALL_MS;

/** @typedef {{ wallMs: number, cpuMs: number }} Burst */
/** @typedef {{ one: number, some: Burst, many: Burst, serverMs: number }} Bursts Wall time of one council, bursts, and the server's processor time for `many`. */
/** @typedef {{ begun: Bursts, warm: Bursts }} Repetition In a process that has just begun, and in the same when it has run for a while. */

/** Hundreds in between, after which a process is warm. */
const WARMING = 3;

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
      const ones = async () => {
        const three = [await burst(1), await burst(1), await burst(1)];
        return median(three.map(({ wallMs }) => wallMs));
      };
      const bursts = async () => {
        const one = await ones();
        const some = await burst(sizes.some);
        const before = cpuOf(server.pid);
        const many = await burst(sizes.many);
        return { one, some, many, serverMs: cpuOf(server.pid) - before };
      };
      try {
        await ones();
        const begun = await bursts();
        for (let index = 0; index < WARMING; index += 1) await burst(sizes.some);
        return { begun, warm: await bursts() };
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
  const target = (/** @type {number} */ value) => (name === "parley" ? { target: value } : {});
  return /** @type {const} */ (["begun", "warm"]).flatMap((state) => {
    const own = (results[name] ?? []).map((one) => one[state]);
    const floor = (results["fetch"] ?? []).map((one) => one[state]);
    const path = (/** @type {(one: Bursts) => number} */ wall) =>
      median(own.map((one) => wall(one) / CRITICAL_PATH_MS));
    /** The median of the ratios of repetitions, and the ratio of the medians. */
    const toFloor = (/** @type {(one: Bursts) => number} */ of) => ({
      paired: median(own.map((one, index) => of(one) / of(/** @type {Bursts} */ (floor[index])))),
      medians: median(own.map(of)) / median(floor.map(of)),
    });
    const perCall = (/** @type {(one: Bursts) => number} */ cpu, /** @type {number} */ n) =>
      median(own.map(cpu)) / n / CALLS_PER_COUNCIL;
    const crowdWall = toFloor((one) => one.many.wallMs);
    const crowdCpu = toFloor((one) => one.many.cpuMs);
    const someCpu = toFloor((one) => one.some.cpuMs);
    const is = (/** @type {string} */ what) => `${name}, ${state === "warm" ? "warm" : "new"}: ${what}`;
    const toPath = (/** @type {number} */ n) => `${n} at once, wall / critical path`;
    return [
      {
        name: is("1 council, wall / critical path"),
        value: path((one) => one.one),
        unit: "x",
        ...target(1.03),
      },
      {
        name: is(toPath(some)),
        value: path((one) => one.some.wallMs),
        unit: "x",
        ...(state === "warm" ? target(1.35) : {}),
      },
      { name: is(toPath(many)), value: path((one) => one.many.wallMs), unit: "x" },
      ...(name === "fetch"
        ? []
        : [
            {
              name: is(`${many} at once, wall / fetch's`),
              value: crowdWall.medians,
              unit: "x",
              ...target(1),
            },
            { name: is(`${many} at once, wall / fetch's, paired`), value: crowdWall.paired, unit: "x" },
          ]),
      { name: is(`CPU a call, ${some}`), value: perCall((one) => one.some.cpuMs, some), unit: "ms" },
      { name: is(`CPU a call, ${many}`), value: perCall((one) => one.many.cpuMs, many), unit: "ms" },
      ...(name === "fetch"
        ? []
        : [
            { name: is(`CPU a call / fetch's, ${some}`), value: someCpu.medians, unit: "x" },
            { name: is(`CPU a call / fetch's, ${many}`), value: crowdCpu.medians, unit: "x", ...target(0.9) },
            { name: is(`CPU a call / fetch's, ${many}, paired`), value: crowdCpu.paired, unit: "x" },
          ]),
      { name: is("CPU a call of the server"), value: perCall((one) => one.serverMs, many), unit: "ms" },
    ];
  });
}
