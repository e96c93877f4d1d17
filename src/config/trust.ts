// TRUST-1. What a file that somebody else may have written names beyond what costs and reveals nothing takes effect only where this user
//     has trusted the file. Else: opening a stranger's folder runs its code or spends money.
// TRUST-2. Trust is in a file as it stands, at its place, and in the files of its folder that it has run: after a change of one, it is
//     asked for again. What a program loads itself is its own matter. Else: a file that was trusted once runs whatever it says later.
// TRUST-3. A path in such a file stays inside the file's folder, links followed. Else: a stranger's file reads or runs others.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Fault, redactSecrets } from "../kernel/index.ts";
import { toOneLine } from "../text/words.ts";
import { dataFolder, toAbsolute, type FileClaim, type FileContext } from "./paths.ts";
import { displayPath } from "./text-file.ts";

/** @throws Fault `untrusted` where the file names anything, and this user does not trust it */
export function requireTrust(
  { path, text, programs }: Omit<FileClaim, "names">,
  names: readonly string[],
  place: FileContext,
): void {
  if (names.length === 0) return;
  const shown = [...new Set(names)].map((name) => toOneLine(redactSecrets(name), 300));
  const claim = { path, text, programs, names: shown };
  const trusts = place.trusts ?? ((one: FileClaim) => existsSync(recordFile(one, place)));
  if (!trusts(claim)) throw new Fault("untrusted", { file: displayPath(path), names: claim.names });
}

export function recordTrust(claim: FileClaim, place: FileContext): void {
  const file = recordFile(claim, place);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${claim.path}\n`, { mode: 0o600 });
}

/** The record's name is the digest of the file's place and text. (TRUST-2) */
function recordFile({ path, text, programs = [] }: Omit<FileClaim, "names">, place: FileContext): string {
  const folder = followLinks(dirname(resolve(place.cwd, path)));
  const hash = createHash("sha256").update(`${join(folder, basename(path))}\0${text}`);
  for (const program of [...new Set(programs)].sort()) hash.update(`\0${program}\0${digestOfFile(program)}`);
  return join(dataFolder(place), "trusted", hash.digest("hex"));
}

/** Of what a file holds; of one that cannot be read, nothing. */
function digestOfFile(path: string): string {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return "";
  }
}

/** A word of a command that is a file of a folder, as an absolute path. */
export function programIn(word: string, folder: string): string | undefined {
  const path = resolve(folder, word);
  const way = relative(folder, path);
  const isInside = way !== "" && way.split(sep)[0] !== ".." && !isAbsolute(way);
  return isInside && statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : undefined;
}

/**
 * Whether a path that a file in `folder` names is one of the folder's own files, links followed (TRUST-3). A hidden file
 * (`.env`, `.git/config`) is not: what is hidden is often a secret, and no part of what was cloned.
 */
export function isOwnPath(path: string, folder: string, env: FileContext["env"]): boolean {
  const way = relative(followLinks(folder), followLinks(toAbsolute(path, { cwd: folder, env })));
  return way !== "" && !isAbsolute(way) && !/(^|[\\/])\.(?!parley([\\/]|$))/.test(way);
}

/** The path without links, as far as it exists. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(followLinks(folder), basename(path));
  }
}
