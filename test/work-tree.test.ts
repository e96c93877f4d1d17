import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { diffOf, fileAt, fileBelow, topOf } from "../src/app/work-tree.ts";

let top: string;
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-C", top, "-c", "user.email=a@example.com", "-c", "user.name=A", ...args], {
    encoding: "utf8",
  });
const write = (path: string, text: string | Uint8Array): void => {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
};
const commitAll = (): void => {
  git("add", "-A");
  git("commit", "-qm", "all");
};

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "parley-tree-")));
  git("init", "-qb", "main");
  write("src/a.ts", "one\ntwo\nthree\n");
  write("keep.txt", "kept\n");
  commitAll();
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

test("the top of a work tree is found from a folder in it, and none outside of one", () => {
  expect(topOf(join(top, "src"))).toBe(top);
  expect(topOf(tmpdir())).toBeUndefined();
});

describe("the diff of a work tree", () => {
  test("is empty where nothing changed, also where a file was only touched", async () => {
    utimesSync(join(top, "keep.txt"), new Date(), new Date(0));
    expect(await diffOf(top)).toMatchObject({ text: "", files: [], omitted: [] });
  });

  test("is since HEAD without a base, and since the branches parted with one", async () => {
    git("switch", "-qc", "topic");
    write("src/a.ts", "one\n2\nthree\n");
    commitAll();
    const left = git("rev-parse", "main").trim();
    git("switch", "-q", "main");
    write("other.ts", "on main\n");
    commitAll();
    git("switch", "-q", "topic");
    write("keep.txt", "not committed\n");
    expect((await diffOf(top)).files.map(({ path }) => path)).toEqual(["keep.txt"]);
    const diff = await diffOf(top, { base: "main" });
    expect(diff.files.map(({ path }) => path)).toEqual(["keep.txt", "src/a.ts"]);
    expect(diff.base).toBe(left);
  });

  test("is the same text before git knows a file and after", async () => {
    const names = [
      "plain.ts",
      "with blank.ts",
      'qu"ote.ts',
      "ü/ñ.ts",
      "ü\x7f\x01😀\u2028.ts",
      "tab\there",
      "x b/x b/y",
      "back\\slash",
      "a.b",
      "a/c",
      "-n",
    ];
    const texts = [
      "",
      "one\n",
      "no end",
      "a\n\nb\n",
      "\n",
      "  \n\r\n",
      "\ufeffx\n",
      "-- \n++ \n@@ -1 +1 @@\n",
    ];
    names.forEach((name, index) => write(`new/${name}`, texts[index % texts.length] ?? ""));
    write("new/binary", new Uint8Array([0, 1, 2, 255]));
    write("new/latin1", new Uint8Array([0x66, 0xfc, 0x0a]));
    write("new/run.sh", "#!/bin/sh\n");
    chmodSync(join(top, "new/run.sh"), 0o755);
    const before = await diffOf(top);
    expect(before.files).toHaveLength(14);
    expect(before.text).toContain("+++ b/new/ü/ñ.ts\n");
    expect(before.omitted).toEqual([]);
    git("add", "-A");
    expect((await diffOf(top)).text).toBe(before.text);
    git("commit", "-qm", "new");
    const after = await diffOf(top, { base: "main~1" });
    expect(after).toMatchObject({ text: before.text, digest: before.digest });
  });

  test("has another digest where a binary file changed, though it looks the same", async () => {
    write("p.bin", new Uint8Array([0, 1]));
    const first = await diffOf(top);
    write("p.bin", new Uint8Array([0, 2]));
    expect((await diffOf(top)).digest).not.toBe(first.digest);
  });

  test("names what it leaves out: keys by name or by text, links, and other repositories", async () => {
    write(".env", "TOKEN=1\n");
    write("notes.txt", `key: AKIA${"A".repeat(16)}\n`);
    write("nested/file", "x");
    execFileSync("git", ["init", "-q", join(top, "nested")]);
    symlinkSync("/etc/hostname", join(top, "link"));
    write("fine.ts", "x\n");
    const { files, omitted } = await diffOf(top);
    expect(files.map(({ path }) => path)).toEqual(["fine.ts"]);
    expect(omitted.map(({ path }) => path).sort()).toEqual([".env", "link", "nested/", "notes.txt"]);
  });

  test("of a repository without a commit is all that it has", async () => {
    rmSync(join(top, ".git"), { recursive: true });
    git("init", "-q");
    const { base, files } = await diffOf(top);
    expect({ base, paths: files.map(({ path }) => path) }).toEqual({
      base: null,
      paths: ["keep.txt", "src/a.ts"],
    });
  });

  test.each(["--output=x", "nowhere", "", "HEAD:keep.txt", "-", "a\nb", "HEAD\0"])(
    "refuses the base %j",
    async (base) => {
      await expect(diffOf(top, { base })).rejects.toMatchObject({ code: "configuration" });
      expect(existsSync(join(top, "x"))).toBe(false);
    },
  );

  test("refuses a base without a common commit", async () => {
    git("switch", "-q", "--orphan", "alone");
    git("commit", "-q", "--allow-empty", "-m", "alone");
    await expect(diffOf(top, { base: "main" })).rejects.toThrow("no commit in common");
  });

  test("refuses more than 2 MB", async () => {
    write("large.txt", "0123456789\n".repeat(200_000));
    const { omitted } = await diffOf(top);
    expect(omitted).toMatchObject([{ path: "large.txt" }]);
    git("add", "-A");
    await expect(diffOf(top)).rejects.toThrow("more than 2 MB");
  });

  test("refuses settings that put its work tree elsewhere", async () => {
    git("config", "core.worktree", tmpdir());
    await expect(diffOf(top)).rejects.toMatchObject({ code: "configuration" });
  });
});

describe("a hostile repository (WORKTREE-1)", () => {
  const PROGRAMS = [
    "fsmonitor",
    "hook",
    "external",
    "textconv",
    "command",
    "clean",
    "process",
    "odd",
    "pager",
    "ssh",
  ];

  test("runs none of the programs that its settings name, and the index is not written", async () => {
    const programs = mkdtempSync(join(tmpdir(), "parley-programs-"));
    const program = (name: string): string => {
      const path = join(programs, name);
      writeFileSync(path, `#!/bin/sh\ntouch ${join(programs, name)}.ran\ncat\n`, { mode: 0o755 });
      return path;
    };
    write(".gitattributes", "*.ts diff=bad filter=bad\n*.txt filter=worse\n*.md filter=o=d.d\n");
    write("a.md", "x\n");
    commitAll();
    mkdirSync(join(top, ".git/hooks"), { recursive: true });
    cpSync(program("hook"), join(top, ".git/hooks/post-index-change"));
    git("config", "core.fsmonitor", program("fsmonitor"));
    git("config", "diff.external", program("external"));
    git("config", "diff.bad.textconv", program("textconv"));
    git("config", "diff.bad.command", program("command"));
    git("config", "filter.bad.clean", program("clean"));
    git("config", "filter.worse.process", program("process"));
    git("config", "filter.o=d.d.clean", program("odd"));
    git("config", "core.pager", program("pager"));
    git("config", "core.sshCommand", program("ssh"));
    for (const path of ["src/a.ts", "keep.txt", "a.md"]) writeFileSync(join(top, path), "changed\n");
    const index = () => [
      statSync(join(top, ".git/index"), { bigint: true }).mtimeNs,
      readFileSync(join(top, ".git/index"), "hex"),
    ];
    const before = index();
    const { files } = await diffOf(top, { base: "main" });
    expect(files.map(({ path }) => path)).toEqual(["a.md", "keep.txt", "src/a.ts"]);
    expect(await fileAt(top, "main", "src/a.ts")).toBe("one\ntwo\nthree\n");
    expect(index()).toEqual(before);
    expect(PROGRAMS.filter((name) => existsSync(join(programs, `${name}.ran`)))).toEqual([]);
    rmSync(programs, { recursive: true });
  });
});

describe("a file of a commit", () => {
  test("is as the commit has it, and undefined where it has none", async () => {
    write("keep.txt", "changed\n");
    expect(await fileAt(top, "main", "keep.txt")).toBe("kept\n");
    expect(await fileAt(top, "main", "missing.txt")).toBeUndefined();
    expect(await fileAt(top, "main", "*.txt")).toBeUndefined();
  });

  test("is no folder and no link", async () => {
    symlinkSync("keep.txt", join(top, "link"));
    commitAll();
    for (const path of ["src", "link"])
      await expect(fileAt(top, "main", path)).rejects.toThrow("not a regular file");
    await expect(fileAt(top, "--all", "keep.txt")).rejects.toThrow("no commit");
  });
});

describe("a file below roots", () => {
  test("is found by the first root that has it, from there on or by its whole path", async () => {
    const other = realpathSync(mkdtempSync(join(tmpdir(), "parley-root-")));
    writeFileSync(join(other, "b.ts"), "b");
    for (const path of ["b.ts", join(other, "b.ts")])
      expect(await fileBelow([top, other], path)).toMatchObject({ path: "b.ts", root: other, text: "b" });
    rmSync(other, { recursive: true });
  });

  test.each([
    "../x",
    "/etc/hostname",
    ".git/HEAD",
    ".GIT/HEAD",
    "src/../.git/HEAD",
    ".env",
    "out",
    "none",
    "src",
    "key.txt",
  ])("is not %s", async (path) => {
    symlinkSync("/etc/hostname", join(top, "out"));
    write(".env", "A=1");
    write("key.txt", `-----BEGIN RSA PRIVATE KEY-----\n${"A".repeat(64)}\n`);
    await expect(fileBelow([top], path)).rejects.toMatchObject({ code: "configuration" });
  });

  test("is none where there is no root", async () => {
    await expect(fileBelow([], "a.ts")).rejects.toThrow("no folder to read files from");
  });
});
