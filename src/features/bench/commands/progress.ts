import { capsPassed } from "../../../app/outcome.ts";
import { noteProblem, raiseCaps } from "../../../cli/errors.ts";
import { EXIT } from "../../../cli/exits.ts";
import { oneLine } from "../../../reports/printable.ts";
import type { BenchRun, BenchStop } from "../app/bench.ts";
import type { BenchRow } from "../contract.ts";
import { align } from "../../../reports/labelled-rows.ts";
import { styleOf } from "../../../reports/style.ts";
import { cutTo } from "../../../reports/text-width.ts";
import { pluralize, formatDuration, formatNumber, formatUsd } from "../../../text/format.ts";
import type { Io } from "../../../cli/command.ts";
import { judgeProgress } from "../../../cli/judge-progress.ts";
import type { Screen } from "../../../cli/screen.ts";
import { guardTerminal, processLifecycle, type Lifecycle } from "../../../cli/terminal.ts";
import { createRegion, type TerminalOutput } from "../../../cli/terminal.ts";

export type BenchScreenOptions = {
  readonly output: TerminalOutput;
  readonly terminal: boolean;
  readonly color: boolean;
  readonly arms: readonly string[];
  readonly tasks: number;
  /** Milliseconds. */
  readonly now?: () => number;
  readonly lifecycle?: Lifecycle;
};

/** Whether nothing more is asked for it, unless that is wanted. */
const isDone = ({ finished, failed }: BenchRow): boolean => finished || failed !== null;

const REDRAW_MS = 100;
/** Where there is no terminal, a line for every such part of the whole. */
const LOG_PARTS = 10;

/** From fewer nobody can tell how long the rest takes. */
const FEW = 5;

/** On a terminal a line an arm, drawn again in place; elsewhere a line for every tenth of the whole. */
export function createBenchScreen({
  output,
  terminal,
  color,
  arms,
  tasks,
  now = () => performance.now(),
  lifecycle = processLifecycle,
}: BenchScreenOptions) {
  const rows = new Map<string, BenchRow>();
  const startedMs = now();
  const total = arms.length * tasks;
  let worked = 0;
  let drawnMs = -Infinity;
  let logged = -1;
  let stopped = false;
  const style = styleOf(color);
  const region = terminal ? createRegion(output) : undefined;
  const unguard = region && guardTerminal(region, lifecycle);

  const finished = () => [...rows.values()].filter(isDone);
  const summary = (): string => {
    const done = finished().length;
    const all = [...rows.values()];
    const usd = all.reduce<number | null>(
      (sum, row) => (sum === null || row.usd === null ? null : sum + row.usd),
      0,
    );
    const calls = all.reduce((sum, row) => sum + row.calls, 0);
    const money = usd === null ? "cost unknown" : usd === 0 ? "free so far" : formatUsd(usd);
    const left =
      worked < FEW || done === total
        ? ""
        : `, about ${formatDuration(((now() - startedMs) / worked) * (total - done))} left`;
    return `${formatNumber(done)} of ${formatNumber(total)} done, ${pluralize(calls, "call")}, ${money}${left}`;
  };
  const lines = (columns: number): string[] => {
    const table = arms.map((arm) => {
      const own = finished().filter((row) => row.arm === arm);
      const failed = own.filter((row) => row.failed !== null).length;
      const known = own.filter((row) => row.right !== null);
      const right = known.filter((row) => row.right).length;
      const silent = own.filter(({ answer, finished: counts }) => counts && answer === null).length;
      return [
        arm,
        `${own.length}/${tasks}`,
        known.length > 0 || own.length === 0 ? `${right} right` : "",
        [
          ...(silent > 0 ? [`${silent} without an answer`] : []),
          ...(failed > 0 ? [`${failed} failed`] : []),
        ].join(", "),
      ];
    });
    return [style.bold(cutTo(summary(), columns)), ...align(table, columns)];
  };
  const draw = () => {
    drawnMs = now();
    region?.draw(lines(region.size().columns - 1));
  };

  return {
    /** Takes the rows as they are known. */
    row(row: BenchRow, fresh: boolean): void {
      if (stopped) return;
      rows.set(`${row.task}\n${row.arm}`, row);
      if (fresh && isDone(row)) worked += 1;
      if (region) {
        if (now() - drawnMs >= REDRAW_MS) draw();
        return;
      }
      const part = Math.floor((finished().length * LOG_PARTS) / total);
      if (!fresh || part === logged) return;
      logged = part;
      output.write(`${summary()}\n`);
    },
    /** May be called more than once; nothing is drawn after it. */
    stop(): void {
      if (stopped) return;
      stopped = true;
      unguard?.();
      region?.leave([cutTo(summary(), region.size().columns - 1)]);
    },
  };
}

type JobScreens = Pick<BenchScreenOptions, "arms" | "tasks"> & {
  /** How often a judge is asked of each thing that it judges. */
  readonly promptsEach?: number;
};

/** The progress of a bench: its arms, then its judge. */
export function createJobScreens({ output }: Pick<Io, "output">, { promptsEach = 1, ...size }: JobScreens) {
  const screen = createBenchScreen({ output: process.stderr, ...output.stderr, ...size });
  let judging: Screen | undefined;
  return {
    onRow: screen.row,
    onJudging(count: number) {
      screen.stop();
      const { terminal } = output.stderr;
      judging = judgeProgress({ output: process.stderr, terminal, prompts: promptsEach * count });
      return judging.event;
    },
    stop() {
      screen.stop();
      judging?.stop();
    },
  };
}

/** The exit codes of jobs of many runs that stopped early. */
export const STOP_EXITS: { readonly [S in BenchStop]: number } = {
  budget: EXIT.budget,
  access: EXIT.authentication,
  interrupted: EXIT.interrupted,
};

type LabJobEnd = Pick<BenchRun, "stop" | "caps"> & {
  /** What is finished: `3 of 8 are finished and recorded`. */
  readonly kept: string;
  /** Why runs failed, one for each, of `count` of them. */
  readonly failed: readonly string[];
  readonly count: string;
};

const DOCTOR = "parley doctor, then the same command with --retry-failed";

/** Says what to do after a job of many runs, if anything. */
export function noteJobEnd(
  io: Pick<Io, "output">,
  { stop, caps: { budget, passed }, kept, failed, count }: LabJobEnd,
): void {
  const [why] = failed;
  if (stop === "interrupted") io.output.note(`Interrupted; ${kept}. Try: the same command, which resumes`);
  else if (stop === "budget")
    noteProblem(io, {
      problem: `budget exceeded: what is left may cost more; ${kept}`,
      next: `${raiseCaps(capsPassed(passed, budget))}; the same command then resumes`,
    });
  else if (stop === "access")
    noteProblem(io, { problem: `invalid API key or insufficient quota; ${kept}`, next: DOCTOR });
  else if (why !== undefined)
    noteProblem(io, { problem: `${count} failed and are not scored: ${oneLine(why, 400)}`, next: DOCTOR });
}
