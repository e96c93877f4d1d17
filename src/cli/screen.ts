import { type Entry, type Frame, isEvent, type StepKey } from "../kernel/index.ts";
import { progressView } from "../views/progress.ts";
import { styleOf } from "../reports/style.ts";
import {
  closingLine,
  isReadable,
  screenLines,
  type Moment,
  outcomeWords,
  spentWords,
} from "./screen-lines.ts";
import { createLive, systemTime, type Lifecycle, type ScreenTime, type TerminalOutput } from "./terminal.ts";
import { formatNumber } from "../text/format.ts";
import { doingWords } from "../reports/doing-words.ts";
import { jsonLine, oneLine, printable } from "../reports/printable.ts";
import { cutTo, wrap } from "../reports/text-width.ts";
import { doingAfter } from "../views/doing.ts";
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
  /** Listens for the key that shows finished texts until the returned function is called; absent where no key is heard. */
  readonly keys?: ((show: () => void) => () => void) | undefined;
};

/** The progress of one deliberation; nothing is written before its first event. */
export function createScreen(options: ScreenOptions): Screen {
  const { output, terminal, time = systemTime } = options;
  return terminal
    ? createTerminalScreen(options, time)
    : createScreenLog((text) => void output.write(`${text}\n`), time.now);
}

function createTerminalScreen({ output, color, lifecycle, keys }: ScreenOptions, time: ScreenTime): Screen {
  const style = styleOf(color);
  const view = progressView();
  let sinceMs: number | undefined;
  let tick = 0;
  const shown = new Set<StepKey>();
  /** Texts for people that are in and were not shown. */
  const unshown = () =>
    keys === undefined
      ? []
      : view
          .read()
          .rows.flatMap(({ name, steps }) => steps.map((step) => ({ name, step })))
          .filter(({ step }) => step.state === "done" && isReadable(step) && !shown.has(step.step));
  const moment = (): Moment => ({
    progress: view.read(),
    elapsedMs: time.now() - (sinceMs ?? time.now()),
    ...{ nowMs: time.now(), unshown: unshown().length, tick },
  });
  const live = createLive({
    ...{ output, lifecycle, redrawMs: 100, every: time.every },
    lines(cells) {
      tick += 1;
      return screenLines(moment(), { ...cells, style });
    },
    closing: (cells) => [closingLine(moment(), { ...cells, style })],
  });
  /** Leaves the finished texts above what is drawn, where the terminal can be scrolled back to them. */
  const showTexts = () => {
    const columns = Math.max(NARROWEST, (output.columns || 80) - 1);
    for (const { name, step } of unshown()) {
      shown.add(step.step);
      const head = cutTo(`${oneLine(name, 100)} · ${workWords(step.work).done}`, columns);
      live.keep([style.bold(head), ...wrap(printable(step.text), columns), ""]);
    }
  };
  const unlisten = keys?.(showTexts);
  return {
    event(entry) {
      view.event(entry);
      sinceMs ??= time.now();
      live.start();
    },
    frame: (frame) => view.frame(frame, time.now()),
    stop() {
      unlisten?.();
      live.stop();
    },
  };
}

/** On fewer cells no text is broken into lines. */
const NARROWEST = 20;

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
  const thinking = new Map<StepKey, number>();
  const waiting = new Set<StepKey>();
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
      const { by = frame.step, kind = frame.step, of } = frame.work ?? {};
      const target = kind === "critique" && of !== undefined ? ` on ${of}` : "";
      const say = (words: string) => line(oneLine(`${by}${target}: ${words}`, 500));
      if (frame.kind === "waiting") {
        const doing = doingAfter(frame, 0, undefined);
        waiting.add(frame.step);
        return doing ? say(doingWords(doing, { nowMs: 0, usual: "" })) : undefined;
      }
      const before = attempts.get(frame.step);
      const attempt = attemptOf(frame, before);
      const isFirstThought = frame.kind === "thinking" && thinking.get(frame.step) !== attempt;
      const isSent = waiting.delete(frame.step);
      if (before !== undefined && attempt <= before && !isSent && !isFirstThought) return;
      attempts.set(frame.step, attempt);
      if (isFirstThought) thinking.set(frame.step, attempt);
      const again = before !== undefined && attempt > 1 ? ` again (attempt ${attempt})` : "";
      say(frame.kind === "thinking" ? `thinking${again}…` : `${workWords(kind).doing}${again}…`);
    },
    stop: () => undefined,
  };
}

function attemptOf(frame: Frame, before = 1): number {
  if (frame.kind === "text") return frame.delta.attempt;
  return "attempt" in frame ? frame.attempt : before;
}

/** What a verbose log adds: the first line of a text, and what a tool was called with and gave. */
function detailOf(entry: Entry): string | undefined {
  if (isEvent(entry, "answer-given", "critique-given", "synthesis-given", "summary-made"))
    return entry.data.text.split("\n").find((one) => one.trim() !== "");
  if (!isEvent(entry, "tool-called")) return undefined;
  const { by, tool, arguments: given, result } = entry.data;
  const { length } = jsonLine(result).trimEnd();
  return `${by}: ${tool} ${jsonLine(given).trimEnd().slice(0, 200)} → ${formatNumber(length)} characters`;
}
