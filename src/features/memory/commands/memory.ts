import {
  findEngram,
  forgetEngram,
  listFacts,
  pinFact,
  searchMemory,
  showEngram,
  memoryScope,
} from "../app/memory.ts";
import type { AppContext } from "../../../app/context.ts";
import { memoryEngramText, memoryFactsText, memorySearchText, memoryStatsText } from "./text.ts";
import { oneLine, jsonLine } from "../../../reports/printable.ts";
import { print, type Face, type Io, type Values } from "../../../cli/command.ts";
import { isConfirmed, NO_TERMINAL, readStandardInput } from "../../../cli/input.ts";
import type { USER, YES, QUIET } from "../../../cli/options.ts";
import { memoryReport } from "../app/stats.ts";
import type { OF_USER, SEARCH } from "./index.ts";
import { withParley, interruptible } from "../../../cli/session.ts";
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { toAbsolute } from "../../../config/paths.ts";
import { displayPath, refuseSpecialFile } from "../../../config/text-file.ts";
import { isFault, refusal } from "../../../kernel/index.ts";
import type { EngramLine, Imported, MemoryImport } from "../../../memory/transfer.ts";
import { formatDuration, formatNumber, pluralize } from "../../../text/format.ts";
import { noteProblem } from "../../../cli/errors.ts";
import { EXIT } from "../../../cli/exits.ts";
import { checkOutput, writePieces } from "../../../cli/output-file.ts";
import { createProgressLine } from "../../../cli/terminal.ts";

export const search = (io: Io, options: Values<typeof SEARCH>, words: readonly string[]): Promise<void> =>
  withParley(io, options, async (context) => {
    const { answeredBy: respondent, limit, retired } = options;
    const value = await searchMemory(context, { words: words.join(" "), limit, respondent, retired });
    const narrowed = respondent !== undefined || retired;
    await print(io, { json: options.json, value }, (face) => memorySearchText(value, { ...face, narrowed }));
  });

const printing =
  <T>(read: (context: AppContext, id: string) => Promise<T>, words: (value: T, face: Face) => string) =>
  (io: Io, options: Values<typeof OF_USER>, id = ""): Promise<void> =>
    withParley(io, options, async (context) => {
      const value = await read(context, id);
      await print(io, { json: options.json, value }, (face) => words(value, face));
    });
export const show = printing(showEngram, memoryEngramText);
export const facts = printing(listFacts, memoryFactsText);
export const stats = printing(memoryReport, memoryStatsText);

export const pin = (io: Io, options: Values<typeof USER>, words: readonly string[]): Promise<void> =>
  withParley(io, options, async (context) => {
    const text = words.join(" ");
    const fact = text.trim() === "" ? ((await readStandardInput(io.output)) ?? "") : text;
    const { id, fresh } = await pinFact(context, fact);
    io.output.note(
      fresh
        ? `Pinned for ${context.settings.user}; respond and chat always see it. To undo: parley memory forget ${id}`
        : "Already pinned",
    );
    await io.output.result(`${id}\n`);
  });

export const forget = (
  io: Io,
  options: Values<{ yes: typeof YES } & typeof USER>,
  given: string,
): Promise<void> =>
  withParley(io, options, async (context) => {
    const { engram: shown } = await findEngram(context, given);
    const { id, deliberation, question, summary } = shown.engram;
    const note = (line: string) => io.output.note(line);
    if (shown.forgotten) return note("Already deleted");
    const asked = `Delete “${oneLine(question || summary, 200)}”? This cannot be undone.`;
    if (!options.yes && !(await isConfirmed(asked, NO_TERMINAL))) return note("Nothing is deleted");
    if (!(await forgetEngram(context, id))) return note("Already deleted");
    const kept = deliberation === null ? "" : `; run history is kept: parley show ${deliberation}`;
    return note(`Deleted${kept}`);
  });

/** This many characters are written at once. */
const CHUNK_LENGTH = 64 * 1024;

/** Exports everything but vectors and what is forgotten, oldest first. */
export const exportMemory = (
  io: Io,
  options: Values<typeof USER>,
  file: string | undefined,
): Promise<number> =>
  withParley(io, options, (context) =>
    interruptible(async (signal) => {
      const path = file === undefined ? undefined : checkOutput(file, io);
      const lines = (await context.memory()).exported(memoryScope(context));
      let count: number | undefined;
      const write = async (put: (text: string) => Promise<void>) => {
        count = await writeLines(lines, put, signal);
        return count !== undefined;
      };
      await (path === undefined ? write((text) => io.output.result(text)) : writePieces(path, write));
      if (count === undefined) {
        io.output.note(path === undefined ? "Interrupted" : "Interrupted; nothing is written");
        return EXIT.interrupted;
      }
      io.output.note(`${countEntries(count)} exported${path === undefined ? "" : ` to ${path}`}`);
      return EXIT.answered;
    }),
  );

const countEntries = (count: number): string =>
  `${formatNumber(count)} memory ${count === 1 ? "entry" : "entries"}`;

/** How many lines were written; undefined where it was interrupted. */
async function writeLines(
  lines: AsyncIterable<EngramLine>,
  put: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<number | undefined> {
  let count = 0;
  let text = "";
  for await (const line of lines) {
    if (signal.aborted) return undefined;
    text += jsonLine(line);
    count += 1;
    if (text.length < CHUNK_LENGTH) continue;
    await put(text);
    text = "";
  }
  if (text !== "") await put(text);
  return count;
}

/** Imports an export; exit 1 where lines of it are refused. */
export const importMemory = (io: Io, options: Values<typeof OF_USER>, file: string): Promise<number> =>
  withParley(io, options, async (context) => {
    const name = file === "-" ? "stdin" : basename(file);
    const result = await (await context.memory()).imported(memoryScope(context), linesOf(io, file));
    const { refused, written, refusals } = result;
    const value: MemoryImport = { user: context.settings.user, file: name, ...result };
    for (const { line, why } of refusals) io.output.note(`${name}:${line}: ${oneLine(why)}`);
    if (refused > refusals.length)
      io.output.note(`${pluralize(refused - refusals.length, "more line")} refused`);
    await print(io, { json: options.json, value }, () => `${countsText(result)}\n`);
    if (written > 0 && context.embeddings !== null)
      io.output.note("An export has no vectors. Try: parley memory reembed");
    return refused > 0 ? EXIT.refusedByCheck : EXIT.answered;
  });

const countsText = ({ written, known, forgotten, annotations, refused }: Imported): string =>
  [
    `${countEntries(written)} imported`,
    `${pluralize(annotations, "annotation")} added`,
    ...(known > 0 ? [`${formatNumber(known)} unchanged`] : []),
    ...(forgotten > 0 ? [`${formatNumber(forgotten)} skipped (deleted here)`] : []),
    ...(refused > 0 ? [`${pluralize(refused, "line")} refused`] : []),
  ].join(", ");

/** @throws Fault `configuration` for a file that cannot be read */
async function* linesOf(io: Io, file: string): AsyncGenerator<string> {
  if (file !== "-") refuseSpecialFile(toAbsolute(file, io), displayPath(file));
  const stream = file === "-" ? process.stdin : createReadStream(toAbsolute(file, io));
  stream.setEncoding("utf8");
  try {
    // Its pieces are text, as its encoding says.
    yield* boundedLines(stream as AsyncIterable<string>);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === undefined || isFault(error)) throw error;
    throw refusal(
      `${basename(file)} cannot be read (${code})`,
      "name a file that parley memory export has written",
    );
  }
}

/** A longer line is handed on cut, one character longer than the limit: whoever takes it refuses it by its length. */
const MAX_LINE_LENGTH = 4 * 1024 * 1024;

/** The lines of a text that comes in pieces, without their breaks and a byte order mark; never more than one long line is held. */
export async function* boundedLines(
  pieces: AsyncIterable<string>,
  maxLength = MAX_LINE_LENGTH,
): AsyncGenerator<string> {
  let line = "";
  const grow = (more: string) => (line + more).slice(0, maxLength + 1);
  const ended = () => (line.endsWith("\r") ? line.slice(0, -1) : line);
  let begun = false;
  for await (const piece of pieces) {
    const [first = "", ...rest] = (begun ? piece : piece.replace(/^\uFEFF/, "")).split("\n");
    begun ||= piece !== "";
    line = grow(first);
    for (const next of rest) {
      yield ended();
      line = "";
      line = grow(next);
    }
  }
  if (line !== "") yield ended();
}

/** Embeds what has no vector of the embedding model; what is embedded is kept, whenever it ends. */
export const embedMissing = (io: Io, options: Values<typeof USER & typeof QUIET>): Promise<number> =>
  withParley(io, options, async (context) => {
    const { embeddings, embeddingProblem, memory } = context;
    const problem = await embeddingProblem(undefined);
    if (embeddings === null || problem !== undefined) {
      const next = "embedding in parley.yaml, or PARLEY_EMBEDDING, with a model that can be reached";
      throw refusal(problem ?? "no embedding model is configured", next);
    }
    const sinceMs = performance.now();
    let done = 0;
    let written = 0;
    const words = () =>
      `Embedding with ${embeddings.model}: ${countEntries(done)} · ${formatDuration(performance.now() - sinceMs)}`;
    const { terminal } = io.output.stderr;
    const progress = options.quiet
      ? undefined
      : createProgressLine({ output: process.stderr, terminal, words });
    const onProgress = (so: { readonly embedded: number }) => {
      done = so.embedded;
      const isWorth = done >= 2 * written;
      if (isWorth) written = done;
      progress?.step(isWorth);
    };
    const store = await memory();
    return interruptible(async (signal) => {
      const { embedded, passed, why } = await store
        .reembed(memoryScope(context), signal, onProgress)
        .finally(() => progress?.stop());
      const kept = `${countEntries(embedded)} embedded with ${embeddings.model}`;
      if (signal.aborted) {
        io.output.note(`Interrupted; ${kept}. Try: the same command, which resumes`);
        return EXIT.interrupted;
      }
      if (why !== null) {
        noteProblem(io, { problem: `${why}; ${kept}`, next: "parley doctor, then the same command" });
        return EXIT.provider;
      }
      const left = passed > 0 ? `; the model gives no vector for ${countEntries(passed)}` : "";
      io.output.note(
        embedded + passed === 0 ? `Every entry has a vector of ${embeddings.model}` : kept + left,
      );
      return EXIT.answered;
    });
  });
