import { cutTo, widthOf } from "../reports/text-width.ts";

// Between two draws the cursor rests at the beginning of the line below the region.
// A drawn line never wraps: autowrap is off while drawing, whatever width the terminal gives a character.
// The region is at most as high as the terminal, less the line of the cursor, so that it can be reached again.

/** The part of a terminal's stream that a region uses. */
export type TerminalOutput = {
  write(text: string): boolean;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** The terminal is behind: a draw now would only queue. */
  readonly writableNeedDrain?: boolean | undefined;
};

/** Lines at the end of a terminal's output that are drawn again in place. */
export type Region = {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Replaces what is drawn; each line fits into the size. Nothing is written when nothing has changed. */
  draw(lines: readonly string[]): void;
  /** Erases the region, leaves `lines` in its place for good, and gives the terminal back. */
  leave(lines: readonly string[]): void;
  /** Gives the terminal back as it is; a later draw takes it again. */
  release(): void;
  /** Takes what is drawn for lost, and draws anew below whatever is there now. */
  forget(): void;
};

// ECMA-48 and DEC private modes.
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const AUTOWRAP_OFF = "\u001b[?7l";
const AUTOWRAP_ON = "\u001b[?7h";
const ERASE_TO_END_OF_LINE = "\u001b[K";
const ERASE_BELOW = "\u001b[J";
const linesText = (lines: readonly string[]): string =>
  lines.map((line) => `${line}${ERASE_TO_END_OF_LINE}\n`).join("");
const up = (lines: number): string => (lines > 0 ? `\u001b[${lines}A` : "");

export function createRegion(output: TerminalOutput): Region {
  let drawn: readonly string[] = [];
  let drawnAt = 0;
  let held = false;

  const size = () => ({ columns: output.columns || 80, rows: Math.max(2, output.rows || 24) });
  /** Lines that the region takes now: a terminal that became narrower has wrapped those that no longer fit. */
  const height = (): number => {
    const { columns, rows } = size();
    const taken = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return Math.min(taken, rows - 1);
  };
  const home = () => `\r${up(height())}`;
  const release = () => {
    if (!held) return;
    held = false;
    output.write(AUTOWRAP_ON + SHOW_CURSOR);
  };

  return {
    size,
    draw(lines) {
      const { columns, rows } = size();
      const next = lines.slice(0, rows - 1);
      const same =
        held &&
        columns === drawnAt &&
        next.length === drawn.length &&
        next.every((line, at) => line === drawn[at]);
      if (same || output.writableNeedDrain) return;
      output.write(HIDE_CURSOR + AUTOWRAP_OFF + home() + linesText(next) + ERASE_BELOW + AUTOWRAP_ON);
      held = true;
      drawn = next;
      drawnAt = columns;
    },
    leave(lines) {
      // Over the old lines, not after erasing all: tmux keeps a copy of a screen that is erased from its top.
      output.write(home() + linesText(lines) + ERASE_BELOW);
      drawn = [];
      release();
    },
    release,
    forget() {
      drawn = [];
      held = false;
    },
  };
}

type LifecycleEvent = "exit" | "SIGTSTP" | "SIGCONT";

/** The events of a process that a terminal has to be given back on, or taken again. */
export type Lifecycle = {
  on(event: LifecycleEvent, listener: () => void): unknown;
  off(event: LifecycleEvent, listener: () => void): unknown;
  /** Stops the process as the terminal's Ctrl-Z would have. */
  suspend(): void;
};

export const processLifecycle: Lifecycle = {
  on: (event, listener) => process.on(event, listener),
  off: (event, listener) => process.off(event, listener),
  suspend: () => process.kill(process.pid, "SIGSTOP"),
};

/** Listens until the returned function is called. */
export function listenLifecycle(
  lifecycle: Pick<Lifecycle, "on" | "off">,
  listeners: readonly (readonly [LifecycleEvent, () => void])[],
): () => void {
  for (const one of listeners) lifecycle.on(...one);
  return () => {
    for (const one of listeners) lifecycle.off(...one);
  };
}

/**
 * Gives the terminal back whenever the process leaves it: on every exit (a crash, a second Ctrl-C, a plain
 * `process.exit`) and on Ctrl-Z, after which the region is drawn anew. The returned function ends that.
 */
export function guardTerminal(region: Region, lifecycle: Lifecycle): () => void {
  const suspend = () => {
    region.release();
    lifecycle.suspend();
  };
  return listenLifecycle(lifecycle, [
    ["exit", region.release],
    ["SIGTSTP", suspend],
    ["SIGCONT", region.forget],
  ]);
}

export type ScreenTime = {
  /** Milliseconds. */
  readonly now: () => number;
  /** Calls `run` every `ms` until the returned function is called; keeps no process alive. */
  readonly every: (ms: number, run: () => void) => () => void;
};

export const systemTime: ScreenTime = {
  now: () => performance.now(),
  every: (ms, run) => {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
};

/** What may be drawn on. The last column stays free: some terminals wrap when it is written. */
type Cells = { readonly columns: number; readonly rows: number };

type LiveOptions = {
  readonly output: TerminalOutput;
  readonly redrawMs: number;
  readonly lines: (cells: Cells) => readonly string[];
  /** What is left in the end. */
  readonly closing: (cells: Cells) => readonly string[];
  readonly every?: ScreenTime["every"] | undefined;
  readonly lifecycle?: Lifecycle | undefined;
};

/** Lines that are drawn again every `redrawMs` from `start` on. Nothing more is written after `stop`, which may be called more than once. */
export function createLive({
  output,
  redrawMs,
  lines,
  closing,
  every = systemTime.every,
  lifecycle = processLifecycle,
}: LiveOptions) {
  const region = createRegion(output);
  let end: (() => void) | undefined;
  let stopped = false;
  const cells = (): Cells => {
    const { columns, rows } = region.size();
    return { columns: Math.max(1, columns - 1), rows: rows - 1 };
  };
  const draw = () => region.draw(lines(cells()));
  return {
    /** Draws at once, unless that is to wait for the first `redrawMs`. */
    start({ draws = true } = {}): void {
      if (end || stopped) return;
      const unguard = guardTerminal(region, lifecycle);
      const untick = every(redrawMs, draw);
      end = () => {
        untick();
        unguard();
      };
      if (draws) draw();
    },
    /** Writes lines above for good, in the place of what is drawn; that is drawn again with the next `redrawMs`. */
    keep(lines: readonly string[]): void {
      if (!stopped) region.leave(lines);
    },
    stop(): void {
      if (stopped) return;
      stopped = true;
      end?.();
      if (end) region.leave(closing(cells()));
    },
  };
}

/** One line of how far something is: drawn in place on a terminal; elsewhere a line whenever a step is worth one. */
export function createProgressLine({
  output,
  terminal,
  words,
}: Pick<LiveOptions, "output"> & { readonly terminal: boolean; readonly words: () => string }) {
  const line = ({ columns }: Cells) => [cutTo(words(), columns)];
  const live = terminal ? createLive({ output, redrawMs: 200, lines: line, closing: line }) : undefined;
  live?.start({ draws: false });
  let stopped = false;
  return {
    /** `isWorth`: whether a line is written where nothing is drawn in place. */
    step(isWorth: boolean): void {
      if (!stopped && !live && isWorth) output.write(`${words()}\n`);
    },
    /** May be called more than once; nothing is drawn after it. */
    stop(): void {
      stopped = true;
      live?.stop();
    },
  };
}
