import { extname, resolve } from "node:path";
import { cyclesAt, isSimulatedArchive, readForest } from "../app/archive.ts";
import { exportArchive } from "../app/cycle.ts";
import { displayPath, refuse } from "../../../config/text-file.ts";
import { cycleParts } from "../protocol/report-cycle.ts";
import { FOREST_PLOT_STYLE, forestPlot } from "../protocol/report-plot.ts";
import { cycleNumber, type Forest } from "../protocol/state.ts";
import { svgFile } from "../../../reports/element.ts";
import { partMarkdown } from "../../../reports/markdown.ts";
import { inline } from "../../../reports/printable.ts";
import { pageHtml } from "../../../reports/page.ts";
import { documentText, print, type Io, type Values } from "../../../cli/command.ts";
import type { REPORT } from "./index.ts";
import type { JSON_FLAG } from "../../../cli/options.ts";
import { checkOutput, writeInFolders } from "../../../cli/output-file.ts";
import { readEntries, withStore } from "../../../cli/session.ts";

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
      ...{
        title: titleOf(forest),
        simulated,
        summary: simulated ? `${forest.summary} Simulated models.` : forest.summary,
        warnings: [],
      },
      ...{ question: titleOf(forest), answer: null, final: "", parts: cycleParts(cycles) },
    }),
  ".svg": ({ cycles }) => {
    const plot = forestPlot(cycles);
    if (!plot) throw refuse("a plot needs two cycles", "run one: parley forest cycle");
    return svgFile(plot, FOREST_PLOT_STYLE);
  },
};
