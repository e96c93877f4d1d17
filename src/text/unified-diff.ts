import { parsePatch } from "diff";

/** Lines from 1, both ends included. */
export type LineRange = { readonly from: number; readonly to: number };

/** A file that a diff touches. */
export type ChangedFile = {
  /** From the top of the tree on, with slashes; of a deleted file, where it was. */
  readonly path: string;
  /** Where a renamed or copied file was before; absent for any other. */
  readonly oldPath?: string;
  readonly change: "added" | "deleted" | "changed" | "renamed" | "copied";
  /** The lines that the diff shows, those around a change included; of a deleted file, as they were before. */
  readonly shown: readonly LineRange[];
  /** The lines that are new, as they stand after the change. */
  readonly added: readonly LineRange[];
  /** The diff says that it changed, and not how. */
  readonly isBinary: boolean;
  /** The file's part of the diff, from its `diff --git` on. */
  readonly text: string;
};

/** What may stand above a file's hunks. Anything else, as a blank that ends a name, would be read by models, and by nothing that decides. */
const HEADER =
  /^(?:diff --git [^\r]+|(?:old|new|deleted file|new file) mode [0-7]{6}|(?:dis)?similarity index \d+%|(?:rename|copy) (?:from|to) [^\r]+|index [\da-f]+\.\.[\da-f]+(?: [0-7]{6})?|(?:---|\+\+\+) (?! |[^\r]* \t?$)[^\r]+|Binary files [^\r]+ differ)$/;

/** All of a part where git writes no hunk: a mode or a name is new and no line is, a file is empty, or it is binary. A diff cut off has less. */
const WITHOUT_HUNKS =
  /^diff --git [^\n]+\n(?:(?:old mode [^\n]+\nnew mode [^\n]+\n)?similarity index 100%\n(rename|copy) from [^\n]+\n\1 to [^\n]+|old mode [^\n]+\nnew mode [^\n]+|new file mode [^\n]+\nindex 0+\.\.(?:e69de29|473a0f4)[\da-f]*|deleted file mode [^\n]+\nindex (?:e69de29|473a0f4)[\da-f]*\.\.0+|[^]*\nBinary files [^\n]+ differ)$/;

const HUNK = /^@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@/;

/**
 * Reads a diff in the form of `git diff`, whole: each of its lines belongs to the header of a file or to a hunk. The reason names
 * the first file's header that cannot be read.
 */
export function readUnifiedDiff(
  text: string,
):
  | { readonly ok: true; readonly files: readonly ChangedFile[] }
  | { readonly ok: false; readonly reason: string } {
  const files: ChangedFile[] = [];
  for (const part of splitDiff(text)) {
    const file = readPart(part);
    const head = part.split("\n", 1)[0] ?? "";
    if (!file || files.some(({ path }) => path === file.path)) return { ok: false, reason: head };
    files.push(file);
  }
  return { ok: true, files };
}

/**
 * A diff's parts, one a file. A line of a hunk begins with a blank, +, - or \, so that none looks like the beginning of a part; what
 * else ends a line in JavaScript is part of a line in git.
 */
export const splitDiff = (text: string): readonly string[] =>
  text === "" ? [] : text.split(/(?<=^|\n)(?=diff --git )/);

/** A path without the quotes and escapes that a diff has, where it has them. */
export function unquotePath(written: string): string {
  const name = written.replace(/^"(.*)"$/, "$1");
  return readPart(`diff --git "a/${name}" "b/${name}"\nold mode 100644\nnew mode 100755`)?.path ?? name;
}

function readPart(text: string): ChangedFile | undefined {
  const lines = text.replace(/\n$/, "").split("\n");
  const firstHunk = lines.findIndex((line) => line.startsWith("@@ "));
  const header = firstHunk < 0 ? lines : lines.slice(0, firstHunk);
  if (!text.startsWith("diff --git ") || !header.every((line) => HEADER.test(line))) return undefined;
  if (firstHunk < 0 && !WITHOUT_HUNKS.test(header.join("\n"))) return undefined;
  if (lines.some((line) => line.startsWith("@@") && !HUNK.test(line))) return undefined;
  const patch = parsePart(text);
  if (!patch) return undefined;
  const { hunks, oldFileName = "", newFileName = "", isRename, isCopy, isCreate, isDelete, isBinary } = patch;
  const read = hunks.reduce((count, hunk) => count + 1 + hunk.lines.length, header.length);
  const [before, after] = [withoutPrefix(oldFileName, "a/"), withoutPrefix(newFileName, "b/")];
  const path = isDelete === true ? before : after;
  if (path === undefined || read !== lines.length) return undefined;
  return {
    path,
    ...((isRename === true || isCopy === true) && before !== undefined ? { oldPath: before } : {}),
    change: isCreate ? "added" : isDelete ? "deleted" : isRename ? "renamed" : isCopy ? "copied" : "changed",
    shown: hunks.map(({ oldStart, oldLines, newStart, newLines }) =>
      isDelete
        ? { from: oldStart, to: Math.max(oldStart, oldStart + oldLines - 1) }
        : { from: Math.max(1, newStart - Number(newLines === 0)), to: Math.max(1, newStart + newLines - 1) },
    ),
    added: hunks.flatMap(({ newStart, lines: hunk }) => addedIn(hunk, newStart)),
    isBinary: isBinary === true,
    text,
  };
}

function parsePart(text: string) {
  try {
    const patches = parsePatch(text);
    return patches.length === 1 ? patches[0] : undefined;
  } catch {
    return undefined; // jsdiff throws for nothing else than a text that it cannot read
  }
}

/** Undefined for /dev/null, and for a path that leads out of the tree. */
function withoutPrefix(name: string, prefix: string): string | undefined {
  const path = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return path === "" || path.startsWith("/") || path.split("/").includes("..") ? undefined : path;
}

function addedIn(hunk: readonly string[], start: number): readonly LineRange[] {
  const ranges: { from: number; to: number }[] = [];
  let line = start;
  for (const { 0: sign } of hunk) {
    const last = ranges.at(-1);
    if (sign === "+" && last?.to === line - 1) last.to = line;
    else if (sign === "+") ranges.push({ from: line, to: line });
    if (sign !== "-" && sign !== "\\") line += 1;
  }
  return ranges;
}
