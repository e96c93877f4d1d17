import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll } from "vitest";
import * as z from "zod";
import { Result } from "../../src/views/result.ts";
import { setUp } from "../../scripts/setup.mjs";

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** A command that runs. */
export type Running = {
  readonly ended: Promise<Ended>;
  /** Resolves when what it wrote there fits, to the first group or to all that fits; rejects when it ended before. */
  seen(where: "stdout" | "stderr", pattern: RegExp | ((text: string) => boolean)): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Nobody reads its stdout any longer. */
  closeStdout(): void;
};

/** Somewhere of its own to run in: `home` holds the store, `cwd` is an empty project. */
export type Somewhere = AsyncDisposable & {
  readonly folder: string;
  readonly home: string;
  readonly cwd: string;
  readonly run: (args: readonly string[], env?: Variables) => Promise<Ended>;
  /** The same in a folder of `cwd`. */
  readonly runIn: (folder: string, args: readonly string[], env?: Variables) => Promise<Ended>;
  /** The same, in one process for all commands of this place, one after the other: much faster than a process each. */
  readonly call: (args: readonly string[], env?: Variables, below?: string) => Promise<Ended>;
  readonly runAll: (commands: readonly OneOfMany[]) => Promise<Ended[]>;
  /** `mostMs`: for one that may take longer than others. */
  readonly start: (args: readonly string[], env?: Variables, mostMs?: number) => Running;
};

/** One of many commands; it runs in the folder `below` the project. */
type OneOfMany = { readonly args: readonly string[]; readonly env?: Variables; readonly below?: string };

type Variables = { readonly [name: string]: string };

const root = fileURLToPath(new URL("../..", import.meta.url));
const command = join(root, "dist", "cli.mjs");
const manyCommands = join(root, "test", "support", "many-commands.mjs");

/** No command here may take longer; what hangs is killed, and its exit code is null. */
const MOST_MS = 30_000;

/** Commands under way: a test that fails leaves none behind. */
const running = new Set<() => void>();
process.once("exit", () => running.forEach((kill) => kill()));

/** Builds the command before the tests of a file, unless it is built. */
export const built = (): void => beforeAll(() => setUp(root, { build: true }), 60_000);

/** A fresh home and an empty project; every process started here has ended, and all of it is gone, when it is disposed of. */
export function somewhere(): Somewhere {
  const folder = mkdtempSync(join(tmpdir(), "parley-e2e-"));
  const home = join(folder, "home");
  const cwd = join(folder, "project");
  mkdirSync(cwd);
  const started = new Set<Running>();
  const start = (
    args: readonly string[],
    env: Variables = {},
    { below = ".", mostMs = MOST_MS } = {},
  ): Running => {
    const one = launch(args, {
      cwd: join(cwd, below),
      env: { ...environment(folder), PARLEY_HOME: home, ...env },
      mostMs,
    });
    started.add(one);
    void one.ended.finally(() => started.delete(one));
    return one;
  };
  let many: ReturnType<typeof startMany> | undefined;
  const call = (args: readonly string[], env: Variables = {}, below = "."): Promise<Ended> => {
    many ??= startMany({ cwd, env: { ...environment(folder), PARLEY_HOME: home } });
    return many.call({ args, env, cwd: join(cwd, below) });
  };
  return {
    folder,
    home,
    cwd,
    call,
    start: (args, env, mostMs) => start(args, env, { mostMs }),
    run: (args, env) => start(args, env).ended,
    runIn: (below, args, env) => start(args, env, { below }).ended,
    runAll: (commands) => Promise.all(commands.map(({ args, env, below }) => call(args, env, below))),
    async [Symbol.asyncDispose]() {
      await many?.stop();
      for (const one of started) one.kill("SIGKILL");
      await Promise.all([...started].map((one) => one.ended));
      // What a shell has left running may still write there.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Nothing of this machine's own: no keys, no settings, and no local server that answers. */
const environment = (folder: string): Variables => ({
  PATH: process.env["PATH"] ?? "",
  HOME: folder,
  TMPDIR: folder,
  OLLAMA_HOST: "127.0.0.1:1",
  LMSTUDIO_HOST: "127.0.0.1:1",
});

const Answered = z.object({ code: z.int(), stdout: z.string(), stderr: z.string() });

/** A process that runs commands one after the other. */
function startMany(place: { readonly cwd: string; readonly env: Variables }) {
  const child = spawn(process.execPath, [manyCommands, command], {
    ...place,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const kill = () => void child.kill("SIGKILL");
  running.add(kill);
  const gone = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      running.delete(kill);
      reject(new Error(`it ended with ${code ?? signal}`));
    });
  });
  gone.catch(() => undefined);
  let last: Promise<unknown> = Promise.resolve();
  return {
    call(one: { readonly args: readonly string[]; readonly env: Variables; readonly cwd: string }) {
      const answered = last.then(async (): Promise<Ended> => {
        const limit = setTimeout(kill, MOST_MS);
        const answer = once(child, "message");
        child.send(one);
        const [message] = (await Promise.race([answer, gone])) as [unknown]; // what it sends is one value
        clearTimeout(limit);
        return { ...Answered.parse(message), signal: null };
      });
      last = answered.catch(() => undefined);
      return answered;
    },
    async stop() {
      kill();
      await gone.catch(() => undefined);
    },
  };
}

type Launch = { readonly cwd: string; readonly env: Variables; readonly mostMs: number };

function launch(args: readonly string[], { cwd, env, mostMs }: Launch): Running {
  const child = spawn(process.execPath, [command, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const written = { stdout: "", stderr: "" };
  const looking = new Set<() => void>();
  for (const where of ["stdout", "stderr"] as const) {
    child[where].setEncoding("utf8").on("data", (text: string) => {
      written[where] += text;
      for (const look of looking) look();
    });
  }
  const kill = () => void child.kill("SIGKILL");
  running.add(kill);
  const limit = setTimeout(kill, mostMs);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      running.delete(kill);
      clearTimeout(limit);
      resolve({ code, signal, ...written });
    });
  });
  return {
    ended,
    kill: (signal) => void child.kill(signal),
    closeStdout: () => void child.stdout.destroy(),
    seen: (where, pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const text = written[where];
          const found = pattern instanceof RegExp ? pattern.exec(text) : pattern(text) && [text];
          if (!found) return;
          looking.delete(look);
          resolve(found[1] ?? found[0] ?? "");
        };
        looking.add(look);
        look();
        void ended.then((end) => reject(new Error(`it ended first: ${JSON.stringify(end)}`)), reject);
      }),
  };
}

/** A `parley sim-server` on a port of its own. */
export async function simServer(
  place: Somewhere,
  env?: Variables,
  mostMs?: number,
): Promise<{ readonly url: string; stop(): Promise<Ended> }> {
  const server = place.start(["sim-server", "--port", "0"], env, mostMs);
  const url = await server.seen("stdout", /^(http:\S+)\n/);
  return {
    url,
    stop: () => {
      server.kill("SIGINT");
      return server.ended;
    },
  };
}

/** What `--json` printed, which is exactly one result. */
export const resultIn = ({ stdout, stderr }: Ended): Result => {
  if (stdout === "") throw new Error(`nothing on stdout; on stderr: ${stderr}`);
  return Result.parse(JSON.parse(stdout));
};

/** Those who draft. */
export const membersIn = ({ participants }: Result): Result["participants"] =>
  participants.filter(({ seat }) => seat === "member" || seat === "agent");

const Line = z.looseObject({ id: z.string(), seq: z.int(), type: z.string() });
export type Line = z.infer<typeof Line>;

/** The lines of JSON on stdout. */
export const linesIn = ({ stdout }: Pick<Ended, "stdout">): Record<string, unknown>[] =>
  stdout
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)));

/** Lines of `--events` that are none of the journal. */
const LIVE: ReadonlySet<string> = new Set(["text", "started", "sent", "thinking", "waiting", "result"]);

/** The events that `--events` or `export --format jsonl` printed, without what is live and the result beside them. */
export const eventsIn = (ended: Pick<Ended, "stdout">): Line[] =>
  linesIn(ended)
    .filter(({ type }) => !LIVE.has(String(type)))
    .map((line) => Line.parse(line));

/** Two lines, as every error is told: what is wrong, and what to try where that is known. */
export const isProblem = (text: string): boolean => /^parley: [^\n]+\n(Try: [^\n]+\n)?$/.test(text);

/** For questions that simulated models cannot compute: without a model these are refused. */
export const PANEL = ["--models", "sim/ada?family=sim-a,sim/bo?family=sim-b,sim/cy?family=sim-c"];

export const QUESTION = "What is 17 * 23?";
