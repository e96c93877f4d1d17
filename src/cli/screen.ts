import type { Entry, Frame } from "../kernel/index.ts";
import { progressView } from "../views/progress.ts";
import { styleOf } from "../reports/style.ts";
import { closingLine, screenLines, type Moment } from "./screen-lines.ts";
import { createScreenLog } from "./screen-log.ts";
import { guardTerminal, processLifecycle, type Lifecycle } from "./terminal.ts";
import { createRegion, type TerminalOutput } from "./terminal.ts";

// Progress on a terminal:
// SCREEN-1. It is drawn at most once in `REDRAW_MS`, however many frames come.
// SCREEN-2. After `stop` nothing more is written, and the terminal is as it was but for one line.

/** Live progress, fed with everything that happens. `stop` may be called more than once. */
export type Screen = {
  event(entry: Entry): void;
  frame(frame: Frame): void;
  stop(): void;
};

export type ScreenTime = {
  /** Milliseconds. */
  readonly now: () => number;
  /** Calls `run` every `ms` until the returned function is called; keeps no process alive. */
  readonly every: (ms: number, run: () => void) => () => void;
};

export type ScreenOptions = {
  readonly output: TerminalOutput;
  /** Whether the output can move its cursor; elsewhere progress is plain lines. */
  readonly terminal: boolean;
  readonly color: boolean;
  readonly time?: ScreenTime;
  readonly lifecycle?: Lifecycle;
};

const REDRAW_MS = 100;

const systemTime: ScreenTime = {
  now: () => performance.now(),
  every: (ms, run) => {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
};

/** The progress of one deliberation; nothing is written before its first event. */
export function createScreen(options: ScreenOptions): Screen {
  const { output, terminal, time = systemTime } = options;
  return terminal
    ? createTerminalScreen(options, time)
    : createScreenLog({ line: (text) => void output.write(`${text}\n`), now: time.now });
}

function createTerminalScreen(
  { output, color, lifecycle = processLifecycle }: ScreenOptions,
  time: ScreenTime,
): Screen {
  const style = styleOf(color);
  const region = createRegion(output);
  const view = progressView();
  let running: { readonly sinceMs: number; readonly end: () => void } | undefined;
  let stopped = false;
  let tick = 0;

  const moment = (): Moment => ({
    progress: view.read(),
    elapsedMs: running ? time.now() - running.sinceMs : 0,
    tick,
  });
  /** The last column stays free: some terminals wrap when it is written. */
  const space = () => {
    const { columns, rows } = region.size();
    return { columns: Math.max(1, columns - 1), rows: rows - 1, style };
  };
  const draw = () => {
    tick += 1;
    region.draw(screenLines(moment(), space()));
  };
  const start = () => {
    const unguard = guardTerminal(region, lifecycle);
    const untick = time.every(REDRAW_MS, draw); // SCREEN-1
    running = {
      sinceMs: time.now(),
      end: () => {
        untick();
        unguard();
      },
    };
    draw();
  };

  return {
    event(entry) {
      if (stopped) return;
      view.event(entry);
      if (!running) start();
    },
    frame(frame) {
      if (!stopped) view.frame(frame);
    },
    stop() {
      if (stopped) return;
      stopped = true;
      if (!running) return;
      running.end();
      region.leave([closingLine(moment(), space())]); // SCREEN-2
    },
  };
}
