import { answerAsClient } from "../harness.mjs";

/**
 * A contestant: on `{ n }` it runs `n` councils at once and answers with what they took; on `{ hold }` it brings so
 * many to the chair's call, which never ends, and answers with what they take up.
 *
 * @typedef {{ council(): Promise<unknown>, holdOne(): Promise<unknown>, held(): number }} Contestant `held`: calls of chairs so far
 * @param {(options: any) => Promise<Contestant>} prepare
 */
export function runBursts(prepare) {
  answerAsClient(async (options) => {
    const contestant = await prepare(options);
    return (message) => ("hold" in message ? hold(contestant, message.hold) : burst(contestant, message.n));
  });
}

/**
 * Nothing is collected by force in between: where no council is alive, that throws compiled code away with the shapes
 * it was compiled for (130 functions anew in the next hundred councils), which no process at work meets.
 *
 * @param {Contestant} contestant @param {number} n
 */
async function burst({ council }, n) {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await Promise.all(Array.from({ length: n }, council));
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1_000 };
}

const LOOK_AGAIN_MS = 20;
/** After which the last calls have left, and what was on its way has been collected. */
const SETTLE_MS = 500;

/** @param {Contestant} contestant @param {number} n */
async function hold({ held, holdOne }, n) {
  const live = () => {
    globalThis.gc?.();
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const before = { live: live(), rss: process.memoryUsage().rss };
  const chairs = held() + n;
  // They never end; a failure is the measurement's.
  const broken = Promise.race(
    Array.from({ length: n }, () => holdOne().then(() => Promise.reject(new Error("a held council ended")))),
  );
  broken.catch(() => undefined);
  while (held() < chairs) await Promise.race([pause(LOOK_AGAIN_MS), broken]);
  await Promise.race([pause(SETTLE_MS), broken]);
  const peakRss = process.resourceUsage().maxRSS * 1_024;
  return { liveBytes: (live() - before.live) / n, peakBytes: (peakRss - before.rss) / n };
}
