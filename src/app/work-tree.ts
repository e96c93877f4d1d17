// WORKTREE-1. Reading a work tree runs no program but git, writes nothing, and reaches no network: what a repository's settings and
//     attributes name (hooks, filters, drivers, monitors, remotes) is off. Else: a stranger's folder runs its code.
// What a diff leaves out is named with its reason. A revision becomes a commit's id before it is used, and a path is taken as it is written.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { textDigest } from "../engine/index.ts";
import { decodeText, statOf } from "../config/text-file.ts";
import { refusal, type Digest, type Fault } from "../kernel/index.ts";
import { readUnifiedDiff, splitDiff, type ChangedFile } from "../text/unified-diff.ts";
import { quoteValue, toOneLine } from "../text/words.ts";
import { readRegularFile } from "../tools/file-read.ts";
import { holdsKey, isSecretPath } from "../tools/path-checks.ts";
import { locate } from "../tools/sandbox.ts";

/** Of a diff with all its files, and of one file. */
const MAX_BYTES = 2_000_000;
const MAX_UNTRACKED = 500;
const TIMEOUT_MS = 20_000;

/** A change as it stands in the work tree. */
export type TreeDiff = {
  /** In the form of `git diff`; empty where nothing changed. */
  readonly text: string;
  readonly digest: Digest;
  /** Sorted by path. */
  readonly files: readonly ChangedFile[];
  /** The commit that it is a change of; null in a repository that has none yet. */
  readonly base: string | null;
  /** Changed files that are no part of the text, and why. */
  readonly omitted: readonly { readonly path: string; readonly why: string }[];
};

/** A text file below a root. */
export type TreeFile = {
  /** From the root on, with slashes. */
  readonly path: string;
  readonly root: string;
  readonly text: string;
  readonly digest: Digest;
};

/** The real path of the top of the work tree that a folder is in; undefined outside of one. */
export function topOf(folder: string): string | undefined {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/**
 * What the work tree has of its own since it left `base`, files that git does not know yet included; without a base, since HEAD.
 * @throws Fault `configuration` for a revision that is not there, more than 2 MB, or a git that is missing or fails
 */
export async function diffOf(
  top: string,
  { base }: { readonly base?: string | undefined } = {},
): Promise<TreeDiff> {
  const tree = await openTree(top);
  const from = await leftAt(tree, base);
  const text = await tree.git(["diff-index", ...DIFF_FORM, from ?? EMPTY_TREES[tree.format], "--"]);
  const untracked = await untrackedIn(tree);
  // A file whose time alone is new has a first line and no more.
  const parts = [...splitDiff(text).filter((part) => part.indexOf("\n") < part.length - 1)];
  const omitted = untracked.filter((one) => "why" in one);
  const read = readUnifiedDiff(
    [...parts, ...untracked.flatMap((one) => ("why" in one ? [] : [one.part]))].join(""),
  );
  if (!read.ok)
    throw refusal(
      `git's diff cannot be read from ${quoteValue(read.reason)} on`,
      "rename that file, or leave it out",
    );
  const { files, secret } = withoutSecrets(read.files);
  omitted.push(...secret);
  files.sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path))); // as git does
  const whole = files.map((file) => file.text).join("");
  if (Buffer.byteLength(whole) > MAX_BYTES) throw tooLarge("the diff");
  return { text: whole, digest: textDigest(whole), files, base: from, omitted };
}

/** The files of a diff without those that hold keys or credentials, by name or by text: these are no part of any prompt. */
export function withoutSecrets(files: readonly ChangedFile[]): {
  readonly files: ChangedFile[];
  readonly secret: TreeDiff["omitted"];
} {
  const isSecret = ({ path, oldPath = path, text }: ChangedFile): boolean =>
    [path, oldPath].some((one) => isSecretPath(one.split("/"), false)) ||
    holdsKey(text.replaceAll(/^[ +-]/gm, ""));
  const secret = files.filter(isSecret);
  return {
    files: files.filter((file) => !secret.includes(file)),
    secret: secret.map(({ path }) => ({
      path,
      why: "by its name or its text it holds keys, passwords or other credentials",
    })),
  };
}

/**
 * A file as a commit has it; undefined where it has none of this path.
 * @throws Fault `configuration` for a revision that is not there, and for what is no text file of 2 MB at most
 */
export async function fileAt(top: string, revision: string, path: string): Promise<string | undefined> {
  const tree = await openTree(top);
  const commit = await commitOf(tree, revision);
  const listed = await tree.git(["ls-tree", "-z", "-l", "--full-tree", commit, "--", path]);
  const [, mode, id = "", size] = /^(\d+) \w+ ([\da-f]+) +(\d+|-)\t/.exec(listed) ?? [];
  if (listed === "") return undefined;
  if (mode !== "100644" && mode !== "100755")
    throw refusal(`${quoteValue(path)} is not a regular file in ${quoteValue(revision)}`, "name a file");
  if (Number(size) > MAX_BYTES) throw tooLarge(quoteValue(path));
  const bytes = await tree.bytes(["cat-file", "blob", id]);
  return decodeText({ bytes, name: quoteValue(path), maxBytes: MAX_BYTES });
}

/**
 * A text file below the first of `roots` that has it, by an absolute path or one from there on: no link leads out of the root, and
 * nothing of `.git` and no file of keys is read.
 * @throws Fault `configuration` that says what to do instead
 */
export async function fileBelow(
  roots: readonly string[],
  path: string,
  signal?: AbortSignal,
): Promise<TreeFile> {
  let why = roots.length === 0 ? "there is no folder to read files from" : "";
  for (const folder of roots) {
    const root = realpathSync(folder);
    const found = await locate(root, path);
    if (!found.ok) why ||= found.reason;
    else if (isOfGit(found.located.name)) why ||= `${quoteValue(path)} is git's own`;
    else {
      const read = await readRegularFile(found.located, {
        most: MAX_BYTES,
        signal: signal ?? AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!read.ok) throw refusal(read.reason, "name another file");
      const text = decodeText({ bytes: read.bytes, name: quoteValue(path), maxBytes: MAX_BYTES });
      if (holdsKey(text))
        throw refusal(`${quoteValue(path)} holds a private key or credentials`, "name another file");
      return { path: found.located.name, root, text, digest: textDigest(text) };
    }
  }
  throw refusal(
    why,
    `name a file below ${roots.length === 0 ? "a root" : roots.map((root) => toOneLine(root, 200)).join(" or ")}`,
  );
}

const isOfGit = (path: string): boolean =>
  path.split("/").some((name) => /^(?:\.git|git~\d)[ .:]*$/i.test(name));
const tooLarge = (what: string): Fault<"configuration"> =>
  refusal(`${what} has more than ${MAX_BYTES / 1_000_000} MB`, "take a smaller part of it");

/** The tree of no file, by the kind of a repository's ids. */
const EMPTY_TREES = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
} as const;

const DIFF_FORM = [
  ...[
    "--patch",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--unified=3",
  ],
  ...[
    "--inter-hunk-context=0",
    "--diff-algorithm=histogram",
    "--find-renames",
    "-l1000",
    "--submodule=short",
  ],
  // A look into a submodule would be by its own settings.
  ...["--ignore-submodules=dirty", "--src-prefix=a/", "--dst-prefix=b/"],
];

type GitSettings = readonly (readonly [name: string, value: string])[];

/** Settings that name programs or places, as they are here whatever the repository says (WORKTREE-1). */
const SAFE_SETTINGS: GitSettings = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.quotePath", "false"],
  ["core.precomposeUnicode", "false"],
  ["protocol.allow", "never"],
];

type WorkTree = {
  readonly top: string;
  readonly format: keyof typeof EMPTY_TREES;
  readonly git: (args: readonly string[]) => Promise<string>;
  readonly bytes: (args: readonly string[]) => Promise<Uint8Array>;
};

/** @throws Fault `configuration` where git is missing, or its work tree is not the folder */
async function openTree(top: string): Promise<WorkTree> {
  const names = await runGit(top, ["config", "--list", "--name-only", "-z"], SAFE_SETTINGS);
  const filters = [...new Set(names.toString("utf8").split("\0"))]
    .filter((name) => /^filter\.[^]*\.(?:clean|smudge|process|required)$/.test(name))
    .map((name) => [name, name.endsWith("required") ? "false" : ""] as const);
  const bytes = (args: readonly string[]) => runGit(top, args, [...SAFE_SETTINGS, ...filters]);
  const git = async (args: readonly string[]) => (await bytes(args)).toString("utf8");
  const [shown = "", format] = (await git(["rev-parse", "--show-toplevel", "--show-object-format"])).split(
    "\n",
  );
  if (realpathSync(shown) !== realpathSync(top))
    throw refusal(
      `${toOneLine(top, 200)} is not the top of its repository's work tree`,
      "check its core.worktree",
    );
  return { top, format: format === "sha256" ? "sha256" : "sha1", git, bytes };
}

/** The commit that the work tree left `base` at, HEAD without one; null in a repository without a commit. */
async function leftAt(tree: WorkTree, base: string | undefined): Promise<string | null> {
  if (base === undefined) return commitOf(tree, "HEAD").catch(() => null);
  const [commit, head] = [await commitOf(tree, base), await commitOf(tree, "HEAD")];
  const common = await tree.git(["merge-base", commit, head]).catch(() => "");
  if (common === "")
    throw refusal(
      `HEAD and ${quoteValue(base)} have no commit in common here`,
      "fetch the history (fetch-depth: 0 in CI), or name another base",
    );
  return common.trim();
}

/** @throws Fault `configuration` for what names no commit */
async function commitOf({ git }: WorkTree, revision: string): Promise<string> {
  const id = /^[^-\0\n][^\0\n]{0,250}$/.test(revision)
    ? await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]).catch(
        () => "",
      )
    : "";
  if (!/^[\da-f]{40,64}\n$/.test(id))
    throw refusal(
      `there is no commit ${quoteValue(revision)} here`,
      "name a branch, a tag or a commit; fetch it first in CI",
    );
  return id.trim();
}

/** Each file that git does not know, as its part of a diff or why it is in none. */
async function untrackedIn(
  tree: WorkTree,
): Promise<({ readonly part: string } | { readonly path: string; readonly why: string })[]> {
  const paths = (await tree.git(["ls-files", "--others", "--exclude-standard", "-z"]))
    .split("\0")
    .slice(0, -1);
  if (paths.length > MAX_UNTRACKED)
    throw refusal(
      `there are ${paths.length} files that git does not know, more than ${MAX_UNTRACKED}`,
      "name in .gitignore what is no part of the change",
    );
  const parts: ({ part: string } | { path: string; why: string })[] = [];
  let left = MAX_BYTES;
  for (const path of paths) {
    const found = path.endsWith("/") ? undefined : await locate(tree.top, path);
    const read = found?.ok
      ? await readRegularFile(found.located, { most: left, signal: AbortSignal.timeout(TIMEOUT_MS) })
      : found;
    if (read?.ok) {
      left -= read.bytes.length;
      parts.push({ part: additionOf(path, read.bytes, { ...tree, mode: modeOf(join(tree.top, path)) }) });
    } else parts.push({ path, why: read?.reason ?? "it is a repository of its own" });
  }
  return parts;
}

/** A new file's part of a diff, as git writes it once it knows the file: a verdict on the change then still belongs to it. */
function additionOf(
  path: string,
  bytes: Uint8Array,
  { format, mode }: Pick<WorkTree, "format"> & { readonly mode: string },
): string {
  const blob = createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  const isBinary = bytes.subarray(0, 8_000).includes(0); // as git tells
  const text = isBinary ? "" : Buffer.from(bytes).toString("utf8");
  const lines = text.replace(/\n$/, "").split("\n");
  const quoted = quotePath(`b/${path}`);
  return [
    `diff --git ${quotePath(`a/${path}`)} ${quoted}`,
    `new file mode ${mode}`,
    `index ${"0".repeat(blob.length)}..${blob}`,
    ...(isBinary ? [`Binary files /dev/null and ${quoted} differ`] : []),
    ...(text === ""
      ? []
      : [
          "--- /dev/null",
          `+++ ${quoted}${!quoted.startsWith('"') && quoted.includes(" ") ? "\t" : ""}`,
          `@@ -0,0 +1${lines.length === 1 ? "" : `,${lines.length}`} @@`,
          ...lines.map((line) => `+${line}`),
          ...(text.endsWith("\n") ? [] : ["\\ No newline at end of file"]),
        ]),
    "",
  ].join("\n");
}

const modeOf = (path: string): string => (((statOf(path)?.mode ?? 0) & 0o100) === 0 ? "100644" : "100755");

/** As git writes it without `core.quotePath`: in quotes where it has signs that end a name, or cannot be seen. */
function quotePath(path: string): string {
  const written = path.replaceAll(/[^ !#-[\]-~\u0080-\uffff]/g, (sign) => {
    const short = '\x07\b\t\n\v\f\r"\\'.indexOf(sign);
    return `\\${'abtnvfr"\\'.charAt(short) || sign.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
  return written === path ? path : `"${written}"`;
}

function runGit(top: string, args: readonly string[], settings: GitSettings): Promise<Buffer> {
  const own = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name));
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  const env = {
    ...Object.fromEntries([...own, ...pairs, ["GIT_CONFIG_COUNT", String(settings.length)]]),
    ...{
      GIT_OPTIONAL_LOCKS: "0",
      GIT_NO_LAZY_FETCH: "1",
      GIT_ALLOW_PROTOCOL: "none",
      GIT_TERMINAL_PROMPT: "0",
    },
    ...{ GIT_LITERAL_PATHSPECS: "1", GIT_NO_REPLACE_OBJECTS: "1", GIT_PAGER: "cat", LC_ALL: "C" },
  };
  const options = {
    env,
    encoding: "buffer",
    maxBuffer: MAX_BYTES,
    timeout: TIMEOUT_MS,
    windowsHide: true,
  } as const;
  return new Promise((resolve, reject) => {
    // Not in the tree: Windows would take a git.exe from there.
    execFile(
      "git",
      ["-C", top, ...args],
      { ...options, cwd: dirname(process.execPath) },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const [what] = args;
        if (error.code === "ENOENT")
          return reject(refusal("git is not installed", "install git, or give the diff as a file"));
        if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
          return reject(tooLarge(`what git ${what} shows`));
        const said = error.killed
          ? `took more than ${TIMEOUT_MS / 1_000} s`
          : toOneLine(stderr.toString("utf8"), 300);
        return reject(
          refusal(`git ${what} failed: ${said}`, "run it yourself to see why, or give the diff as a file"),
        );
      },
    );
  });
}
