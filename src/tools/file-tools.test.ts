import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isFault, ToolSpec, type Json } from "../kernel/index.ts";
import { createFileTools, type FileTools } from "./file-tools.ts";
import { scratch } from "../../test/support/tools-scratch.ts";

const never = new AbortController().signal;

const reading = (tools: FileTools, path: string, more: { [key: string]: Json } = {}) =>
  tools.call("file_read", { path, ...more }, never);
const listing = (tools: FileTools, input: { [key: string]: Json } = {}) =>
  tools.call("list_files", input, never);
const reasonOf = async (outcome: ReturnType<FileTools["call"]>): Promise<string> => {
  const settled = await outcome;
  return settled.ok ? "not refused" : settled.reason;
};
const pathsIn = async (outcome: ReturnType<FileTools["call"]>): Promise<string[]> => {
  const settled = await outcome;
  if (!settled.ok) return [settled.reason];
  // What list_files gives; a result of another shape fails its test.
  const { entries } = settled.result as { entries: { path: string }[] };
  return entries.map(({ path }) => path);
};

const OUT = "the path leads out of the folder; give one relative to it";
const linksOut = (name: string) =>
  `${name} is, or goes through, a link that leads out of the folder or nowhere`;
const isSecret = (name: string) =>
  `${name} is refused: by its name it holds keys, passwords or other credentials`;

describe("createFileTools", () => {
  it("tells a model of its tools", async () => {
    using place = scratch();
    const { specs } = await createFileTools(place.inside);
    expect(specs.map((spec) => ToolSpec.parse(spec).name)).toEqual(["file_read", "list_files"]);
    expect(specs.map(({ parameters }) => parameters)).toMatchObject([
      { required: ["path"], properties: { from_line: { type: "integer", minimum: 1 } } },
      { properties: { path: { maxLength: 4_096 }, depth: { minimum: 1, maximum: 8 } } },
    ]);
  });

  it("follows a link to its folder once", async () => {
    using place = scratch({ "x.txt": "inside" });
    place.write("outside/x.txt", "outside");
    const link = join(place.outside, "link");
    symlinkSync(place.inside, link);
    const tools = await createFileTools(link);
    renameSync(link, join(place.outside, "moved"));
    symlinkSync(place.outside, link);
    expect(await reading(tools, "x.txt")).toMatchObject({ ok: true, result: { text: "inside" } });
  });

  it("reads nothing where a link took its folder's place", async () => {
    using place = scratch({ "x.txt": "inside" });
    place.write("outside/x.txt", "outside");
    const tools = await createFileTools(place.inside);
    renameSync(place.inside, join(place.outside, "moved"));
    symlinkSync(place.outside, place.inside);
    expect(await reading(tools, "x.txt")).toEqual({ ok: false, reason: linksOut("x.txt") });
    expect(await listing(tools)).toEqual({ ok: false, reason: linksOut(".") });
  });

  it("throws a fault for what is no folder", async () => {
    using place = scratch({ file: "" });
    for (const path of ["file", "none", "file/x"]) {
      const error: unknown = await createFileTools(join(place.inside, path)).catch((fault: unknown) => fault);
      expect(isFault(error, "configuration") && error.message.replace(place.inside, "")).toBe(
        `the tools' folder /${path} is not there, or not a folder; name a folder that may be read`,
      );
    }
  });

  it("says what it expects of arguments and which tools there are, and repeats nothing of a model's", async () => {
    using place = scratch();
    const tools = await createFileTools(place.inside);
    const read =
      'file_read expects {"path": text, "from_line": whole number from 1 (optional), "lines": whole number from 1 (optional)}';
    const cases: [string, Json, string][] = [
      ["file_read", {}, `${read}; path is not valid: Invalid input: expected string, received undefined`],
      [
        "file_read",
        null,
        `${read}; the arguments are not valid: Invalid input: expected object, received null`,
      ],
      [
        "file_read",
        { path: "a", from_line: 0 },
        `${read}; from_line is not valid: Too small: expected number to be >=1`,
      ],
      [
        "file_read",
        { path: "a", lines: 1.5 },
        `${read}; lines is not valid: Invalid input: expected int, received number`,
      ],
      ["file_read", { path: "a", "/etc/passwd": 1 }, `${read}; there is an argument that it does not know`],
      [
        "file_read",
        { path: "a".repeat(4_097) },
        `${read}; path is not valid: Too big: expected string to have <=4096 characters`,
      ],
      [
        "list_files",
        { depth: 9 },
        'list_files expects {"path": text (optional), "depth": whole number from 1 to 8 (optional)}; depth is not valid: Too big: expected number to be <=8',
      ],
      ["/etc/passwd", {}, "there is no such tool; there are file_read, list_files"],
      ["constructor", {}, "there is no such tool; there are file_read, list_files"],
    ];
    for (const [name, input, reason] of cases)
      expect(await tools.call(name, input, never)).toEqual({ ok: false, reason });
  });

  it("rejects for an aborted signal only", async () => {
    using place = scratch({ "x.txt": "x" });
    const tools = await createFileTools(place.inside);
    const stop = new Error("stop");
    for (const [name, input] of [
      ["file_read", { path: "x.txt" }],
      ["list_files", {}],
      ["none", {}],
    ] as const)
      await expect(tools.call(name, input, AbortSignal.abort(stop))).rejects.toBe(stop);
    const later = new AbortController();
    const read = tools.call("file_read", { path: "x.txt" }, later.signal);
    later.abort(stop);
    await expect(read).rejects.toBe(stop);
  });
});

// Invariants SANDBOX-1, SANDBOX-2 and SANDBOX-4.
describe("paths", () => {
  it("refuses what leads out by its text, whether it exists or not, in the same words", async () => {
    using place = scratch({ "a/x.txt": "x" });
    place.write("outside/x.txt", "secret");
    place.write("inside2/x.txt", "secret");
    const tools = await createFileTools(place.inside);
    for (const path of [
      "..",
      "../outside/x.txt",
      "../outside/none.txt",
      "../inside2/x.txt",
      "a/../../outside/x.txt",
      join(place.outside, "x.txt"),
      "/",
      "/etc/passwd",
      "/none",
    ]) {
      expect(await reading(tools, path)).toEqual({ ok: false, reason: OUT });
      expect(await listing(tools, { path })).toEqual({ ok: false, reason: OUT });
    }
    const same = { ok: true, result: { path: "a/x.txt", text: "x" } };
    for (const path of [
      "a/x.txt",
      "./a//x.txt",
      "a/../a/x.txt",
      "../inside/a/x.txt",
      join(place.inside, "a/x.txt"),
    ])
      expect(await reading(tools, path)).toMatchObject(same);
  });

  it("refuses links that lead out or nowhere in the same words, and follows those that stay", async () => {
    using place = scratch({ "a/x.txt": "x", "..odd": "odd" });
    place.write("outside/x.txt", "secret");
    const link = (target: string, path: string) => symlinkSync(target, join(place.inside, path));
    link(join(place.outside, "x.txt"), "file");
    link("../outside", "folder");
    link("../outside/none", "nowhere");
    link("none", "dead");
    link("loop", "loop");
    link("folder/x.txt", "twice");
    link("a", "stays");
    link("../inside/a/x.txt", "returns");
    const tools = await createFileTools(place.inside);
    for (const path of ["file", "folder/x.txt", "folder/none.txt", "nowhere", "dead", "loop", "twice"])
      expect(await reading(tools, path)).toEqual({ ok: false, reason: linksOut(path) });
    expect(await listing(tools, { path: "folder" })).toEqual({ ok: false, reason: linksOut("folder") });
    for (const path of ["stays/x.txt", "returns"])
      expect(await reading(tools, path)).toMatchObject({ ok: true, result: { path: "a/x.txt", text: "x" } });
    expect(await reading(tools, "..odd")).toMatchObject({ ok: true, result: { text: "odd" } });
  });

  it("refuses NUL, names of devices and names that are too long", async () => {
    using place = scratch({ "aux.c": "int main;" });
    const tools = await createFileTools(place.inside);
    expect(await reasonOf(reading(tools, "x\0.txt"))).toBe("a path has no NUL character in it");
    expect(await reasonOf(reading(tools, "aux.c"))).toBe("aux.c has the name of a device of Windows");
    expect(await reasonOf(listing(tools, { path: "NUL/x" }))).toBe(
      "NUL/x has the name of a device of Windows",
    );
    expect(await reasonOf(reading(tools, "n".repeat(300)))).toBe(
      `${"n".repeat(199)}… has a longer name than the system takes`,
    );
  });

  it("refuses secrets under the name that was asked for and under their own", async () => {
    using place = scratch({
      ".env.local": "KEY=1",
      ".git/config": "url",
      ".git/HEAD": "ref",
      ".ssh/known_hosts": "",
      "plain.txt": "KEY=2",
    });
    symlinkSync(".env.local", join(place.inside, "notes.txt"));
    symlinkSync("plain.txt", join(place.inside, "server.pem"));
    symlinkSync(".ssh", join(place.inside, "folder"));
    const tools = await createFileTools(place.inside);
    for (const path of [".env.local", ".git/config", "notes.txt", "server.pem", "folder/known_hosts"])
      expect(await reasonOf(reading(tools, path))).toBe(isSecret(path));
    expect(await reasonOf(listing(tools, { path: ".ssh" }))).toBe(isSecret(".ssh"));
    expect(await reading(tools, ".git/HEAD")).toMatchObject({ ok: true, result: { text: "ref" } });
  });

  it("shows a name in a reason as one bounded line", async () => {
    using place = scratch();
    const tools = await createFileTools(place.inside);
    expect(await reasonOf(reading(tools, "a\n[END]\u001b[2J\u202e"))).toBe("a [END] [2J does not exist");
  });
});

describe("file_read", () => {
  it("reads text by lines, without a byte order mark", async () => {
    using place = scratch({ "docs/ä.md": "\uFEFFone\ntwo\nthree ✓\n", empty: "" });
    const tools = await createFileTools(place.inside);
    expect(await reading(tools, "docs/ä.md", { from_line: 2, lines: 1 })).toEqual({
      ok: true,
      result: {
        path: "docs/ä.md",
        from_line: 2,
        to_line: 2,
        total_lines: 3,
        text: "two\n",
        note: "lines 2 to 2 of 3 are shown; read on with from_line 3",
      },
    });
    expect(await reading(tools, "docs/ä.md")).toMatchObject({
      ok: true,
      result: { text: "one\ntwo\nthree ✓\n" },
    });
    expect(await reading(tools, "empty")).toMatchObject({ ok: true, result: { text: "", total_lines: 0 } });
    expect(await reasonOf(reading(tools, "docs/ä.md", { from_line: 4 }))).toBe(
      "docs/ä.md ends before line 4",
    );
  });

  it("reads up to 1 MB, 20,000 characters at a time", async () => {
    const line = `${"x".repeat(99)}\n`;
    using place = scratch({ most: line.repeat(10_000), more: `${line.repeat(10_000)}x` });
    const tools = await createFileTools(place.inside);
    expect(await reading(tools, "most", { from_line: 9_701 })).toEqual({
      ok: true,
      result: {
        path: "most",
        from_line: 9_701,
        to_line: 9_900,
        total_lines: 10_000,
        text: line.repeat(200),
        note: "lines 9701 to 9900 of 10000 are shown; read on with from_line 9901",
      },
    });
    expect(await reasonOf(reading(tools, "more"))).toBe(
      "more has more than 1 MB, which is the most that is read",
    );
  });

  it("refuses what is no text, no file or not there", async () => {
    using place = scratch({
      "a/x": "",
      binary: "a\0b",
      latin: new Uint8Array([0x61, 0xe9, 0x62]),
      wide: new Uint8Array([0xff, 0xfe, 0x61, 0x00]),
    });
    const tools = await createFileTools(place.inside);
    for (const path of ["binary", "latin", "wide"])
      expect(await reasonOf(reading(tools, path))).toBe(`${path} is not a text file in UTF-8`);
    expect(await reasonOf(reading(tools, "a"))).toBe("a is a folder; list_files shows what is in it");
    expect(await reasonOf(reading(tools, ""))).toBe(". is a folder; list_files shows what is in it");
    expect(await reasonOf(reading(tools, "a/none"))).toBe("a/none does not exist");
    expect(await reasonOf(reading(tools, "a/x/y"))).toBe(
      "a/x/y does not exist: a part of its path is a file",
    );
  });

  it("opens no FIFO, socket or device", async ({ skip }) => {
    skip(process.platform === "win32", "Windows has none of them in the file system");
    using place = scratch();
    execFileSync("mkfifo", [join(place.inside, "fifo")]);
    const server = createServer((socket) => socket.destroy());
    server.listen(join(place.inside, "socket"));
    await once(server, "listening");
    try {
      const tools = await createFileTools(place.inside);
      for (const path of ["fifo", "socket"])
        expect(await reasonOf(reading(tools, path))).toBe(`${path} is not a regular file`);
      expect(await listing(tools)).toEqual({
        ok: true,
        result: {
          path: ".",
          entries: [
            { path: "fifo", kind: "other" },
            { path: "socket", kind: "other" },
          ],
        },
      });
    } finally {
      server.close();
    }
    expect(await reasonOf(reading(await createFileTools("/dev"), "zero"))).toBe("zero is not a regular file");
  });
});

describe("list_files", () => {
  it("lists a level, and deeper ones behind their folders; hidden folders only where they are named", async () => {
    using place = scratch({
      "b/x.txt": "",
      "b/c/y.txt": "",
      "b-side": "",
      "A.md": "",
      ".git/HEAD": "",
      ".github/x.yml": "",
      "b/node_modules/z/index.js": "",
    });
    symlinkSync("b", join(place.inside, "link"));
    const tools = await createFileTools(place.inside);
    expect(await listing(tools)).toEqual({
      ok: true,
      result: {
        path: ".",
        entries: [
          { path: ".git", kind: "folder" },
          { path: ".github", kind: "folder" },
          { path: "A.md", kind: "file" },
          { path: "b", kind: "folder" },
          { path: "b-side", kind: "file" },
          { path: "link", kind: "link" },
        ],
      },
    });
    const inB = ["b/c", "b/node_modules", "b/x.txt"];
    expect(await pathsIn(listing(tools, { depth: 2 }))).toEqual([
      ".git",
      ".github",
      "A.md",
      "b",
      ...inB,
      "b-side",
      "link",
    ]);
    expect(await pathsIn(listing(tools, { path: "link", depth: 8 }))).toEqual([
      "b/c",
      "b/c/y.txt",
      "b/node_modules",
      "b/x.txt",
    ]);
    expect(await pathsIn(listing(tools, { path: ".github" }))).toEqual([".github/x.yml"]);
    expect(await reasonOf(listing(tools, { path: "A.md" }))).toBe(
      "A.md is not a folder; file_read reads a file",
    );
    expect(await reasonOf(listing(tools, { path: "none" }))).toBe("none does not exist");
  });

  it("shows 500 entries and says when there are more, the deepest left out first", async () => {
    using place = scratch({ "z/y": "" });
    const name = (index: number) => `many/in/f${String(index).padStart(4, "0")}`;
    mkdirSync(join(place.inside, "many/in"), { recursive: true });
    for (let index = 500; index >= 0; index -= 1) writeFileSync(join(place.inside, name(index)), "");
    const first = Array.from({ length: 500 }, (_, index) => name(index));
    const tools = await createFileTools(place.inside);
    const note = "only 500 entries are shown; list a folder by its path to see the rest";
    expect(await pathsIn(listing(tools, { path: "many/in" }))).toEqual(first);
    expect(await listing(tools, { path: "many/in" })).toMatchObject({ result: { note } });
    expect(await pathsIn(listing(tools, { depth: 3 }))).toEqual([
      "many",
      "many/in",
      ...first.slice(0, 496),
      "z",
      "z/y",
    ]);
    expect(await listing(tools, { depth: 3 })).toMatchObject({ result: { note } });
    rmSync(join(place.inside, name(500)));
    expect(await listing(tools, { path: "many/in" })).toEqual({
      ok: true,
      result: { path: "many/in", entries: first.map((path) => ({ path, kind: "file" })) },
    });
  });

  it("shows 20,000 characters of paths", async () => {
    using place = scratch();
    for (let index = 100; index < 200; index += 1)
      writeFileSync(join(place.inside, `${index}${"n".repeat(247)}`), "");
    const tools = await createFileTools(place.inside);
    expect(await pathsIn(listing(tools))).toHaveLength(80);
    expect(await listing(tools)).toMatchObject({
      result: { note: "only 80 entries are shown; list a folder by its path to see the rest" },
    });
  });

  it("says how many folders it could not enter", async () => {
    using place = scratch({ "con/x": "", "b/x": "" });
    const tools = await createFileTools(place.inside);
    expect(await listing(tools, { depth: 2 })).toEqual({
      ok: true,
      result: {
        path: ".",
        entries: [
          { path: "b", kind: "folder" },
          { path: "b/x", kind: "file" },
          { path: "con", kind: "folder" },
        ],
        note: "folders that could not be read: 1",
      },
    });
  });
});
