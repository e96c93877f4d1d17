import { callOf, isEvent, type Entry } from "../kernel/index.ts";
import { judgedWork } from "../views/judged-work.ts";
import { formatDuration, formatNumber, formatUsd, pluralize } from "../text/format.ts";
import type { Io } from "./command.ts";
import type { Screen } from "./screen.ts";
import { createProgressLine, type TerminalOutput } from "./terminal.ts";

/** The failed calls of a judge's prompts that have no reply. */
export const lostPrompts = (entries: readonly Entry[]) => judgedWork(entries)?.lost ?? [];

/** The progress of a judge's run, where these are its entries so far; undefined for any other one. */
export function judgeScreen({ output }: Io, entries: readonly Entry[]): (() => Screen) | undefined {
  const prompts = judgedWork(entries)?.asked.of;
  if (prompts === undefined) return undefined;
  return () => judgeProgress({ output: process.stderr, terminal: output.stderr.terminal, prompts });
}

/** One line of how far a judge is and what it cost: drawn in place on a terminal, elsewhere one line for every tenth. */
export function judgeProgress({
  output,
  terminal,
  prompts,
  now = () => performance.now(),
}: {
  readonly output: TerminalOutput;
  readonly terminal: boolean;
  /** Prompts to ask in all. */
  readonly prompts: number;
  readonly now?: () => number;
}): Screen {
  const count = { done: 0, failed: 0, usd: 0, free: true, unknown: false };
  const startedMs = now();
  const words = (): string =>
    [
      `Judging: ${formatNumber(count.done)} of ${pluralize(prompts, "prompt")}`,
      ...(count.failed > 0 ? [`${count.failed} failed`] : []),
      count.unknown ? "cost unknown" : count.free ? "free" : formatUsd(count.usd),
      formatDuration(now() - startedMs),
    ].join(" · ");
  const line = createProgressLine({ output, terminal, words });
  let tenth = 0;
  return {
    event(entry) {
      const call = callOf(entry);
      if (!call) return;
      count.done += 1;
      if (isEvent(entry, "degradation-noted")) count.failed += 1;
      if (call.cost.source === "unknown") count.unknown ||= call.ok;
      else if (entry.origin.by !== "adopted") count.usd += call.cost.usd;
      count.free &&= call.cost.source === "free" || !call.ok;
      const reached = Math.floor((10 * count.done) / Math.max(1, prompts));
      line.step(reached > tenth);
      tenth = reached;
    },
    frame: () => undefined,
    stop: line.stop,
  };
}
