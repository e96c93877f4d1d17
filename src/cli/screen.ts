import type { Entry, Frame } from "../kernel/index.ts";
import { progressView } from "../views/progress.ts";
import { styleOf } from "../reports/style.ts";
import { closingLine, screenLines, type Moment } from "./screen-lines.ts";
import { createScreenLog } from "./screen-log.ts";
import { createLive, systemTime, type Lifecycle, type ScreenTime, type TerminalOutput } from "./terminal.ts";

// Progress on a terminal:

/** Live progress, fed with everything that happens. `stop` may be called more than once. */
export type Screen = { event(entry: Entry): void; frame(frame: Frame): void; stop(): void };

export type ScreenOptions = {
  readonly output: TerminalOutput;
  /** Whether the output can move its cursor; elsewhere progress is plain lines. */
  readonly terminal: boolean;
  readonly color: boolean;
  readonly time?: ScreenTime;
  readonly lifecycle?: Lifecycle;
};

/** The progress of one deliberation; nothing is written before its first event. */
export function createScreen(options: ScreenOptions): Screen {
  const { output, terminal, time = systemTime } = options;
  return terminal
    ? createTerminalScreen(options, time)
    : createScreenLog((text) => void output.write(`${text}\n`), time.now);
}

function createTerminalScreen({ output, color, lifecycle }: ScreenOptions, time: ScreenTime): Screen {
  const style = styleOf(color);
  const view = progressView();
  let sinceMs: number | undefined;
  let tick = 0;
  const moment = (): Moment => ({
    progress: view.read(),
    elapsedMs: time.now() - (sinceMs ?? time.now()),
    tick,
  });
  const live = createLive({
    ...{ output, lifecycle, redrawMs: 100, every: time.every },
    lines(cells) {
      tick += 1;
      return screenLines(moment(), { ...cells, style });
    },
    closing: (cells) => [closingLine(moment(), { ...cells, style })],
  });
  return {
    event(entry) {
      view.event(entry);
      sinceMs ??= time.now();
      live.start();
    },
    frame: view.frame,
    stop: live.stop,
  };
}
