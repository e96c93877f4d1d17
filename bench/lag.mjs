import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inTurn, median, quantile, startClient, startServer } from "./harness.mjs";

/** @typedef {{ first: number[], all: number[], cpuUs: number }} Lags Milliseconds, and microseconds of processor time a token. */

/** No service's users all begin in the same millisecond. */
const OVER_MS = 1_000;

/** From a token's leaving the server to a listener's seeing it, 50 tokens a second a stream, the streams begun over one second. @type {import("./harness.mjs").Measurement} */
export async function lag({ dist, against, quick, repetitions = quick ? 1 : 3, scratch }) {
  const { sizes, tokens } = quick ? { sizes: [1, 20], tokens: 25 } : { sizes: [1, 100, 400], tokens: 250 };
  const contestants = [
    { name: "parley", by: "parley", build: dist },
    { name: "fetch", by: "fetch", build: dist },
    ...(against === undefined ? [] : [{ name: "against", by: "parley", build: against }]),
  ];
  /** @type {Map<string, Lags[]>} */
  const results = new Map();
  const server = await startServer([fileURLToPath(new URL("paced-server.mjs", import.meta.url))]);
  try {
    const run = async (
      /** @type {typeof contestants[number]} */ { name, by, build },
      /** @type {number} */ repetition,
    ) => {
      const store = join(scratch, `lag-${name}-${repetition}.db`);
      const client = await startClient("clients/streams.mjs", { dist: build, url: server.url, store, by });
      try {
        await client.ask({ n: 4, tokens: 25, overMs: 0 });
        /** @type {Lags[]} */
        const lags = [];
        for (const n of sizes)
          lags.push(/** @type {Lags} */ (await client.ask({ n, tokens, overMs: OVER_MS })));
        return lags;
      } finally {
        client.stop();
      }
    };
    await run({ name: "first", by: "fetch", build: dist }, 0); // so that nobody is the first that the server meets
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      for (const contestant of inTurn(contestants, repetition)) {
        for (const [index, lags] of (await run(contestant, repetition)).entries()) {
          const key = `${contestant.name} ${sizes[index]}`;
          results.set(key, [...(results.get(key) ?? []), lags]);
        }
      }
    }
  } finally {
    server.stop();
  }
  const largest = sizes.at(-1);
  const rows = contestants.flatMap(({ name }) =>
    sizes.flatMap((n) => {
      const lags = results.get(`${name} ${n}`) ?? [];
      const of = (/** @type {"first" | "all"} */ which, /** @type {number} */ share) =>
        median(lags.map((one) => quantile(one[which], share)));
      const target = (/** @type {number} */ most) =>
        name === "parley" && n === largest ? { target: most } : {};
      const is = (/** @type {string} */ what) => `${name}: ${n} streams, ${what}`;
      return [
        { name: is("first token, p50"), value: of("first", 0.5), unit: "ms" },
        { name: is("tokens, p50"), value: of("all", 0.5), unit: "ms", ...target(1) },
        { name: is("tokens, p99"), value: of("all", 0.99), unit: "ms", ...target(20) },
        { name: is("CPU a token"), value: median(lags.map(({ cpuUs }) => cpuUs)), unit: "us" },
      ];
    }),
  );
  return { rows };
}
