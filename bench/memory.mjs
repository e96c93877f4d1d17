import { join } from "node:path";
import { recordCalls } from "./calls.mjs";
import { inTurn, median, startClient, startSimServer } from "./harness.mjs";

/** @typedef {{ liveBytes: number, peakBytes: number }} Held */

/** What a council takes up while its chair is writing, with many of them at once. @type {import("./harness.mjs").Measurement} */
export async function memory({ dist, against, quick, repetitions = quick ? 1 : 3, scratch }) {
  const n = quick ? 50 : 1_000;
  const server = await startSimServer(dist);
  try {
    const calls = await recordCalls(dist, { url: server.url, store: join(scratch, "memory-calls.db") });
    const contestants = [
      { name: "parley", file: "clients/parley.mjs", build: dist },
      { name: "fetch", file: "clients/fetch.mjs", build: dist },
      ...(against === undefined ? [] : [{ name: "against", file: "clients/parley.mjs", build: against }]),
    ];
    /** @type {Record<string, Held[]>} */
    const results = Object.fromEntries(contestants.map(({ name }) => [name, []]));
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      for (const { name, file, build } of inTurn(contestants, repetition)) {
        const store = join(scratch, `memory-${name}-${repetition}.db`);
        const client = await startClient(file, { dist: build, url: server.url, store, calls });
        try {
          // What the first councils load and compile is no council's own.
          await client.ask({ n: 1 });
          await client.ask({ n: Math.min(n, 20) });
          results[name]?.push(/** @type {Held} */ (await client.ask({ hold: n })));
        } finally {
          client.stop();
        }
      }
    }
    const kilobytes = (/** @type {string} */ name, /** @type {keyof Held} */ of) =>
      median((results[name] ?? []).map((one) => one[of])) / 1_024;
    const target = (/** @type {string} */ name, /** @type {number} */ most) =>
      name === "parley" ? { target: most } : {};
    const rows = contestants.flatMap(({ name }) => [
      {
        name: `${name}: live, a council of ${n}`,
        value: kilobytes(name, "liveBytes"),
        unit: "KB",
        ...target(name, 250),
      },
      {
        name: `${name}: peak RSS, a council of ${n}`,
        value: kilobytes(name, "peakBytes"),
        unit: "KB",
        ...target(name, 500),
      },
    ]);
    return { rows, raw: results };
  } finally {
    server.stop();
  }
}
