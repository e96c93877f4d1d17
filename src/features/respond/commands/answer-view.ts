import type { Frame } from "../../../kernel/index.ts";
import { blockReader } from "../../../reports/markdown-blocks.ts";
import { printable } from "../../../reports/printable.ts";
import { styleOf } from "../../../reports/style.ts";
import { loadMarkdown } from "../../../cli/command.ts";
import type { Output } from "../../../cli/output.ts";
import { createLive, type Lifecycle, type ScreenTime } from "../../../cli/terminal.ts";

// The screen ends with the full answer, shown once: where the live text was incomplete, it is written again.
// What is written is the printable form of a beginning of what came: a sequence that is cut by a chunk's end waits for its rest.
// A block is rendered once, when it ends; the end of the open one stands below as it was written, drawn at most every 100 ms.

/** An answer on its way to a person: live on a terminal, where it is rendered; elsewhere whole, as it was written. */
export type AnswerView = {
  frame(frame: Frame): void;
  /** Writes what is missing of the answer, and ends its line. */
  end(text: string): Promise<void>;
  /** Ends the line of an answer that was broken off. */
  breakOff(): Promise<void>;
};

/** What a test puts in the place of the clock and the process. */
type Surroundings = { readonly every?: ScreenTime["every"]; readonly lifecycle?: Lifecycle };

/** The last column stays free, as in `createLive`: a line that ends in it would lose its last character. */
const widthIn = (columns: number): number => Math.max(1, columns - 1);

export async function createAnswerView(
  { stdout, result }: Output,
  { every, lifecycle }: Surroundings = {},
): Promise<AnswerView> {
  if (!stdout.terminal)
    return {
      frame: () => undefined,
      end: (text) => result(`${printable(text).trimEnd()}\n`),
      breakOff: () => Promise.resolve(),
    };
  const { markdownRenderer, plainText, highlight } = await loadMarkdown();
  const { color } = stdout;
  const style = styleOf(color);
  const newText = () => ({
    live: liveText(),
    reader: blockReader(),
    render: markdownRenderer({
      color,
      highlight,
      get width() {
        return widthIn(stdout.columns);
      },
    }),
  });
  let text = newText();
  let source: string | undefined;
  let raw = "";
  let hasLines = false;
  let writing = Promise.resolve();
  let waiting = 0;
  const region = createLive({
    ...{ redrawMs: 100, every, lifecycle },
    output: {
      write(drawn) {
        // At once: what is given back when the process exits cannot wait.
        const taken = result(drawn).finally(() => void (waiting -= 1));
        waiting += 1;
        writing = writing.then(() => taken);
        writing.catch(() => undefined); // awaited at the end
        return true;
      },
      get writableNeedDrain() {
        return waiting > 0;
      },
      get columns() {
        return stdout.columns;
      },
      get rows() {
        return stdout.rows;
      },
    },
    lines({ columns, rows }) {
      const tail = plainText(text.reader.tail(rows, rows * columns), { width: columns, color });
      return (hasLines ? tail : tail.slice(tail.findIndex((line) => line !== ""))).slice(-rows);
    },
    closing: () => [],
  });
  const keep = (lines: readonly string[]) => {
    if (lines.length === 0) return;
    hasLines = true;
    region.keep(lines);
  };
  const show = (piece: string) => keep(text.reader.add(piece).flatMap(text.render));
  const showRest = () => {
    show(text.live.end());
    keep(text.reader.end().flatMap(text.render));
  };
  return {
    frame(frame) {
      if (frame.kind !== "text") return;
      const { attempt, offset, text: piece } = frame.delta;
      const from = `${frame.step} ${attempt}`;
      if (from !== source) {
        showRest();
        if (hasLines) keep([style.dim("— started again —")]);
        source = from;
        raw = "";
        text = newText();
      }
      if (offset !== raw.length) return; // a piece was lost
      raw += piece;
      show(text.live.add(piece));
      region.start();
    },
    async breakOff() {
      showRest();
      region.stop();
      await writing;
    },
    async end(answer) {
      showRest();
      if (raw !== answer || !hasLines) {
        if (hasLines) keep([""]);
        text = newText();
        show(printable(answer).trimEnd());
        showRest();
      }
      region.stop();
      await writing;
    },
  };
}

/** A control but tab and newline may begin what `printable` takes out as a whole; at the end a character may be half of one. */
const UNSETTLED = /[^\P{Cc}\n\t\r]|[\r\p{Cs}]$/u;
/** Whatever waits longer than this is no sequence. */
const MAX_WAIT_LENGTH = 256;

/** Turns pieces of foreign text into what may be written to a terminal as they come. */
export function liveText() {
  let waiting = "";
  return {
    /** What can be written now. */
    add(piece: string): string {
      waiting += piece;
      const start = waiting.search(UNSETTLED);
      const cut = start < 0 || waiting.length - start > MAX_WAIT_LENGTH ? waiting.length : start;
      const settled = waiting.slice(0, cut);
      waiting = waiting.slice(cut);
      return printable(settled);
    },
    /** What is left. */
    end(): string {
      const rest = printable(waiting);
      waiting = "";
      return rest;
    },
  };
}
