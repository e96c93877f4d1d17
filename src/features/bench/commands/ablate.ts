import { prepareAblation, runAblation, type AblationRun } from "../app/ablation/ablate.ts";
import { readBenchTasks } from "../../../app/tasks.ts";
import { SIDES } from "../app/ablation/report.ts";
import { memoryAblationText } from "../app/ablation/text.ts";
import { formatNumber, pluralize } from "../../../text/format.ts";
import { createJobScreens, noteJobEnd, STOP_EXITS } from "./progress.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import { EXIT, exitOfFailures } from "../../../cli/exits.ts";
import { noteEarlyEnd } from "../../../cli/lab-job.ts";
import { wordNote } from "../../../cli/notes.ts";
import type { ABLATE } from "./index.ts";
import { interruptible, withParley } from "../../../cli/session.ts";
import { lostPrompts } from "../../../cli/judge-progress.ts";

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
