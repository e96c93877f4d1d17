import { once } from "node:events";
import type { Writable } from "node:stream";

/** Where a command writes: results on one, everything else on the other. */
export type Output = {
  /** Resolves when the text has been taken; a reader that has gone away is not an error. */
  result(text: string): Promise<void>;
  note(text: string): void;
  readonly stdout: { readonly terminal: boolean; readonly color: boolean; readonly columns: number };
  readonly stderr: { readonly terminal: boolean; readonly color: boolean; readonly columns: number };
};

/** The process's own streams. Color only on a terminal, and never with `NO_COLOR`. */
export function processOutput(env: Readonly<Record<string, string | undefined>>): Output {
  let gone = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    gone = true;
  });
  const write = async (stream: Writable, text: string) => {
    if (!gone && !stream.write(text)) await Promise.race([once(stream, "drain"), once(stream, "close")]);
  };
  const noColor = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  const face = (stream: NodeJS.WriteStream) => ({
    terminal: stream.isTTY === true,
    color: stream.isTTY === true && !noColor,
    columns: stream.columns || 80,
  });
  return {
    result: (text) => write(process.stdout, text),
    note: (text) => void process.stderr.write(`${text}\n`),
    stdout: face(process.stdout),
    stderr: face(process.stderr),
  };
}
