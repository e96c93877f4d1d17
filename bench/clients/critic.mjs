import { Agent } from "undici";
import { loadParley } from "../council.mjs";
import { answerAsClient } from "../harness.mjs";
import { check } from "../critic-check.mjs";

/** @typedef {import("../council.mjs").Parley} Parley */
/** @typedef {import("../council.mjs").NewDeliberation} Asked */
/** @typedef {"bare" | "without" | "critic"} Arm Nothing pinned that reacts; memory; memory, a critic and where there are two answers a judge of pairs. */
/**
 * `shared`: the judge is another model of the answers' own provider, which has as many places as Ollama.
 * `drains`: each drive has its reactors drained beside it, as a command does; else a worker runs them for the store.
 * @typedef {{ dist: string, url: string, judge: string, store: string, second: boolean, shared: boolean, drains: boolean }} Options
 */
/** @typedef {{ arm: Arm, n: number, everyMs: number }} Block */
/** `ms`: from when a question was due to its closing; `caughtUpMs`: from the last closing until no reactor had anything left. @typedef {{ ms: number[], cpuMs: number, caughtUpMs: number }} Answered */

const PACE = "delay=160&latency=40";
const JUDGE_TIMEOUT_MS = 300;
const LOOK_AGAIN_MS = 10;
const OLLAMA = { "compatible/bench": { provider: 4, model: 4 } };
/** As the settings have them by default. */
const RECALL = {
  ...{ minimum: 0.75, minimumWords: 0.6, most: 2, extraAt: 0.9, timeoutMs: 2_000 },
  weights: { words: 0.05, entities: 0.05, grade: 0.05, preference: 0.05, thumb: 0.05 },
};
const MERGING = { mergeAt: 0.9, retireAt: 2 };

answerAsClient(async (/** @type {Options} */ options) => {
  const parley = await loadParley(options.dist);
  const { url, judge, shared, second, drains } = options;
  const store = await parley.openStore(options.store);
  const agent = new Agent({ connections: 1_024, headersTimeout: 0, bodyTimeout: 0 });
  // One provider for whoever counts calls, and two servers.
  const dispatcher = /** @type {Agent} */ (
    /** @type {unknown} */ ({
      dispatch: (
        /** @type {import("undici").Dispatcher.DispatchOptions} */ request,
        /** @type {never} */ handler,
      ) => {
        const judged = typeof request.body === "string" && request.body.includes('"model":"judge"');
        return agent.dispatch(judged ? { ...request, origin: judge } : request, handler);
      },
    })
  );
  const models = parley.createModels({
    env: {},
    compatible: { bench: { url: `${url}/v1`, local: true }, judging: { url: `${judge}/v1`, local: true } },
    ...(shared ? { substitutes: { dispatcher } } : {}),
    limits: {
      concurrency: { provider: 100_000, model: 100_000 },
      ...(shared ? { concurrencyByProvider: OLLAMA } : {}),
    },
  });
  const reactors = [parley.critic, parley.memory, parley.pairwise, parley.respondentB];
  const engine = parley.createEngine({
    ...{ store, models, reactors },
    frames: parley.localFrames(),
    world: parley.systemWorld,
    protocols: [parley.respond],
    ports: {
      memory: parley.createMemory({ store: store.engrams, embeddings: null, world: parley.systemWorld }),
    },
  });
  const { signal } = new AbortController();
  const worker = `bench-${process.pid}`;
  if (!drains) {
    engine.react({ worker, signal }).catch((error) => {
      process.stderr.write(`the reactors ended: ${error}\n`);
      process.exit(1);
    });
    // From here on, all of them have a cursor.
    while ((await behind()) > 0) await pause(LOOK_AGAIN_MS);
  }
  let questions = 0;

  /** @returns {Promise<number>} how many reactors have a cursor that is not at the journal's end */
  async function behind() {
    const end = await store.end();
    const cursors = await Promise.all(reactors.map(({ name }) => store.cursor(name)));
    return cursors.filter((cursor) => cursor !== end).length;
  }

  /** One answer: when it was there, and all that comes of it. @param {Arm} arm */
  async function answer(arm) {
    questions += 1;
    const { opened } = await engine.open(
      parley.systemWorld.id(),
      askedOf(parley, { arm, user: `user-${arm}`, second, shared, nth: questions }),
    );
    const id = opened.deliberation;
    const driven = engine.drive(id, { signal });
    const drained = drains ? engine.drain(id, { worker, signal, until: driven }) : Promise.resolve();
    const outcome = await driven;
    if (outcome.status !== "closed" || outcome.closing.data.outcome !== "answered")
      throw new Error(`an answer was ${JSON.stringify(outcome)}`);
    return { atMs: performance.now(), drained };
  }

  return async (message) => {
    if ("block" in message) return block(message.block);
    if ("heap" in message) return heap();
    return check({
      ...{ store, needsReaction: parley.needsReaction, reactors, user: "user-critic" },
      behind: drains ? 0 : await behind(),
    });
  };

  /** Questions that come evenly, however many are still under way. @param {Block} given @returns {Promise<Answered>} */
  async function block({ arm, n, everyMs }) {
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    const all = await Promise.all(
      Array.from({ length: n }, async (_, index) => {
        const dueMs = startMs + index * everyMs;
        await pause(Math.max(0, dueMs - performance.now()));
        const { atMs, drained } = await answer(arm);
        return { atMs, drained, ms: atMs - dueMs };
      }),
    );
    const lastMs = Math.max(...all.map(({ atMs }) => atMs));
    await Promise.all(all.map(({ drained }) => drained));
    while (!drains && (await behind()) > 0) await pause(LOOK_AGAIN_MS);
    const { user, system } = process.cpuUsage(cpu);
    return {
      ms: all.map(({ ms }) => ms),
      cpuMs: (user + system) / 1_000,
      caughtUpMs: performance.now() - lastMs,
    };
  }
});

const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function heap() {
  await pause(500); // connections that were given up have closed by then
  globalThis.gc?.();
  await pause(50);
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, externalBytes: external, rssBytes: rss };
}

/**
 * As a command opens it.
 *
 * @param {Parley} parley
 * @param {{ arm: Arm, user: string, second: boolean, shared: boolean, nth: number }} options
 * @returns {Asked}
 */
function askedOf(parley, { arm, user, second, shared, nth }) {
  const judging = arm === "critic";
  const remembering = arm !== "bare";
  const own = parley.RespondSettings.parse({ recall: remembering ? { user, rules: RECALL } : null });
  const judge = {
    model: shared ? "compatible/bench/judge" : "compatible/judging/judge",
    ...{ temperature: 0, contextTokens: null, maxOutputTokens: 1_024, form: "prometheus" },
    timeoutMs: JUDGE_TIMEOUT_MS,
    rubric: {
      name: "right",
      criteria: "Is the answer right, and does it say how it was come by?",
      anchors: { 1: "Neither.", 2: "Hardly.", 3: "In part.", 4: "For the most part.", 5: "Both." },
    },
  };
  const seat = (/** @type {string} */ id, /** @type {string} */ name) => ({
    ...{ id, seat: name, family: null, model: `compatible/bench/${id}?${PACE}` },
    persona: { name: "respondent", instructions: "Answer briefly, and say what you are unsure of." },
  });
  const templates = [
    "respond",
    ...(judging ? ["judge-grade-prometheus", ...(second ? ["judge-preference-prometheus"] : [])] : []),
  ];
  // The branded names are checked when the engine opens it.
  return /** @type {Asked} */ (
    /** @type {unknown} */ ({
      question: `A shop sells ${11 + (nth % 89)} boxes of ${3 + ((nth * 7) % 97)} pens each and gets ${nth} pens back. How many pens are sold?`,
      context: [],
      protocol: { name: parley.respond.name, version: parley.respond.version },
      settings: own,
      participants: [seat("A", "respondent"), ...(second ? [seat("B", "respondent-b")] : [])],
      templates: Object.fromEntries(templates.map((name) => [name, parley.template(name)])),
      reactions: {
        ...(remembering ? { memory: { user, write: true, ...MERGING } } : {}),
        ...(judging ? { critic: { ...judge, kind: "knowledge", rules: [] } } : {}),
        ...(judging && second ? { pairwise: judge } : {}),
        ...(second && remembering ? { "respondent-b": own } : {}),
      },
      history: [],
      seed: "bench",
      budget: {},
      organization: "local",
    })
  );
}
