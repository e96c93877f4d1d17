import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BenchReport, ListedBench } from "../contract.ts";
import { DEFAULT_ARMS } from "../app/arms.ts";
import { prepareBench, runBench } from "../app/bench.ts";
import { listBenches, readBench, recordBench, type BenchRecord } from "../app/recorded.ts";
import { readBenchTasks } from "../../../app/tasks.ts";
import { benchMarkdown } from "../app/markdown.ts";
import { benchSvg } from "../protocol/report-plot.ts";
import { rowsCsv } from "../app/row.ts";
import { makeFolder } from "../../../stores/sqlite-database.ts";
import { createJobScreens, noteJobEnd, STOP_EXITS } from "./progress.ts";
import { documentText, print, type Io, type Values } from "../../../cli/command.ts";
import { resolveId } from "../../../app/lookup.ts";
import { refusal } from "../../../kernel/index.ts";
import { align } from "../../../reports/labelled-rows.ts";
import { jsonLine, jsonText, oneLine } from "../../../reports/printable.ts";
import { formatNumber, pluralize } from "../../../text/format.ts";
import { EXIT, exitOfFailures } from "../../../cli/exits.ts";
import { noteEarlyEnd } from "../../../cli/lab-job.ts";
import { wordNote } from "../../../cli/notes.ts";
import type { BENCH, BENCHES, SHOW_BENCH, TASKS, ABLATE } from "./index.ts";
import { makePairs, makeTasks, TASK_KINDS, type TaskKind } from "../../../sim/tasks/index.ts";
import { findNearest } from "../../../text/words.ts";
import { unwritable } from "../../../cli/output-file.ts";
import { lostPrompts } from "../../../cli/judge-progress.ts";
import { interruptible, withParley, withStore } from "../../../cli/session.ts";
import { prepareAblation, runAblation, type AblationRun } from "../app/ablation/ablate.ts";
import { SIDES } from "../app/ablation/report.ts";
import { memoryAblationText } from "../app/ablation/text.ts";

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
      const recorded = await recordBench(context, prepared.definition);
      if ("tooLarge" in recorded) io.output.note(tooLargeText(recorded.tooLarge));
      const screens = quiet
        ? undefined
        : createJobScreens(io, {
            arms: prepared.arms.map(({ arm }) => arm.name),
            ...{ tasks: prepared.definition.tasks.length, promptsEach: 2 },
          });
      const { report, stop, caps, ...judged } = await runBench(context, prepared, {
        ...{ signal, concurrency, retryFailed, ...screens },
      }).finally(() => screens?.stop());
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
      noteEarlyEnd(io, { entries: judged.judging, lost: lostPrompts(judged.judging) });
      if (stop !== null) return STOP_EXITS[stop];
      // Something failed, and nothing else came to its end: an outage, and no result.
      const isOutage = failed.length > 0 && arms.every(({ unfinished }) => unfinished === report.tasks.count);
      return isOutage ? EXIT.provider : EXIT.answered;
    }),
  );
}

export const listRecorded = (io: Io, { limit, json }: Values<typeof BENCHES>): Promise<void> =>
  withStore(io, async ({ store }) => {
    const { benches } = await listBenches(store, { limit });
    await print(io, { json, value: benches }, ({ width }) => benchesText(benches, width));
  });

/** Prints the report of a bench on record, as it stands now. */
export const showRecorded = (io: Io, { out, json }: Values<typeof SHOW_BENCH>, id: string): Promise<void> =>
  withStore(io, async ({ store }) => {
    const folder = out === undefined ? undefined : openFolder(resolve(io.cwd, out));
    const found = await readBench(store, await resolveId({ store }, id));
    if (!found) throw refusal(`${id} is not a bench`, "parley bench list has those on record");
    await printReport(io, found.report, { out: folder, json });
  });

function benchesText(benches: readonly ListedBench[], width: number): string {
  if (benches.length === 0) return "No bench is on record. Run one: parley bench tasks.jsonl\n";
  const rows = benches.map(({ id, file, openedAt, arms, tasks, finished, total, simulated }) => [
    ...[id, openedAt.slice(0, 16).replace("T", " "), oneLine(file, 40), String(tasks)],
    ...[`${finished}/${total}`, `${oneLine(arms.join(", "), 80)}${simulated ? " (simulated)" : ""}`],
  ]);
  const heads = ["ID", "STARTED", "FILE", "TASKS", "FINISHED", "ARMS"];
  return `${align([heads, ...rows], width).join("\n")}\n`;
}

const tooLargeText = ({
  part,
  bytes,
  most,
}: Extract<BenchRecord, { tooLarge: unknown }>["tooLarge"]): string =>
  `This bench is too large to be recorded: its ${part} take ${formatNumber(bytes)} bytes, and at most ${formatNumber(most)} are kept. It runs anyway; parley benches will not list it.`;

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
    for (const [name, content] of Object.entries(files))
      try {
        writeFileSync(join(out, name), content);
      } catch (error) {
        throw unwritable(join(out, name), error, OTHER_FOLDER);
      }
    io.output.note(`Written: ${Object.keys(files).join(", ")} in ${out}`);
  }
  if (json || terminal || out === undefined)
    await print(io, { json, value: report, readable: true }, (face) =>
      documentText(benchMarkdown(report), face),
    );
}

export async function tasks(
  { output }: Io,
  { count, seed = "7", kind, pairs }: Values<typeof TASKS>,
): Promise<void> {
  const made = makeTasks({ count, seed, kinds: kind?.map(kindNamed) ?? TASK_KINDS });
  const rows = pairs ? makePairs(made, seed) : made;
  await output.result(rows.map(jsonLine).join(""));
}

function kindNamed(name: string): TaskKind {
  const kind = TASK_KINDS.find((one) => one === name);
  if (kind !== undefined) return kind;
  throw refusal(
    `"${name.slice(0, 40)}" is not a kind of task; expected ${TASK_KINDS.join(", ")}`,
    `--kind ${findNearest(name, TASK_KINDS)}`,
  );
}

export const ablate = (io: Io, options: Values<typeof ABLATE>, file: string): Promise<number> =>
  withParley(io, options, (context) =>
    interruptible(async (signal) => {
      const { concurrency, retryFailed, quiet } = options;
      const tasks = readBenchTasks(file, io, { open: true });
      const prepared = await prepareAblation(context, { file, tasks });
      if (!quiet) for (const note of notesOf(prepared)) io.output.note(note);
      const screens = quiet ? undefined : createJobScreens(io, { arms: SIDES, tasks: tasks.length });
      const asking = { signal, concurrency, retryFailed, ...screens };
      const run = await runAblation(context, prepared, asking).finally(() => screens?.stop());
      const { report, stop } = run;
      if (stop !== "interrupted")
        await print(io, { json: options.json, value: report }, (face) => memoryAblationText(report, face));
      noteEnd(io, run);
      return exitOfAblation(run);
    }),
  );

function notesOf({ begun, notes, tasks }: Awaited<ReturnType<typeof prepareAblation>>): readonly string[] {
  const words = notes.map(wordNote);
  if (begun === 0) return words;
  const some = `${begun === tasks.length ? "All" : formatNumber(begun)} of ${pluralize(tasks.length, "question")}`;
  return [
    ...words,
    `Resuming; ${some} were asked in an earlier run, with its memory. Another --seed asks again`,
  ];
}

function noteEnd(io: Io, { report, stop, caps, judging }: AblationRun): void {
  const { tasks, with: one, without: other, rows } = report;
  const failed = rows.flatMap((row) => [row.with?.failed ?? [], row.without?.failed ?? []].flat());
  const kept = `${one.finished + other.finished} of ${2 * tasks.count} answers are recorded`;
  noteJobEnd(io, { stop, caps, kept, failed, count: pluralize(failed.length, "answer") });
  if (stop === null && judging) noteEarlyEnd(io, { ...judging, lost: lostPrompts(judging.entries) });
}

/** 7 where nothing could be compared; of a judge that was not reached what its calls failed of. */
function exitOfAblation({ report, stop, judging }: AblationRun): number {
  if (stop !== null) return STOP_EXITS[stop];
  if (report.judge?.status === "stopped-by-budget") return EXIT.budget;
  const lost = judging ? lostPrompts(judging.entries) : [];
  if (lost.length > 0) return exitOfFailures(lost);
  if (report.right.all.n + report.grades.all.n > 0) return EXIT.answered;
  return report.with.failed + report.without.failed > 0 ? EXIT.provider : EXIT.inconclusive;
}
