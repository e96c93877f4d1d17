import { createInterface, type Interface } from "node:readline";
import { completeCommand } from "./chat-commands.ts";
import type { Io } from "../../../cli/command.ts";
import { Transform, type TransformCallback } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { printable } from "../../../reports/printable.ts";
import { formatNumber, pluralize } from "../../../text/format.ts";

export type ChatInput = {
  readonly lines: Interface;
  /** A line with the text of its pastes. */
  expand(line: string): string;
  /** Whether what is typed is kept to itself, while an answer is being drawn: its lines end where the cursor is, or so it is believed. */
  hush(on: boolean): void;
  /** Whether the next line was typed meanwhile, so that nobody has seen it; asked once a line. */
  wasHushed(): boolean;
  close(): void;
};

/** The lines that are typed, with completion and pastes, on a terminal; elsewhere those of standard input. */
export function createChatInput(io: Io, interactive: boolean, refuse: (why: string) => void): ChatInput {
  const { stdin, stdout } = process;
  if (!interactive) {
    const lines = createInterface({ input: stdin, terminal: false });
    const never = { hush: () => undefined, wasHushed: () => false };
    return { lines, expand: (line) => line, ...never, close: () => lines.close() };
  }
  const { stream, expand } = createPasteInput(refuse);
  const leave = () => void stdout.write(PASTE_MODE.off);
  process.once("exit", leave);
  stdin.setRawMode(true);
  stdin.pipe(stream);
  stdout.write(PASTE_MODE.on);
  const lines = createInterface({
    ...{ input: stream, output: hushable(stdout, () => isHushed), prompt: "> ", terminal: true },
    completer: (line: string) => completeCommand(io, line),
  });
  let isHushed = false;
  const hushed: boolean[] = [];
  lines.on("line", () => void hushed.push(isHushed));
  return {
    lines,
    expand,
    hush(on) {
      isHushed = on;
      // What it thinks to have drawn meanwhile stands nowhere, and is not to be drawn over.
      if (!on) Object.assign(lines, { prevRows: 0 });
    },
    wasHushed: () => hushed.shift() ?? false,
    close() {
      lines.close();
      stdin.unpipe(stream);
      stdin.setRawMode(false);
      stdin.pause();
      process.off("exit", leave);
      leave();
    },
  };
}

/** The terminal without what is written to it while `isHushed`. */
function hushable(output: NodeJS.WriteStream, isHushed: () => boolean): NodeJS.WriteStream {
  return new Proxy(output, {
    get(target, name) {
      if (name === "write" && isHushed()) return () => true;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

// A paste is one part of one message, whatever it contains: it stands in the line as a mark, and submits nothing.
// Nothing in a paste acts on the terminal, and an end mark in it does not end it where the true one has arrived.

const START = "\u001b[200~";
const END = "\u001b[201~";
/** Switches the terminal's bracketed paste on and off. */
const PASTE_MODE = { on: "\u001b[?2004h", off: "\u001b[?2004l" } as const;

/** A longer paste is left out: it is a file, not a message. */
const MAX_PASTE_LENGTH = 1_000_000;
/** A shorter paste of one line stands in the line as it is. */
const MAX_SHOWN_LENGTH = 500;

export type PasteInput = {
  /** What `readline` reads in place of the terminal. */
  readonly stream: Transform;
  /** The line with the text of every paste in it. */
  expand(line: string): string;
};

/** Reads a terminal's input, and keeps pastes out of it; `refuse` gets the reason why one was left out. */
export function createPasteInput(refuse: (why: string) => void): PasteInput {
  const decoder = new StringDecoder("utf8");
  const pastes = new Map<string, string>();
  let typed = "";
  /** The parts of the paste that is coming in; undefined outside of one. */
  let paste: { text: string; length: number } | undefined;

  const hold = (text: string, whole: { length: number }): string => {
    const shown = printable(text.replaceAll(/\r\n?/g, "\n")).trimEnd();
    if (whole.length > MAX_PASTE_LENGTH) {
      refuse(
        `The paste has ${formatNumber(whole.length)} characters and was left out. Try: parley ask --context FILE`,
      );
      return "";
    }
    if (!shown.includes("\n") && shown.length <= MAX_SHOWN_LENGTH) return shown;
    const lines = pluralize(shown.split("\n").length, "line");
    const mark = `[paste ${pastes.size + 1}: ${lines}]`;
    pastes.set(mark, shown);
    return mark;
  };

  const read = (chunk: string): string => {
    let out = "";
    typed += chunk;
    for (;;) {
      if (!paste) {
        const start = typed.indexOf(START);
        if (start < 0) {
          const kept = partialEnd(typed, START);
          out += typed.slice(0, typed.length - kept);
          typed = typed.slice(typed.length - kept);
          return out;
        }
        out += typed.slice(0, start);
        typed = typed.slice(start + START.length);
        paste = { text: "", length: 0 };
      }
      const next = typed.indexOf(START);
      const end = typed.lastIndexOf(END, next < 0 ? Infinity : next);
      const taken = end < 0 ? typed.length - partialEnd(typed, END) : end;
      if (paste.text.length <= MAX_PASTE_LENGTH) paste.text += typed.slice(0, taken);
      paste.length += taken;
      typed = typed.slice(end < 0 ? taken : end + END.length);
      if (end < 0) return out;
      out += hold(paste.text, paste);
      paste = undefined;
    }
  };
  const stream = new Transform({
    transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback) {
      done(null, read(decoder.write(chunk)));
    },
  });
  return {
    stream,
    expand: (line) => line.replaceAll(/\[paste \d+: [\d,]+ lines?\]/g, (mark) => pastes.get(mark) ?? mark),
  };
}

/** How much of a mark's beginning a text ends with. */
function partialEnd(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
