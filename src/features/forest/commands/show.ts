import { basename, resolve, extname } from "node:path";
import { cyclesAt, readForest, type ReadForest, isSimulatedArchive } from "../app/archive.ts";
import { displayPath, refuse } from "../../../config/text-file.ts";
import { isFault } from "../../../kernel/index.ts";
import { type Forest, cycleNumber } from "../protocol/state.ts";
import { ForestValidationError, validateForest } from "../protocol/validation.ts";
import { align } from "../../../reports/labelled-rows.ts";
import { oneLine, inline } from "../../../reports/printable.ts";
import { wrap } from "../../../reports/text-width.ts";
import { pluralize } from "../../../text/format.ts";
import { print, type Io, type Values, documentText } from "../../../cli/command.ts";
import { EXIT } from "../../../cli/exits.ts";
import type { JSON_FLAG } from "../../../cli/options.ts";
import { exportArchive } from "../app/cycle.ts";
import { cycleParts } from "../protocol/report-cycle.ts";
import { FOREST_PLOT_STYLE, forestPlot } from "../protocol/report-plot.ts";
import { svgFile } from "../../../reports/element.ts";
import { partMarkdown } from "../../../reports/markdown.ts";
import { pageHtml } from "../../../reports/page.ts";
import type { REPORT } from "./index.ts";
import { checkOutput, writeInFolders } from "../../../cli/output-file.ts";
import { readEntries, withStore } from "../../../cli/session.ts";

type JsonOption = Values<typeof JSON_FLAG>;

/** Checks the cycles of archives; exit 1 where one is not valid. */
export async function validate(io: Io, { json }: JsonOption, paths: readonly string[]): Promise<number> {
  const checked = paths
    .flatMap((path) => cyclesAt(resolve(io.cwd, path)))
    .map((folder) => ({ folder, ...check(folder) }));
  for (const { warnings } of checked)
    for (const warning of warnings) io.output.note(`Warning: ${oneLine(warning, 600)}`);
  const rows = checked.map(({ folder, problem, invariant }) => ({
    path: displayPath(folder),
    problem,
    invariant,
  }));
  await print(io, { json, value: rows }, () =>
    rows.map(({ path, problem }) => `${path}: ${problem === null ? "OK" : oneLine(problem, 600)}\n`).join(""),
  );
  return rows.some(({ problem }) => problem !== null) ? EXIT.refusedByCheck : EXIT.answered;
}

/** What is wrong with a cycle; null where nothing is. */
function check(folder: string): {
  problem: string | null;
  invariant: string | null;
  warnings: readonly string[];
} {
  try {
    const { forest, warnings } = readForest(folder);
    try {
      validateForest(forest);
    } catch (error) {
      if (!(error instanceof ForestValidationError)) throw error;
      return { problem: error.message, invariant: error.context.invariant, warnings };
    }
    const name = basename(folder);
    const isNamed = !name.startsWith("cycle_") || name === forest.cycle_id;
    const problem = isNamed ? null : `the folder has the state of ${forest.cycle_id}`;
    return { problem, invariant: null, warnings };
  } catch (error) {
    if (!isFault(error, "configuration")) throw error;
    return { problem: error.details.why, invariant: null, warnings: [] };
  }
}

const newest = (io: Io, path: string): ReadForest => {
  const read = readForest(cyclesAt(resolve(io.cwd, path)).at(-1) ?? path);
  for (const warning of read.warnings) io.output.note(`Warning: ${oneLine(warning, 600)}`);
  return read;
};

export async function show(io: Io, { json }: JsonOption, path: string): Promise<void> {
  const { forest } = newest(io, path);
  await print(io, { json, value: forest }, ({ width }) => forestText(forest, width));
}

const LEAVES = ["fruit", "golden_leaf", "normal_leaf", "dead_leaf", "sick_leaf"] as const;

function forestText(
  { forest_id, cycle_id, domain, research_goal, trees, seeds, results, summary }: Forest,
  width: number,
): string {
  const rows = trees.map(({ tree_id, status, recent_budget_share, branches, name }) => [
    tree_id,
    status,
    `${(100 * recent_budget_share).toFixed(0)} %`,
    ...LEAVES.map((kind) =>
      String(branches.filter((branch) => branch.result_classification === kind).length),
    ),
    name,
  ]);
  const fruits = results.filter(({ classification }) => classification === "fruit").length;
  return lines([
    ...wrap(oneLine(`${forest_id}, ${cycle_id}, ${domain}: ${research_goal}`, 2_000), width),
    "",
    ...(rows.length === 0
      ? ["No trees are planted."]
      : align(
          [["TREE", "STATUS", "SHARE", "FRUIT", "GOLDEN", "NORMAL", "DEAD", "SICK", "NAME"], ...rows],
          width,
        )),
    "",
    ...wrap(
      `${fruits} of ${pluralize(results.length, "result")} are fruits; ${pluralize(seeds.length, "seed")}. ${oneLine(summary, 2_000)}`,
      width,
    ),
  ]);
}

export async function seeds(io: Io, { json }: JsonOption, path: string): Promise<void> {
  const { forest } = newest(io, path);
  const rows = forest.seeds.map(({ seed_id, status, seed_score, related_trees, idea, evaluated_cycle }) => [
    seed_id,
    evaluated_cycle === undefined ? status : "tested",
    seed_score === null ? "-" : seed_score.toFixed(2),
    related_trees.join(" "),
    idea,
  ]);
  const table = { heads: ["SEED", "STATUS", "SCORE", "TREES", "IDEA"], rows, none: "There are no seeds." };
  await print(io, { json, value: forest.seeds }, ({ width }) => tableText(table, width));
}

/** Lists what became of tested seeds, and why. */
export async function results(io: Io, { json }: JsonOption, path: string): Promise<void> {
  const { forest } = newest(io, path);
  const rows = forest.results.map(({ summary, classification, execution_mode, classification_reason }) => [
    ...[classification ?? "-", execution_mode, candidateOf(summary), classification_reason],
  ]);
  const none = "There are no results: nothing was tested yet.";
  const table = { heads: ["KIND", "MODE", "CANDIDATE", "WHY"], rows, none };
  await print(io, { json, value: forest.results }, ({ width }) => tableText(table, width));
}

type ListTable = {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly none: string;
};

const tableText = ({ heads, rows, none }: ListTable, width: number): string =>
  lines(rows.length === 0 ? [none] : align([heads, ...rows], width));

const lines = (all: readonly string[]): string => `${all.join("\n")}\n`;

/** The candidate of a result's summary, which ends in its kind. */
const candidateOf = (summary: string): string => summary.replace(/(?:: [a-z_]+| classified as [a-z_]+)$/, "");

/** Reports on the newest cycle of a forest, as a document, a page, or the plot alone. */
export async function report(io: Io, { output, json }: Values<typeof REPORT>, path: string): Promise<void> {
  const file = output === undefined ? undefined : checkOutput(output, io, { makesFolders: true });
  const ending = file === undefined ? ".md" : extname(file).toLowerCase();
  const render = Object.hasOwn(FORMATS, ending) ? FORMATS[ending] : undefined;
  if (!render)
    throw refuse(
      `a report is no ${ending || "file without an ending"}`,
      "--output report.md, report.html or plot.svg",
    );
  const cycles = cyclesAt(resolve(io.cwd, path)).map((folder) => readForest(folder).forest);
  const forest = cycles.at(-1);
  if (!forest) return;
  const shown = { cycles, forest, simulated: isSimulatedArchive(resolve(io.cwd, path)) };
  if (file !== undefined) writeInFolders(file, render(shown), io);
  if (file !== undefined && !json) return;
  await print(io, { json, value: { cycle_id: forest.cycle_id, parts: cycleParts(cycles) } }, (face) =>
    documentText(markdown(shown), face),
  );
}

/** Writes the archive that one run's journal tells: the cycle before it, its own, and its log. */
export const exportCycle = (
  io: Io,
  { json }: Values<typeof JSON_FLAG>,
  { run, folder: path }: { readonly run: string; readonly folder: string },
): Promise<void> =>
  withStore(io, async (stored) => {
    const { archive, forest } = await exportArchive(
      stored.store,
      await readEntries(stored, run),
      resolve(io.cwd, path),
    );
    await print(
      io,
      { json, value: { archive: displayPath(archive), cycle_id: forest.cycle_id } },
      () => `Written: ${displayPath(archive)}, up to ${forest.cycle_id}\n`,
    );
  });

const titleOf = ({ cycle_id, forest_id }: Forest): string => `Cycle ${cycleNumber(cycle_id)} of ${forest_id}`;

type Shown = { readonly cycles: readonly Forest[]; readonly forest: Forest; readonly simulated: boolean };

const markdown = ({ cycles, forest, simulated }: Shown): string =>
  `${[
    `# ${inline(titleOf(forest), 200)}`,
    simulated ? "**simulated models**" : "",
    ...cycleParts(cycles).map((part) => partMarkdown(part, { level: 2 })),
  ]
    .filter((part) => part !== "")
    .join("\n\n")}\n`;

const FORMATS: { readonly [ending: string]: ((shown: Shown) => string) | undefined } = {
  ".md": markdown,
  ".html": ({ cycles, forest, simulated }) =>
    pageHtml({
      title: titleOf(forest),
      simulated,
      summary: simulated ? `${forest.summary} Simulated models.` : forest.summary,
      warnings: [],
      ...{ question: titleOf(forest), answer: null, final: "", parts: cycleParts(cycles) },
    }),
  ".svg": ({ cycles }) => {
    const plot = forestPlot(cycles);
    if (!plot) throw refuse("a plot needs two cycles", "run one: parley forest cycle");
    return svgFile(plot, FOREST_PLOT_STYLE);
  },
};
