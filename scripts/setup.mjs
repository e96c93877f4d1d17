import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { run } from "./child.mjs";
import { withLock } from "./lock.mjs";

/**
 * A folder under the root that can be made anew from what is committed; `make` makes it under the same name in `draft`.
 * @typedef {{ folder: string, isReady: (root: string) => boolean, make: (root: string, draft: string) => Promise<void> }} Part
 */

const scratchName = ".parley";

/** The install or the build failed; its own output is on stderr already. `exitCode` is for this process to end with. */
class SetupFailed extends Error {
  /** @param {string} what @param {number} exitCode */
  constructor(what, exitCode) {
    const how = exitCode === 130 || exitCode === 143 ? "was interrupted" : "failed (see above)";
    super(`${what} ${how}; run the same command again to go on`);
    this.exitCode = exitCode;
  }
}

/**
 * Runs a whole script: `main` gives the exit code. A failed set-up, and what the system refuses, is told in one line.
 *
 * @param {() => Promise<number>} main
 */
export async function runScript(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    const isExpected = error instanceof SetupFailed || (error instanceof Error && "syscall" in error);
    if (!isExpected) throw error;
    tell(error.message);
    process.exitCode = error instanceof SetupFailed ? error.exitCode : 1;
  }
}

/**
 * Makes what is missing or out of date under `root`: `node_modules` against `package-lock.json` and, where asked
 * for, `dist` against `src`. Says on stderr what it does; says and writes nothing when there is nothing to do. Any
 * number of processes may call it at once.
 *
 * @param {string} root
 * @param {{ build: boolean }} wanted
 */
export async function setUp(root, wanted) {
  const isReady = (/** @type {Part} */ part) => part.isReady(root);
  const parts = wanted.build ? [install, build] : [install];
  if (parts.every(isReady)) return;
  await withLock(join(root, scratchName, "setup.lock"), tellWaiting, async () => {
    for (const part of parts) {
      if (!isReady(part)) await renew(root, part);
    }
  });
}

/**
 * Whether npm's own account of `node_modules` names every package of `package-lock.json` in the same version, apart
 * from optional ones (those for other platforms). npm writes that account last, so half an install does not count.
 *
 * @param {string} root
 */
export function isInstalled(root) {
  const account = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(account)) return false;
  const wanted = packagesOf(join(root, "package-lock.json"));
  const present = packagesOf(account);
  return Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    if (path === "") return true;
    const found = present[path];
    return found ? found.version === version && found.integrity === integrity : optional === true;
  });
}

/** @param {string} root Whether `dist` was built from the sources as they are. */
export function isBuilt(root) {
  const stamp = join(root, "dist", stampName);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digestOfSources(root);
}

const stampName = ".built-from";
const buildFiles = [
  "package.json",
  "package-lock.json",
  "scripts/bundle.mjs",
  "scripts/lazy-schemas.mjs",
  "scripts/licenses.mjs",
  "scripts/pure-schemas.mjs",
  "tsconfig.json",
  "tsdown.config.ts",
  "vite.config.ts",
  "vite.file.config.ts",
];

/** @type {Part} */
const install = {
  folder: "node_modules",
  isReady: isInstalled,
  async make(root, draft) {
    tell("installing dependencies (npm ci) …");
    for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
      if (existsSync(join(root, name))) copyFileSync(join(root, name), join(draft, name));
    }
    const npm = process.env["npm_execpath"];
    const args = ["ci", "--include=dev", "--ignore-scripts", "--loglevel=error", "--no-audit", "--no-fund"];
    await runPart("npm ci", npm ? [process.execPath, npm, ...args] : ["npm", ...args], draft);
  },
};

/** @type {Part} */
const build = {
  folder: "dist",
  isReady: isBuilt,
  async make(root, draft) {
    tell("building …");
    const digest = digestOfSources(root);
    const folder = join(draft, "dist");
    await runPart("the build", [process.execPath, join(root, "scripts", "bundle.mjs"), folder], root);
    writeFileSync(join(folder, stampName), digest);
  },
};

/**
 * Makes one part in a folder of its own and then puts it in its place whole: nobody meets half of it, and what a
 * killed run left working in the background writes where nobody looks.
 *
 * @param {string} root @param {Part} part
 */
async function renew(root, part) {
  const scratch = join(root, scratchName);
  for (const leftover of readdirSync(scratch).filter((name) => name.startsWith("draft-"))) {
    remove(join(scratch, leftover));
  }
  const draft = mkdtempSync(join(scratch, "draft-"));
  try {
    await part.make(root, draft);
    const place = join(root, part.folder);
    if (existsSync(place)) setAside(place, join(draft, "replaced"));
    renameSync(join(draft, part.folder), place);
  } finally {
    remove(draft);
  }
}

/** @param {string} place @param {string} aside */
function setAside(place, aside) {
  try {
    renameSync(place, aside);
  } catch {
    // A folder from a lower layer of a container image cannot be renamed.
    rmSync(place, { recursive: true });
  }
}

/** @param {string} what @param {readonly [string, ...string[]]} command @param {string} cwd */
async function runPart(what, command, cwd) {
  let interrupted = false;
  const code = await run(command, {
    cwd,
    stdio: ["ignore", 2, 2],
    interrupts: (child) => {
      interrupted = true;
      child.kill("SIGINT");
    },
  });
  if (code !== 0) throw new SetupFailed(what, interrupted ? 130 : code);
}

/** @param {string} path A folder that another process is still writing to may stay; the next run removes it. */
function remove(path) {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Left for the next run.
  }
}

/** @param {string} root SHA-256 over the names and contents of all that a build reads. */
function digestOfSources(root) {
  const hash = createHash("sha256");
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:tsx?|css|html|json)$/.test(name) && !name.endsWith(".test.ts"))
    .map((name) => join("src", name))
    .sort();
  for (const name of [...buildFiles, ...sources]) {
    const text = readFileSync(join(root, name));
    hash.update(`${name}\0${text.length}\0`).update(text);
  }
  return hash.digest("hex");
}

/**
 * @param {string} path
 * @returns {Record<string, { version?: string, integrity?: string, optional?: boolean }>}
 */
function packagesOf(path) {
  return JSON.parse(readFileSync(path, "utf8")).packages ?? {};
}

/** @param {string} holder */
function tellWaiting(holder) {
  tell(`waiting for process ${holder}, which is installing or building …`);
}

/** @param {string} what */
function tell(what) {
  process.stderr.write(`parley: ${what}\n`);
}
