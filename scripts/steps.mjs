import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import { delimiter, join } from "node:path";
import { capture } from "./child.mjs";

/** The npm scripts that count as one check each, the longest first, so that the lanes end together. */
const checks = [
  "storm:short",
  "seeds:short",
  "package",
  "types",
  "lint",
  "layers",
  "unused",
  "format:check",
  "types:kernel",
  "types:web",
  "size",
];

/** No step takes more than some minutes, and a machine that is short of processors thrice as long; one that hangs must still come to an end. */
const stepLimitMs = 60 * 60_000;

/** @typedef {{ ok: boolean, output: string }} Outcome */
/** @typedef {{ passed: string[], failed: number, skipped: { name: string, why: string }[] }} Tally */

/**
 * Runs every check and every test, prints each step with its time and the output of what failed, and last the one
 * line `N passed, N failed[, N skipped]`, where a check counts as one test. The checks share the processors; the
 * tests run after them, alone, since some of them measure time.
 *
 * @param {string} root
 * @returns {Promise<number>} exit code
 */
export async function check(root) {
  const startedMs = performance.now();
  const outcomes = [await step(root, "build")];
  const waiting = [...checks];
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      outcomes.push(await step(root, name));
    }
  };
  await Promise.all(Array.from({ length: Math.min(os.availableParallelism(), checks.length) }, lane));
  const tests = await unit(root);
  for (const { name, why } of tests.skipped) say(`skipped: ${name}${why && ` (${why})`}`);
  const passed = outcomes.filter(({ ok }) => ok).length + tests.passed.length;
  const failed = outcomes.filter(({ ok }) => !ok).length + tests.failed;
  say(`everything in ${secondsSince(startedMs)}`);
  say(countOf({ passed, failed, skipped: tests.skipped.length }));
  return failed === 0 ? 0 : 1;
}

/** The last line of a run, in the form that a machine reads. @param {{ passed: number, failed: number, skipped: number }} counts */
export function countOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** @param {string} root @param {string} name @returns {Promise<Outcome>} */
async function step(root, name) {
  const startedMs = performance.now();
  const outcome = await runStep(root, name, {});
  say(`${outcome.ok ? "ok    " : "FAILED"} ${name} (${secondsSince(startedMs)})`);
  if (!outcome.ok) say(outcome.output.trimEnd());
  else for (const [line] of outcome.output.matchAll(/^skipped: .*$/gm)) say(line);
  return outcome;
}

/**
 * The tests by themselves. Their output is always shown: it holds the reasons of what was skipped. A run that broke
 * outside any test is one failure.
 *
 * @param {string} root
 * @returns {Promise<Tally>}
 */
async function unit(root) {
  const startedMs = performance.now();
  const folder = mkdtempSync(join(os.tmpdir(), "parley-check-"));
  try {
    const tallyPath = join(folder, "tally.json");
    const { ok, output } = await runStep(root, "unit", { PARLEY_TALLY: tallyPath });
    const tally = readTally(tallyPath);
    if (!ok && tally.failed === 0) tally.failed = 1;
    say(output.trim());
    const present = [...tally.passed, ...tally.skipped.map(({ name }) => name)];
    // Imported here, since what it imports is not installed yet when this file is loaded.
    const { missingTests, readSeeds } = await import("./seeds.mjs");
    const rows = readSeeds(root).flatMap((seed) => seed.rows);
    for (const reference of missingTests(rows, present)) {
      tally.failed += 1;
      say(`FAILED test/seeds ${reference}`);
    }
    say(`${ok ? "ok    " : "FAILED"} unit (${secondsSince(startedMs)})`);
    return tally;
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
 * Runs the text of one package.json script, as `npm run` would but without npm's own start-up.
 *
 * @param {string} root @param {string} name @param {Record<string, string>} environment
 * @returns {Promise<Outcome>}
 */
async function runStep(root, name, environment) {
  const command = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts[name];
  const path = [join(root, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  const env = { ...process.env, ...environment, PATH: path, NO_COLOR: "1" };
  const { code, output } = await capture([command], { cwd: root, env, shell: true, limitMs: stepLimitMs });
  return { ok: code === 0, output: code === 124 ? `${output}\nended at its limit of time` : output };
}

/** @param {number} startedMs */
function secondsSince(startedMs) {
  return `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}
