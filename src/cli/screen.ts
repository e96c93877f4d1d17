import { type Entry, type Frame, isEvent, type StepKey } from "../kernel/index.ts";
import { progressView } from "../views/progress.ts";
import { styleOf } from "../reports/style.ts";
import { closingLine, screenLines, type Moment, outcomeWords, spentWords } from "./screen-lines.ts";
import { createLive, systemTime, type Lifecycle, type ScreenTime, type TerminalOutput } from "./terminal.ts";
import { formatNumber } from "../text/format.ts";
import { jsonLine, oneLine } from "../reports/printable.ts";
import { entryWords, workWords } from "../reports/entry-words.ts";

// Progress on a terminal:

/** What shows a run on its way, fed with everything that happens. */
export type Screen = {
  event(entry: Entry): void;
  frame(frame: Frame): void;
  /** Takes back what is drawn; it may be called more than once. */
  stop(): void;
  /** Writes the answer in its own way and gives the exit code, or ends one that was broken off. */
  readonly end?: ((isClosed: boolean) => Promise<number | undefined>) | undefined;
};

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

/**
 * Progress as plain lines, one for each change of state and none for a token: for a log, a pipe, a CI job. With `verbose`
 * each text's first line stands under it, and each call of a tool has its arguments.
 */
export function createScreenLog(
  line: (text: string) => void,
  nowMs: () => number,
  { verbose = false }: { readonly verbose?: boolean } = {},
) {
  const view = progressView();
  const attempts = new Map<StepKey, number>();
  let startedAtMs: number | undefined;

  return {
    event(entry: Entry): void {
      startedAtMs ??= nowMs();
      view.event(entry);
      const ended = isEvent(entry, "deliberation-closed")
        ? [outcomeWords(entry.data.outcome, nowMs() - startedAtMs), spentWords(view.read().spent)]
            .filter(Boolean)
            .join(" · ")
        : undefined;
      const text = ended ?? entryWords(entry);
      if (text !== undefined) line(oneLine(text, 500));
      const more = verbose ? detailOf(entry) : undefined;
      if (more !== undefined) line(`  ${oneLine(more, 300)}`);
    },
    frame(frame: Frame): void {
      const before = attempts.get(frame.step);
      const attempt = attemptOf(frame);
      if (before !== undefined && attempt <= before) return;
      attempts.set(frame.step, attempt);
      const { by = frame.step, kind = frame.step, of } = frame.work ?? {};
      const target = kind === "critique" && of !== undefined ? ` on ${of}` : "";
      const again = before !== undefined ? ` again (attempt ${attempt})` : "";
      line(oneLine(`${by}${target}: ${workWords(kind).doing}${again}…`, 500));
    },
    stop: () => undefined,
  };
}

const attemptOf = (frame: Frame): number => (frame.kind === "text" ? frame.delta.attempt : 1);

/** What a verbose log adds: the first line of a text, and what a tool was called with and gave. */
function detailOf(entry: Entry): string | undefined {
  if (isEvent(entry, "answer-given", "critique-given", "synthesis-given", "summary-made"))
    return entry.data.text.split("\n").find((one) => one.trim() !== "");
  if (!isEvent(entry, "tool-called")) return undefined;
  const { by, tool, arguments: given, result } = entry.data;
  const { length } = jsonLine(result).trimEnd();
  return `${by}: ${tool} ${jsonLine(given).trimEnd().slice(0, 200)} → ${formatNumber(length)} characters`;
}
