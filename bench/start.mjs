import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { inTurn, median } from "./harness.mjs";

/** @typedef {{ name: string, args: readonly string[], request: boolean }} Start `request`: timed to its first request, else to its end. */

/** From the start of a process to its end, or to its first request at the server. @type {import("./harness.mjs").Measurement} */
export async function start({ dist, against, quick, repetitions = quick ? 3 : 20, scratch }) {
  const arrivals = await listen();
  const home = join(scratch, "home");
  mkdirSync(home, { recursive: true });
  const builds = [
    { name: "parley", build: dist },
    ...(against === undefined ? [] : [{ name: "against", build: against }]),
  ];
  const question = ["What is 17 * 23?", "--models", "openai/a,openai/b,openai/c", "--quiet"];
  /** @type {Start[]} */
  const starts = [
    { name: "node -e 0", args: ["-e", "0"], request: false },
    ...builds.flatMap(({ name, build }) => [
      { name: `${name} --version`, args: [join(build, "cli.mjs"), "--version"], request: false },
      {
        name: `${name} "question", to its first request`,
        args: [join(build, "cli.mjs"), ...question],
        request: true,
      },
    ]),
  ];
  const env = {
    ...process.env,
    PARLEY_HOME: home,
    OPENAI_BASE_URL: `${arrivals.url}/v1`,
    OPENAI_API_KEY: "bench-key",
  };
  const time = async (/** @type {Start} */ { args, request }) => {
    const startMs = performance.now();
    const child = spawn(process.execPath, args, { stdio: "ignore", env, cwd: scratch });
    const ended = new Promise((/** @type {(ms: number) => void} */ resolve) =>
      child.once("exit", () => resolve(performance.now())),
    );
    if (!request) return (await ended) - startMs;
    const gone = ended.then(() =>
      Promise.reject(new Error(`parley ${args.join(" ")} ended without a request`)),
    );
    gone.catch(() => undefined);
    try {
      return (await Promise.race([arrivals.next(), gone])) - startMs;
    } finally {
      child.kill("SIGKILL");
      await ended;
    }
  };
  try {
    for (const one of starts) await time(one); // makes the store, and brings the files into memory
    /** @type {number[][]} */
    const times = starts.map(() => []);
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      for (const [index, one] of inTurn([...starts.entries()], repetition))
        times[index]?.push(await time(one));
    }
    const empty = median(times[0] ?? []);
    const rows = starts.flatMap(({ name, request }, index) => {
      const value = median(times[index] ?? []);
      const row = { name, value, unit: "ms" };
      if (index === 0) return [row];
      const target = name.startsWith("parley") ? { target: request ? 2.5 : 1.5 } : {};
      return [row, { name: `${name} / an empty process`, value: value / empty, unit: "x", ...target }];
    });
    return { rows, raw: Object.fromEntries(starts.map(({ name }, index) => [name, times[index]])) };
  } finally {
    arrivals.close();
  }
}

/** A server that says when the next request has come, and never answers. */
async function listen() {
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
