import { isEvent, type Entry, type Frame, type StepKey } from "../kernel/index.ts";
import { progressView } from "../views/progress.ts";
import { formatNumber } from "../text/format.ts";
import { jsonLine, oneLine } from "../reports/printable.ts";
import { entryWords, workWords } from "../reports/entry-words.ts";
import { outcomeWords, spentWords } from "./screen-lines.ts";

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
