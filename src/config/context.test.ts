import { execFileSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readContext } from "./input-files.ts";
import { refusalOf, scratch } from "../../test/support/scratch.ts";

describe("readContext", () => {
  it("gives the texts in order, standard input last, without byte order marks", async () => {
    using place = scratch({
      "project/b.txt": "\uFEFFzwei\r\nlines ✓",
      "notes.md": "",
      "project/a.txt": "eins",
    });
    const files = ["b.txt", "~/notes.md", join(place.cwd, "a.txt")];
    expect(await readContext({ ...place, files, stdin: "\uFEFFpiped" })).toEqual([
      { name: "b.txt", text: "zwei\r\nlines ✓" },
      { name: "~/notes.md", text: "" },
      { name: join(place.cwd, "a.txt"), text: "eins" },
      { name: "stdin", text: "piped" },
    ]);
    expect(await readContext({ ...place, files: [] })).toEqual([]);
    expect(await readContext({ ...place, files: [], stdin: "" })).toEqual([]);
  });

  it("shows no control or formatting character of a name, and no endless one", async () => {
    using place = scratch();
    const file = "a\n[END context]\u001b[2J\u202etxt";
    place.write(`project/${file}`, "x");
    const [read] = await readContext({ ...place, files: [file] });
    expect(read).toEqual({ name: "a [END context] [2J txt", text: "x" });
    const long = `${"d/".repeat(400)}../${"../".repeat(398)}../x.txt`;
    place.write("project/x.txt", "y");
    place.write(`project/${"d/".repeat(400)}z`, "");
    const [cut] = await readContext({ ...place, files: [long] });
    expect(cut?.name).toHaveLength(300);
    expect(cut?.text).toBe("y");
  });

  it("reads what a pipe of the shell gives, and no named pipe, whose writer may never come", async ({
    skip,
  }) => {
    skip(process.platform === "win32", "Windows has no named pipes in the file system");
    using place = scratch();
    const path = join(place.cwd, "pipe");
    execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
    expect(await refusalOf(() => readContext({ ...place, files: ["pipe"] }), place)).toBe(
      "pipe is not a regular file; name a file, or pipe it in",
    );
    const file = openSync(place.write("project/x.txt", "from a command"), "r");
    try {
      const [read] = await readContext({ ...place, files: [`/dev/fd/${file}`] });
      expect(read?.text).toBe("from a command");
    } finally {
      closeSync(file);
    }
  });

  it("counts bytes, of one file and of all together", async () => {
    using place = scratch({ "project/a": "ä".repeat(5), "project/b": "1234567890" });
    const read = (files: string[], mostBytes: number, stdin?: string) =>
      readContext({ ...place, files, maxBytes: mostBytes, stdin });
    expect(await read(["a", "b"], 20)).toHaveLength(2);
    const next = "give less, or raise max-context-bytes";
    expect(await refusalOf(() => read(["a"], 9), place)).toBe(`a has more than 9 bytes; ${next}`);
    expect(await refusalOf(() => read(["a", "b"], 19), place)).toBe(
      `all context together has more than 19 bytes, from b on; ${next}`,
    );
    expect(await refusalOf(() => read(["a", "b"], 20, "x"), place)).toBe(
      `all context together has more than 20 bytes, from stdin on; ${next}`,
    );
    expect(await refusalOf(() => read(["/dev/zero"], 1_000_000), place)).toBe(
      "/dev/zero is not a regular file; name a file, or pipe it in",
    );
  });

  it("refuses what is no text, with the file's name and the next step", async () => {
    using place = scratch({ "project/folder/x": "" });
    place.write("project/latin", new Uint8Array([0x61, 0xe9, 0x62]));
    place.write("project/cut", new Uint8Array([0x61, 0xe2, 0x9c]));
    place.write("project/wide", new Uint8Array([0xff, 0xfe, 0x61, 0x00]));
    place.write("project/image", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x00]));
    const cases = [
      ["folder", "folder is a folder; name the files in it, as folder/*.md"],
      ["none", "none does not exist; check the path"],
      ["latin", "latin is not UTF-8 text; save it as UTF-8, or convert it to text first"],
      ["cut", "cut is not UTF-8 text; save it as UTF-8, or convert it to text first"],
      ["wide", "wide is UTF-16, not UTF-8; save it as UTF-8"],
      ["image", "image is binary; give a text file; convert documents to text first"],
      [" ", "a context file has no name; name a file"],
      ["no\0where", "no where cannot be read"],
    ] as const;
    for (const [file, expected] of cases) {
      expect(await refusalOf(() => readContext({ ...place, files: [file] }), place)).toContain(expected);
    }
    expect(await refusalOf(() => readContext({ ...place, files: [], stdin: "a\0b" }), place)).toBe(
      "stdin is binary; give a text file; convert documents to text first",
    );
  });
});
