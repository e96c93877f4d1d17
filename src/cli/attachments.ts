import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { filesMatching, isPattern } from "../config/file-patterns.ts";
import { toAbsolute } from "../config/paths.ts";
import { decodeText, displayPath, refuse, statOf } from "../config/text-file.ts";
import { isFault } from "../kernel/index.ts";
import { holdsKey, isSecretPath } from "../tools/path-checks.ts";
import { pluralize } from "../text/format.ts";
import { isUrl, mediaOf } from "../text/media.ts";
import type { Io } from "./command.ts";

/** Names of files that a note lists, at most. */
const MAX_LISTED = 8;

/** Where names are looked up, and how many bytes all files together may have. */
type AttachmentContext = { readonly io: Pick<Io, "cwd" | "env">; readonly maxBytes: number };

type Attachments = {
  readonly files: readonly string[];
  /** The bytes of files that were read, each once; with them, all together are one byte too many at most. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  readonly notes: readonly string[];
};

/**
 * The files that `--context` names, one by one: of a list with commas each, of a folder and of a pattern every text, picture and
 * PDF. Another binary file or one with secrets is left out of these and named in a note; one that is named itself is the caller's to read.
 * @throws Fault `configuration` for a folder or a pattern without any
 */
export function expandAttachments(
  written: readonly string[],
  { io, maxBytes }: AttachmentContext,
): Attachments {
  const notes: string[] = [];
  const bytes = new Map<string, Uint8Array>();
  let left = maxBytes;
  const reasonToSkip = (file: string): string | undefined => {
    if (isSecret(file)) return "secret";
    // What comes after too much is refused with it.
    const read = left < 0 ? new Uint8Array() : (bytes.get(file) ?? head(toAbsolute(file, io), left + 1));
    if (read === undefined) return "unreadable";
    const why = read.length > left ? undefined : unfitness(file, read);
    // What is no text has a limit of its own.
    if (why !== undefined || left < 0 || bytes.has(file) || mediaOf(read)) return why;
    bytes.set(file, read);
    left -= read.length;
    return undefined;
  };
  const files = written
    .flatMap((value) => splitNames(value, io))
    .flatMap((name) => {
      if (isUrl(name)) return [name];
      const isFolder = statOf(toAbsolute(name, io))?.isDirectory() === true;
      if (!isFolder && !isPattern(name, io)) return [name];
      const found = filesMatching(isFolder ? `${name.replace(/\/+$/, "")}/**` : name, io);
      const skipped = found.flatMap((file) => {
        const why = reasonToSkip(file);
        return why === undefined ? [] : [{ file, why }];
      });
      const kept = found.filter((file) => !skipped.some((one) => one.file === file));
      const left = skipped.map(({ file, why }) => `${basename(displayPath(file))} (${why})`);
      if (kept.length === 0)
        throw refuse(
          `${displayPath(name)} ${isFolder ? "has" : "matches"} no text, picture or PDF${left.length > 0 ? `: skipped ${listNames(left)}` : ""}`,
          "check the path",
        );
      notes.push(
        `Attached ${pluralize(kept.length, "file")} of ${displayPath(name)}: ${listNames(kept.map(displayPath))}${left.length > 0 ? `; skipped ${listNames(left)}` : ""}`,
      );
      return kept;
    });
  return { files: [...new Set(files)], bytes, notes };
}

const listNames = (names: readonly string[]): string =>
  names.length <= MAX_LISTED
    ? names.join(", ")
    : `${names.slice(0, MAX_LISTED).join(", ")} and ${names.length - MAX_LISTED} more`;

/** The entries of a list with commas; a comma may belong to the name of a file, to a pattern's `{a,b}`, or to an address. */
function splitNames(value: string, io: Pick<Io, "cwd" | "env">): readonly string[] {
  if (!value.includes(",") || statOf(toAbsolute(value, io))) return [value];
  const names: string[] = [];
  for (const part of value.split(/,(?![^{}]*\})/)) {
    const name = part.trim();
    const before = names.at(-1) ?? "";
    const isName = !isUrl(before) || name === "" || isUrl(name) || statOf(toAbsolute(name, io)) !== undefined;
    names.splice(isName ? names.length : -1, 1, isName ? name : `${before},${part}`);
  }
  return names.filter((name, index) => name !== "" || (index === 0 && names.length === 1));
}

function isSecret(file: string): boolean {
  const parts = file.split("/").filter((part) => part !== "" && !/^\.+$/.test(part));
  return isSecretPath(parts, false);
}

/** Why a file that nobody named is not attached, by all that it has. */
function unfitness(file: string, bytes: Uint8Array): string | undefined {
  if (mediaOf(bytes)) return undefined;
  if (bytes.includes(0)) return "binary";
  try {
    return holdsKey(decodeText({ bytes, name: file, maxBytes: bytes.length })) ? "secret" : undefined;
  } catch (error) {
    if (isFault(error, "configuration")) return "not UTF-8";
    throw error;
  }
}

function head(path: string, bytes: number): Uint8Array | undefined {
  try {
    const file = openSync(path, "r");
    try {
      const buffer = Buffer.alloc(Math.min(bytes, statSync(path).size));
      return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
