import type { Frame } from "../kernel/index.ts";
import { printable } from "../reports/printable.ts";
import { styleOf } from "../reports/style.ts";
import type { Output } from "./output.ts";

// ANSWER-1. The screen ends with the full answer, shown once: where the live text was incomplete, it is written again.
// ANSWER-2. A text that is begun again (another attempt, another turn) is set off from what it replaces.
// ANSWER-3. What is written is the printable form of a beginning of what came: a sequence that is cut by a chunk's end waits for its rest.

/** An answer on its way to a person: live on a terminal, whole elsewhere. */
export type AnswerView = {
  frame(frame: Frame): void;
  /** Writes what is missing of the answer, and ends its line. */
  end(text: string): Promise<void>;
  /** Ends the line of an answer that was broken off. */
  breakOff(): Promise<void>;
};

export function createAnswerView(output: Output): AnswerView {
  const { color, terminal } = output.stdout;
  const style = styleOf(color);
  let live = liveText();
  let source = "";
  let raw = "";
  let shown = "";
  let writing = Promise.resolve();
  const write = (text: string) => {
    if (text === "") return;
    shown += text;
    writing = writing.then(() => output.result(text));
    writing.catch(() => undefined); // awaited at the end
  };
  return {
    frame(frame) {
      if (!terminal || frame.kind !== "text") return;
      const { attempt, offset, text } = frame.delta;
      const from = `${frame.step} ${attempt}`;
      if (from !== source) {
        if (shown !== "") write(`${live.end()}\n${style.dim("— started again —")}\n`); // ANSWER-2
        source = from;
        raw = "";
        live = liveText();
      }
      if (offset !== raw.length) return; // a piece was lost: ANSWER-1
      raw += text;
      write(live.add(text));
    },
    async breakOff() {
      if (shown !== "") write(`${live.end()}\n`);
      await writing;
    },
    async end(text) {
      if (raw === text && shown !== "") write(`${live.end()}\n`);
      else write(`${shown === "" ? "" : "\n"}${printable(text).trimEnd()}\n`); // ANSWER-1
      await writing;
    },
  };
}

/** A control but tab and newline may begin what `printable` takes out as a whole; at the end a character may be half of one. */
const UNSETTLED = /[^\P{Cc}\n\t\r]|[\r\p{Cs}]$/u;
/** Whatever waits longer than this is no sequence. */
const MAX_WAIT_LENGTH = 256;

/** Turns pieces of foreign text into what may be written to a terminal as they come. (ANSWER-3) */
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
