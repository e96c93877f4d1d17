// npm run bench: how fast the build in dist is, against the same calls made by hand. docs/explanation/performance.md says what the figures mean.
import "../scripts/node-version.mjs";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/root.mjs";
import { runScript, setUp } from "../scripts/setup.mjs";
import { councils } from "./councils.mjs";
import { critic } from "./critic.mjs";
import { debate } from "./debate.mjs";
import { evolution } from "./evolution.mjs";
import { folds } from "./folds.mjs";
import { gates } from "./gates.mjs";
import { machine } from "./harness.mjs";
import { journal } from "./journal.mjs";
import { known } from "./known.mjs";
import { lag } from "./lag.mjs";
import { memory } from "./memory.mjs";
import { memorySearch } from "./memory-search.mjs";
import { page } from "./page.mjs";
import { replay } from "./replay.mjs";
import { operated, serve } from "./serve.mjs";
import { start } from "./start.mjs";
import { besides, headOf, lineOf, verdictOf } from "./table.mjs";
import { walk } from "./walk.mjs";

/** @type {Readonly<Record<string, import("./harness.mjs").Measurement>>} */
const MEASUREMENTS = {
  councils,
  debate,
  critic,
  memory,
  "memory-search": memorySearch,
  lag,
  start,
  walk,
  journal,
  replay,
  folds,
  gates,
  evolution,
  known,
  serve,
  operated,
  page,
};

/** What is measured where two builds are compared. */
const COMPARED = ["start", "councils"];

const USAGE = `npm run bench -- [options]
  --quick          fewer and smaller: seconds instead of minutes
  --repetitions <n>  of each contestant, instead of 5 or 3
  --only <names>   some of: ${Object.keys(MEASUREMENTS).join(", ")}; "memory" is both of memory
  --json <file>    everything, also the single repetitions, as JSON
  --strict         exit 1 where a target is missed
  --lighthouse     page: by Lighthouse too, which is installed for it
  --dist <folder>  another build than dist
  --against <checkout>  a second build, that of another checkout: in turns with this one, and shown beside it;
                   without --only: ${COMPARED.join(", ")}
`;

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      repetitions: { type: "string" },
      only: { type: "string" },
      json: { type: "string" },
      strict: { type: "boolean", default: false },
      lighthouse: { type: "boolean", default: false },
      dist: { type: "string" },
      against: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const names =
    values.only?.split(",").flatMap((name) => (name === "memory" ? ["memory", "memory-search"] : [name])) ??
    (values.against === undefined ? Object.keys(MEASUREMENTS) : COMPARED);
  const unknown = names.find((name) => !Object.hasOwn(MEASUREMENTS, name));
  if (values.help || unknown !== undefined) {
    process.stderr.write(unknown === undefined ? USAGE : `there is no measurement "${unknown}"\n${USAGE}`);
    return values.help ? 0 : 2;
  }
  const other = values.against === undefined ? undefined : join(resolve(values.against), "dist");
  if (other !== undefined && !existsSync(join(other, "cli.mjs"))) {
    process.stderr.write(`--against: there is no build in ${other}; run npm run build there\n`);
    return 2;
  }
  if (values.dist === undefined) await setUp(root, { build: true });
  return measure(names, {
    quick: values.quick,
    lighthouse: values.lighthouse,
    repetitions: values.repetitions === undefined ? undefined : Number(values.repetitions),
    dist: values.dist === undefined ? join(root, "dist") : resolve(values.dist),
    against: other === undefined ? undefined : realpathSync(other),
    strict: values.strict,
    json: values.json,
  });
});

/**
 * @param {readonly string[]} names
 * @param {Omit<import("./harness.mjs").Context, "scratch"> & { strict: boolean, json: string | undefined }} options
 */
async function measure(names, { strict, json, ...options }) {
  const { node, system, processor, cores, memoryGb, load } = machine();
  say(
    `Node ${node.slice(1)}, ${processor}, ${cores} cores, ${memoryGb} GB, ${system}; load ${load.join(" ")}`,
  );
  // On the disk that the project lies on: a temporary folder may be memory, where a commit costs nothing.
  mkdirSync(join(root, ".parley"), { recursive: true });
  const scratch = mkdtempSync(join(root, ".parley", "bench-"));
  const report = [];
  try {
    for (const name of names) {
      say(`\n${name}`);
      const measured = besides(await run(name, { ...options, scratch }));
      if (options.against !== undefined) say(headOf());
      for (const row of measured.rows) say(lineOf(row));
      for (const note of measured.notes ?? []) say(`  ${note}`);
      report.push({ name, ...measured });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const verdict = verdictOf(report);
  say(`\nload at the end ${machine().load.join(" ")}; ${verdict.line}`);
  if (json !== undefined) {
    const rows = report.map(({ raw, ...one }) => one);
    const all = {
      machine: { node, system, processor, cores, memoryGb, load },
      quick: options.quick,
      measurements: rows,
    };
    writeFileSync(
      json,
      `${JSON.stringify({ ...all, raw: report.map(({ name, raw }) => ({ name, raw })) }, undefined, 2)}\n`,
    );
  }
  return verdict.broken > 0 || (strict && verdict.missed > 0) ? 1 : 0;
}

/**
 * A measurement that fails says so, and leaves the others their turn.
 *
 * @param {string} name @param {import("./harness.mjs").Context} context
 * @returns {Promise<import("./harness.mjs").Measured & { failed?: string }>}
 */
async function run(name, context) {
  try {
    return (await MEASUREMENTS[name]?.(context)) ?? { rows: [] };
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    say(`  FAILED: ${failed}`);
    return { rows: [], failed };
  }
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}
