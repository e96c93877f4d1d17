// npm run seeds: makes the evidence for what Parley takes from the programs that it grew out of, and writes docs/seeds.md
// from it. A row of test/seeds/*.yaml has commands that are run, tests that are run, a decision, or what it waits for.
// With --only TEXT the rows whose id begins with it; with --every N each Nth command alone, and no tests and no page.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { parse } from "yaml";
import { z } from "zod";
import { capture, run } from "./child.mjs";
import { root } from "./root.mjs";
import { runScript, setUp } from "./setup.mjs";

const oneOrMore = z.union([
  z
    .string()
    .min(1)
    .transform((one) => [one]),
  z.array(z.string().min(1)),
]);

/** What a row comes with that is not built yet. */
const PLANNED = ["chat", "knowledge", "organizations", "page", "personas", "service", "tools"];

const row = z
  .strictObject({
    id: z.string().regex(/^[1-5]\.\d+$/),
    part: z.string(),
    promise: z.string(),
    /** What of the promise is not there. */
    lacking: z.string().optional(),
    run: z.string().optional(),
    shows: oneOrMore.default([]),
    lacks: oneOrMore.default([]),
    test: oneOrMore.default([]),
    differs: z.string().optional(),
    decision: z.string().optional(),
    planned: z.enum(PLANNED).optional(),
  })
  .check(({ value, issues }) => {
    const problem = problemOf(value);
    if (problem) issues.push({ code: "custom", message: problem, input: value });
  });

const seed = z.strictObject({ title: z.string(), rows: z.array(row) });

/** @typedef {z.infer<typeof row>} Row @typedef {z.infer<typeof seed>} Seed */

/** What is wrong with a row as a whole. @param {Row} row */
function problemOf({ run, shows, lacks, test, differs, decision, planned, lacking }) {
  const hasEvidence = run !== undefined || test.length > 0;
  if (run !== undefined && shows.length + lacks.length === 0) return "`run` needs `shows` or `lacks`";
  if (run === undefined && shows.length + lacks.length > 0) return "`shows` and `lacks` are for `run`";
  if ((differs === undefined) !== (decision === undefined)) return "`differs` and `decision` go together";
  if (lacking !== undefined && (!hasEvidence || differs !== undefined))
    return "`lacking` stands with evidence of what is there";
  if (planned !== undefined && (hasEvidence || differs !== undefined)) return "`planned` stands alone";
  if (planned === undefined && !hasEvidence && differs === undefined) return "no evidence, decision or plan";
  if (decision !== undefined && !existsSync(join(root, decision))) return `${decision} does not exist`;
  return undefined;
}

/** The seeds in order. Throws where a file is not in the form above or an id is there twice. @returns {Seed[]} */
export function readSeeds(from = root) {
  const folder = join(from, "test", "seeds");
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
  /** @type {Set<string>} */
  const seen = new Set();
  return files.sort().map((file) => {
    const read = seed.safeParse(parse(readFileSync(join(folder, file), "utf8")));
    if (!read.success) throw new Error(`test/seeds/${file}: ${z.prettifyError(read.error)}`);
    for (const { id } of read.data.rows) {
      if (seen.has(id)) throw new Error(`test/seeds/${file}: row ${id} is there twice`);
      seen.add(id);
    }
    return read.data;
  });
}

/**
 * The rows' references to tests that none of these is, a line each. A reference is "file › part of a test's full name".
 *
 * @param {readonly Row[]} rows @param {readonly string[]} present tests as "file > full name"
 */
export function missingTests(rows, present) {
  return rows.flatMap(({ id, test }) =>
    test.flatMap((reference) => {
      const [file = "", ...name] = reference.split(" › ");
      const isThere = present.some((one) => one.startsWith(`${file} > `) && one.includes(name.join(" ")));
      return isThere ? [] : [`${id}: no test passed that is ${reference}`];
    }),
  );
}

/**
 * The page. It says what the rows say: that they are true is for the run that wrote it, and fails otherwise.
 *
 * @param {readonly Seed[]} seeds
 */
export function pageOf(seeds) {
  const marks = ["●", "◐", "↷", "○"];
  const markOf = (/** @type {Row} */ { planned, differs, lacking }) =>
    planned ? "○" : differs ? "↷" : lacking ? "◐" : "●";
  /** @param {readonly Row[]} rows */
  const counts = (rows) => [
    ...marks.map((mark) => rows.filter((one) => markOf(one) === mark).length),
    rows.length,
  ];
  const cell = (/** @type {string} */ text) =>
    text
      .trim()
      .replace(/\s*\n\s*/g, "; ")
      .replaceAll("|", "\\|");
  const code = (/** @type {string} */ text) => {
    const ticks = text.includes("`") ? "``" : "`";
    return `${ticks}${ticks.length > 1 ? ` ${text} ` : text}${ticks}`;
  };
  const evidenceOf = (/** @type {Row} */ one) =>
    [
      one.lacking && `in part: ${one.lacking}`,
      one.planned && `comes with: ${one.planned}`,
      one.differs && `${one.differs} ([decision](${one.decision?.replace(/^docs\//, "")}))`,
      one.run &&
        `${code(cell(one.run))}${one.shows.length > 0 ? ` shows ${one.shows.map((text) => code(cell(text))).join(", ")}` : ""}${one.lacks.length > 0 ? ` lacks ${one.lacks.map((text) => code(cell(text))).join(", ")}` : ""}`,
      ...one.test.map((reference) => `test ${code(cell(reference))}`),
    ]
      .filter(Boolean)
      .join("; ");
  const all = seeds.flatMap(({ rows }) => rows);
  const table = (/** @type {readonly (readonly (string | number)[])[]} */ rows) =>
    rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `# What the programs before Parley promised

Parley grew out of five designs: two stages of LoCAL2 (a local assistant with a critic and a second respondent), Rainforest
(hypotheses under gates), Accordant (a council) and Dialectic (a debate). This page has what each of them promised, a row a
promise, and the evidence. \`npm run seeds\` runs every command and every test named here, fails where one does not hold, and
writes the page from \`test/seeds\`.

● works, with its evidence · ◐ works in part, with what is lacking · ↷ different on purpose, with the decision · ○ not built yet

<!-- prettier-ignore-start -->
${table([
  ["design", ...marks, "rows"],
  ["---", "---", "---", "---", "---", "---"],
  ...seeds.map(({ title, rows }) => [title, ...counts(rows)]),
  ["all", ...counts(all)],
])}
${seeds
  .map(
    ({ title, rows }) => `
## ${title}

${table([
  ["#", "part", "promise", "", "evidence"],
  ["---", "---", "---", "---", "---"],
  ...rows.map((one) => [one.id, cell(one.part), cell(one.promise), markOf(one), evidenceOf(one)]),
])}
`,
  )
  .join("")}<!-- prettier-ignore-end -->
`;
}

/**
 * What is missing from what a row's commands printed; undefined where all is as it says.
 *
 * @param {Row & { run: string }} one @returns {Promise<string | undefined>}
 */
async function failureOfRun({ run: script, shows, lacks }) {
  const folder = mkdtempSync(join(os.tmpdir(), "parley-seeds-"));
  try {
    const home = join(folder, "home");
    const work = join(folder, "work");
    for (const path of [home, work]) mkdirSync(path);
    const parley = `parley() { "${process.execPath}" "${join(root, "dist/cli.mjs")}" "$@"; }`;
    const env = { PATH: process.env["PATH"], HOME: home, PARLEY_HOME: join(home, "parley"), NO_COLOR: "1" };
    const bash = /** @type {const} */ (["bash", "-c", `set -euo pipefail\n${parley}\n${script}`]);
    const { code, output: printed } = await capture(bash, { cwd: work, env, limitMs: 120_000 });
    const output = stripVTControlCharacters(printed);
    if (code !== 0) return `ended with ${code}:\n${output}`;
    const missing = shows.find((pattern) => !new RegExp(pattern, "m").test(output));
    if (missing !== undefined) return `does not show ${missing}:\n${output}`;
    const found = lacks.find((pattern) => new RegExp(pattern, "m").test(output));
    return found === undefined ? undefined : `shows ${found}:\n${output}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the files that rows name tests of, and gives back which references did not pass. @param {readonly Row[]} rows */
async function failuresOfTests(rows) {
  const files = new Set(rows.flatMap(({ test }) => test.map((reference) => reference.split(" › ")[0] ?? "")));
  if (files.size === 0) return [];
  const folder = mkdtempSync(join(os.tmpdir(), "parley-seeds-"));
  try {
    const path = join(folder, "tally.json");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    await run([process.execPath, vitest, "run", ...files], {
      cwd: root,
      stdio: ["ignore", "ignore", "ignore"],
      env: { ...process.env, PARLEY_TALLY: path },
    });
    return missingTests(rows, JSON.parse(readFileSync(path, "utf8")).passed);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main() {
  const { values } = parseArgs({ options: { only: { type: "string" }, every: { type: "string" } } });
  const every = values.every === undefined ? 1 : Number(values.every);
  if (!Number.isSafeInteger(every) || every < 1) throw new Error("--every is a whole number from 1");
  await setUp(root, { build: true });
  const seeds = readSeeds();
  const rows = seeds.flatMap((one) => one.rows).filter(({ id }) => id.startsWith(values.only ?? ""));
  const commands = rows.filter(/** @returns {one is Row & { run: string }} */ (one) => one.run !== undefined);
  const waiting = commands.filter((_, index) => index % every === 0);
  const started = waiting.length;
  /** @type {string[]} */
  const failures = [];
  const lane = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const failure = await failureOfRun(one);
      if (failure !== undefined) failures.push(`${one.id}: ${failure}`);
    }
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, lane));
  if (values.every === undefined) failures.push(...(await failuresOfTests(rows)));
  for (const failure of failures) process.stdout.write(`${failure.trimEnd()}\n`);
  process.stdout.write(`${started} of ${commands.length} commands run, ${failures.length} failures\n`);
  if (failures.length > 0) return 1;
  if (values.only === undefined && values.every === undefined) {
    writeFileSync(join(root, "docs", "seeds.md"), pageOf(seeds));
  }
  return 0;
}

if (process.argv[1] === import.meta.filename) await runScript(main);
