import { createInterface, type Interface } from "node:readline";
import { completeCommand } from "./chat-commands.ts";
import type { Io } from "./command.ts";
import { createPasteInput, PASTE_MODE } from "./chat-paste.ts";

export type ChatInput = {
  readonly lines: Interface;
  /** A line with the text of its pastes. */
  expand(line: string): string;
  close(): void;
};

/** The lines that are typed, with completion and pastes, on a terminal; elsewhere those of standard input. */
export function createChatInput(io: Io, interactive: boolean, refuse: (why: string) => void): ChatInput {
  const { stdin, stdout } = process;
  if (!interactive) {
    const lines = createInterface({ input: stdin, terminal: false });
    return { lines, expand: (line) => line, close: () => lines.close() };
  }
  const { stream, expand } = createPasteInput(refuse);
  const leave = () => void stdout.write(PASTE_MODE.off);
  process.once("exit", leave);
  stdin.setRawMode(true);
  stdin.pipe(stream);
  stdout.write(PASTE_MODE.on);
  const lines = createInterface({
    ...{ input: stream, output: stdout, prompt: "> ", terminal: true },
    completer: (line: string) => completeCommand(io, line),
  });
  return {
    lines,
    expand,
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
