import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:fs";
import { access, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { once } from "../kernel/once.ts";
import type { Json } from "../kernel/index.ts";
import { failedRun, MAX_DETAIL, parseJson, type Executed, type FailedRun } from "./outcome.ts";

// SPAWN-1. No shell reads a command, and its environment has nothing of Parley's but PATH and LANG. Else: a command gets API keys.
// SPAWN-2. When a run has ended, however it did, the command's whole process group has been killed. Else: a candidate runs on, unseen.
// A run ends at its limits of time and output, whatever the command does with signals and pipes.
// A command's own folder exists for one run, and is removed with all that it left there.
// SPAWN-5. Inside of bubblewrap there is no network, no other process to be seen, and one folder that can be written. Else: a candidate
//     sends data away or writes elsewhere on the machine.

export type CommandRun = {
  readonly command: readonly [string, ...string[]];
  /** Written to its standard input as JSON. */
  readonly input: Json;
  readonly timeMs: number;
  /** Of standard output, in bytes. */
  readonly maxOutput: number;
  readonly signal: AbortSignal;
  /** Where it works; by default a folder of its own, which is removed afterwards. */
  readonly folder?: string;
  /** The most data of each of its processes, in bytes; 1 GB by default. */
  readonly memoryBytes?: number;
  /** By default what this machine has. */
  readonly tools?: SandboxTools;
};

/** What bounds a command: names of programs that work here, or null. */
export type SandboxTools = { readonly bwrap: string | null; readonly prlimit: string | null };

export type CommandExecuted = Executed & {
  /** `none`: the command could reach the network, and every file that its user can. */
  readonly sandbox: "bwrap" | "none";
  /** False where nothing bounds its memory. */
  readonly memoryBounded: boolean;
};

const DEFAULT_MEMORY_BYTES = 1_000_000_000;
/** Address space beyond the data, which bounds what is shared: Node reserves 10 GB for each memory of WebAssembly. */
const RESERVED_BYTES = 32_000_000_000;
/** How long output is waited for once a command has ended: a process that left its group may hold the pipe for ever. */
const DRAIN_MS = 500;
const PROBE_MS = 5_000;
const isWindows = process.platform === "win32";

/** What this machine has, probed the first time: a machine may have bubblewrap and forbid what it needs. */
export const detectTools = once(async (): Promise<SandboxTools> => {
  if (isWindows) return { bwrap: null, prlimit: null };
  const works = (command: readonly [string, ...string[]]) => exitsWell(command, PROBE_MS);
  const [hasBwrap, hasPrlimit] = await Promise.all([
    works(["bwrap", ...sandboxArgs(await realpath(tmpdir())), "true"]),
    works(["prlimit", ...memoryArgs(DEFAULT_MEMORY_BYTES), "true"]),
  ]);
  return { bwrap: hasBwrap ? "bwrap" : null, prlimit: hasPrlimit ? "prlimit" : null };
});

/**
 * Runs a program on an input. An exit code of 0 is success: its value is what it printed, as JSON, or what its last line has as JSON; null where it printed nothing.
 *
 * Memory is bounded for each process, not for all together, and going beyond it shows as an exit code, not as the cause
 * `memory`. Without bubblewrap a process that leaves its group (`setsid`) outlives the run, and `/proc` may show it the
 * environment of its user's other processes. Rejects only for an aborted signal.
 */
export async function runCommand(run: CommandRun): Promise<CommandExecuted> {
  run.signal.throwIfAborted();
  const tools = run.tools ?? (await detectTools());
  const folder = await realpath(run.folder ?? (await mkdtemp(join(tmpdir(), "parley-gate-"))));
  try {
    const outcome = await execute(run, folder, tools);
    run.signal.throwIfAborted();
    return {
      ...outcome,
      sandbox: tools.bwrap === null ? "none" : "bwrap",
      memoryBounded: tools.prlimit !== null,
    };
  } finally {
    // What it left may be such that it cannot be removed; the run's outcome does not depend on it.
    if (run.folder === undefined)
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

async function execute(run: CommandRun, folder: string, tools: SandboxTools): Promise<Executed> {
  const { command, memoryBytes = DEFAULT_MEMORY_BYTES } = run;
  const path = process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
  const env = { PATH: path, LANG: process.env["LANG"] ?? "C.UTF-8", HOME: folder, TMPDIR: folder };
  // prlimit and bwrap say by an exit code that there is no such program; so it is looked for first.
  if (!isWindows && !(await isProgram(command[0], path, folder))) return notFound(command[0]);
  const [program, ...args] = [
    ...(tools.prlimit === null ? [] : [tools.prlimit, ...memoryArgs(memoryBytes)]),
    ...(tools.bwrap === null ? [] : [tools.bwrap, ...sandboxArgs(folder)]),
    ...command,
  ] as const;
  const child = spawn(program ?? command[0], args, {
    ...{ cwd: folder, env, stdio: "pipe", windowsHide: true },
    // It leads a process group. Windows has none: there its children are left alone.
    detached: !isWindows,
  });
  return new Promise((settle) => watch(child, run, settle));
}

type Pipes = ChildProcess & {
  readonly stdin: NonNullable<ChildProcess["stdin"]>;
  readonly stdout: NonNullable<ChildProcess["stdout"]>;
  readonly stderr: NonNullable<ChildProcess["stderr"]>;
};

/** Follows a process to its end; `settle` is called once. */
function watch(child: ChildProcess, run: CommandRun, settle: (outcome: Executed) => void): void {
  const { stdin, stdout, stderr } = child as Pipes; // stdio is "pipe"
  const { timeMs, maxOutput, signal } = run;
  const chunks: Buffer[] = [];
  let size = 0;
  let errors = "";
  let stopped: FailedRun | undefined;
  let drain: NodeJS.Timeout | undefined;

  const stop = (failure: FailedRun) => {
    stopped ??= failure;
    killGroup(child);
  };
  const timer = setTimeout(() => stop(failedRun("time-limit", `it did not end within ${timeMs} ms`)), timeMs);
  const abort = () => stop(failedRun("error", "it was aborted"));
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();

  const end = (outcome: Executed) => {
    clearTimeout(timer);
    clearTimeout(drain);
    signal.removeEventListener("abort", abort);
    for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
    settle(outcome);
  };

  stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxOutput) stop(failedRun("output", `it printed more than ${maxOutput} bytes`));
    else chunks.push(chunk);
  });
  stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = `${errors}${text}`.slice(-MAX_DETAIL);
  });
  // A command need not read its input.
  stdin.on("error", () => {});
  stdin.end(JSON.stringify(run.input));

  child.once("error", (error) => end(stopped ?? describeStart(error, run.command[0])));
  child.once("exit", () => {
    killGroup(child);
    drain = setTimeout(() => child.emit("close", child.exitCode, child.signalCode), DRAIN_MS);
  });
  child.once("close", (code: number | null, killedBy: NodeJS.Signals | null) => {
    if (stopped) end(stopped);
    else if (code === 0) end(printedValue(Buffer.concat(chunks).toString()));
    else end(describeExit(code, killedBy, errors.trim()));
  });
}

/** Kills a process, and all that it started and that stayed in its group. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // There is nothing left of the group.
  }
}

function describeExit(code: number | null, killedBy: NodeJS.Signals | null, errors: string): FailedRun {
  const how = code === null ? `it was ended by ${killedBy ?? "a signal"}` : `it ended with exit code ${code}`;
  const detail = errors === "" ? how : `${how}: ${errors}`;
  return { ...failedRun("exit", detail), ...(code === null ? {} : { exitCode: code }) };
}

function describeStart(error: Error, program: string): FailedRun {
  if ("code" in error && error.code === "ENOENT") return notFound(program);
  return failedRun("error", `the program "${program}" could not be started: ${error.message}`);
}

function notFound(program: string): FailedRun {
  return failedRun("error", `there is no program "${program}": install it, or give its full path`);
}

async function isProgram(program: string, path: string, folder: string): Promise<boolean> {
  const places = program.includes("/")
    ? [resolve(folder, program)]
    : path.split(delimiter).map((each) => join(each, program));
  const checks = await Promise.allSettled(places.map((place) => access(place, constants.X_OK)));
  return checks.some(({ status }) => status === "fulfilled");
}

function memoryArgs(bytes: number): readonly string[] {
  return [`--data=${bytes}`, `--as=${bytes + RESERVED_BYTES}`, "--core=0", "--"];
}

/** `/run` is hidden for the sockets in it: who may talk to a service there has left the sandbox. */
function sandboxArgs(folder: string): readonly string[] {
  return [
    ...["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"],
    ...["--bind", folder, folder, "--chdir", folder, "--"],
  ];
}

function exitsWell([program, ...args]: readonly [string, ...string[]], timeoutMs: number): Promise<boolean> {
  return new Promise((settle) => {
    const child = spawn(program, args, { stdio: "ignore", timeout: timeoutMs, killSignal: "SIGKILL" });
    child.once("error", () => settle(false));
    child.once("exit", (code) => settle(code === 0));
  });
}

/** What was printed. What is there and cannot be read is a failure: a "no" among other words is not to pass for a "yes". */
function printedValue(printed: string): Executed {
  const text = printed.trim();
  if (text === "") return { ok: true, value: null };
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return (
    parseJson(text) ?? parseJson(last) ?? failedRun("error", "it printed something else than one JSON object")
  );
}
