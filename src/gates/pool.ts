import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { once } from "../kernel/once.ts";
import { takeTurns } from "../kernel/turns.ts";
import { runCommand } from "./command.ts";
import {
  failedBy,
  type DomainPlace,
  type GateRun,
  type GateTask,
  readExecuted,
  type TaskResult,
} from "./tasks.ts";

// Gates never block the process that drives: they run in worker threads, or as processes of their own.
// What a gate gives does not depend on the number of threads, or on what ran in them before.
// A gate that hangs or takes too much memory is stopped with its thread, and has failed by that cause.

/** How gates are run. */
export type GatePoolOptions = {
  /** By default one for each core, four at most. */
  readonly threads?: number | undefined;
  /** How much memory a thread may have, megabytes of V8's old generation. */
  readonly memoryMb?: number | undefined;
  /** The file that threads run; by default the built one. From sources, where there is none, tasks run in this thread. */
  readonly file?: string | undefined;
};

type CheckTask = Extract<GateTask, { kind: "check" }>;
export type CommandTask = CheckTask & { readonly command: readonly [string, ...string[]] };

export type GatePool = {
  /** @throws Error with words for a person */
  describe(place: DomainPlace, signal: AbortSignal): Promise<TaskResult["describe"]>;
  compile(place: DomainPlace, texts: readonly string[], signal: AbortSignal): Promise<TaskResult["compile"]>;
  check(task: CheckTask | CommandTask, signal: AbortSignal): Promise<GateRun>;
  close(): Promise<void>;
};

const MAX_OUTPUT = 1_000_000;
/** Reading a domain and its soil may take longer than a gate. */
const LOADING_MS = 120_000;

const builtWorker = (): string | undefined =>
  import.meta.url.endsWith(".ts") ? undefined : fileURLToPath(new URL("./gate-worker.mjs", import.meta.url));

/** Opens a pool; its threads start with the first task, and one that has nothing to do for a while ends. */
export function openGatePool({
  threads,
  memoryMb = 512,
  file = builtWorker(),
}: GatePoolOptions = {}): GatePool {
  const most = threads ?? Math.min(4, availableParallelism());
  // A task's time begins with its turn, not while it waits for a thread.
  const turn = takeTurns(most);
  let isOpen = false;
  const pool = once(async (): Promise<Pick<Piscina, "run" | "destroy">> => {
    isOpen = true;
    if (file === undefined) {
      // By a name that no bundler follows: what threads load is not the driving process's.
      const source = new URL("./worker.ts", import.meta.url).href;
      const { work } = (await import(source)) as { work: (task: GateTask) => Promise<unknown> };
      return { run: work, destroy: () => Promise.resolve() };
    }
    const opened = new Piscina({
      ...{ filename: file, minThreads: 0, maxThreads: most, idleTimeout: 5_000, name: "work" },
      // A domain is the user's code, and a gate the user's figures: neither has a use for keys.
      ...{ env: {}, resourceLimits: { maxOldGenerationSizeMb: memoryMb } },
    });
    // A thread that ends badly rejects its task; the pool's own event would end the process.
    opened.on("error", () => undefined);
    return opened;
  });
  const run = <K extends GateTask["kind"]>(
    task: Extract<GateTask, { kind: K }>,
    { signal, ms }: { readonly signal: AbortSignal; readonly ms: number },
  ): Promise<TaskResult[K]> =>
    turn(async () => {
      signal.throwIfAborted();
      const own = new AbortController();
      const stop = () => own.abort();
      let isTimeUp = false;
      const timer = setTimeout(() => {
        isTimeUp = true;
        stop();
      }, ms);
      signal.addEventListener("abort", stop, { once: true });
      try {
        // A thread gives what the task's kind is answered by.
        return (await (await pool()).run(task, { signal: own.signal })) as TaskResult[K];
      } catch (error) {
        throw isTimeUp ? new TimeUp(ms) : error;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      }
    });
  return {
    describe: (place, signal) => run<"describe">({ kind: "describe", place }, { signal, ms: LOADING_MS }),
    compile: (place, texts, signal) =>
      run<"compile">({ kind: "compile", place, texts }, { signal, ms: LOADING_MS }),
    async check(task, signal) {
      const { timeMs } = task;
      if ("command" in task) {
        const { command, candidate, thresholds, accepted, seed } = task;
        const input = { candidate, thresholds: { ...thresholds }, accepted: [...accepted], seed };
        return readExecuted(await runCommand({ command, input, timeMs, maxOutput: MAX_OUTPUT, signal }));
      }
      try {
        return await run<"check">(task, { signal, ms: timeMs });
      } catch (error) {
        signal.throwIfAborted();
        return causeOf(error, memoryMb);
      }
    },
    async close() {
      if (isOpen) await (await pool()).destroy();
    },
  };
}

class TimeUp extends Error {
  constructor(ms: number) {
    super(`it took more than ${ms} ms`);
  }
}

function causeOf(error: unknown, memoryMb: number): GateRun {
  const message = error instanceof Error ? error.message.slice(0, 2_000) : String(error);
  if (error instanceof TimeUp) return failedBy("time-limit", message);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ERR_WORKER_OUT_OF_MEMORY"
    ? failedBy("memory", `it took more than ${memoryMb} MB`)
    : failedBy("error", message);
}
