import { fork, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A figure. `target` is the most, or with `least` the least, that it may be; `against` the figure of a second build.
 * @typedef {{ name: string, value: number, unit: string, target?: number, least?: true, against?: number }} Row
 */
/** @typedef {{ dist: string, against: string | undefined, quick: boolean, repetitions: number | undefined, scratch: string, lighthouse?: boolean }} Context */
/** @typedef {{ rows: Row[], notes?: string[], raw?: unknown }} Measured */
/** @typedef {(context: Context) => Promise<Measured>} Measurement */

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (/** @type {number} */ index) => sorted[index] ?? Number.NaN;
  return sorted.length % 2 === 1 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2;
}

/** @param {readonly number[]} values @param {number} share 0 to 1: the smallest value that so many do not exceed */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** In this order, and the other way round on odd repetitions. @template T @param {readonly T[]} items @param {number} repetition @returns {T[]} */
export const inTurn = (items, repetition) => (repetition % 2 === 0 ? [...items] : [...items].reverse());

/**
 * A module of this folder in a process of its own. `ask` sends it a message and resolves with its answer.
 *
 * @param {string} file
 * @param {unknown} options the first thing that it is sent
 */
export async function startClient(file, options) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ask = (/** @type {unknown} */ message) =>
    /** @type {Promise<unknown>} */ (
      new Promise((resolve, reject) => {
        const gone = (/** @type {number | null} */ code) => reject(new Error(`${file} ended with ${code}`));
        child.once("exit", gone);
        child.once("message", (/** @type {{ failed?: string }} */ answer) => {
          child.off("exit", gone);
          if (answer.failed === undefined) resolve(answer);
          else reject(new Error(`${file}: ${answer.failed}`));
        });
        child.send(/** @type {import("node:child_process").Serializable} */ (message));
      })
    );
  await ask(options);
  return { ask, stop: stopper(child) };
}

/**
 * The other side of `startClient`: answers each message with what `answer` resolves to. The first message is the options.
 *
 * @param {(options: any) => Promise<(message: any) => Promise<object>>} begin
 */
export function answerAsClient(begin) {
  /** @type {((message: any) => Promise<object>) | undefined} */
  let answer;
  const handle = async (/** @type {unknown} */ message) => {
    if (answer) return answer(message);
    answer = await begin(message);
    return {};
  };
  process.once("disconnect", () => process.exit()); // whoever asked is gone
  process.on("message", (message) => {
    handle(message).then(
      (reply) => process.send?.(reply),
      (error) =>
        process.send?.({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
}

/** A server in a process of its own, whose first line on stdout is its URL. @param {readonly string[]} args */
export async function startServer(args) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ text) => (said += text));
  const exited = new Promise((_, reject) =>
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${said.trim()}`))),
  );
  exited.catch(() => undefined);
  const lines = createInterface({ input: child.stdout });
  const url = await Promise.race([
    new Promise((/** @type {(line: string) => void} */ resolve) => lines.once("line", resolve)),
    exited,
  ]);
  return { url: String(url), pid: child.pid ?? 0, stop: stopper(child) };
}

/** Ends a process, at the latest with this one. @param {import("node:child_process").ChildProcess} child */
function stopper(child) {
  const stop = () => void child.kill("SIGKILL");
  process.once("exit", stop);
  child.once("exit", () => process.off("exit", stop));
  return stop;
}

/** `parley sim-server` of a build. @param {string} dist */
export const startSimServer = (dist) => startServer([join(dist, "cli.mjs"), "sim-server", "--port", "0"]);

/** Milliseconds of processor time that a process has used, where the system tells (Linux). @param {number} pid */
export function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10; // in ticks of 10 ms
  } catch {
    return Number.NaN;
  }
}

/** What the figures were taken on. */
export const machine = () => ({
  node: process.version,
  system: `${os.type()} ${os.release()} ${os.arch()}`,
  processor: os.cpus()[0]?.model ?? "unknown",
  cores: os.availableParallelism(),
  memoryGb: Math.round(os.totalmem() / 2 ** 30),
  load: os.loadavg().map((load) => Number(load.toFixed(2))),
});
