import { refusal } from "../kernel/index.ts";
import { widthOf, wrap } from "../reports/text-width.ts";

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
  `${terminal && widthOf(text) > columns ? wrap(text, columns).join("\n") : text}\n`;

/** Whether the locale is one of UTF-8; one that is not set says nothing against it. */
export function writesUnicode(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((value) => (value ?? "") !== "");
  return locale === undefined || /utf-?8/i.test(locale);
}

/** What is drawn and written around words, by what takes its place, cell for cell, where a terminal cannot show it. */
const PLAIN_SYMBOLS = new Map(
  Object.entries({
    "-": "─━╌–—−·",
    "|": "│┃",
    "+": "┌┐└┘├┤┬┴┼╭╮╰╯",
    "*": "•◦▪●✓✔",
    x: "✗✘×☑☒",
    o: "○☐",
    ".": "…",
    ">": "→▸›»",
    "<": "←‹«",
    "'": "‘’",
    '"': "“”",
    "#": "█▓▒░",
  }).flatMap(([plain, symbols]) => [...symbols].map((symbol) => [symbol, plain] as const)),
);

/** The same text with no symbol outside of ASCII; letters stay. Of a spinner's frames every one is a `*`. */
export const withoutSymbols = (text: string): string =>
  text.replaceAll(/[\u00d7\u00ab\u00b7\u00bb\u2010-\u28ff]/gu, (symbol) =>
    symbol >= "\u2800" ? "*" : (PLAIN_SYMBOLS.get(symbol) ?? symbol),
  );

function plainSymbols(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream) as (text: unknown, ...more: unknown[]) => boolean; // one of its two forms
  stream.write = (text: unknown, ...more: unknown[]) =>
    write(typeof text === "string" ? withoutSymbols(text) : text, ...more);
}

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
        reject(refusal(why, "write it elsewhere; what was asked is kept, and parley list shows it"));
      });
    });
  if (!writesUnicode(env))
    for (const stream of [process.stdout, process.stderr]) if (stream.isTTY) plainSymbols(stream);
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
