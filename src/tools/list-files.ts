import * as z from "zod";
import type { Dirent } from "node:fs";
import { PathInput } from "./path-checks.ts";
import { locate, type Located, isStillAt, displayName } from "./sandbox.ts";
import { defineTool, type Tool, CHANGED, refuse, describeFileError, type Refusal } from "./tool.ts";
import { opendir } from "node:fs/promises";

const MAX_ENTRIES = 500;
/** Of one folder: one more tells that there are more. */
const MAX_READ = MAX_ENTRIES + 1;
/** Of all paths together, in UTF-16 units: names are as long as whoever made the files liked. */
const MAX_CHARACTERS = 20_000;

const ListFilesInput = z.strictObject({
  path: PathInput.optional(),
  depth: z.int().min(1).max(8).optional().describe("How many levels down, 1 to 8; 1 unless given."),
});

/** `link` is not followed, and `other` is a device, a FIFO or a socket. */
type FolderEntry = { readonly path: string; readonly kind: "file" | "folder" | "link" | "other" };

/** Lists the files in the folder `root`, a real path, or in a folder in it. */
export function listFiles(root: string): Tool {
  return defineTool({
    name: "list_files",
    description:
      "Lists files and folders of the project's folder by path, 500 at most. Hidden folders and node_modules are not entered; to see one, name it as the path.",
    input: ListFilesInput,
    expects: '{"path": text (optional), "depth": whole number from 1 to 8 (optional)}',
    run: async ({ path = ".", depth = 1 }, signal) => {
      const location = await locate(root, path);
      if (!location.ok) return location;
      const { located } = location;
      const first = await readFolder(located, { most: MAX_READ, signal });
      if (!first.ok) return first;
      const start = { names: first.entries, in: located, depth };
      const { entries, cut, unread } = await gather(root, start, signal);
      const notes = [
        ...(cut
          ? [`only ${entries.length} entries are shown; list a folder by its path to see the rest`]
          : []),
        ...(unread > 0 ? [`folders that could not be read: ${unread}`] : []),
      ];
      return {
        ok: true,
        result: {
          path: located.name,
          entries: entries.sort((a, b) => compareNames(treeKey(a.path), treeKey(b.path))),
          ...(notes.length > 0 ? { note: notes.join("; ") } : {}),
        },
      };
    },
  });
}

type ListStart = { readonly names: readonly Dirent[]; readonly in: Located; readonly depth: number };

/** Level by level, so that a cut takes the deepest entries and every folder above them is shown. */
async function gather(root: string, start: ListStart, signal: AbortSignal) {
  const entries: FolderEntry[] = [];
  let characters = 0;
  let unread = 0;
  /** Adds what fits, and tells which folders to enter; null when no more fits. */
  const add = (folder: string, names: readonly Dirent[]): string[] | null => {
    const inner: string[] = [];
    for (const dirent of names) {
      const path = folder === "." ? dirent.name : `${folder}/${dirent.name}`;
      characters += path.length;
      if (entries.length === MAX_ENTRIES || characters > MAX_CHARACTERS) return null;
      const kind = kindOf(dirent);
      entries.push({ path, kind });
      if (kind === "folder" && !dirent.name.startsWith(".") && dirent.name !== "node_modules")
        inner.push(path);
    }
    return inner;
  };
  let level = add(start.in.name, start.names);
  for (let below = 1; below < start.depth && level !== null; below += 1) {
    const next: string[] = [];
    for (const folder of level) {
      signal.throwIfAborted();
      const location = await locate(root, folder);
      const read = location.ok ? await readFolder(location.located, { most: MAX_READ, signal }) : location;
      if (!read.ok) unread += 1;
      const inner = read.ok ? add(folder, read.entries) : [];
      if (inner === null) return { entries, unread, cut: true };
      next.push(...inner);
    }
    level = next;
  }
  return { entries, unread, cut: level === null };
}

function kindOf(entry: Dirent): FolderEntry["kind"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}

/** What sorts a folder's content right behind it. */
function treeKey(path: string): string {
  return path.replaceAll("/", "\0");
}

/**
 * The first `most` entries of a folder in order of their names. Nothing is told of another folder that took its
 * place since it was located. Rejects only for an aborted signal.
 */
export async function readFolder(
  located: Located,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<{ readonly ok: true; readonly entries: readonly Dirent[] } | Refusal> {
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
function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
