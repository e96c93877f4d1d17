import * as z from "zod";
import { cutExcerpt } from "./excerpt.ts";
import { holdsKey, PathInput } from "./path-checks.ts";
import { refuse, defineTool, type Tool } from "./tool.ts";
import { readRegularFile } from "./regular-file.ts";
import { locate, displayName } from "./sandbox.ts";

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
