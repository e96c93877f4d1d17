// npm run clients: real client programs of others against `parley serve` as it was built, with simulated models. Each is
// installed at its version from npm into a temporary folder of its own, or into $PARLEY_CLIENTS, where it is kept.
//
//   npm run clients -- [--only openai,codex] [--write]
//
// The table of docs/guides/clients.md is what was seen: a run fails where it differs, and --write writes it anew.
import "../../scripts/node-version.mjs";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { capture } from "../../scripts/child.mjs";
import { root } from "../../scripts/root.mjs";
import { runScript, setUp } from "../../scripts/setup.mjs";
import { countOf } from "../../scripts/steps.mjs";
import { guideWith } from "./guide.mjs";

/** By name, the most important first. */
const NAMES = [
  ...["openai", "anthropic", "ai-sdk", "langchain", "agents", "instructor"],
  ...["codex", "claude-code", "opencode", "pi", "continue", "promptfoo"],
];
const NODE = "22.23.5";
const LIMIT_MS = 5 * 60_000;
const GUIDE = join(root, "docs", "guides", "clients.md");

/** @typedef {{ name: string, ok: boolean, reason: string }} Check */
/**
 * What a client's file exports: what is installed, the first of it being the client itself; `prepare` what else, to a reason
 * why it cannot be had.
 * @typedef {{ packages: readonly [string, ...string[]], install?: readonly string[], prepare?: (folder: string) => Promise<string | undefined> }} Client
 */
/** @typedef {{ name: string, version: string, checks: Check[], expected: Check[], skipped: string | undefined }} Outcome */

/** Checks of a client that fail by design, of Parley or of the client, with the reason, and a part of what the failure says. */
/** @typedef {{ reason: string, fails: string, checks: readonly string[] }} Expected */
/** @type {Record<string, readonly Expected[]>} */
const EXPECTED = JSON.parse(readFileSync(join(import.meta.dirname, "expected.json"), "utf8"));

const say = (/** @type {string} */ text) => void process.stdout.write(`${text}\n`);
const versionOf = (/** @type {string} */ spec) => spec.slice(spec.lastIndexOf("@") + 1);

/** Installs packages by their versions, unless they are there. @param {string} folder @param {Pick<Client, "packages" | "install">} what @returns {Promise<string | undefined>} why it cannot be had */
async function install(folder, { packages, install: more = [] }) {
  const stamp = join(folder, "installed.json");
  const wanted = JSON.stringify([packages, more]);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}\n');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps", "--loglevel=error"];
  const words = ["install", ...flags, ...more, ...packages];
  const npm = process.env["npm_execpath"];
  const { code, output } = await capture(npm ? [process.execPath, npm, ...words] : ["npm", ...words], {
    cwd: folder,
    env: process.env,
    limitMs: LIMIT_MS,
    shell: false,
  });
  if (code !== 0) return `npm install ended with ${code}: ${output.trim().split("\n")[0]}`;
  writeFileSync(stamp, wanted);
  return undefined;
}

/** A Node that the clients of today run on: this one where it is new enough. @param {string} folder @returns {Promise<{ node: string } | { problem: string }>} */
async function newerNode(folder) {
  if (Number(process.versions.node.split(".")[0]) >= 22) return { node: process.execPath };
  const isWindows = process.platform === "win32";
  const name = `node-${isWindows ? "win" : process.platform}-${process.arch}`;
  const problem = await install(folder, { packages: [`${name}@${NODE}`] });
  const node = join(folder, "node_modules", name, "bin", isWindows ? "node.exe" : "node");
  return problem === undefined ? { node } : { problem: `Node ${NODE}: ${problem}` };
}

/** Runs one client, and says what became of each check as it comes. @param {string} name @param {{ base: string, node: string }} place @returns {Promise<Outcome>} */
async function runClient(name, { base, node }) {
  /** @type {Client} */
  const client = await import(`./${name}.mjs`);
  const folder = join(base, name);
  const version = versionOf(client.packages[0]);
  const title = `${name} ${version}`;
  const skipped = (await install(folder, client)) ?? (await client.prepare?.(folder));
  /** @type {Outcome} */
  const outcome = { name, version, checks: [], expected: [], skipped };
  if (skipped !== undefined) {
    say(`skipped: ${title}: ${skipped}`);
    return outcome;
  }
  const expected = new Map(EXPECTED[name]?.flatMap((one) => one.checks.map((check) => [check, one])));
  const take = (/** @type {Check} */ check) => {
    const design = expected.get(check.name);
    expected.delete(check.name);
    const isExpected = design !== undefined && !check.ok && check.reason.includes(design.fails);
    const problem = check.ok && design ? "it passes now: take it from expected.json" : check.reason;
    if (isExpected) outcome.expected.push({ ...check, reason: design.reason });
    else outcome.checks.push({ ...check, ok: check.ok && !design });
    const told = isExpected ? `expected: ${design.reason}` : check.ok && !design ? "ok" : `FAILED ${problem}`;
    say(`${title} ${check.name} ${told}`);
  };
  let rest = "";
  let other = "";
  const scratch = mkdtempSync(join(tmpdir(), "parley-client-"));
  try {
    const { code } = await capture([node, join(import.meta.dirname, "one.mjs"), name, folder], {
      cwd: scratch,
      env: {
        ...{ PATH: [dirname(node), process.env["PATH"]].join(delimiter), HOME: scratch, TMPDIR: scratch },
        ...{ SERVER_NODE: process.execPath, USERPROFILE: scratch, SystemRoot: process.env["SystemRoot"] },
        ...{ OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_HOST: "127.0.0.1:1" },
      },
      limitMs: LIMIT_MS,
      onText: (text) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines)
          if (line.startsWith("check ")) take(JSON.parse(line.slice("check ".length)));
          else other += `${line}\n`;
      },
    });
    if (code !== 0 || outcome.checks.length + outcome.expected.length === 0)
      take({ name: "comes to an end", ok: false, reason: `it ended with ${code}` });
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });
  }
  for (const check of [...expected.keys()])
    take({ name: check, ok: false, reason: "it is in expected.json, and was not run" });
  if (outcome.checks.some(({ ok }) => !ok)) say(other.trim().slice(-4_000));
  return outcome;
}

await runScript(async () => {
  const { values } = parseArgs({
    options: { only: { type: "string" }, write: { type: "boolean", default: false } },
  });
  const names = values.only?.split(",") ?? NAMES;
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    process.stderr.write(`there is no client "${unknown}"; there are ${NAMES.join(", ")}\n`);
    return 2;
  }
  await setUp(root, { build: true });
  const kept = process.env["PARLEY_CLIENTS"];
  const base = kept ?? mkdtempSync(join(tmpdir(), "parley-clients-"));
  /** @type {Outcome[]} */
  const outcomes = [];
  try {
    const found = await newerNode(join(base, "node"));
    if ("problem" in found) say(`skipped: all clients: ${found.problem}`);
    const waiting = "problem" in found ? [] : [...names];
    const lane = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        outcomes.push(await runClient(name, { base, node: "node" in found ? found.node : "" }));
        if (kept === undefined) rmSync(join(base, name), { recursive: true, force: true });
      }
    };
    await Promise.all([lane(), lane()]);
  } finally {
    if (kept === undefined) rmSync(base, { recursive: true, force: true });
  }
  outcomes.sort((one, other) => NAMES.indexOf(one.name) - NAMES.indexOf(other.name));
  const seen = outcomes.filter(({ skipped }) => skipped === undefined);
  const before = readFileSync(GUIDE, "utf8");
  const after = await guideWith(GUIDE, before, { seen, names: NAMES });
  if (values.write) writeFileSync(GUIDE, after);
  const isTold = values.write || before === after;
  if (!isTold) say("FAILED docs/guides/clients.md differs from what was seen: npm run clients -- --write");
  const checks = seen.flatMap((one) => one.checks.map((check) => ({ ...check, of: one.name })));
  const passed = checks.filter(({ ok }) => ok).map(({ of, name }) => `clients > ${of} > ${name}`);
  const failed = checks.length - passed.length + (isTold ? 0 : 1);
  const skipped = names
    .filter((name) => !seen.some((one) => one.name === name))
    .map((name) => ({
      name: `clients > ${name}`,
      why: outcomes.find((one) => one.name === name)?.skipped ?? "no Node for it",
    }));
  say(`${seen.reduce((sum, { expected }) => sum + expected.length, 0)} failed as expected`);
  say(countOf({ passed: passed.length, failed, skipped: skipped.length }));
  const tally = process.env["PARLEY_TALLY"];
  if (tally !== undefined) writeFileSync(tally, JSON.stringify({ passed, failed, skipped }));
  return failed === 0 ? 0 : 1;
});
