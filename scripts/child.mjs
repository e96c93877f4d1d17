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
