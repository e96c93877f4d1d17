import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Runs a command to its end and gives back its exit code (128 + n when signal n ended it). SIGTERM and SIGHUP sent
 * to this process are passed on to the command. So is SIGINT, unless `interrupts` takes it over.
 *
 * @param {readonly [string, ...string[]]} command
 * @param {import("node:child_process").SpawnOptions & { interrupts?: (child: import("node:child_process").ChildProcess) => void }} options
 * @returns {Promise<number>}
 */
export function run([file, ...args], { interrupts = (child) => void child.kill("SIGINT"), ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, options);
    /** @type {Record<string, () => void>} */
    const listeners = {
      SIGINT: () => interrupts(child),
      SIGTERM: () => void child.kill("SIGTERM"),
      SIGHUP: () => void child.kill("SIGHUP"),
    };
    for (const [signal, listener] of Object.entries(listeners)) process.on(signal, listener);
    const settle = () => {
      for (const [signal, listener] of Object.entries(listeners)) process.off(signal, listener);
    };
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("close", (code, signal) => {
      settle();
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}

/**
 * Runs a command without a terminal and gives back all that it printed, stdout and stderr as they came. At its time limit it
 * ends with everything that it has started: what is left behind would keep its output open, and the caller waiting.
 *
 * @param {readonly [string, ...string[]]} command
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, shell?: boolean, limitMs: number, onText?: (text: string) => void }} options `onText` hears of it as it comes
 * @returns {Promise<{ code: number, output: string }>} its exit code, 124 at the limit, 128 + n when signal n ended it
 */
export function capture([file, ...args], { limitMs, onText, ...options }) {
  return new Promise((resolve, reject) => {
    // A group of its own, so that one signal reaches all of it; Windows has no groups.
    const detached = process.platform !== "win32";
    const child = spawn(file, args, { ...options, detached, stdio: ["ignore", "pipe", "pipe"] });
    const kill = () => {
      if (child.pid === undefined || !detached) return void child.kill("SIGKILL");
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended.
      }
    };
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      kill();
    }, limitMs);
    // In a group of its own it does not hear what ends this process.
    const ends = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
    const stop = (/** @type {NodeJS.Signals} */ signal) => process.exit(128 + constants.signals[signal]);
    process.once("exit", kill);
    for (const signal of ends) process.once(signal, stop);
    const settle = () => {
      clearTimeout(limit);
      process.off("exit", kill);
      for (const signal of ends) process.off(signal, stop);
    };
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
        output += text;
        onText?.(text);
      });
    }
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("close", (code, signal) => {
      settle();
      resolve({
        code: isLate ? 124 : signal === null ? (code ?? 1) : 128 + constants.signals[signal],
        output,
      });
    });
  });
}
