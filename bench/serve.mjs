import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { cpuOf, median, quantile, startClient, startServer } from "./harness.mjs";

/** @typedef {{ lags: number[], frames: number, wholeUs: number, steady: { share: number, framesPerMs: number } | undefined }} Followed Milliseconds; frames that all followers got; the server's processor time a frame and follower, with joining; and while all follow, the share of a processor and the frames.  */

const RATE = 3_000;
/** A token every so many milliseconds: slower than batches, and faster. */
const PACES = [40, 20];

/**
 * A server in a process of its own: followers of live streams, and stored results at a fixed rate, beside the same bytes from
 * a bare `node:http`. @type {import("./harness.mjs").Measurement}
 */
export async function serve({ dist, against, quick, repetitions = quick ? 1 : 3, scratch }) {
  if (against !== undefined)
    return compare([dist, against], { repetitions, seconds: quick ? 2 : 5, scratch });
  const { followers, drives, tokens, seconds } = quick
    ? { followers: 100, drives: 5, tokens: 50, seconds: 2 }
    : { followers: 400, drives: 20, tokens: 200, seconds: 10 };
  const models = await startServer([fileURLToPath(new URL("paced-server.mjs", import.meta.url))]);
  const names = [25, tokens].flatMap((count) => PACES.map((paceMs) => `stamps-${count}-${paceMs}`));
  const parley = await startParley(dist, { scratch, models: models.url, names });
  const raw = await startServer([fileURLToPath(new URL("bare-server.mjs", import.meta.url)), models.url]);
  /** @type {Map<string, number[]>} */
  const figures = new Map();
  const note = (/** @type {string} */ name, /** @type {number} */ value) =>
    figures.set(name, [...(figures.get(name) ?? []), value]);
  try {
    const follow = (
      /** @type {string} */ by,
      /** @type {number} */ paceMs,
      /** @type {{ count: number, many: number }} */ { count, many },
    ) => followAll({ by, paceMs, tokens: count, followers: many, drives, parley, raw });
    await follow("parley", 40, { count: 25, many: followers });
    for (let repetition = 0; repetition < repetitions; repetition += 1)
      for (const paceMs of PACES)
        for (const by of ["parley", "raw"]) {
          const all = await follow(by, paceMs, { count: tokens, many: followers });
          const few = await follow(by, paceMs, { count: tokens, many: followers / 4 });
          note(`${by} ${paceMs} p50`, quantile(all.lags, 0.5));
          note(`${by} ${paceMs} p99`, quantile(all.lags, 0.99));
          note(`${by} ${paceMs} whole`, all.wholeUs);
          if (!all.steady || !few.steady) throw new Error("the streams ended before everybody followed them");
          // Each stream is made once, however many follow it: what more followers take is what following takes.
          const ms =
            (all.steady.share - few.steady.share) / (all.steady.framesPerMs - few.steady.framesPerMs);
          note(`${by} ${paceMs} cpu`, ms * 1_000);
          const madeMs = (all.steady.share - ms * all.steady.framesPerMs) * paceMs;
          note(`${by} ${paceMs} made`, (madeMs * 1_000) / drives);
        }
    const id = await parley.ask();
    await fetch(raw.url, { method: "POST", body: await parley.result(id) });
    for (let repetition = 0; repetition < repetitions; repetition += 1)
      for (const [by, url, headers] of /** @type {const} */ ([
        ["parley", `${parley.url}api/v1/deliberations/${id}`, parley.headers],
        ["raw", `${raw.url}/result`, {}],
      ])) {
        const run = await autocannon({ url, headers, duration: seconds, connections: 32, overallRate: RATE });
        if (run.non2xx > 0) throw new Error(`${run.non2xx} replies of ${by} were refused`);
        note(`${by} result p50`, run.latency.p50);
        note(`${by} result p99`, run.latency.p99);
        note(`${by} result rate`, run.requests.average);
      }
  } finally {
    await parley.stop();
    raw.stop();
    models.stop();
  }
  const of = (/** @type {string} */ name) => median(figures.get(name) ?? []);
  const rows = [];
  for (const by of ["parley", "raw"]) {
    const own = (/** @type {object} */ target) => (by === "parley" && !quick ? target : {});
    for (const paceMs of PACES) {
      const is = `${by}: ${followers} followers of ${drives} streams, a token every ${paceMs} ms`;
      const slow = paceMs === PACES[0];
      rows.push(
        {
          name: `${is}, p50`,
          value: of(`${by} ${paceMs} p50`),
          unit: "ms",
          ...(slow ? own({ target: 2 }) : {}),
        },
        { name: `${is}, p99`, value: of(`${by} ${paceMs} p99`), unit: "ms", ...own({ target: 40 }) },
        {
          name: `${is}, CPU a frame and follower`,
          value: of(`${by} ${paceMs} cpu`),
          unit: "us",
          ...own({ target: 20 }),
        },
        { name: `${is}, CPU a token for its stream`, value: of(`${by} ${paceMs} made`), unit: "us" },
        {
          name: `${is}, all CPU a frame and follower, joining too`,
          value: of(`${by} ${paceMs} whole`),
          unit: "us",
        },
      );
    }
    const is = `${by}: a stored result, ${RATE} a second`;
    rows.push(
      { name: `${is}, p50`, value: of(`${by} result p50`), unit: "ms" },
      { name: `${is}, p99`, value: of(`${by} result p99`), unit: "ms", ...own({ target: 30 }) },
      {
        name: `${is}, answered`,
        value: of(`${by} result rate`),
        unit: "/s",
        ...own({ target: RATE * 0.95, least: true }),
      },
    );
  }
  return { rows };
}

/**
 * What an operator's log costs, and what lists and the league cost beside a result: in turns, as ratios of what stands beside each other,
 * so that a busy machine falls on both. @type {import("./harness.mjs").Measurement}
 */
export async function operated({ dist, quick, repetitions = quick ? 1 : 3, scratch }) {
  const amount = quick ? 500 : 10_000;
  /** @type {Awaited<ReturnType<typeof startParley>>[]} */
  const servers = [];
  /** @type {Map<string, number[]>} */
  const ratios = new Map();
  /** @type {Map<string, number[]>} */
  const times = new Map();
  try {
    for (const [name, env] of /** @type {const} */ ([
      ["off", {}],
      ["on", { PARLEY_LOG_FORMAT: "json" }],
    ]))
      servers.push(
        await startParley(dist, {
          ...{ scratch: join(scratch, name), models: "http://127.0.0.1:1", names: ["stamps-1-1"], env },
        }),
      );
    const [off, on] = servers;
    if (!off || !on) throw new Error("two servers were started");
    const [id, other] = [await off.ask(), await on.ask()];
    for (let nth = 1; nth < 20; nth += 1) await off.ask(`What is 17 * ${nth}?`);
    const take = async (/** @type {typeof off} */ server, /** @type {string} */ path) => {
      const before = cpuOf(server.pid);
      const url = `${server.url}api/v1/${path}`;
      const run = await autocannon({ url, headers: server.headers, amount, connections: 32 });
      if (run.non2xx > 0) throw new Error(`${run.non2xx} replies were refused`);
      return ((cpuOf(server.pid) - before) * 1_000) / amount;
    };
    const result = /** @type {const} */ ([off, `deliberations/${id}`]);
    const pairs = /** @type {const} */ ([
      ["a result with a log of JSON lines", [on, `deliberations/${other}`]],
      ["a list of 20 runs", [off, "deliberations?limit=20"]],
      ["the league by model", [off, "league?by=model"]],
    ]);
    for (let repetition = -1; repetition < repetitions; repetition += 1)
      for (const [name, asked] of pairs) {
        const turns = repetition % 2 === 0 ? [asked, result] : [result, asked];
        const us = new Map();
        for (const turn of turns) us.set(turn, await take(turn[0], turn[1]));
        if (repetition < 0) continue; // the first warms up
        ratios.set(name, [...(ratios.get(name) ?? []), us.get(asked) / us.get(result)]);
        times.set(name, [...(times.get(name) ?? []), us.get(asked)]);
        times.set("a result", [...(times.get("a result") ?? []), us.get(result)]);
      }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  const rows = [
    ...[...times].map(([name, all]) => ({ name: `CPU of ${name}`, value: median(all), unit: "us" })),
    ...[...ratios].map(([name, all]) => ({ name: `${name}, of a result`, value: median(all), unit: "x" })),
  ];
  return { rows, raw: [...ratios] };
}

/** The stored results that each of two builds gives, in turns: how many, and the processor time of one. @param {readonly [string, string]} builds @param {{ repetitions: number, seconds: number, scratch: string }} options @returns {Promise<import("./harness.mjs").Measured>} */
async function compare(builds, { repetitions, seconds, scratch }) {
  const servers = [];
  for (const [nth, dist] of builds.entries()) {
    const place = { scratch: join(scratch, `${nth}`), models: "http://127.0.0.1:1", names: ["stamps-1-1"] };
    const server = await startParley(dist, place);
    const url = `${server.url}api/v1/deliberations/${await server.ask()}`;
    const runs = /** @type {{ rate: number, us: number }[]} */ ([]);
    servers.push({ server, url, runs, by: nth === 0 ? "parley" : "against" });
  }
  for (let repetition = -1; repetition < repetitions; repetition += 1)
    for (const { server, url, runs } of repetition % 2 === 0 ? servers : servers.toReversed()) {
      const before = cpuOf(server.pid);
      const run = await autocannon({ url, headers: server.headers, duration: seconds, connections: 32 });
      if (run.non2xx > 0) throw new Error(`${run.non2xx} replies were refused`);
      const us = ((cpuOf(server.pid) - before) * 1_000) / run.requests.total;
      if (repetition >= 0) runs.push({ rate: run.requests.average, us }); // the first warms up
    }
  await Promise.all(servers.map(({ server }) => server.stop()));
  const rows = servers.flatMap(({ by, runs }) => [
    { name: `${by}: stored results`, value: median(runs.map(({ rate }) => rate)), unit: "/s" },
    { name: `${by}: CPU of a stored result`, value: median(runs.map(({ us }) => us)), unit: "us" },
  ]);
  return { rows, raw: servers.map(({ runs }) => runs) };
}

/** `parley serve` of a build, over a store of its own, and a key. @param {string} dist @param {{ scratch: string, models: string, names: readonly string[], env?: Readonly<Record<string, string>> }} place */
async function startParley(dist, { scratch, models, names, env: more = {} }) {
  const home = join(scratch, "serve-home");
  mkdirSync(home, { recursive: true });
  const listed = names.map((name) => `compatible/paced/${name}`).join(", ");
  writeFileSync(
    join(home, "parley.yaml"),
    `compatible:\n  paced: {url: "${models}/v1"}\nclient-models: [${listed}]\nmemory: off\n`,
  );
  const env = {
    PATH: process.env["PATH"],
    HOME: scratch,
    PARLEY_HOME: home,
    OLLAMA_HOST: "127.0.0.1:1",
    ...more,
  };
  const command = (/** @type {string[]} */ ...args) =>
    spawn(process.execPath, [join(dist, "cli.mjs"), ...args], {
      env,
      cwd: scratch,
      stdio: ["ignore", "pipe", "ignore"],
    });
  const lines = (/** @type {ReturnType<typeof command>} */ child) =>
    createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: key } = await lines(
    command("serve", "keys", "new", "bench", "--max-requests", "1000000/minute"),
  ).next();
  const child = command("serve", "--simulated", "--port", "0");
  const { value: link } = await lines(child).next();
  const url = new URL("/", link).href;
  const headers = { authorization: `Bearer ${key}` };
  const post = async (/** @type {object} */ body, /** @type {Record<string, string>} */ more = {}) => {
    const init = { method: "POST", headers: { ...headers, ...more, "content-type": "application/json" } };
    const response = await fetch(`${url}api/v1/deliberations`, { ...init, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return /** @type {Promise<{ id: string, events: string }>} */ (response.json());
  };
  return {
    url,
    headers,
    pid: child.pid ?? 0,
    post,
    ask: async (question = "What is 17 * 23?") =>
      (await post({ question, models: ["sim/a", "sim/b"], protocol: "council" }, { prefer: "wait=20" })).id,
    result: async (/** @type {string} */ id) =>
      Buffer.from(await (await fetch(`${url}api/v1/deliberations/${id}`, { headers })).arrayBuffer()),
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.kill("SIGTERM");
      }),
  };
}

/** Streams of one name are one stream. */
let runs = 0;

/** Opens streams and lets clients in another process follow them. @param {{ by: string, paceMs: number, tokens: number, followers: number, drives: number, parley: Awaited<ReturnType<typeof startParley>>, raw: Awaited<ReturnType<typeof startServer>> }} options */
async function followAll({ by, paceMs, tokens, followers, drives, parley, raw }) {
  runs += 1;
  const client = await startClient("clients/followers.mjs", {});
  try {
    const urls =
      by === "raw"
        ? Array.from({ length: drives }, (_, index) => ({
            ...{ url: `${raw.url}/${runs}-${index}/${tokens}-${paceMs}`, headers: {} },
          }))
        : await Promise.all(
            Array.from({ length: drives }, async () => {
              const body = {
                question: "Go.",
                protocol: "respond",
                models: [`compatible/paced/stamps-${tokens}-${paceMs}`],
              };
              const { events } = await parley.post({ ...body, reactions: false, memory: false });
              return { url: events, headers: parley.headers };
            }),
          );
    return /** @type {Followed} */ (
      await client.ask({ urls, followers, tokens, pid: by === "raw" ? raw.pid : parley.pid })
    );
  } finally {
    client.stop();
  }
}
