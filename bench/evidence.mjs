// node bench/evidence.mjs ANSWERS.jsonl: what voting makes of answers that models gave on their own, as docs/evidence.md shows it.
// The file has a question a line: question, options, answer (a letter), category and outputs (by model, the whole reply).
import "../scripts/node-version.mjs";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import { join, resolve } from "node:path";
import { root } from "../scripts/root.mjs";
import { runScript, setUp } from "../scripts/setup.mjs";

/** As many as the odd panels of the published work on voting. */
const ARMS = [
  "best=single:1",
  "three=majority:3",
  "five=majority:5",
  "all=majority",
  "weighted",
  "best-member",
];

/** @typedef {{ value: number | null, low: number | null, high: number | null, n: number }} Estimate */

/** The best of these models on their own, first. @param {string} file @param {readonly string[]} models @param {string} home */
function ranked(file, models, home) {
  const arms = models.map((_, index) => `single:${index + 1}`);
  const report = bench(file, { models, arms, home });
  const accuracy = (/** @type {number} */ index) => report.arms[index]?.accuracy.value ?? 0;
  return [...models.keys()].sort((a, b) => accuracy(b) - accuracy(a)).map((index) => models[index] ?? "");
}

/**
 * @param {string} file @param {{ models: readonly string[], arms: readonly string[], home: string }} options
 * @returns {import("../src/features/bench/contract.ts").BenchReport}
 */
function bench(file, { models, arms, home }) {
  const columns = ["--question-field", "question", "--answer-field", "answer", "--kind-field", "category"];
  const refs = models.map((model) => `recorded/${file}#${model}`).join(",");
  const args = [
    "bench",
    file,
    ...columns,
    "--arms",
    arms.join(","),
    "--models",
    refs,
    "--seed",
    "1",
    "--json",
    "-q",
  ];
  const env = { PATH: process.env["PATH"], HOME: home, PARLEY_HOME: home };
  const command = [join(root, "dist/cli.mjs"), ...args];
  return JSON.parse(execFileSync(process.execPath, command, { encoding: "utf8", env, maxBuffer: 1e9 }));
}

/** @param {Estimate} estimate */
const percent = ({ value, low, high }) => {
  const [all, least, most] = [value, low, high].map((share) => ((share ?? 0) * 100).toFixed(1));
  return `${all} (${least}–${most})`;
};
const points = (/** @type {number} */ value) => `${value < 0 ? "−" : "+"}${Math.abs(value * 100).toFixed(1)}`;
const table = (/** @type {readonly (readonly string[])[]} */ rows) =>
  rows.map((row) => `| ${row.join(" | ")} |`).join("\n");

async function main() {
  const [, , given] = process.argv;
  if (given === undefined) {
    process.stderr.write("name the file: node bench/evidence.mjs ANSWERS.jsonl\n");
    return 2;
  }
  await setUp(root, { build: true });
  const file = resolve(given);
  const [first = "{}"] = readFileSync(file, "utf8").split("\n", 1);
  const home = mkdtempSync(join(os.tmpdir(), "parley-evidence-"));
  try {
    const models = ranked(file, Object.keys(JSON.parse(first).outputs), home);
    const { arms, pairs, tasks } = bench(file, { models, arms: ARMS, home });
    const votes = arms.find(({ name }) => name === "all")?.votes;
    const named = (/** @type {string} */ name) => pairs.filter(({ first: one }) => one === name);
    const print = (/** @type {string} */ text) => void process.stdout.write(`${text}\n\n`);
    print(`${tasks.count} questions, ${models.length} models.`);
    print(
      table([
        ["member", "right, % (95 %)"],
        ["---", "---"],
        ...(votes?.members ?? []).map(({ model, accuracy }) => [
          model.replace(/^.*#/, ""),
          percent(accuracy),
        ]),
      ]),
    );
    print(
      table([
        ["arm", "right, % (95 %)", "no answer"],
        ["---", "---", "---"],
        ...arms.map(({ name, accuracy, noAnswer }) => [name, percent(accuracy), String(noAnswer)]),
      ]),
    );
    print(
      table([
        [
          "against the best member",
          "only best right : only arm right",
          "difference, points (95 %)",
          "p (Holm)",
        ],
        ["---", "---", "---", "---"],
        ...named("best").map(({ second, onlyFirst, onlySecond, difference, adjusted }) => [
          second,
          `${onlyFirst} : ${onlySecond}`,
          difference
            ? `${points(-difference.value)} (${points(-difference.high)} to ${points(-difference.low)})`
            : "–",
          adjusted < 0.001 ? "< 0.001" : adjusted.toFixed(3),
        ]),
      ]),
    );
    print(`Effective votes: ${votes?.effective?.toFixed(1) ?? "unknown"} of ${models.length}.`);
    return 0;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

await runScript(main);
