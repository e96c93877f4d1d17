import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { root } from "../scripts/root.mjs";
import { inTurn, median } from "./harness.mjs";

/** @typedef {{ name: string, args: readonly string[], target?: number, request: boolean, home: string }} Start `request`: timed to its first request, else to its end. */

const QUESTION = ["What is 17 * 23?", "--models", "openai/a,openai/b,openai/c", "--quiet"];
const TARGETS = { version: 1.5, request: 4, library: 5, modules: 250 };

/** A program that asks a council of the same models, over the library of a build. @param {string} build */
const libraryProgram = (build) => `
  import { openParley } from ${JSON.stringify(pathToFileURL(join(build, "index.mjs")).href)};
  const parley = await openParley();
  const run = await parley.start({ question: ${JSON.stringify(QUESTION[0])}, models: ["openai/a", "openai/b", "openai/c"] });
  await run.outcome();`;

/** What one of another library is to compare with: a call of a model. */
const aiSdkProgram = `
  import { generateText } from ${JSON.stringify(import.meta.resolve("ai"))};
  import { createOpenAICompatible } from ${JSON.stringify(import.meta.resolve("@ai-sdk/openai-compatible"))};
  const provider = createOpenAICompatible({ name: "openai", baseURL: process.env.OPENAI_BASE_URL });
  await generateText({ model: provider("a"), prompt: ${JSON.stringify(QUESTION[0])} });`;

const program = (/** @type {string} */ text) => ["--input-type=module", "--eval", text];

/** From the start of a process to its end, or to its first request: the time, and what is loaded on the way. @type {import("./harness.mjs").Measurement} */
export async function start({ dist, against, quick, repetitions = quick ? 3 : 20, scratch }) {
  const server = await listen();
  // A store of its own for each: one build may not read what another has made of it.
  const builds = [
    { name: "parley", build: dist, home: join(scratch, "home") },
    ...(against === undefined
      ? []
      : [{ name: "against", build: against, home: join(scratch, "other-home") }]),
  ];
  /** @type {Start[]} */
  const starts = [
    { name: "node -e 0", args: ["-e", "0"], request: false, home: scratch },
    ...builds.flatMap(({ name, build, home }) => [
      {
        ...{ name: `${name} --version`, args: [join(build, "cli.mjs"), "--version"] },
        ...{ target: TARGETS.version, request: false, home },
      },
      {
        ...{ name: `${name} "question", to its first request`, args: [join(build, "cli.mjs"), ...QUESTION] },
        ...{ target: TARGETS.request, request: true, home },
      },
      {
        ...{ name: `${name} as a library, to its first request`, args: program(libraryProgram(build)) },
        ...{ target: TARGETS.library, request: true, home },
      },
    ]),
    {
      name: "a program on the AI SDK, to its first request",
      args: program(aiSdkProgram),
      request: true,
      home: scratch,
    },
  ];
  const run = (/** @type {readonly string[]} */ args, /** @type {Record<string, string>} */ more) =>
    runAgainst(server, args, { HOME: scratch, ...more });
  const time = async (
    /** @type {Start} */ { args, request, home },
    /** @type {NodeJS.Signals} */ end = "SIGKILL",
  ) => {
    const startMs = performance.now();
    const { child, ended, requested } = run(args, { PARLEY_HOME: home });
    if (!request) return (await ended) - startMs;
    try {
      return (await requested()) - startMs;
    } finally {
      child.kill(end);
      await ended;
    }
  };
  try {
    // Makes the store, brings the files into memory, and ends as people end it: what is compiled is kept at the end.
    for (const one of starts) await time(one, "SIGINT");
    /** @type {number[][]} */
    const times = starts.map(() => []);
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      for (const [index, one] of inTurn([...starts.entries()], repetition))
        times[index]?.push(await time(one));
    }
    const empty = median(times[0] ?? []);
    const rows = starts.flatMap(({ name, target }, index) => {
      const value = median(times[index] ?? []);
      const row = { name, value, unit: "ms" };
      if (index === 0) return [row];
      const ratio = { name: `${name} / an empty process`, value: value / empty, unit: "x" };
      return [row, target === undefined ? ratio : { ...ratio, target }];
    });
    for (const { name, build } of builds) {
      const { modules, chunks, bytes } = await loadedAtFirstRequest(build, scratch);
      const is = (/** @type {string} */ what) => `${name}, to its first request: ${what}`;
      rows.push(
        {
          name: is("modules, from sources"),
          value: modules.length,
          unit: "modules",
          target: TARGETS.modules,
        },
        { name: is("chunks of the build"), value: chunks.length, unit: "files" },
        { name: is("their size"), value: bytes / 1_024, unit: "KB" },
      );
    }
    return { rows, raw: Object.fromEntries(starts.map(({ name }, index) => [name, times[index]])) };
  } finally {
    server.close();
  }
}

/**
 * Starts a command that finds nothing but this server. `requested` resolves with the time of the first request.
 *
 * @param {Awaited<ReturnType<typeof listen>>} server @param {readonly string[]} args
 * @param {{ HOME: string, [name: string]: string }} environment
 */
export function runAgainst(server, args, { HOME, ...more }) {
  const env = {
    // No settings of the user's own: they would be read on the way.
    PATH: process.env["PATH"],
    HOME,
    OPENAI_BASE_URL: `${server.url}/v1`,
    OPENAI_API_KEY: "bench-key",
    ...more,
  };
  const child = spawn(process.execPath, args, { stdio: "ignore", env, cwd: HOME });
  const ended = new Promise((/** @type {(ms: number) => void} */ resolve) =>
    child.once("exit", () => resolve(performance.now())),
  );
  const requested = async () => {
    const gone = ended.then(() =>
      Promise.reject(new Error(`parley ${args.join(" ")} ended without a request`)),
    );
    gone.catch(() => undefined);
    return Promise.race([server.next(), gone]);
  };
  return { child, ended, requested };
}

/**
 * What a question has loaded when its first model call is sent: the modules of the sources, and the files of the build with their
 * bytes. The same on every machine.
 *
 * @param {string} build the folder `dist` @param {string} scratch
 * @returns {Promise<{ modules: readonly string[], chunks: readonly string[], bytes: number }>}
 */
export async function loadedAtFirstRequest(build, scratch) {
  const server = await listen();
  const home = mkdtempSync(join(scratch, "home-"));
  const hook = new URL("clients/coverage.mjs", import.meta.url).href;
  const loaded = async (/** @type {readonly string[]} */ args) => {
    const folder = mkdtempSync(join(scratch, "coverage-"));
    const { child, ended, requested } = runAgainst(server, ["--import", hook, ...args, ...QUESTION], {
      HOME: scratch,
      NODE_V8_COVERAGE: folder,
      PARLEY_HOME: home,
    });
    try {
      await requested();
    } finally {
      child.kill("SIGUSR2");
      await ended;
    }
    const scripts = readdirSync(folder).flatMap((name) => {
      /** @type {{ result: { url: string }[] }} */
      const { result } = JSON.parse(readFileSync(join(folder, name), "utf8"));
      return result.flatMap(({ url }) =>
        url.startsWith("file:") ? [fileURLToPath(url.split("?")[0] ?? "")] : [],
      );
    });
    return [...new Set(scripts)];
  };
  try {
    const tsx = join(root, "node_modules/tsx/dist/esm/index.mjs");
    const sources = join(dirname(build), "src");
    const chunks = within(build, await loaded([join(build, "cli.mjs")]));
    const modules = within(sources, await loaded(["--import", tsx, join(sources, "cli/main.ts")]));
    return { modules, chunks, bytes: chunks.reduce((sum, file) => sum + statSync(file).size, 0) };
  } finally {
    server.close();
  }
}

/** @param {string} folder @param {readonly string[]} files */
const within = (folder, files) => files.filter((file) => file.startsWith(folder + sep));

/** A server that says when the next request has come, and never answers. */
export async function listen() {
  /** @type {((ms: number) => void)[]} */
  let waiting = [];
  const server = createServer(() => {
    const nowMs = performance.now();
    for (const resolve of waiting) resolve(nowMs);
    waiting = [];
  });
  await new Promise((/** @type {(listening: void) => void} */ resolve) =>
    server.listen(0, "127.0.0.1", resolve),
  );
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    next: () => new Promise((/** @type {(ms: number) => void} */ resolve) => waiting.push(resolve)),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
