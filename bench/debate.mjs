import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { asked as askedCouncil, CALL_MS, loadParley, service, textsOf } from "./council.mjs";
import { median, startSimServer } from "./harness.mjs";

/** Whose deliberations are measured. */
const LOCAL = /** @type {import("../src/kernel/index.ts").OrganizationId} */ ("local");

/** @typedef {import("./council.mjs").Parley} Parley */
/** @typedef {import("./council.mjs").NewDeliberation} NewDeliberation */

/** Propose; criticise and refine, twice; judge. */
const WAVES = 6;
const CALLS = 22;
/** Debates before the measured ones, after which a process is warm. */
const WARMING = 15;
const AGENTS = ["ada", "ben", "cleo"];
const PACE = "delay=160&latency=40";
const PROBLEM = `Design a background job queue for a shop that sends mails, resizes pictures and writes invoices.
- It must not lose a job when a worker or a machine dies.
- It must run 100,000 jobs a minute at peak.
- It should cost little to run.`;

/** The folds of a build; an older one exports them under another name. @param {string} dist @returns {Promise<Pick<Parley, "criticalPathMs">>} */
async function foldsOf(dist) {
  const file = existsSync(join(dist, "internal.mjs")) ? "internal.mjs" : "projections.mjs";
  return import(pathToFileURL(join(dist, file)).href);
}

/** Three agents, a judge and two rounds on one problem. @param {Parley} parley @returns {NewDeliberation} */
function asked(parley) {
  const { debate } = parley;
  const seat = (/** @type {string} */ name, /** @type {string} */ kind) => ({
    id: name,
    seat: kind,
    persona: { name, instructions: `You are ${name}. Be brief, and say what you are unsure of.` },
    model: `compatible/bench/${name}?${PACE}`,
    family: null,
  });
  // The branded names are checked when the engine opens it.
  return /** @type {NewDeliberation} */ (
    /** @type {unknown} */ ({
      ...askedCouncil(parley, { seed: "bench" }),
      question: PROBLEM,
      protocol: { name: debate.name, version: debate.version },
      settings: parley.DebateSettings.parse({ rounds: 2, summarization: { enabled: false } }),
      participants: [...AGENTS.map((name) => seat(name, "agent")), seat("eve", "judge")],
      templates: textsOf(parley, debate),
    })
  );
}

/** A debate's wall time over its critical path, and what of its prompts providers can cache. @type {import("./harness.mjs").Measurement} */
export async function debate({ dist, quick, repetitions = quick ? 2 : 7, scratch }) {
  const parley = await loadParley(dist);
  const server = await startSimServer(dist);
  /** @type {string[]} */
  let prompts = [];
  const { criticalPathMs } = await foldsOf(dist);
  const { engine, store, close } = await service(parley, {
    url: server.url,
    store: join(scratch, "debate.db"),
    protocols: [parley.debate],
    onRequest: ({ messages }) => prompts.push(messages.map(({ text }) => text).join("\n")),
  });
  const run = async (/** @type {NewDeliberation} */ what) => {
    prompts = [];
    const { opened } = await engine.open(parley.systemWorld.id(), what);
    const startMs = performance.now();
    const driven = await engine.drive(opened.deliberation, { signal: new AbortController().signal });
    if (driven.status !== "closed" || driven.closing.data.outcome !== "answered")
      throw new Error(`a debate was ${JSON.stringify(driven)}`);
    const wallMs = performance.now() - startMs;
    return { wallMs, recordedMs: criticalPathMs(await store.for(LOCAL).read(opened.deliberation)) };
  };
  try {
    await run(askedCouncil(parley, { seed: "bench" }));
    const council = sharedOf(prompts);
    const runs = [];
    for (let repetition = 0; repetition < repetitions + WARMING; repetition += 1)
      runs.push(await run(asked(parley)));
    const measured = runs.slice(WARMING);
    if (prompts.length !== CALLS) throw new Error(`${prompts.length} calls instead of ${CALLS}`);
    const shared = sharedOf(prompts);
    return {
      rows: [
        {
          name: `${AGENTS.length} agents, 2 rounds, ${CALLS} calls: wall / critical path`,
          value: median(measured.map(({ wallMs }) => wallMs)) / (WAVES * CALL_MS),
          unit: "x",
          target: 1.03,
        },
        {
          name: "wall / critical path by the calls' recorded latencies",
          value: median(measured.map(({ wallMs, recordedMs }) => wallMs / recordedMs)),
          unit: "x",
        },
        { name: "debate: shareable prefix, of all characters of prompts", value: shared, unit: "x" },
        { name: "council: the same", value: council, unit: "x" },
      ],
    };
  } finally {
    await close();
    server.stop();
  }
}

/**
 * The share of all prompts' characters, 0 to 1, that stand first in a prompt and stood first, byte for byte, in one
 * that was sent before it: what a provider that caches prefixes need not read again, whatever its own least length.
 *
 * @param {readonly string[]} prompts in the order in which they were sent
 */
function sharedOf(prompts) {
  const shared = prompts.map((prompt, index) =>
    prompts.slice(0, index).reduce((most, before) => Math.max(most, prefixOf(prompt, before)), 0),
  );
  const sum = (/** @type {readonly number[]} */ values) => values.reduce((total, value) => total + value, 0);
  return sum(shared) / sum(prompts.map(({ length }) => length));
}

/** @param {string} a @param {string} b */
function prefixOf(a, b) {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
