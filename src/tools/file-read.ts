import * as z from "zod";
import { holdsKey, PathInput } from "./path-checks.ts";
import { refuse, defineTool, type Tool, CHANGED, describeFileError, type Refusal } from "./tool.ts";
import { locate, displayName, isStillAt, isSame, type Located } from "./sandbox.ts";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

const MAX_BYTES = 1_000_000;
const MAX_CHARACTERS = 20_000;

const FileReadInput = z.strictObject({
  path: PathInput,
  from_line: z
    .int()
    .min(1)
    .max(MAX_BYTES)
    .optional()
    .describe("The first line to read, counted from 1; 1 unless given."),
  lines: z
    .int()
    .min(1)
    .max(MAX_BYTES)
    .optional()
    .describe("How many lines to read; as many as fit unless given."),
});

/** Reads lines of a text file in the folder `root`, a real path. */
export function fileRead(root: string): Tool {
  return defineTool({
    name: "file_read",
    description:
      "Reads a UTF-8 text file of the project's folder, of 1 MB at most. A result has 20,000 characters at most; a note says how to read on.",
    input: FileReadInput,
    expects:
      '{"path": text, "from_line": whole number from 1 (optional), "lines": whole number from 1 (optional)}',
    run: async ({ path, from_line = 1, lines }, signal) => {
      const location = await locate(root, path);
      if (!location.ok) return location;
      const { name } = location.located;
      const read = await readRegularFile(location.located, { most: MAX_BYTES, signal });
      if (!read.ok) return read;
      const text = decode(read.bytes);
      if (text === null) return refuse(`${displayName(name)} is not a text file in UTF-8`);
      if (holdsKey(text))
        return refuse(`${displayName(name)} is refused: it holds a private key or credentials`);
      const found = cutExcerpt(text, { from: from_line, lines, most: MAX_CHARACTERS });
      if (found === null) return refuse(`${displayName(name)} ends before line ${from_line}`);
      return { ok: true, result: { path: name, ...found } };
    },
  });
}

/** Without a byte order mark; null for NUL bytes and what is not UTF-8. */
function decode(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null; // the one thing that a fatal decoder throws for
  }
}

/** No link is followed and no FIFO waited for. Windows has neither flag, and there they are undefined: no bits. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The whole content of a regular file of at most `most` bytes. Something else that took its place since it was
 * located is refused: the opened file is compared with the located one, and the path is followed anew.
 * Rejects only for an aborted signal.
 */
export async function readRegularFile(
  located: Located,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<{ readonly ok: true; readonly bytes: Uint8Array } | Refusal> {
  const name = displayName(located.name);
  if (located.kind === "folder") return refuse(`${name} is a folder; list_files shows what is in it`);
  if (located.kind === "other") return refuse(`${name} is not a regular file`);
  let file: FileHandle | undefined;
  try {
    file = await open(located.path, FLAGS);
    const stat = await file.stat({ bigint: true });
    if (!stat.isFile() || !isSame(stat, located.identity) || !(await isStillAt(located.path, stat)))
      return refuse(`${name} ${CHANGED}`);
    // Its size is not asked for: a file may grow, and those of some file systems say 0.
    const chunks = await file.createReadStream({ end: most, autoClose: false }).toArray({ signal });
    const bytes = Buffer.concat(chunks as Buffer[]); // without an encoding
    return bytes.length > most
      ? refuse(`${name} has more than ${most / 1_000_000} MB, which is the most that is read`)
      : { ok: true, bytes };
  } catch (error) {
    signal.throwIfAborted();
    return describeFileError(name, error);
  } finally {
    await file?.close();
  }
}

type ExcerptRequest = {
  /** From 1. */
  readonly from: number;
  /** How many; to the end unless given. */
  readonly lines?: number | undefined;
  /** Of the text, in UTF-16 units. */
  readonly most: number;
};

/**
 * Some lines of a text, by numbers from 1 on, whole ones as far as `most` allows; no lines are `to_line` below
 * `from_line`. A first line that is longer is cut; null where the text has no line `from`.
 */
export function cutExcerpt(text: string, { from, lines = Infinity, most }: ExcerptRequest) {
  // A line feed at the end of the text begins no line.
  const starts = [...text.matchAll(/[^\n]*\n|[^\n]+$/g)].map(({ index }) => index);
  const total = starts.length;
  // An empty text has no line, and can still be read from its beginning.
  if (from > Math.max(total, 1)) return null;
  const startOf = (line: number): number => starts[line - 1] ?? text.length;
  const start = startOf(from);
  const last = Math.min(total, from + lines - 1);
  let to = from - 1;
  while (to < last && startOf(to + 2) - start <= most) to += 1;
  const notes: string[] = [];
  let end = startOf(to + 1);
  if (to < from && to < last) {
    to = from;
    end = skipHalfPair(text, start + most);
    const length = startOf(from + 1) - start;
    notes.push(`line ${from} is cut: ${end - start} of its ${length} characters are shown`);
  }
  if (to < total)
    notes.push(`lines ${from} to ${to} of ${total} are shown; read on with from_line ${to + 1}`);
  return {
    from_line: from,
    to_line: to,
    total_lines: total,
    /** As they stand there, the line ends included: what is read on continues it without a gap. */
    text: text.slice(start, end),
    ...(notes.length > 0 ? { note: notes.join("; ") } : {}),
  };
}

/** `at`, or one less where that would cut a surrogate pair. */
function skipHalfPair(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
