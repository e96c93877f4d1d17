import type { BigIntStats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { isDeviceName, isSecretPath } from "./path-checks.ts";
import { oneLine, refuse, describeFileError, type Refusal } from "./tool.ts";

// The invariants of the sandbox; the tests cite them by number.
// SANDBOX-1. Nothing outside of the folder is opened or listed: a path is judged by its text first, then link by link. Else: a model reads
//     files outside of the folder.
// SANDBOX-2. What lies outside is never told: a link that leads out and one that leads nowhere are refused in the same words. Else: a model
//     learns which files exist elsewhere.
// SANDBOX-3. Nothing is opened that is not a regular file or a folder, and what was opened is what had been found. Else: a file swapped for
//     a link or a device is read, or hangs the run.
// SANDBOX-4. A path that names a secret is refused, whether it is named so where it was asked for or where it lies; so is a text with a
//     private key or credentials, whatever it is called. Else: keys and passwords are sent to a provider.

/** Something inside of the folder, as it was when it was found. */
export type Located = {
  /** Absolute, without links. */
  readonly path: string;
  /** As a model is told it: from the folder on, with slashes; `.` is the folder itself. */
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
  readonly identity: Identity;
};

/** What tells one file from another that was put in its place. */
export type Identity = Pick<BigIntStats, "dev" | "ino">;

export type Location = { readonly ok: true; readonly located: Located } | Refusal;

/**
 * What a model's path leads to; `root` is the folder's own real path, and what relative paths start from.
 *
 * The path is followed one name at a time. A look at the whole of it would tell through a link, which leads out,
 * whether the rest exists there.
 */
export async function locate(root: string, asked: string): Promise<Location> {
  if (asked.includes("\0")) return refuse("a path has no NUL character in it");
  const wanted = relative(root, resolve(root, asked));
  if (leadsOut(wanted)) return refuse("the path leads out of the folder; give one relative to it");
  const segments = wanted.split(sep);
  const name = displayName(wanted);
  if (segments.some(isDeviceName)) return refuse(`${name} has the name of a device of Windows`);
  try {
    const path = await follow(root, segments);
    if (path === null)
      return refuse(`${name} is, or goes through, a link that leads out of the folder or nowhere`);
    const stat = await lstat(path, { bigint: true });
    const real = relative(root, path);
    if ([segments, real.split(sep)].some((each) => isSecretPath(each, stat.isDirectory())))
      return refuse(`${name} is refused: by its name it holds keys, passwords or other credentials`);
    const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
    return { ok: true, located: { path, name: withSlashes(real), kind, identity: stat } };
  } catch (error) {
    return describeFileError(name, error);
  }
}

/** Whether a path, through no link, leads to what has this identity. */
export async function isStillAt(path: string, identity: Identity): Promise<boolean> {
  try {
    return (await realpath(path)) === path && isSame(await lstat(path, { bigint: true }), identity);
  } catch {
    return false; // gone, or no longer to be seen
  }
}

export function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** A name out of a model's path or a folder, as a refusal shows it. */
export function displayName(path: string): string {
  return oneLine(withSlashes(path), 200);
}

function withSlashes(path: string): string {
  return path === "" ? "." : path.replaceAll(sep, "/");
}

function leadsOut(path: string): boolean {
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/** The real path; null as soon as it is not inside. Rejects with the system's error for what is not there. */
async function follow(root: string, segments: readonly string[]): Promise<string | null> {
  let at = root;
  for (const segment of segments) {
    const child = join(at, segment);
    const link = (await lstat(child)).isSymbolicLink();
    at = link ? await realpath(child).catch(() => "") : child;
    if (at === "" || leadsOut(relative(root, at))) return null;
  }
  // Once more as a whole: a link put in meanwhile, and on some systems the spelling of the names.
  const path = await realpath(at);
  return leadsOut(relative(root, path)) ? null : path;
}
