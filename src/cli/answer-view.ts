import type { Frame } from "../kernel/index.ts";
import { printable } from "../reports/printable.ts";
import { styleOf } from "../reports/style.ts";
import { liveText } from "./live-text.ts";
import type { Output } from "./output.ts";

// V1. What stands on the screen in the end is the whole answer, once: where the live text was not all of it, it is written anew.
// V2. A text that is begun again (another attempt, another turn) is set off from what it replaces.

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
        if (shown !== "") write(`${live.end()}\n${style.dim("— begun again —")}\n`); // V2
        source = from;
        raw = "";
        live = liveText();
      }
      if (offset !== raw.length) return; // a piece was lost: V1
      raw += text;
      write(live.add(text));
    },
    async breakOff() {
      if (shown !== "") write(`${live.end()}\n`);
      await writing;
    },
    async end(text) {
      if (raw === text && shown !== "") write(`${live.end()}\n`);
      else write(`${shown === "" ? "" : "\n"}${printable(text).trimEnd()}\n`); // V1
      await writing;
    },
  };
}
