// A program is started without a shell, and of the environment it gets what it needs to run and to find its login: with a key of an API it
// would bill that, or could send it away.
// When a call has ended, however it did, nothing is left of the process group of its program: it is asked to end, and killed 2 s later.

import { spawn, type ChildProcess } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Variables } from "./proxy.ts";

export type ProgramRun = {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Variables;
  readonly folder: string;
  /** Its standard input, which then ends. */
  readonly input: string;
  readonly signal: AbortSignal;
  /** Of standard output. */
  readonly maxBytes: number;
  /** Receives its output, cut anywhere but within a character; returns whether no more is needed. */
  readonly onOutput: (text: string) => boolean;
};

/** How a run ended. `errors` is the end of what it wrote to standard error. */
export type ProgramEnd =
  | { readonly how: "ended"; readonly code: number | null; readonly errors: string }
  | { readonly how: "finished" | "aborted" | "too-long" }
  | { readonly how: "not-started"; readonly why: string };

const isWindows = process.platform === "win32";
/** How long a program may take to end once it was asked to, and once its last line has come. */
const GRACE_MS = 2_000;
/** How long output is waited for once it has ended: what left its group may hold the pipe for ever. */
const DRAIN_MS = 500;
const MAX_ERRORS = 4_000;

/** What any program needs: where it is, where its login is kept, and how the network is reached. */
const NEEDED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TEMP|TMP|TZ|LANG|LC_\w+|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|(?:HTTPS?|ALL|NO)_PROXY|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|SYSTEMROOT|SYSTEMDRIVE|WINDIR|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES|PATHEXT|COMSPEC)$/i;

/** What a program gets of an environment: what any needs, and the variables that are named. */
export const environmentFor = (env: Variables, names: readonly string[]): Variables =>
  Object.fromEntries(Object.entries(env).filter(([name]) => NEEDED.test(name) || names.includes(name)));

/** Where a program is in the folders of `PATH`; undefined if it is in none. On Windows only what needs no shell counts. */
export function findOnPath(name: string, env: Variables): string | undefined {
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, isWindows ? `${name}.exe` : name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const running = new Set<ChildProcess>();
const killAll = (): void => running.forEach((child) => endGroup(child, "SIGKILL"));

/** Runs a program to its end. Never rejects. */
export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  return new Promise((settle) => {
    let child: ChildProcess;
    try {
      child = spawn(run.path, run.args, {
        ...{ cwd: run.folder, env: { ...run.env }, stdio: "pipe", windowsHide: true },
        detached: !isWindows, // it leads a process group
      });
    } catch (error) {
      // A word that is too long, or has a null byte.
      return settle({ how: "not-started", why: error instanceof Error ? error.message : String(error) });
    }
    if (running.size === 0) process.once("exit", killAll);
    running.add(child);
    follow(child, run, (end) => {
      running.delete(child);
      if (running.size === 0) process.off("exit", killAll);
      settle(end);
    });
  });
}

function follow(child: ChildProcess, run: ProgramRun, settle: (end: ProgramEnd) => void): void {
  const { signal, maxBytes, onOutput } = run;
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, act: () => void) => void timers.add(setTimeout(act, ms));
  let stopped: ProgramEnd | undefined;
  let size = 0;
  let errors = "";

  const stop = (end: ProgramEnd, graceMs = 0): void => {
    if (stopped) return;
    stopped = end;
    after(graceMs, () => endGroup(child, "SIGTERM"));
    after(graceMs + GRACE_MS, () => endGroup(child, "SIGKILL"));
  };
  const abort = () => (stopped ? endGroup(child, "SIGKILL") : stop({ how: "aborted" }));
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();

  const end = (how: ProgramEnd): void => {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
    settle(stopped ?? how);
  };

  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    if (stopped) return;
    size += Buffer.byteLength(text);
    if (size > maxBytes) stop({ how: "too-long" });
    else if (onOutput(text)) stop({ how: "finished" }, GRACE_MS);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = `${errors}${text}`.slice(-MAX_ERRORS);
  });
  // A program need not read its input.
  child.stdin?.on("error", () => {});
  child.stdin?.end(run.input);

  child.once("error", (error) => end({ how: "not-started", why: error.message }));
  child.once("exit", () => {
    endGroup(child, "SIGKILL");
    after(DRAIN_MS, () => child.emit("close", child.exitCode));
  });
  child.once("close", (code: number | null) => end({ how: "ended", code, errors: errors.trim() }));
}

/** Signals a program and all that it started and that stayed in its group; on Windows its tree is ended at once. */
function endGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore" });
    else process.kill(-child.pid, signal);
  } catch {
    // There is nothing left of the group.
  }
}
