import { Fault } from "../kernel/index.ts";
import { widthOf, wrapped } from "../reports/text-width.ts";

/** Where a command writes: results on one, everything else on the other. */
export type Output = {
  /**
   * Resolves when the text has been taken; a reader that has gone away is not an error.
   * @throws Fault `configuration` when it cannot be written, as on a full disk
   */
  result(text: string): Promise<void>;
  /** A line for a person; on a terminal it is wrapped to its width. */
  note(text: string): void;
  readonly stdout: StreamFace;
  readonly stderr: StreamFace;
};

/** Of a terminal, `columns` and `rows` are what it has now. */
export type StreamFace = {
  readonly terminal: boolean;
  readonly color: boolean;
  readonly columns: number;
  readonly rows?: number | undefined;
};

/** What `note` writes: one line, but on a terminal, where it stands in as many as it takes. */
export const noteText = (text: string, { terminal, columns }: StreamFace): string =>
  `${terminal && widthOf(text) > columns ? wrapped(text, columns).join("\n") : text}\n`;

/** The process's own streams. Color on a terminal and with `FORCE_COLOR`, never with `NO_COLOR`. */
export function processOutput(env: Readonly<Record<string, string | undefined>>): Output {
  let gone = false;
  // Whoever writes is told by the write itself; without a listener the process would end here, with a stack.
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      if (gone) return resolve();
      process.stdout.write(text, (error?: NodeJS.ErrnoException | null) => {
        if (!error) return resolve();
        gone = error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED";
        if (gone) return resolve();
        const why = `stdout cannot be written (${error.message})`;
        reject(
          new Fault("configuration", {
            why,
            next: "write it elsewhere; what was asked is kept, and parley list shows it",
          }),
        );
      });
    });
  const noColor = (env["NO_COLOR"] ?? "") !== "";
  const isForced = !["", "0", "false"].includes(env["FORCE_COLOR"] ?? "");
  const face = (stream: NodeJS.WriteStream): StreamFace => ({
    // A dumb terminal cannot move its cursor.
    terminal: stream.isTTY === true && env["TERM"] !== "dumb",
    color: !noColor && (isForced || (stream.isTTY === true && env["TERM"] !== "dumb")),
    get columns() {
      return stream.columns || 80;
    },
    get rows() {
      return stream.rows;
    },
  });
  const stderr = face(process.stderr);
  return {
    result: write,
    note: (text) => void process.stderr.write(noteText(text, stderr)),
    stdout: face(process.stdout),
    stderr,
  };
}
