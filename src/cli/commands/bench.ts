import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DEFAULT_ARMS } from "../../lab/bench/arms.ts";
import { prepareBench, runBench } from "../../lab/bench/bench.ts";
import { readBenchTasks } from "../../lab/bench/tasks.ts";
import { benchMarkdown } from "../../lab/bench/markdown.ts";
import type { BenchReport } from "../../lab/bench/report.ts";
import { benchSvg } from "../../lab/bench/svg.ts";
import { rowsCsv } from "../../lab/bench/rows-csv.ts";
import { makeFolder } from "../../stores/sqlite-database.ts";
import { createBenchScreen } from "../bench-screen.ts";
import { documentText, print, type Io, type Values } from "../command.ts";
import { jsonText } from "../../reports/printable.ts";
import { EXIT } from "../exits.ts";
import { judgeProgress } from "../judge-progress.ts";
import { noteEarlyEnd, noteJobEnd, STOP_EXITS } from "../lab-job.ts";
import { wordNote } from "../notes.ts";
import type { BENCH } from "../options.ts";
import { unwritable } from "../output-file.ts";
import { lostPrompts } from "./judge.ts";
import { interruptible, withParley } from "../session.ts";

export async function bench(io: Io, options: Values<typeof BENCH>, file: string): Promise<number> {
  const { samples, concurrency, retryFailed, quiet, judge, ...settings } = options;
  return withParley(io, settings, (context) =>
    interruptible(async (signal) => {
      const out = options.out === undefined ? undefined : openFolder(resolve(io.cwd, options.out));
      const prepared = await prepareBench(context, {
        file,
        tasks: readBenchTasks(file, io, {
          question: options.questionField,
          answer: options.answerField,
          options: options.optionsField,
          kind: options.kindField,
          open: judge !== undefined,
        }),
        arms: options.arms ?? DEFAULT_ARMS,
        ...(samples === undefined ? {} : { samples }),
        judge,
      });
      if (!quiet) for (const note of prepared.notes) io.output.note(wordNote(note));
      const screen = quiet
        ? undefined
        : createBenchScreen({
            output: process.stderr,
            ...io.output.stderr,
            arms: prepared.arms.map(({ arm }) => arm.name),
            tasks: prepared.tasks.length,
          });
      let judging: ReturnType<typeof judgeProgress> | undefined;
      const onJudging = (pairs: number) => {
        screen?.stop();
        judging = judgeProgress({
          ...{ output: process.stderr, terminal: io.output.stderr.terminal },
          prompts: 2 * pairs,
        });
        return judging.event;
      };
      const { report, stop, caps, ...judged } = await runBench(context, prepared, {
        ...{ signal, concurrency, retryFailed },
        ...(screen ? { onRow: screen.row, onJudging } : {}),
      }).finally(() => {
        screen?.stop();
        judging?.stop();
      });
      if (stop !== "interrupted") await printReport(io, report, { out, json: options.json });
      const { arms, rows } = report;
      const open = arms.reduce((sum, { unfinished }) => sum + unfinished, 0);
      const all = arms.length * report.tasks.count;
      const failed = rows.flatMap((row) => row.failed ?? []);
      noteJobEnd(io, {
        ...{ stop, caps, failed },
        kept: `${all - open} of ${all} are finished and recorded`,
        count: `${failed.length} of ${rows.length}`,
      });
      noteEarlyEnd(io, judged.judging, { lost: lostPrompts(judged.judging) });
      if (stop !== null) return STOP_EXITS[stop];
      // Something failed, and nothing else came to its end: an outage, and no result.
      const isOutage = failed.length > 0 && arms.every(({ unfinished }) => unfinished === report.tasks.count);
      return isOutage ? EXIT.provider : EXIT.answered;
    }),
  );
}

/** The folder to write to, made before anything is asked. @throws Fault `configuration` */
function openFolder(folder: string): string {
  try {
    makeFolder(folder, 0o777);
    readdirSync(folder); // fails for a file of that name
    return folder;
  } catch (error) {
    throw unwritable(folder, error, OTHER_FOLDER);
  }
}

const OTHER_FOLDER = "another folder with --out; results so far are recorded, and the same command resumes";

async function printReport(
  io: Io,
  report: BenchReport,
  { out, json }: { readonly out: string | undefined; readonly json: boolean },
): Promise<void> {
  const { terminal } = io.output.stdout;
  if (out !== undefined) {
    const plot = "accuracy-over-cost.svg";
    const files = {
      "report.md": benchMarkdown(report, { plot }),
      "report.json": jsonText(report),
      "rows.csv": rowsCsv(report.rows),
      // Without right answers there is no accuracy to plot.
      ...(report.tasks.open < report.tasks.count ? { [plot]: benchSvg(report) } : {}),
    };
    for (const [name, content] of Object.entries(files)) {
      try {
        writeFileSync(join(out, name), content);
      } catch (error) {
        throw unwritable(join(out, name), error, OTHER_FOLDER);
      }
    }
    io.output.note(`Written: ${Object.keys(files).join(", ")} in ${out}`);
  }
  if (json || terminal || out === undefined)
    await print(
      io,
      { json },
      { value: report, readable: true, words: (face) => documentText(benchMarkdown(report), face) },
    );
}
