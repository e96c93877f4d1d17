import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../scripts/root.mjs";
import { CHROMIUM } from "./page-browser.mjs";

const VERSION = "12.8.2";
/** It is no dependency: it lies in a folder of its own, where it was asked for once. */
const FOLDER = join(root, ".parley", "lighthouse");
const PROGRAM = join(FOLDER, "node_modules", "lighthouse", "cli", "index.js");

/** @typedef {Awaited<ReturnType<typeof import("./page-browser.mjs").openBrowser>>} Browser */

/** What Lighthouse says of the first screen; where it is not installed, that it was not measured. @param {Browser} browser @param {{ install: boolean, scratch: string }} options @returns {Promise<{ rows: import("./harness.mjs").Row[], notes: string[] }>} */
export async function measureWithLighthouse({ base, state }, { install, scratch }) {
  if (install && !existsSync(PROGRAM)) await installIt();
  if (!existsSync(PROGRAM))
    return {
      rows: [],
      notes: ["performance", "accessibility"].map(
        (category) => `Lighthouse, ${category}: not measured; --lighthouse installs it`,
      ),
    };
  const headers = join(scratch, "lighthouse-headers.json");
  const cookie = state.cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  writeFileSync(headers, JSON.stringify({ Cookie: cookie }), { mode: 0o600 });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      ...[PROGRAM, base, "--quiet", "--output=json", "--only-categories=performance,accessibility"],
      ...[`--extra-headers=${headers}`, "--chrome-flags=--headless=new --no-sandbox --disable-gpu"],
    ],
    { env: { ...process.env, CHROME_PATH: CHROMIUM }, maxBuffer: 64 * 1_048_576 },
  );
  const { categories, audits } = JSON.parse(stdout);
  const row = (/** @type {string} */ category, /** @type {number} */ target) => ({
    ...{
      name: `Lighthouse, ${category}`,
      value: Math.round((categories[category].score ?? Number.NaN) * 100),
    },
    ...{ unit: "", target, least: /** @type {const} */ (true) },
  });
  const failing = categories.accessibility.auditRefs
    .map((/** @type {{ id: string }} */ { id }) => audits[id])
    .filter((/** @type {{ score: number | null }} */ { score }) => score !== null && score < 1)
    .map((/** @type {{ title: string }} */ { title }) => `Lighthouse, accessibility: ${title}`);
  return { rows: [row("performance", 95), row("accessibility", 100)], notes: failing };
}

async function installIt() {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "package.json"), "{}\n");
  await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", `lighthouse@${VERSION}`], {
    cwd: FOLDER,
  });
}
