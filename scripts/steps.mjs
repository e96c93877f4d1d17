import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import { delimiter, join } from "node:path";
import { capture } from "./child.mjs";

/**
 * A part of a run: one script of package.json. `tests`: what it is told beside it where it is a run of tests, which are counted one
 * by one; everything else counts as one. `long`: with `LONG=1`, which runs at full size what is a tenth of it otherwise.
 *
 * @typedef {{ name: string, script: string, tests?: string, long?: true }} Part
 */
/** @typedef {{ ok: boolean, output: string, cpuSeconds: number | undefined }} Outcome */
/** @typedef {{ passed: string[], failed: number, skipped: { name: string, why: string }[] }} Tally */

/** @param {string} script @returns {Part} */
const check = (script) => ({ name: script, script });
/** @param {string} name @param {string} tests @returns {Part} */
const longTests = (name, tests) => ({ name, script: "unit", tests, long: true });

/** Of the gate: what compiles and reads the sources shares the processors, and the tests run after it. */
const GATE = {
  checks: ["types", "lint", "types:web", "format:changed", "layers", "unused", "types:kernel", "size"].map(
    check,
  ),
  tests: { name: "unit", script: "unit", tests: "--project src --project gate" },
};

/** What `npm run test:all` runs, by the name that `--only` takes. Each shard runs alone. @type {Readonly<Record<string, readonly Part[]>>} */
export const SHARDS = {
  checks: [
    ...[
      "package",
      "types",
      "lint",
      "layers",
      "unused",
      "format:check",
      "types:kernel",
      "types:web",
      "size",
    ].map(check),
  ],
  units: [longTests("units", "--project src")],
  program: [longTests("program", "--project gate --project program")],
  cli: [longTests("cli", "--project cli")],
  docs: [longTests("docs", "--project docs")],
  page: [longTests("page", "--project page")],
  clients: [{ name: "clients", script: "clients", tests: "" }],
  seeds: [check("seeds:check")],
  bench: [check("bench:quick")],
  storm: [check("storm")],
};

/** Processor time of the gate as a multiple of that of its own compiler: what it should take, and what fails. */
const CPU_GOAL = 9;
const CPU_LIMIT = 11;

/** No part takes more than some minutes, and a machine that is short of processors thrice as long; one that hangs must still come to an end. */
const partLimitMs = 60 * 60_000;

/**
 * `npm test`. Runs what stands between a change and its landing, prints each part with its time and the output of what failed,
 * and last the one line `N passed, N failed[, N skipped]`. It fails where it has taken too much processor time.
 *
 * @param {string} root
 * @returns {Promise<number>} exit code
 */
export async function runGate(root) {
  const startedMs = performance.now();
  const tally = createTally();
  await runPart(root, check("build"), tally);
  /** @type {Map<string, number | undefined>} */
  const cpu = new Map();
  const measured = async (/** @type {Part} */ part) =>
    void cpu.set(part.name, await runPart(root, part, tally));
  const waiting = [...GATE.checks];
  const lane = async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) await measured(part);
  };
  await Promise.all(Array.from({ length: Math.min(os.availableParallelism(), GATE.checks.length) }, lane));
  await measured(GATE.tests);
  const problem = judgeCpu([...cpu.values()], cpu.get("types"));
  if (problem !== undefined) {
    tally.failed += 1;
    say(`FAILED ${problem}`);
  }
  return finish(tally, startedMs);
}

/**
 * `npm run test:all`. Runs the shards one after the other, all or those that `only` names; where all ran, each row of evidence
 * must name a test that passed.
 *
 * @param {string} root @param {readonly string[]} [only]
 * @returns {Promise<number>} exit code
 */
export async function runShards(root, only = Object.keys(SHARDS)) {
  const startedMs = performance.now();
  const tally = createTally();
  await runPart(root, check("build"), tally);
  for (const name of only) {
    const shardMs = performance.now();
    const before = tally.passed.length + tally.checks;
    for (const part of SHARDS[name] ?? []) await runPart(root, part, tally);
    say(`shard ${name}: ${tally.passed.length + tally.checks - before} passed in ${secondsSince(shardMs)}`);
  }
  if (Object.keys(SHARDS).every((name) => only.includes(name))) {
    // Imported here, since what it imports is not installed yet when this file is loaded.
    const { missingTests, readSeeds } = await import("./seeds.mjs");
    const present = [...tally.passed, ...tally.skipped];
    for (const reference of missingTests(
      readSeeds(root).flatMap((seed) => seed.rows),
      present,
    )) {
      tally.failed += 1;
      say(`FAILED test/seeds ${reference}`);
    }
  }
  return finish(tally, startedMs);
}

/** The last line of a run, in the form that a machine reads. @param {{ passed: number, failed: number, skipped: number }} counts */
export function countOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** `checks`: parts that passed and are no tests. */
const createTally = () => ({
  checks: 0,
  /** @type {string[]} */
  passed: [],
  failed: 0,
  /** @type {string[]} */
  skipped: [],
});

/** @param {ReturnType<typeof createTally>} tally @param {number} startedMs */
function finish({ checks, passed, failed, skipped }, startedMs) {
  say(`everything in ${secondsSince(startedMs)}`);
  say(countOf({ passed: checks + passed.length, failed, skipped: skipped.length }));
  return failed === 0 ? 0 : 1;
}

/** What is wrong with the processor time; undefined where nothing is, or where a system does not tell. @param {readonly (number | undefined)[]} parts @param {number | undefined} compiler */
function judgeCpu(parts, compiler) {
  if (compiler === undefined || compiler === 0) return undefined;
  const seconds = parts.reduce((/** @type {number} */ sum, part) => sum + (part ?? 0), 0);
  const told = `processor time: ${seconds.toFixed(0)} s, ${(seconds / compiler).toFixed(1)} times the compiler's ${compiler.toFixed(0)} s; the goal is ${CPU_GOAL}`;
  if (seconds <= CPU_LIMIT * compiler) {
    say(told);
    return undefined;
  }
  return `${told}, the limit ${CPU_LIMIT}: move what is slow to test:all, or make it faster`;
}

/**
 * Runs a part, says what became of it, and counts it.
 *
 * @param {string} root @param {Part} part @param {ReturnType<typeof createTally>} tally
 * @returns {Promise<number | undefined>} its processor time, seconds
 */
async function runPart(root, { name, script, tests, long }, tally) {
  const startedMs = performance.now();
  const folder = mkdtempSync(join(os.tmpdir(), "parley-check-"));
  try {
    const tallyPath = join(folder, "tally.json");
    const environment = { PARLEY_TALLY: tallyPath, ...(long && { LONG: "1" }) };
    const { ok, output, cpuSeconds } = await runScriptOf(root, { script, tests, environment });
    const cpu = cpuSeconds === undefined ? "" : `, ${cpuSeconds.toFixed(1)} s of processors`;
    const verdict = `${ok ? "ok    " : "FAILED"} ${name} (${secondsSince(startedMs)}${cpu})`;
    if (tests === undefined) {
      say(verdict);
      if (!ok) say(output.trimEnd());
      else for (const [line] of output.matchAll(/^skipped: .*$/gm)) say(line);
      if (ok) tally.checks += 1;
      else tally.failed += 1;
      return cpuSeconds;
    }
    // Always shown: it holds the reasons of what was skipped.
    say(output.trim());
    const own = readTally(tallyPath);
    for (const { name: test, why } of own.skipped) say(`skipped: ${test}${why && ` (${why})`}`);
    tally.passed.push(...own.passed);
    tally.skipped.push(...own.skipped.map((one) => one.name));
    // A run that broke outside any test is one failure.
    tally.failed += ok ? own.failed : Math.max(own.failed, 1);
    say(verdict);
    return cpuSeconds;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} path @returns {Tally} Nothing at all when the test runner did not get as far as writing one. */
function readTally(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return { passed: [], failed: 0, skipped: [] };
  }
}

/**
 * Runs the text of one package.json script, as `npm run` would but without npm's own start-up. A POSIX shell tells the processor
 * time of everything that the script has started and waited for.
 *
 * @param {string} root @param {{ script: string, tests: string | undefined, environment: Record<string, string> }} what
 * @returns {Promise<Outcome>}
 */
async function runScriptOf(root, { script, tests, environment }) {
  const text = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts[script];
  const command = tests === undefined ? text : `${text} ${tests}`;
  const path = [join(root, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  // GOGC: the linter's part that reads types is a Go program, and a quarter of its time is garbage collection otherwise.
  const env = { GOGC: "200", ...process.env, ...environment, PATH: path, NO_COLOR: "1" };
  const isPosix = process.platform !== "win32";
  const timed = isPosix ? `(${command}\n)\ncode=$?\necho\ntimes\nexit $code` : command;
  const { code, output } = await capture([timed], { cwd: root, env, shell: true, limitMs: partLimitMs });
  const times = /\n(?:\d+m[\d.]+s \d+m[\d.]+s\n){2}$/.exec(output);
  return {
    ok: code === 0,
    output:
      (times ? output.slice(0, times.index) : output) + (code === 124 ? "\nended at its limit of time" : ""),
    cpuSeconds: times ? sumOfTimes(times[0]) : undefined,
  };
}

/** @param {string} text as `times` prints it: `0m0.010s 0m0.002s`, twice */
function sumOfTimes(text) {
  return [...text.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

/**
 * The files whose format the gate checks: those that differ from where this branch left its upstream or, on the upstream itself,
 * from the commit before; undefined where nothing tells, as outside of a repository.
 *
 * @param {string} root @returns {string[] | undefined}
 */
export function changedFiles(root) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
      .split("\n")
      .filter((line) => line !== "");
  try {
    const head = git("rev-parse", "HEAD")[0];
    const fork = attempt(() => git("merge-base", "HEAD", "@{upstream}")[0]);
    const base = fork !== undefined && fork !== head ? fork : "HEAD~1";
    const changed = [
      ...git("diff", "--name-only", "--diff-filter=d", base),
      ...git("ls-files", "--others", "--exclude-standard"),
    ];
    return changed.filter((path) => existsSync(join(root, path)));
  } catch {
    return undefined;
  }
}

/** @template T @param {() => T} make @returns {T | undefined} */
function attempt(make) {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** @param {number} startedMs */
function secondsSince(startedMs) {
  return `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}
