import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { loadParley } from "./council.mjs";
import { repeatRun } from "./long-journal.mjs";

/** The events of the long run. */
export const EVENTS = 10_000;

/** Appends at once. */
const MANY = 64;

const MODELS = ["sim/ada?family=a", "sim/bo?family=b", "sim/cy?family=c"];
/** A run of each kind that has views of its own. */
const PLAYED = {
  council: { question: "Which queue fits a team of three?", models: MODELS },
  debate: { question: "Design a queue for jobs. It must lose none.", models: MODELS.slice(0, 2), rounds: 6 },
  ask: { question: "What is 17 * 23?", models: MODELS.slice(0, 1) },
};

const homeIn = (/** @type {string} */ scratch) => join(scratch, "page-home");
const storeIn = (/** @type {string} */ scratch) => join(homeIn(scratch), "parley.db");

/** Plays runs of simulated models into the server's store, and gives their ids. @param {string} dist @param {string} scratch */
export async function playRuns(dist, scratch) {
  mkdirSync(homeIn(scratch), { recursive: true });
  writeFileSync(join(homeIn(scratch), "parley.yaml"), `memory: off\n`);
  const parley = await loadParley(dist);
  const opened = await parley.openParley({ store: storeIn(scratch), env: {} });
  const play = async (/** @type {keyof typeof PLAYED} */ protocol) => {
    const run = await opened.start({ protocol, ...PLAYED[protocol] });
    await run.outcome();
    return /** @type {string} */ (run.id);
  };
  try {
    return {
      ...{ council: await play("council"), debate: await play("debate"), ask: await play("ask") },
      judge: judgePair(dist, scratch),
    };
  } finally {
    await opened.close();
  }
}

/** A judge's run, which only the command line begins. @param {string} dist @param {string} scratch @returns {string} its id */
function judgePair(dist, scratch) {
  const cwd = homeIn(scratch);
  for (const name of ["a", "b"]) writeFileSync(join(cwd, `${name}.md`), `Answer ${name}.\n`);
  const asked = ["--question", "Which is right?", "--model", "sim/judy?family=j", "--json"];
  const env = { PATH: process.env["PATH"], HOME: cwd, PARLEY_HOME: cwd };
  const command = [join(dist, "cli.mjs"), "judge", "compare", "a.md", "b.md", ...asked];
  return JSON.parse(
    execFileSync(process.execPath, command, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    }),
  ).id;
}

/** Writes a run that is a recorded one again and again. @param {string} dist @param {string} scratch @param {string} recorded the id of that run @returns {Promise<string>} the new run's id */
export async function writeLongRun(dist, scratch, recorded) {
  const parley = await loadParley(dist);
  const store = await parley.openStore(storeIn(scratch));
  try {
    const organization = /** @type {import("../src/kernel/index.ts").OrganizationId} */ ("local");
    const own = store.for(organization);
    // The store gave the id out.
    const id = /** @type {import("../src/kernel/index.ts").DeliberationId} */ (recorded);
    const entries = repeatRun(await own.read(id), EVENTS);
    const long = /** @type {import("../src/kernel/index.ts").DeliberationId} */ (parley.systemWorld.id());
    const append = async (/** @type {typeof entries[number]} */ { type, data, origin }) => {
      const event = /** @type {import("../src/kernel/index.ts").NewEvent} */ ({ type, data });
      const appended = await own.append(long, [event], origin);
      if (!appended.ok) throw new Error(`a ${type} of the long run was not recorded: ${appended.reason}`);
    };
    // Many at once are one commit, in their order.
    for (let from = 0; from < entries.length; from += from === 0 ? 1 : MANY)
      await Promise.all(entries.slice(from, from === 0 ? 1 : from + MANY).map(append));
    const { length } = await own.read(long);
    if (length !== EVENTS) throw new Error(`the long run has ${length} events`);
    return long;
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** `parley serve` of a build over that store. @param {string} dist @param {string} scratch */
export async function openServer(dist, scratch) {
  const home = homeIn(scratch);
  const env = { PATH: process.env["PATH"], HOME: home, PARLEY_HOME: home, OLLAMA_HOST: "127.0.0.1:1" };
  const cli = join(dist, "cli.mjs");
  const child = spawn(process.execPath, [cli, "serve", "--simulated", "--port", "0"], {
    ...{ env, cwd: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return {
    link: execFileSync(process.execPath, [cli, "serve", "link"], { env, cwd: home, encoding: "utf8" }).trim(),
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.kill("SIGTERM");
      }),
  };
}
