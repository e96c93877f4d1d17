import { callOf, isEvent, type Entry } from "../../kernel/index.ts";
import { cutTo } from "../../reports/text-width.ts";
import { pluralize, formatDuration, formatNumber, formatUsd } from "../../text/format.ts";
import { judgedWork } from "../../protocols/judge/view-items.ts";
import type { Io } from "../command.ts";
import type { Screen } from "../screen.ts";
import { guardTerminal, processLifecycle } from "../terminal-lifecycle.ts";
import { createRegion, type TerminalOutput } from "../terminal-region.ts";

/** The progress of a judge's deliberation, where these are its entries so far; undefined for any other one. */
export function judgeScreen({ output }: Io, entries: readonly Entry[]): (() => Screen) | undefined {
  const prompts = judgedWork(entries)?.asked.of;
  if (prompts === undefined) return undefined;
  return () => judgeProgress({ output: process.stderr, terminal: output.stderr.terminal, prompts });
}

type JudgeProgressOptions = {
  readonly output: TerminalOutput;
  readonly terminal: boolean;
  /** Prompts to ask in all. */
  readonly prompts: number;
  readonly now?: () => number;
};

const REDRAW_MS = 200;

/** A line of how far a judge is and what it took: drawn in place on a terminal, elsewhere one line for every tenth. */
export function judgeProgress({
  output,
  terminal,
  prompts,
  now = () => performance.now(),
}: JudgeProgressOptions): Screen {
  const count = { done: 0, failed: 0, usd: 0, free: true, unknown: false };
  const startedMs = now();
  const region = terminal ? createRegion(output) : undefined;
  const line = (): string =>
    [
      `Judging: ${formatNumber(count.done)} of ${pluralize(prompts, "prompt")}`,
      ...(count.failed > 0 ? [`${count.failed} failed`] : []),
      count.unknown ? "cost unknown" : count.free ? "free" : formatUsd(count.usd),
      formatDuration(now() - startedMs),
    ].join(" · ");
  const draw = () => region?.draw([cutTo(line(), region.size().columns - 1)]);
  const unguard = region && guardTerminal(region, processLifecycle);
  const timer = region && setInterval(draw, REDRAW_MS).unref();
  let tenth = 0;
  let stopped = false;
  return {
    event(entry) {
      const call = callOf(entry);
      if (stopped || !call) return;
      count.done += 1;
      if (isEvent(entry, "degradation-noted")) count.failed += 1;
      if (call.cost.source === "unknown") count.unknown ||= call.ok;
      else if (entry.origin.by !== "adopted") count.usd += call.cost.usd;
      count.free &&= call.cost.source === "free" || !call.ok;
      const reached = Math.floor((10 * count.done) / Math.max(1, prompts));
      if (!region && reached > tenth) output.write(`${line()}\n`);
      tenth = reached;
    },
    frame: () => undefined,
    stop() {
      if (stopped) return;
      stopped = true;
      clearInterval(timer);
      region?.leave([cutTo(line(), region.size().columns - 1)]);
      unguard?.();
    },
  };
}
