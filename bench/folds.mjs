import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadParley } from "./council.mjs";
import { median, quantile } from "./harness.mjs";
import { repeatRun } from "./long-journal.mjs";

/** @typedef {import("../src/kernel/index.ts").Entry} Entry */
/** @typedef {typeof import("../src/views.ts")} Views */

const EVENTS = 10_000;
/** A page shows another event of a run within one frame. */
const FRAME_MS = 16.7;

/** Runs that are really played, by simulated models, and then repeated. */
const PLAYED = {
  council: { question: "What is 17 * 23?", models: Array.from({ length: 26 }, (_, nth) => `sim/m${nth}`) },
  debate: {
    question: "Design a queue for jobs. It must lose none. It should be cheap.",
    models: ["sim/ada"],
    agents: ["architect", "security", "performance", "testing", "kiss", "data-modeling", "generalist"],
    rounds: 6,
  },
};

/**
 * What a page does with the journal of a long run: its result and section from scratch, one more event, and the result at any
 * event; and what a live view gives of it.
 * @type {import("./harness.mjs").Measurement}
 */
export async function folds({ dist, quick, repetitions = quick ? 5 : 25 }) {
  const parley = await loadParley(dist);
  /** @type {Views} */
  const views = await import(pathToFileURL(join(dist, "views.mjs")).href);
  const rows = [];
  for (const name of /** @type {const} */ (["council", "debate"])) {
    const entries = repeatRun(await play(parley, name), EVENTS);
    const view = await parley[name].view?.();
    rows.push(...measure(name, { views, view, entries, repetitions }));
  }
  return { rows, notes: ["a council of 26 members, and a debate of 7 agents, repeated to 10,000 events"] };
}

/** @param {import("./council.mjs").Parley} parley @param {keyof typeof PLAYED} name @returns {Promise<readonly Entry[]>} */
async function play(parley, name) {
  const opened = await parley.openParley({ store: ":memory:", env: {} });
  try {
    const run = await opened.start({ protocol: name, ...PLAYED[name] });
    await run.outcome();
    return run.recorded();
  } finally {
    await opened.close();
  }
}

/**
 * @param {string} name
 * @param {{ views: Views, view: import("../src/engine/index.ts").ProtocolView | undefined, entries: readonly Entry[], repetitions: number }} options
 */
function measure(name, { views: { progressView, resultFold, resultOf }, view, entries, repetitions }) {
  const times = (/** @type {(nth: number) => unknown} */ work, count = repetitions) =>
    Array.from({ length: count }, (_, nth) => {
      // Processor time: what a page computes has no other part, and a busy machine shows in nothing else.
      const before = process.cpuUsage();
      work(nth);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    });
  const fold = resultFold(view);
  const live = progressView();
  const added = times((nth) => {
    const entry = /** @type {Entry} */ (entries[nth]);
    fold.take(entry);
    live.event(entry);
    // Reading at each of the first events tells nothing: they are few.
    return nth < entries.length - 100 ? undefined : [fold.read(), live.read()];
  }, entries.length).slice(-100);
  // In no order, so that no read profits from the one before it.
  const read = times((nth) => fold.read(1 + ((nth * 7_919) % entries.length)), repetitions * 20);
  const row = (/** @type {string} */ what, /** @type {number} */ value, target = FRAME_MS) => ({
    ...{ name: `${name}: ${what}`, value, unit: "ms", target },
  });
  return [
    row("result of all events, from scratch", median(times(() => resultOf(entries, view))), 50),
    row("its section alone", median(times(() => view?.sectionOf(entries))), 8),
    row("one more event, result and progress, p95", quantile(added, 0.95)),
    row("the result at any event, p95", quantile(read, 0.95)),
    row("progress, from scratch", median(times(() => entries.forEach(progressView().event))), 50),
    row("progress, read", median(times(() => live.read())), 8),
  ];
}
