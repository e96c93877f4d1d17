// npm run storm: real processes, killed at chance moments over every protocol and both stores, and resumed, also two at once.
// Connections to PostgreSQL are ended in the middle, and two processes resume what is over. Nothing hangs, nothing that was
// acknowledged may be lost, and the answer is that of a run that nobody killed.
import "../scripts/node-version.mjs";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startSimServer } from "./harness.mjs";
import { root } from "../scripts/root.mjs";
import { runScript, setUp } from "../scripts/setup.mjs";

const USAGE = `npm run storm -- [options]
  --seconds <n>    how long it runs, 600 unless given
  --seed <text>    the same kills at the same moments, as far as processes allow; the time unless given
  --stores <names> some of: sqlite, postgres
  --lanes <n>      rounds at once, 2 unless given
  --json <file>    every round, as JSON
`;

/** A process that takes longer hangs. */
const MAX_PROCESS_MS = 60_000;
const MAX_KILLS = 3;
const POSTGRES = "postgres://postgres@127.0.0.1:5432";

const QUESTION = "What is 17 * 23?";
const trio = "openai/ada?latency=60,openai/bo?latency=80&seed=2,openai/cy?latency=70&seed=3";
/** What is asked, by name: every protocol that draws on models, and all that comes of an answer. @type {Readonly<Record<string, readonly string[]>>} */
const COMMANDS = {
  ask: ["ask", QUESTION, "--models", trio],
  council: ["council", QUESTION, "--models", trio],
  vote: ["council", QUESTION, "--models", trio, "--mode", "vote"],
  debate: ["debate", QUESTION, "--models", trio, "--rounds", "2"],
  respond: [
    ...["respond", QUESTION, "--model", "openai/ada?latency=60", "--judge", "openai/judy?skill=1&latency=60"],
    ...["--respondent-b", "--model-b", "openai/bo?latency=80&seed=2"],
  ],
};

/** @typedef {{ url: string, requests: () => number, peak: () => number }} Counted Requests of one round; `peak` of them at once. */
/** @typedef {{ code: number | null, hung: boolean, stdout: string, stderr: string }} Ended */
/** @typedef {{ name: string, env: Record<string, string>, home: string, drop: () => Promise<void>, disconnect: () => Promise<number> }} Place A store of its own. */
/** @typedef {{ command: string, store: string, seed: string, kills: number, ended: number, hangs: number, rivals: boolean, acknowledged: number, lost: number, repeated: number, allowed: number, ms: number, wrong: string[] }} Round */

/** Numbers from 0 to 1, the same for the same text. @param {string} text */
function chanceOf(text) {
  let drawn = 0;
  return () => {
    drawn += 1;
    return createHash("sha256").update(`${text}/${drawn}`).digest().readUInt32BE(0) / 2 ** 32;
  };
}

/** Passes what comes for `/NAME/v1/…` on to the server of simulated models, and counts it by name. @param {string} url */
async function counting(url) {
  /** @type {Map<string, { requests: number, underWay: number, peak: number }>} */
  const counts = new Map();
  const pass = async (
    /** @type {import("node:http").IncomingMessage} */ request,
    /** @type {import("node:http").ServerResponse} */ response,
  ) => {
    const [, name = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const count = counts.get(name) ?? { requests: 0, underWay: 0, peak: 0 };
    counts.set(name, count);
    count.requests += 1;
    count.underWay += 1;
    count.peak = Math.max(count.peak, count.underWay);
    const gone = new AbortController();
    response.once("close", () => {
      count.underWay -= 1;
      gone.abort();
    });
    try {
      /** @type {Buffer[]} */
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = { "content-type": "application/json" };
      const body = Buffer.concat(chunks);
      const reply = await fetch(`${url}${path}`, { method: "POST", headers, body, signal: gone.signal });
      response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
      for await (const bytes of reply.body ?? []) response.write(bytes);
      response.end();
    } catch {
      response.destroy();
    }
  };
  const server = createServer((request, response) => void pass(request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    /** @param {string} name @returns {Counted} */
    of: (name) => ({
      url: `http://127.0.0.1:${port}/${name}/v1`,
      requests: () => counts.get(name)?.requests ?? 0,
      peak: () => counts.get(name)?.peak ?? 0,
    }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @param {string} dist */
function commandsOf(dist) {
  /** @type {Set<import("node:child_process").ChildProcess>} */
  const running = new Set();
  process.once("exit", () => running.forEach((child) => child.kill("SIGKILL")));
  /** @param {readonly string[]} args @param {Place} place @param {Counted} calls */
  const start = (args, place, calls) => {
    const env = {
      ...{ PATH: process.env["PATH"] ?? "", HOME: place.home, PARLEY_HOME: place.home },
      ...{ OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_HOST: "127.0.0.1:1", OPENAI_BASE_URL: calls.url },
      ...place.env,
    };
    const child = spawn(process.execPath, [join(dist, "cli.mjs"), ...args], { cwd: place.home, env });
    running.add(child);
    const written = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => (written.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (written.stderr += text));
    let hung = false;
    const limit = setTimeout(() => (hung = child.kill("SIGKILL")), MAX_PROCESS_MS);
    /** @type {Promise<Ended>} */
    const ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => {
        clearTimeout(limit);
        running.delete(child);
        resolve({ code, hung, ...written });
      });
    });
    return { ended, kill: () => child.kill("SIGKILL") };
  };
  return start;
}

/** @typedef {ReturnType<typeof commandsOf>} Start */

/** A store of its own. @param {string} kind @param {string} name @param {{ scratch: string, admin: pg.Client | undefined }} options @returns {Promise<Place>} */
async function placeOf(kind, name, { scratch, admin }) {
  const home = join(scratch, name);
  mkdirSync(home);
  const gone = async () => rmSync(home, { recursive: true, force: true });
  if (kind === "sqlite" || admin === undefined)
    return { name, env: {}, home, drop: gone, disconnect: () => Promise.resolve(0) };
  const database = `parley_storm_${process.pid}_${name.replaceAll("-", "_")}`;
  await admin.query(`create database ${database}`);
  const drop = async () => {
    await gone();
    await admin.query(`drop database ${database} with (force)`);
  };
  const terminate = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1";
  const disconnect = async () => (await admin.query(terminate, [database])).rowCount ?? 0;
  return { name, env: { PARLEY_STORE: `${POSTGRES}/${database}` }, home, drop, disconnect };
}

/** The events in lines of JSON; a line that was cut by a kill is none. What was sent and not settled is read with the opening, and is none of what was recorded. @param {string} text @returns {{ id: string, seq: number, deliberation: string, line: string }[]} */
const eventsIn = (text) =>
  text.split("\n").flatMap((line) => {
    try {
      const event = { ...JSON.parse(line), sent: undefined };
      return typeof event.seq === "number" ? [{ ...event, line: JSON.stringify(event) }] : [];
    } catch {
      return [];
    }
  });

/** What an answer comes to, whoever died on the way. @param {string} stdout */
function answerIn(stdout) {
  const { status, answer, finalAnswer } = JSON.parse(stdout);
  return JSON.stringify({ status, answer, finalAnswer });
}

/**
 * One round: killed at up to three moments, resumed by one process or by two at once, and looked at.
 *
 * @param {{ command: string, store: string, seed: string, whole: Whole, place: Place, calls: Counted, start: Start }} options
 * @returns {Promise<Round>}
 */
async function round({ command, store, seed, whole, place, calls, start }) {
  const chance = chanceOf(seed);
  const startedMs = performance.now();
  const kills = 1 + Math.floor(chance() * MAX_KILLS);
  const rivals = chance() < 0.3;
  /** @type {Map<string, string>} */
  const acknowledged = new Map();
  /** @type {string[]} */
  const wrong = [];
  let id = "";
  let allowed = 0;
  let killed = 0;
  let disconnected = 0;
  let hangs = 0;
  const args = () => (id === "" ? [...(COMMANDS[command] ?? []), "--seed", "9"] : ["resume", id]);
  const heard = (/** @type {Ended} */ ended) => {
    if (ended.hung) hangs += 1;
    for (const event of eventsIn(ended.stdout)) {
      acknowledged.set(event.id, event.line);
      id = event.deliberation;
    }
  };
  for (let nth = 0; nth < kills; nth += 1) {
    const all = Array.from({ length: rivals && id !== "" ? 2 : 1 }, () =>
      start([...args(), "--events", "--quiet"], place, calls),
    );
    const limit = new Promise((resolve) => setTimeout(resolve, (0.15 + chance()) * whole.ms));
    // A connection that ends is no reason to end: the process goes on, or says so and is resumed.
    const broken = setTimeout(
      () => void place.disconnect().then((count) => (disconnected += count)),
      chance() * whole.ms,
    );
    const first = await Promise.race([limit, Promise.all(all.map(({ ended }) => ended))]);
    clearTimeout(broken);
    if (first === undefined) {
      killed += 1;
      allowed += whole.peak; // what one process has under way at most
      for (const one of all) one.kill();
    }
    for (const { ended } of all) {
      const end = await ended;
      heard(end);
      if (end.code !== 0 && end.code !== null) allowed += whole.peak; // it gave up when its connection ended
    }
  }
  // Two that resume at once may both pay for what neither has recorded.
  const last = Array.from({ length: rivals && id !== "" ? 2 : 1 }, () =>
    start([...args(), "--json", "--quiet"], place, calls),
  );
  const ends = await Promise.all(last.map(({ ended }) => ended));
  ends.forEach(({ hung }) => (hangs += hung ? 1 : 0));
  // There is nothing left to do for those that resume now: none waits for the other, and nobody is asked anything.
  if (id !== "") {
    const before = calls.requests();
    const idle = await Promise.all([1, 2].map(() => start(["resume", id, "--quiet"], place, calls).ended));
    for (const { code, hung } of idle) {
      if (hung) hangs += 1;
      if (code !== 0) wrong.push(`resuming what is over ended with ${code}`);
    }
    if (calls.requests() > before) wrong.push("resuming what is over asked again");
  }
  if (hangs > 0) wrong.push(`${hangs} processes hung`);
  for (const { code, stdout, stderr } of ends) {
    if (code !== 0) wrong.push(`the last process ended with ${code}: ${stderr.slice(-300)}`);
    else if (answerIn(stdout) !== whole.answer) wrong.push(`it answered ${answerIn(stdout).slice(0, 200)}`);
    else id = JSON.parse(stdout).id;
  }
  const shown = JSON.parse((await start(["show", id, "--json"], place, calls).ended).stdout);
  if (shown.calls + shown.unknown < calls.requests())
    wrong.push(`${calls.requests()} requests came, ${shown.calls} + ${shown.unknown} are billed`);
  const journal = eventsIn((await start(["export", id, "--format", "jsonl"], place, calls).ended).stdout);
  const recorded = new Map(journal.map((event) => [event.id, event.line]));
  const lost = [...acknowledged].filter(([event, line]) => recorded.get(event) !== line).length;
  if (lost > 0) wrong.push(`${lost} acknowledged events are gone or changed`);
  if (journal.some(({ seq }, index) => seq !== index + 1)) wrong.push("the journal has a gap");
  const replayed = await start(["replay", id], place, calls).ended;
  if (replayed.code !== 0) wrong.push(`it does not replay: ${replayed.stderr.slice(-300)}`);
  const repeated = calls.requests() - whole.requests;
  if (!rivals && repeated > allowed)
    wrong.push(`${repeated} calls repeated, ${allowed} at most could be under way`);
  const ms = Math.round(performance.now() - startedMs);
  const counts = {
    kills: killed,
    ended: disconnected,
    hangs,
    rivals,
    acknowledged: acknowledged.size,
    lost,
    repeated,
    allowed,
  };
  return { command, store, seed, ...counts, ms, wrong };
}

/** @typedef {{ answer: string, requests: number, peak: number, ms: number }} Whole A run that nobody killed. */

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "600" },
      seed: { type: "string", default: String(Date.now()) },
      stores: { type: "string" },
      lanes: { type: "string", default: "2" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const stores = values.stores?.split(",") ?? ["sqlite", "postgres"];
  const [seconds, lanes] = [Number(values.seconds), Number(values.lanes)];
  const bad =
    stores.find((one) => one !== "sqlite" && one !== "postgres") ??
    (seconds > 0 && lanes >= 1 ? undefined : "");
  if (values.help || bad !== undefined) {
    process.stderr.write(USAGE);
    return values.help ? 0 : 2;
  }
  await setUp(root, { build: true });
  const dist = join(root, "dist");
  const admin = stores.includes("postgres")
    ? new pg.Client({ connectionString: `${POSTGRES}/postgres` })
    : undefined;
  const refused = await admin?.connect().then(() => undefined, String);
  const kinds = refused === undefined ? stores : stores.filter((one) => one !== "postgres");
  if (refused !== undefined)
    process.stdout.write(`skipped: postgres (no server on 127.0.0.1:5432: ${refused})\n`);
  const scratch = mkdtempSync(join(tmpdir(), "parley-storm-"));
  const server = await startSimServer(dist);
  const passing = await counting(server.url);
  const start = commandsOf(dist);
  /** @type {Round[]} */
  const rounds = [];
  try {
    /** @type {Map<string, Whole>} */
    const wholes = new Map();
    for (const command of Object.keys(COMMANDS)) {
      const place = await placeOf("sqlite", `whole-${command}`, { scratch, admin });
      const calls = passing.of(`whole-${command}`);
      const fromMs = performance.now();
      const ended = await start(
        [...(COMMANDS[command] ?? []), "--seed", "9", "--json", "--quiet"],
        place,
        calls,
      ).ended;
      if (ended.code !== 0) throw new Error(`${command} ends with ${ended.code}: ${ended.stderr}`);
      const ms = performance.now() - fromMs;
      wholes.set(command, {
        answer: answerIn(ended.stdout),
        requests: calls.requests(),
        peak: calls.peak(),
        ms,
      });
      await place.drop();
    }
    const endMs = performance.now() + seconds * 1_000;
    let next = 0;
    const lane = async () => {
      while (performance.now() < endMs) {
        const nth = next++;
        const seed = `${values.seed}/${nth}`;
        const [command = "ask", whole] = [...wholes][nth % wholes.size] ?? [];
        const store = kinds[Math.floor(nth / wholes.size) % kinds.length] ?? "sqlite";
        if (whole === undefined) return;
        const place = await placeOf(store, `round-${nth}`, { scratch, admin });
        const ended = await round({
          command,
          store,
          seed,
          whole,
          place,
          calls: passing.of(`round-${nth}`),
          start,
        });
        rounds.push(ended);
        for (const one of ended.wrong)
          process.stdout.write(`WRONG ${command} on ${store}, --seed ${seed}: ${one}\n`);
        await place.drop();
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    passing.close();
    server.stop();
    await admin?.end().catch(() => undefined);
    rmSync(scratch, { recursive: true, force: true });
  }
  const sum = (/** @type {(one: Round) => number} */ of, /** @type {readonly Round[]} */ all) =>
    all.reduce((total, one) => total + of(one), 0);
  process.stdout.write(`\nstorm of ${seconds} s, --seed ${values.seed}\n`);
  process.stdout.write(
    "command   store     rounds  kills  connections ended  rivals  events acknowledged  lost  calls repeated (under way)  hangs  wrong\n",
  );
  for (const command of Object.keys(COMMANDS))
    for (const store of kinds) {
      const own = rounds.filter((one) => one.command === command && one.store === store);
      const figures = [
        [own.length, 6],
        [sum((one) => one.kills, own), 7],
        [sum((one) => one.ended, own), 19],
        [own.filter((one) => one.rivals).length, 8],
        [sum((one) => one.acknowledged, own), 21],
        [sum((one) => one.lost, own), 6],
        [`${sum((one) => Math.max(0, one.repeated), own)} (${sum((one) => one.allowed, own)})`, 27],
        [sum((one) => one.hangs, own), 7],
        [own.filter((one) => one.wrong.length > 0).length, 7],
      ];
      process.stdout.write(
        `${command.padEnd(9)} ${store.padEnd(8)} ${figures.map(([value, width]) => String(value).padStart(Number(width))).join("")}\n`,
      );
    }
  const failed = rounds.filter(({ wrong }) => wrong.length > 0).length;
  process.stdout.write(
    `${rounds.length} rounds, ${sum((one) => one.kills, rounds)} kills, ${sum((one) => one.ended, rounds)} connections ended, ${sum((one) => one.lost, rounds)} events lost, ${sum((one) => one.hangs, rounds)} hangs, ${failed} rounds wrong\n`,
  );
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(rounds, null, 2));
  return failed === 0 && rounds.length > 0 ? 0 : 1;
});
