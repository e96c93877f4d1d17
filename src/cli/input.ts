import { fstatSync } from "node:fs";
import type { EffectiveSettings } from "../app/context.ts";
import { readContextFiles, type ContextFile } from "../config/input-files.ts";
import { toAbsolute } from "../config/paths.ts";
import { readTextFile } from "../config/text-file.ts";
import { Fault, refusal } from "../kernel/index.ts";
import { isUrl, readUtf8 } from "../text/media.ts";
import type { Io } from "./command.ts";
import type { Output } from "./output.ts";

/** Standard input may have at most this many bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A socket on stdin is often just what a parent process left open: it may take this long to say something. */
const SOCKET_WAIT_MS = 250;
const HINT_AFTER_MS = 2_000;

/**
 * A question, and the texts of the files and the pipe that go with it. Without words, or with `-` alone, the question is
 * what is piped in.
 * @throws Fault `configuration` for none, and for a file that cannot be read
 */
export async function readQuestion(
  io: Io,
  args: readonly string[],
  {
    context,
    settings,
    quiet,
  }: { readonly context: readonly string[]; readonly settings: ContextSettings; readonly quiet: boolean },
): Promise<{ readonly question: string; readonly texts: readonly ContextFile[] }> {
  const words = args.filter((word) => word !== "-");
  const typed = words.join(" ").trim();
  const stdin = await readStandardInput(io.output, { isWanted: words.length < args.length });
  const question = typed === "" && !context.includes("-") ? (stdin ?? "").trim() : typed;
  if (question === "") {
    const next = 'parley "Which database fits?", or pipe it: parley - < question.md';
    throw refusal("the question is empty", next);
  }
  const attached = { context, stdin: typed === "" && !context.includes("-") ? undefined : stdin };
  return { question, texts: await readAttachments(io, attached, { settings, quiet }) };
}

/** The text of a file with instructions. @throws Fault `configuration` */
export const readTextOf = ({ cwd, env }: Io, file: string): string =>
  readTextFile({ path: toAbsolute(file, { cwd, env }), kind: "file of instructions", maxBytes: 100_000 });

type ContextSettings = Pick<EffectiveSettings, "maxContextBytes" | "maxAttachmentBytes" | "fetchPrivate">;

/** What `--context` names (files, folders, patterns, addresses of the web, `-`) and the pipe. @throws Fault `configuration` */
export async function readAttachments(
  io: Io,
  { context, stdin }: { readonly context: readonly string[]; readonly stdin: string | undefined },
  { settings, quiet }: { readonly settings: ContextSettings; readonly quiet: boolean },
): Promise<readonly ContextFile[]> {
  const { maxContextBytes: maxBytes, maxAttachmentBytes: maxMediaBytes } = settings;
  const written = context.filter((file) => file !== "-");
  const { expandAttachments } = written.length > 0 ? await import("./attachments.ts") : {};
  const { notes = [], ...attached } = expandAttachments?.(written, { io, maxBytes }) ?? { files: [] };
  if (!quiet) for (const note of notes) io.output.note(note);
  const place = { cwd: io.cwd, env: io.env };
  const files = attached.files.filter((file) => !isUrl(file));
  const read = await readContextFiles({ ...attached, files, stdin, maxBytes, maxMediaBytes, ...place });
  const pages = new Map<string, ContextFile>();
  for (const url of attached.files.filter(isUrl)) {
    const { fetchContext } = await import("../app/attachments/web.ts");
    if (!quiet) io.output.note(`Fetching ${url}`);
    pages.set(url, await fetchContext({ env: io.env, settings }, url));
  }
  const texts = [...attached.files.flatMap((file) => pages.get(file) ?? read.shift() ?? []), ...read];
  if (!quiet)
    for (const one of texts)
      if ("text" in one && one.text.trim() === "") io.output.note(`Warning: ${one.name} is empty`);
  return texts;
}

/** What is piped or redirected into the command; undefined for a closed stdin, for nothing, and for a terminal unless it `isWanted`. */
export async function readStandardInput(
  output: Output,
  { isWanted = false }: { readonly isWanted?: boolean } = {},
): Promise<string | undefined> {
  const kind = isWanted && process.stdin.isTTY ? "file" : kindOfStdin();
  if (kind === "none") return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { stdin } = process;
  const whole = (async () => {
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw refusal("standard input has more than 4 MB", "give less");
    }
  })();
  const hint = setTimeout(
    () => output.note("Reading standard input; Ctrl-D or the end of the pipe ends it"),
    HINT_AFTER_MS,
  );
  try {
    if (kind === "socket") {
      await Promise.race([whole, new Promise((resolve) => setTimeout(resolve, SOCKET_WAIT_MS))]);
      if (bytes === 0) return undefined;
    }
    await whole;
  } finally {
    clearTimeout(hint);
    stdin.destroy();
  }
  const text = readUtf8(Buffer.concat(chunks));
  if (text === undefined)
    throw refusal("standard input is not UTF-8 text", "pipe text, or redirect </dev/null");
  return text.trim() === "" ? undefined : text;
}

function kindOfStdin(): "none" | "socket" | "file" {
  if (process.stdin.isTTY) return "none";
  try {
    const stat = fstatSync(0);
    if (stat.isSocket()) return "socket";
    return stat.isFIFO() || stat.isFile() ? "file" : "none";
  } catch {
    return "none"; // a closed descriptor
  }
}

/**
 * Asks a person on the terminal; undefined where Ctrl-C or the end of input stops it.
 * @throws Fault `configuration`, as `refusal` says, where there is no terminal
 */
export async function askOnTerminal<T>(
  refusal: { readonly why: string; readonly next: string },
  talk: (question: (text: string) => Promise<string>) => Promise<T>,
): Promise<T | undefined> {
  if (process.stdin.isTTY !== true) throw new Fault("configuration", refusal);
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const over = new AbortController();
  terminal.once("close", () => over.abort());
  terminal.once("SIGINT", () => terminal.close());
  try {
    return await talk((text) => terminal.question(text, { signal: over.signal }));
  } catch (error) {
    if (!over.signal.aborted) throw error;
    process.stderr.write("\n");
    return undefined;
  } finally {
    terminal.close();
  }
}

/** Asks a person on the terminal for something that is not shown; undefined where Ctrl-C or the end of input stops it. */
export async function askHidden(question: string): Promise<string | undefined> {
  const [{ createInterface }, { Writable }] = await Promise.all([
    import("node:readline/promises"),
    import("node:stream"),
  ]);
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
  try {
    return await new Promise<string | undefined>((resolve) => {
      terminal.once("SIGINT", () => terminal.close());
      terminal.once("close", () => resolve(undefined));
      void terminal.question("").then(resolve, () => resolve(undefined));
    });
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}

/** Why nothing is deleted where there is nobody to ask. */
export const NO_TERMINAL = {
  why: "deletion cannot be undone, and there is no terminal to confirm it on",
  next: "add --yes",
};

/** Whether a person on the terminal says yes. @throws Fault `configuration`, as `refusal` says, where there is none to ask */
export async function isConfirmed(
  question: string,
  refusal: { readonly why: string; readonly next: string },
): Promise<boolean> {
  const answer = await askOnTerminal(refusal, (ask) => ask(`${question} [y/N] `));
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}
