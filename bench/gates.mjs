import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { median } from "./harness.mjs";

/** One candidate of each depth; the deepest that the domain compiles is 5. */
const CANDIDATES = [
  "neg(ts_return(close, 5))",
  "cs_rank(div(ts_mean(close, 5), ts_mean(close, 20)))",
  "mul(cs_rank(ts_delta(volume, 10)), sign(ts_return(ts_mean(close, 3), 20)))",
];

/** @type {Readonly<Record<string, import("../src/kernel/index.ts").Json>>} */
const SOIL = { generate: { seed: "bench", days: 250, instruments: 100, signal: 0 } };

/**
 * A full battery of the domain factors, with 1,000 matched random formulas over 250 days of 100 instruments, on one thread; the
 * same with the bar known; and the event loop of the process that waits for it.
 * @type {import("./harness.mjs").Measurement}
 */
export async function gates({ dist, quick, repetitions = quick ? 1 : 3 }) {
  const { openGatePool } = /** @type {typeof import("../src/internal.ts")} */ (
    await import(pathToFileURL(join(dist, "internal.mjs")).href)
  );
  const signal = new AbortController().signal;
  const place = { domain: "factors", folder: process.cwd(), soil: SOIL };
  const [one, two] = [openGatePool({ threads: 1 }), openGatePool({ threads: 2 })];
  try {
    const { gates: declared, soil } = await one.describe(place, signal);
    const checked = declared.filter(({ by }) => by === "domain");
    const battery = async (
      /** @type {ReturnType<typeof openGatePool>} */ pool,
      /** @type {string} */ candidate,
      /** @type {string} */ seed,
    ) => {
      const startMs = performance.now();
      const task = {
        kind: /** @type {const} */ ("check"),
        place,
        candidate,
        accepted: [],
        seed,
        soil,
        timeMs: 60_000,
      };
      const found = [];
      for (const { name, thresholds } of checked)
        found.push(await pool.check({ ...task, gate: name, thresholds }, signal));
      return { found, seconds: (performance.now() - startMs) / 1_000 };
    };
    await battery(one, CANDIDATES[0] ?? "", "warm");
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const rows = [];
    for (const [index, candidate] of CANDIDATES.entries()) {
      const whole = [];
      const known = [];
      for (let nth = 0; nth < repetitions; nth += 1) {
        const seed = `${index} ${nth}`;
        const first = await battery(one, candidate, seed);
        whole.push(first.seconds);
        known.push((await battery(one, candidate, seed)).seconds * 1_000);
        if (nth > 0) continue;
        const other = await battery(two, candidate, seed);
        if (JSON.stringify(other.found) !== JSON.stringify(first.found))
          throw new Error(`${candidate}: two threads gave something else than one`);
      }
      const depth = `depth ${index + 1}`;
      rows.push({ name: `a full battery, ${depth}`, value: median(whole), unit: "s", target: 2 });
      rows.push({ name: `the same, its bar known, ${depth}`, value: median(known), unit: "ms" });
    }
    delay.disable();
    rows.push({
      name: "event loop meanwhile, p99",
      value: delay.percentile(99) / 1e6,
      unit: "ms",
      target: 20,
    });
    return { rows, notes: [`${checked.length} gates, 1,000 random formulas a bar`] };
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
}
