import { execFile } from "node:child_process";
import { createReadStream, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { median } from "./harness.mjs";
import { createRecount } from "./recount.mjs";

const run = promisify(execFile);
const Database = createRequire(import.meta.url)("libsql");

/** Councils that are really played; the others are these under other names, at other times. */
const PLAYED = 120;
const QUESTIONS = [
  "What is 17 * 23?",
  "Postgres or SQLite: which is better for one user?",
  "How do I move a table without a lock?",
  "Why do queues grow?",
];
const MONTHS = 24;
const PERSONAS =
  "analyst,challenger,empiricist,historian,inventor,pragmatist,systems-thinker,user-advocate".split(",");

/**
 * What history, league and contributions take over a store of many deliberations, as whole commands: the first time, when
 * every run is read, and after it; and whether they say what a recount of the exported lines says.
 * @type {import("./harness.mjs").Measurement}
 */
export async function known({ dist, quick, repetitions = quick ? 3 : 7, scratch }) {
  const runs = quick ? 5_000 : 100_000;
  const home = join(scratch, "known");
  mkdirSync(home, { recursive: true });
  const store = join(home, "parley.db");
  const env = { ...process.env, HOME: home, PARLEY_STORE: store, PARLEY_HOME: join(home, "config") };
  const parley = (/** @type {readonly string[]} */ ...args) =>
    run(process.execPath, [join(dist, "cli.mjs"), ...args], { env, cwd: home, maxBuffer: 1e9 });
  try {
    await play(parley);
    multiply(store, runs);
    const time = async (/** @type {readonly string[]} */ ...args) => {
      const startMs = performance.now();
      await parley(...args);
      return performance.now() - startMs;
    };
    const firstMs = await time("votes", "league");
    const times = async (/** @type {readonly string[]} */ ...args) => {
      const all = [];
      for (let nth = 0; nth < repetitions; nth += 1) all.push(await time(...args));
      return median(all);
    };
    const target = { unit: "ms", target: 300 };
    const rows = [
      { name: "the first time: every run is read", value: firstMs / 1_000, unit: "s" },
      { name: "votes league", value: await times("votes", "league"), ...target },
      {
        name: "votes league --by model --since 400d",
        value: await times("votes", "league", "--by", "model", "--since", "400d"),
        ...target,
      },
      { name: "votes list --limit 50", value: await times("votes", "list", "--limit", "50"), ...target },
      {
        name: "votes list --persona inventor",
        value: await times("votes", "list", "--persona", "inventor"),
        ...target,
      },
      {
        name: "votes list --persona nobody",
        value: await times("votes", "list", "--persona", "nobody"),
        ...target,
      },
      {
        name: "votes list --matrix persona",
        value: await times("votes", "list", "--matrix", "persona"),
        ...target,
      },
      {
        name: "contributions --all --by strategy",
        value: await times("contributions", "--all", "--by", "strategy"),
        ...target,
      },
      { name: "--version, for comparison", value: await times("--version"), unit: "ms" },
    ];
    const { lines, differing } = await compare(parley, join(home, "all.jsonl"));
    rows.push({ name: "figures that differ from a recount", value: differing, unit: "", target: 0 });
    return {
      rows,
      notes: [
        `${runs.toLocaleString("en")} runs over ${MONTHS} months, ${lines.toLocaleString("en")} exported lines`,
      ],
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** @typedef {(...args: readonly string[]) => Promise<{ stdout: string }>} Cli */

/** Councils of simulated models, of which each has three of the personas. @param {Cli} parley */
async function play(parley) {
  for (let nth = 0; nth < PLAYED; nth += 1) {
    const personas = [0, 1, 2].map((turn) => PERSONAS[(nth * 3 + turn * (1 + (nth % 2))) % PERSONAS.length]);
    await parley(
      ...["council", QUESTIONS[nth % QUESTIONS.length] ?? "", "--persona", personas.join(","), "-q"],
      ...["--models", `sim/a?seed=${nth},sim/b?seed=${nth},sim/c?seed=${nth}`],
      ...["--strategy", nth % 3 === 0 ? "risk-averse" : "balanced"],
    );
    if (nth % 10 === 0) await parley("contributions", "last", "--no-calls", "-q");
  }
}

/** Copies the runs of a store until there are so many, spread over two years. @param {string} path @param {number} count */
function multiply(path, count) {
  const database = new Database(path);
  const ids = database.prepare("select id from deliberation order by opened").all();
  const last = database.prepare("select max(cursor) as cursor from event").get().cursor;
  database.exec("pragma synchronous = off; begin");
  const event = database.prepare(`insert into event
    select cursor + ?1, ?2, seq, origin_key, place, type, schema, ?3, origin, data from event where deliberation = ?4`);
  const head = database.prepare(`insert into deliberation
    (id, organization, series, protocol, question, opened, opened_at, status, seq, cursor)
    select ?1, organization, null, protocol, question, opened + ?2, ?3, status, seq, cursor + ?2 from deliberation where id = ?4`);
  let offset = last;
  const first = Date.UTC(2024, 11, 1);
  for (let nth = ids.length; nth < count; nth += 1) {
    const { id } = ids[nth % ids.length];
    const at = new Date(first + (nth / count) * MONTHS * 30 * 86_400_000).toISOString();
    const unique = `copy-${nth}`;
    event.run(offset, unique, at, id);
    head.run(unique, offset, at, id);
    offset += last;
  }
  database.exec("commit");
  database.close();
}

/** Compares what the commands say with a recount of the exported lines. @param {Cli} parley @param {string} file */
async function compare(parley, file) {
  await parley("export", "--all", "--format", "jsonl", "-o", file);
  const recount = createRecount();
  /** @type {any[]} */
  let run = [];
  let lines = 0;
  const reader = createInterface({ input: createReadStream(file) });
  for await (const line of reader) {
    lines += 1;
    const entry = JSON.parse(line);
    if (run.length > 0 && entry.deliberation !== run[0].deliberation) {
      recount.add(run);
      run = [];
    }
    run.push(entry);
  }
  recount.add(run);
  const { counts } = recount;
  const said = async (/** @type {readonly string[]} */ ...args) =>
    JSON.parse((await parley(...args, "--json")).stdout);
  /** @type {[unknown, unknown][]} */
  const pairs = [];
  const [all] = (await said("votes", "league")).leagues;
  pairs.push([all.sessions, counts.sessions]);
  for (const { player, sessions, wins, ties, votes, averageRank } of all.rows) {
    const own = counts.players[player];
    pairs.push([[sessions, wins, ties, votes], own && [own.sessions, own.wins, own.ties, own.votes]]);
    pairs.push([averageRank?.toFixed(6), own && (own.rankSum / own.votes).toFixed(6)]);
  }
  for (const { voter, candidate, votes, share } of await said("votes", "list", "--matrix", "persona")) {
    const own = counts.cells[`${voter} > ${candidate}`];
    pairs.push([[votes, share.toFixed(6)], own && [own.n, (own.sum / own.n).toFixed(6)]]);
  }
  for (const row of await said("contributions", "--all", "--by", "strategy")) {
    const own = counts.shares[`${row.strategy} / ${row.persona}`];
    const claimed = own && own.claimed.n > 0 ? (own.claimed.sum / own.claimed.n).toFixed(6) : null;
    const overlap = own?.measured["text-overlap"];
    pairs.push([
      [row.runs, row.claimed.n, row.claimed.mean?.toFixed(6) ?? null],
      own && [own.runs, own.claimed.n, claimed],
    ]);
    pairs.push([
      row.measured["text-overlap"]?.mean.toFixed(6),
      overlap && (overlap.sum / overlap.n).toFixed(6),
    ]);
  }
  const expected =
    1 +
    2 * Object.keys(counts.players).length +
    Object.keys(counts.cells).length +
    2 * Object.keys(counts.shares).length;
  const differing = pairs.filter(([one, other]) => JSON.stringify(one) !== JSON.stringify(other)).length;
  return { lines, differing: differing + Math.abs(expected - pairs.length) };
}
