// L1. At most one live process holds the lock: it is a file that only one can create.
// L2. A holder that died is noticed at once on the same host, else when it has not touched the file for 15 seconds.
// L3. A stale file is moved aside before it is removed, and put back if another had just taken the lock.
import { randomUUID } from "node:crypto";
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const staleAfterMs = 15_000;
const touchEveryMs = 2_000;
const lookAgainMs = 150;

/**
 * Does `work` while holding the lock file at `path`, waiting for as long as a live process holds it;
 * `waiting` is called once, with the holder's process id, when there is one to wait for.
 *
 * @template T
 * @param {string} path
 * @param {(holder: string) => void} waiting
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, waiting, work) {
  const token = `${process.pid} ${hostname()} ${randomUUID()}`;
  mkdirSync(dirname(path), { recursive: true });
  for (let told = false; !create(path, token);) {
    const holder = read(path);
    if (holder !== undefined && isStale(path, holder)) {
      removeStale(path, holder);
      continue;
    }
    if (!told) waiting(holder?.split(" ")[0] || "unknown");
    told = true;
    await sleep(lookAgainMs);
  }
  const release = () => {
    if (read(path) === token) rmSync(path, { force: true });
  };
  const heartbeat = setInterval(() => touch(path), touchEveryMs);
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.off("exit", release);
    release();
  }
}

/** @param {string} path @param {string} token */
function create(path, token) {
  try {
    writeFileSync(path, token, { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} path @param {string} holder */
function isStale(path, holder) {
  const [pid, host] = holder.split(" ");
  if (pid && host === hostname() && !isAlive(Number(pid))) return true;
  const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return touched !== undefined && Date.now() - touched > staleAfterMs;
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** @param {string} path @param {string} holder */
function removeStale(path, holder) {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, "utf8") !== holder) linkSync(aside, path);
  } catch {
    // Another waiter was quicker; the next look decides.
  }
  rmSync(aside, { force: true });
}

/** @param {string} path */
function touch(path) {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // Removed from outside: the work goes on, and nothing is released that is not ours.
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
