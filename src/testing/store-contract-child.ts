import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { OpenInChild } from "./store-place.ts";
import { WorkerReport, type WorkerTask } from "./store-contract-worker-task.ts";

/** A process that works on the store. */
export interface StoreChild extends AsyncDisposable {
  readonly reports: readonly WorkerReport[];
  /** Resolves when a report of this kind has come; rejects when the process ended without one. */
  reported(is: WorkerReport["is"]): Promise<void>;
  /** Lets it begin, after it has loaded everything. */
  start(): void;
  /** Asks it to come to an end. */
  finish(): void;
  kill(): void;
  /** Its exit code, or the signal that ended it; rejects when it ended by an error of its own. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

const self = import.meta.url;
const extension = self.endsWith(".ts") ? "ts" : "mjs";
const ownWorker = fileURLToPath(new URL(`./store-contract-worker.${extension}`, self));

/** Only TypeScript needs a loader. */
const loaderFor = (...modules: readonly string[]): string[] =>
  modules.some((name) => name.endsWith(".ts"))
    ? ["--import", pathToFileURL(createRequire(self).resolve("tsx")).href]
    : [];

export function storeChild(
  { worker = ownWorker, module, export: name, args: given }: OpenInChild,
  task: WorkerTask,
): StoreChild {
  const open = { module, export: name, args: given };
  const args = [...loaderFor(worker, module), worker, JSON.stringify({ open, task })];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
  const reports: WorkerReport[] = [];
  const waiting = new Set<() => void>();
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  // A killed child's pipe breaks; that is what killing is for.
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    // A kill may cut the last line.
    if (line.endsWith("}")) reports.push(WorkerReport.parse(JSON.parse(line)));
    for (const look of waiting) look();
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0 || code === null) resolve(code ?? signal);
      else reject(new Error(`a child of the store contract failed with ${code}: ${complaint}`));
    });
  });
  // Whoever awaits `ended` gets the rejection; it must not be unhandled until then.
  ended.catch(() => undefined);

  return {
    reports,
    ended,
    reported: (is) => {
      const seen = () => reports.some((report) => report.is === is);
      const came = new Promise<void>((resolve) => {
        const look = () => {
          if (!seen()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
      const over = ended.then(() => {
        if (!seen()) throw new Error(`a child of the store contract ended without "${is}": ${complaint}`);
      });
      return Promise.race([came, over]);
    },
    start: () => child.stdin.write("start\n"),
    finish: () => child.stdin.end(),
    kill: () => child.kill("SIGKILL"),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended.catch(() => undefined);
    },
  };
}
