import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../kernel/index.ts";
import { otherPicture, readUtf8 } from "../text/media.ts";
import { toOneLine } from "../text/words.ts";

/** What is wrong, in one bounded line, and what to do about it. */
export function refuse(why: string, next: string): Fault<"configuration"> {
  return new Fault("configuration", { why: toOneLine(why, 600), next: toOneLine(next, 300) });
}

/** What a file is for, in the words of an error: `settings file`, `persona`; and how many bytes it may have. */
export type TextFile = { readonly path: string; readonly kind: string; readonly maxBytes: number };

export const MEGABYTE = 1_000_000;

/**
 * The text of a regular UTF-8 file, without a byte order mark.
 * @throws Fault `configuration` for anything else: missing, a folder, a device, too large, binary
 */
export function readTextFile({ path, kind, maxBytes }: TextFile): string {
  const name = `the ${kind} ${displayPath(path)}`;
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) throw refuse(`${name} is a folder`, "name a file in it");
    if (!stat.isFile() || isOfSystem(path)) throw refuse(`${name} is not a regular file`, "name a file");
    if (stat.size > maxBytes) throw tooLarge(name, maxBytes);
    return decodeText({ bytes: readFileSync(path), name, maxBytes });
  } catch (error) {
    throw toReadFault(error, name);
  }
}

/** What Linux gives the file systems proc, sysfs, debugfs and tracefs for a type. */
const SYSTEM_TYPES: ReadonlySet<number> = new Set([0x9fa0, 0x62656572, 0x64626720, 0x74726163]);

/** Whether it is the system itself that speaks in a file, as in /proc/kmsg: it looks like any other, and may be waited for. */
function isOfSystem(path: string): boolean {
  try {
    return SYSTEM_TYPES.has(statfsSync(path).type);
  } catch {
    return false;
  }
}

/** What there is; what cannot be looked at, as a text that is no path, is left to whoever reads it. */
export function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Refuses what has no end or may never begin: a device, a named pipe, a socket, a file of the system. The shell's `<(…)` names an open descriptor,
 * whose writer is the shell's, so it may be read. What is not there is left to whoever opens it.
 * @throws Fault `configuration`
 */
export function refuseSpecialFile(path: string, name: string): void {
  if (/^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/.test(path)) return;
  const stat = statOf(path);
  if (stat && !stat.isDirectory() && (!stat.isFile() || isOfSystem(path)))
    throw refuse(`${name} is not a regular file`, "name a file, or pipe it in");
}

function tooLarge(name: string, maxBytes: number): Fault<"configuration"> {
  return refuse(`${name} has more than ${formatSize(maxBytes)}`, "give a shorter one");
}

/** @throws Fault `configuration` for more than `maxBytes`, NUL bytes, or what is not UTF-8 */
export function decodeText(read: {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly maxBytes: number;
}): string {
  const { bytes, name, maxBytes } = read;
  if (bytes.length > maxBytes) throw tooLarge(name, maxBytes);
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    throw refuse(`${name} is UTF-16, not UTF-8`, "save it as UTF-8");
  const picture = otherPicture(bytes);
  if (picture !== undefined)
    throw refuse(`${name} is a ${picture} picture, which models do not take`, "save it as PNG or JPEG");
  if (bytes.includes(0))
    throw refuse(`${name} is binary`, "give a text file; convert documents to text first");
  const text = readUtf8(bytes);
  if (text !== undefined) return text;
  throw refuse(`${name} is not UTF-8 text`, "save it as UTF-8, or convert it to text first");
}

/** Puts a text in the place of a file, or makes it: whole or not at all, and through no link. @throws Fault `configuration` */
export function replaceFile(path: string, text: string, mode = 0o666): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: "wx", flush: true, mode });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw toReadFault(error, displayPath(path));
  }
}

/** Writes a new file, with the folders above it, and returns its path. @throws Fault `configuration` where there is one */
export function createFile(path: string, text: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST")
      throw refuse(`${displayPath(path)} is already there`, "edit it, or take another id");
    throw toReadFault(error, displayPath(path));
  }
  return path;
}

/** The Fault for an error of the file system; one that is a Fault already is passed on. */
export function toReadFault(error: unknown, name: string): unknown {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  // Of the arguments passed here only a path with a NUL in it can be invalid.
  if (code === "ERR_INVALID_ARG_VALUE") return refuse(`${name} cannot be read`, "check the path");
  if (typeof code !== "string" || !/^E[A-Z0-9]+$/.test(code)) return error;
  const [why, next] = FILE_ERRORS.get(code) ?? [`cannot be read (${code})`, "check the path"];
  return refuse(`${name} ${why}`, next);
}

const FILE_ERRORS: ReadonlyMap<string, readonly [why: string, next: string]> = new Map([
  ["ENOENT", ["does not exist", "check the path"]],
  ["ENOTDIR", ["does not exist, a part of its path is a file", "check the path"]],
  ["EACCES", ["may not be read by you", "change its permissions"]],
  ["EPERM", ["may not be read by you", "change its permissions"]],
  ["EISDIR", ["is a folder", "name the files in it"]],
  ["ELOOP", ["is a link that leads back to itself", "name the file itself"]],
  ["ENAMETOOLONG", ["has too long a name", "check the path"]],
  ["EMFILE", ["cannot be read, too many files are open", "close some, or raise the limit of open files"]],
]);

/** A path as an error or a prompt shows it. */
export function displayPath(path: string): string {
  return toOneLine(path, 300);
}

export function formatSize(bytes: number): string {
  if (bytes >= MEGABYTE) return `${bytes / MEGABYTE} MB`;
  return bytes >= 1_000 ? `${bytes / 1_000} kB` : `${bytes} bytes`;
}

/** Whether what stands for a strategy or a rubric names a file rather than one of those that are known by name. */
export const looksLikePath = (nameOrFile: string): boolean => /[/\\]|\.(ya?ml|md)$/i.test(nameOrFile);
