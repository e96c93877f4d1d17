import {
  prepareAblation,
  readAblationTasks,
  runAblation,
  type AblationRun,
} from "../../lab/ablation/ablate.ts";
import type { BenchStop } from "../../lab/bench/bench.ts";
import type { BenchRow } from "../../lab/bench/row.ts";
import type { MemoryAblation } from "../../lab/ablation/report.ts";
import { memoryAblationText } from "../../lab/ablation/text.ts";
import { oneLine } from "../../reports/printable.ts";
import { pluralize, formatDuration, formatNumber } from "../../text/format.ts";
import type { CommandModule, Io } from "../command.ts";
import { EXIT, exitOfFailures } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { capsPassed, raiseWords } from "../remedies.ts";
import { respondFlags } from "../respond-flags.ts";
import { wordNote } from "../notes.ts";
import { withParley } from "../session.ts";
import { judgeProgress } from "./judge-progress.ts";
import { endedEarly, lostIn } from "./judge-run.ts";
import { wholeFlag } from "./memory-place.ts";
import { memoryProgress } from "./memory-progress.ts";

const CONCURRENCY = 4;

const EXITS: { readonly [S in BenchStop]: number } = {
  budget: EXIT.budget,
  access: EXIT.authentication,
  interrupted: EXIT.interrupted,
};

/** `parley memory ablate QUESTIONS`: answers with memory and without; what is recorded is not asked again. */
export const run: CommandModule["run"] = (io, [file = ""], flags) =>
  withParley(io, respondFlags(flags), async (parley) => {
    const quiet = flags["quiet"] === true;
    const concurrency = wholeFlag(flags, "concurrency", CONCURRENCY);
    const tasks = readAblationTasks(file, io);
    const prepared = await prepareAblation(parley, { file, tasks });
    if (!quiet) for (const note of notesOf(prepared)) io.output.note(note);
    const stop = interruption();
    const screens = quiet ? undefined : screensOf(io, 2 * tasks.length);
    try {
      const ran = await runAblation(parley, prepared, {
        signal: stop.signal,
        concurrency,
        retryFailed: flags["retryFailed"] === true,
        ...screens,
      });
      screens?.stop();
      if (ran.stop !== "interrupted") await print(io, ran.report, flags["json"] === true);
      for (const line of endLines(ran)) io.output.note(line);
      return exitOf(ran);
    } finally {
      screens?.stop();
      stop.release();
    }
  });

function notesOf({ begun, notes, tasks }: Awaited<ReturnType<typeof prepareAblation>>): readonly string[] {
  return begun === 0
    ? notes.map(wordNote)
    : [
        ...notes.map(wordNote),
        `${begun === tasks.length ? "All" : formatNumber(begun)} of ${pluralize(tasks.length, "question")} were asked in an earlier run, with what was remembered then; what is recorded is not asked again. Another --seed asks afresh`,
      ];
}

/** The line of the answers, then that of the judge. */
function screensOf({ output }: Io, all: number) {
  const terminal = output.stderr.terminal;
  const sinceMs = performance.now();
  const done = new Set<string>();
  let tenth = 0;
  const answering = memoryProgress({
    output: process.stderr,
    terminal,
    words: () =>
      `Answering: ${formatNumber(done.size)} of ${formatNumber(all)} · ${formatDuration(performance.now() - sinceMs)}`,
  });
  let judging: ReturnType<typeof judgeProgress> | undefined;
  return {
    onRow({ arm, failed, finished, task }: BenchRow, fresh: boolean) {
      if (finished || failed !== null) done.add(`${arm}\n${task}`);
      const reached = Math.floor((10 * done.size) / all);
      answering.step(fresh && reached > tenth);
      tenth = reached;
    },
    onJudging(answers: number) {
      answering.stop();
      judging = judgeProgress({ output: process.stderr, terminal, prompts: answers });
      return judging.event;
    },
    stop() {
      answering.stop();
      judging?.stop();
    },
  };
}

async function print({ output }: Io, report: MemoryAblation, json: boolean): Promise<void> {
  const { color, columns: width } = output.stdout;
  await output.result(
    json ? `${JSON.stringify(report, undefined, 2)}\n` : memoryAblationText(report, { color, width }),
  );
}

/** What its owner should do next, if anything. */
function endLines({ report, stop, caps: { budget, passed }, judging }: AblationRun): string[] {
  const { tasks, with: one, without: other } = report;
  const kept = `${one.finished + other.finished} of ${2 * tasks.count} answers are recorded`;
  switch (stop) {
    case "interrupted":
      return [`Interrupted; ${kept}. Go on with the same command`];
    case "budget":
      return [
        `parley: the budget does not reach for what is left; ${kept}; next: ${raiseWords(capsPassed(passed, budget))}; the same command then goes on`,
      ];
    case "access":
      return [
        `parley: a provider refused the key or wants to be paid; ${kept}; next: see to it (parley doctor), then the same command with --retry-failed`,
      ];
    case null: {
      const early = judging && endedEarly(judging.entries);
      return [...failedLines(report), ...(early ? [early] : [])];
    }
  }
}

function failedLines({ rows }: MemoryAblation): string[] {
  const failed = rows.flatMap((row) => [row.with?.failed ?? [], row.without?.failed ?? []].flat());
  const [why] = failed;
  return why === undefined
    ? []
    : [
        `parley: ${pluralize(failed.length, "answer")} failed and count nowhere: ${oneLine(why)}; next: see to it (parley doctor), then the same command with --retry-failed`,
      ];
}

/** 7 where nothing could be compared; of a judge that was not reached what its calls failed of. */
function exitOf({ report, stop, judging }: AblationRun): number {
  if (stop !== null) return EXITS[stop];
  if (report.judge?.status === "stopped-by-budget") return EXIT.budget;
  const lost = judging ? lostIn(judging.entries) : [];
  if (lost.length > 0) return exitOfFailures(lost.map(({ code }) => code));
  if (report.right.all.n + report.grades.all.n > 0) return EXIT.answered;
  return report.with.failed + report.without.failed > 0 ? EXIT.provider : EXIT.inconclusive;
}
