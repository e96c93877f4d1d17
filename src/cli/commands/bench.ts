import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkSetting } from "../../config/sources.ts";
import { Fault } from "../../kernel/index.ts";
import {
  type BenchRun,
  type BenchStop,
  prepareBench,
  readBenchTasks,
  runBench,
} from "../../lab/bench/bench.ts";
import { benchMarkdown } from "../../lab/bench/markdown.ts";
import type { BenchReport } from "../../lab/bench/report.ts";
import { benchSvg } from "../../lab/bench/svg.ts";
import { createBenchScreen } from "../bench-screen.ts";
import type { CommandModule, Io } from "../command.ts";
import { EXIT } from "../exits.ts";
import { interruption } from "../interruption.ts";
import { wordNote } from "../notes.ts";
import { capsPassed, raiseWords } from "../remedies.ts";
import { withParley } from "../session.ts";

type Flags = Readonly<Record<string, unknown>>;

const EXITS: { readonly [S in BenchStop]: number } = {
  budget: EXIT.budget,
  access: EXIT.authentication,
  interrupted: EXIT.interrupted,
};

/** `parley bench TASKS`: the arms on the same questions; what is recorded is not asked again. */
export const run: CommandModule["run"] = (io, [file = ""], flags) => {
  const { budget, maxCostUsd = budget } = flags;
  if (budget !== undefined) checkBudget(budget);
  return withParley(io, { ...flags, maxCostUsd }, async (parley) => {
    const out = typeof flags["out"] === "string" ? openFolder(resolve(io.cwd, flags["out"])) : undefined;
    const samples = wholeNumber(flags, "samples");
    const concurrency = wholeNumber(flags, "concurrency") ?? CONCURRENCY;
    const bench = await prepareBench(parley, {
      file,
      tasks: readBenchTasks(file, io),
      arms: Array.isArray(flags["arms"]) ? flags["arms"].map(String) : [],
      ...(samples === undefined ? {} : { samples }),
    });
    const quiet = flags["quiet"] === true;
    if (!quiet) for (const note of bench.notes) io.output.note(wordNote(note));
    const interrupt = interruption();
    const screen = quiet
      ? undefined
      : createBenchScreen({
          output: process.stderr,
          ...io.output.stderr,
          arms: bench.arms.map(({ arm }) => arm.name),
          tasks: bench.tasks.length,
        });
    try {
      const ran = await runBench(parley, bench, {
        signal: interrupt.signal,
        concurrency,
        retryFailed: flags["retryFailed"] === true,
        ...(screen ? { onRow: screen.row } : {}),
      });
      screen?.stop();
      const { report, stop } = ran;
      if (stop !== "interrupted") await print(io, report, { out, json: flags["json"] === true });
      for (const line of endLines(ran, budget === undefined ? {} : { usd: "--budget" })) io.output.note(line);
      if (stop !== null) return EXITS[stop];
      return nothingCounts(report) ? EXIT.provider : EXIT.answered;
    } finally {
      screen?.stop();
      interrupt.release();
    }
  });
};

/** As any setting is checked, under the name that it was given by. */
function checkBudget(raw: unknown): void {
  const name = "--budget";
  checkSetting("maxCostUsd", {
    raw,
    name,
    place: () => name,
    example: (text) => `write ${name} ${text}`,
  });
}

/** Whether something failed, and nothing else came to its end: an outage, and no result. */
const nothingCounts = ({ arms, rows }: BenchReport): boolean =>
  rows.some(({ failed }) => failed !== null) && arms.every(({ accuracy }) => accuracy.n === 0);

const CONCURRENCY = 4;

function wholeNumber(flags: Flags, name: string): number | undefined {
  const given = flags[name];
  if (given === undefined) return undefined;
  const number = Number(given);
  if (Number.isInteger(number) && number >= 1 && number <= 1_000) return number;
  throw new Fault("configuration", {
    why: `--${name} ${JSON.stringify(given)} is no number of them`,
    next: "give a whole number from 1 to 1000",
  });
}

/** Before anything is asked: whoever names a place that cannot be written to shall know at once. */
function openFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch (error) {
    throw unwritable(folder, error);
  }
}

const unwritable = (path: string, error: unknown): Fault<"configuration"> =>
  new Fault("configuration", {
    why: `${path} cannot be written (${error instanceof Error && "code" in error ? String(error.code) : "unknown"})`,
    next: "name another folder with --out; what was asked is kept, and the same command goes on",
  });

async function print(
  { output }: Pick<Io, "output">,
  report: BenchReport,
  { out, json }: { readonly out: string | undefined; readonly json: boolean },
): Promise<void> {
  const text = `${JSON.stringify(report, undefined, 2)}\n`;
  if (out !== undefined) {
    const plot = "accuracy-over-cost.svg";
    for (const [name, content] of [
      ["report.md", benchMarkdown(report, { plot })],
      ["report.json", text],
      [plot, benchSvg(report)],
    ] as const) {
      try {
        writeFileSync(join(out, name), content);
      } catch (error) {
        throw unwritable(join(out, name), error);
      }
    }
    output.note(`Written: report.md, report.json and ${plot} in ${out}`);
  }
  const { terminal, columns } = output.stdout;
  if (json) await output.result(text);
  else if (out === undefined) await output.result(benchMarkdown(report, terminal ? { width: columns } : {}));
}

/** What its owner should do next, if anything. */
function endLines(
  { report, stop, caps: { budget, passed } }: BenchRun,
  flags: Parameters<typeof raiseWords>[1],
): string[] {
  const { arms } = report;
  const open = arms.reduce((sum, { unfinished }) => sum + unfinished, 0);
  const all = arms.reduce((sum, { unfinished, accuracy }) => sum + unfinished + accuracy.n, 0);
  const kept = `${all - open} of ${all} are finished and recorded`;
  switch (stop) {
    case null:
      return failedLines(report);
    case "interrupted":
      return [`Interrupted; ${kept}. Go on with the same command`];
    case "budget":
      return [
        `parley: the budget does not reach for the next deliberation in its worst case; ${kept}; next: ${raiseWords(capsPassed(passed, budget), flags)}; the same command then goes on`,
      ];
    case "access":
      return [
        `parley: a provider refused the key or wants to be paid; ${kept}; next: see to it (parley doctor), then the same command with --retry-failed`,
      ];
  }
}

function failedLines({ rows }: BenchReport): string[] {
  const failed = rows.flatMap((row) => row.failed ?? []);
  const [why] = failed;
  return why === undefined
    ? []
    : [
        `parley: ${failed.length} of ${rows.length} failed and are not scored: ${why.replaceAll(/[\s\p{C}]+/gu, " ").slice(0, 400)}; next: see to it (parley doctor), then the same command with --retry-failed`,
      ];
}
