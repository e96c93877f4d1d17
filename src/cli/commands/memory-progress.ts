import { cutTo } from "../../reports/text-width.ts";
import { guardTerminal, processLifecycle, type Lifecycle } from "../terminal-lifecycle.ts";
import { createRegion, type TerminalOutput } from "../terminal-region.ts";

const REDRAW_MS = 200;

export type MemoryProgressOptions = {
  readonly output: TerminalOutput;
  readonly terminal: boolean;
  /** How far it is, in words. */
  readonly words: () => string;
  readonly lifecycle?: Lifecycle;
};

/** One line of how far something is: drawn in place on a terminal, elsewhere a line whenever `step` says that it is worth one. */
export type MemoryProgress = {
  /** `worth`: whether it is to be said where nothing is drawn in place. */
  step(worth: boolean): void;
  /** May be called more than once; nothing is drawn after it. */
  stop(): void;
};

export function memoryProgress({
  output,
  terminal,
  words,
  lifecycle = processLifecycle,
}: MemoryProgressOptions): MemoryProgress {
  const region = terminal ? createRegion(output) : undefined;
  const draw = () => region?.draw([cutTo(words(), region.size().columns - 1)]);
  const unguard = region && guardTerminal(region, lifecycle);
  const timer = region && setInterval(draw, REDRAW_MS).unref();
  let stopped = false;
  return {
    step(worth) {
      if (!stopped && !region && worth) output.write(`${words()}\n`);
    },
    stop() {
      if (stopped) return;
      stopped = true;
      clearInterval(timer);
      region?.leave([cutTo(words(), region.size().columns - 1)]);
      unguard?.();
    },
  };
}
