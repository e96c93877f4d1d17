import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { CHANGED, refuse, describeFileError, type Refusal } from "./tool.ts";
import { isStillAt, displayName, type Located } from "./sandbox.ts";

type Entries = { readonly ok: true; readonly entries: readonly Dirent[] } | Refusal;

/**
 * The first `most` entries of a folder in order of their names. Nothing is told of another folder that took its
 * place since it was located. Rejects only for an aborted signal.
 */
export async function readFolder(
  located: Located,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<Entries> {
  const name = displayName(located.name);
  if (located.kind !== "folder") return refuse(`${name} is not a folder; file_read reads a file`);
  const entries: Dirent[] = [];
  const keepFirst = (): void => {
    entries.sort((a, b) => compareNames(a.name, b.name));
    entries.length = Math.min(entries.length, most);
  };
  try {
    for await (const entry of await opendir(located.path)) {
      signal.throwIfAborted();
      entries.push(entry);
      // A folder of millions is read to its end, but never held as a whole.
      if (entries.length >= 2 * most) keepFirst();
    }
    keepFirst();
    return (await isStillAt(located.path, located.identity))
      ? { ok: true, entries }
      : refuse(`${name} ${CHANGED}`);
  } catch (error) {
    signal.throwIfAborted();
    return describeFileError(name, error);
  }
}

/** By UTF-16 units: the same order on every system and under every locale. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
