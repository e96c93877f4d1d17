import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
import { pdfOf, pngOf } from "../../test/support/media-samples.ts";
import { readContext, readContextFiles } from "../config/input-files.ts";
import { expandAttachments } from "./attachments.ts";

const files = {
  "project/a.md": "a",
  "project/b.md": "b",
  "project/a,b.md": "comma",
  "project/docs/c.md": "c",
  "project/docs/deep/d.txt": "d",
  "project/docs/credentials.json": "{}",
  "project/docs/key.txt": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA",
  "project/docs/zero.bin": "a\0b",
  "project/docs/.env": "K=1",
  "project/images/x.png": "\0",
};

describe("expandAttachments", () => {
  it.each([
    [["a.md"], ["a.md"]],
    [["a.md,b.md"], ["a.md", "b.md"]],
    [["a.md, b.md,"], ["a.md", "b.md"]],
    [
      ["b.md", "a.md", "b.md"],
      ["b.md", "a.md"],
    ],
    [["a,b.md"], ["a,b.md"]],
    [["{a,b}.md,docs/c.md"], ["a.md", "b.md", "docs/c.md"]],
    [["docs"], ["docs/c.md", "docs/deep/d.txt"]],
    [
      ["docs/", "*.md"],
      ["docs/c.md", "docs/deep/d.txt", "a,b.md", "a.md", "b.md"],
    ],
    [["docs/credentials.json"], ["docs/credentials.json"]], // named itself
    [["missing.md"], ["missing.md"]], // refused where it is read
    [["x".repeat(300)], ["x".repeat(300)]],
    [
      ["https://a.example/x,y,https://b.example/,b.md"],
      ["https://a.example/x,y", "https://b.example/", "b.md"],
    ],
  ])("%j", (written, expected) => {
    using place = scratch(files);
    expect(expandAttachments(written, { io: place, maxBytes: 1_000 }).files).toEqual(expected);
  });

  it("says what of a folder is attached, and what is not", () => {
    using place = scratch(files);
    expect(expandAttachments(["docs", "a.md"], { io: place, maxBytes: 1_000 }).notes).toEqual([
      "Attached 2 files of docs: docs/c.md, docs/deep/d.txt; skipped credentials.json (secret), key.txt (secret), zero.bin (binary)",
    ]);
  });

  it.each([
    ["images", "images has no text, picture or PDF: skipped x.png (binary); check the path"],
    ["none/*.md", "none/*.md matches no text, picture or PDF; check the path"],
    ["*.rst", "*.rst matches no text, picture or PDF; check the path"],
  ])("refuses %s", async (written, expected) => {
    using place = scratch(files);
    expect(await refusalOf(() => expandAttachments([written], { io: place, maxBytes: 9 }), place)).toBe(
      expected,
    );
  });

  it("reads each file of a folder once, and no more than may be attached and a byte", async () => {
    using place = scratch({
      "project/many/1.md": "a".repeat(60),
      "project/many/2.md": "b".repeat(60),
      "project/many/3.md": "c".repeat(1_000),
      "project/many/4.md": "d".repeat(60),
    });
    const lengths = (written: string[], maxBytes: number) => {
      const { bytes } = expandAttachments(written, { io: place, maxBytes });
      return [...bytes].map(([file, read]) => `${file} ${read.length}`);
    };
    const first = ["many/1.md 60", "many/2.md 60"];
    expect(lengths(["many"], 2_000)).toEqual([...first, "many/3.md 1000", "many/4.md 60"]);
    expect(lengths(["many", "many/*.md", "./many/1.md"], 2_000)).toHaveLength(4);
    expect(lengths(["many"], 200)).toEqual([...first, "many/3.md 81"]);
    expect(lengths(["many"], 120)).toEqual([...first, "many/3.md 1"]);
    expect(lengths(["many"], 50)).toEqual(["many/1.md 51"]);
    const { files, bytes } = expandAttachments(["many"], { io: place, maxBytes: 2_000 });
    rmSync(join(place.cwd, "many"), { recursive: true });
    expect(await readContext({ ...place, files, bytes, maxBytes: 2_000 })).toHaveLength(4);
    const refused = readContext({ ...place, files, bytes: new Map([...bytes]), maxBytes: 120 });
    await expect(refused).rejects.toMatchObject({
      details: { why: "all context together has more than 120 bytes, from many/3.md on" },
    });
  });
});

describe("pictures and PDFs", () => {
  it("of a folder are attached by their bytes, whatever their names say", async () => {
    using place = scratch({ "project/mixed/a.md": "text", "project/mixed/svg.png": "<svg/>" });
    const picture = pngOf(30, 20);
    writeFileSync(join(place.cwd, "mixed/notes.txt"), picture);
    writeFileSync(join(place.cwd, "mixed/report"), pdfOf(["x"]));
    const { files: found, bytes, notes } = expandAttachments(["mixed"], { io: place, maxBytes: 100 });
    expect(found).toEqual(["mixed/a.md", "mixed/notes.txt", "mixed/report", "mixed/svg.png"]);
    expect(notes.join()).not.toContain("skipped");
    const asked = { files: found, bytes, stdin: "piped", cwd: place.cwd, env: place.env };
    const read = await readContextFiles({ ...asked, maxBytes: 100, maxMediaBytes: 10_000 });
    expect(read).toEqual([
      { name: "mixed/a.md", text: "text" },
      { name: "mixed/notes.txt", base64: picture.toString("base64") },
      { name: "mixed/report", base64: pdfOf(["x"]).toString("base64") },
      { name: "mixed/svg.png", text: "<svg/>" },
      { name: "stdin", text: "piped" },
    ]);
    expect(
      await refusalOf(() => readContextFiles({ ...asked, maxBytes: 100, maxMediaBytes: 50 }), place),
    ).toBe("mixed/notes.txt has more than 50 bytes; give less, or raise max-attachment-bytes");
  });

  it("of other forms are refused as what they are, as is a link to itself", async () => {
    using place = scratch({
      "project/a.heic": "\0\0\0\x18ftypheic\0\0",
      "project/b.bmp": "BM\x0a\0\0\0\0\0\0\0",
    });
    symlinkSync("loop", join(place.cwd, "loop"));
    const why = (file: string) =>
      refusalOf(
        () =>
          readContextFiles({
            ...{ files: expandAttachments([file], { io: place, maxBytes: 99 }).files, maxMediaBytes: 99 },
            ...{ cwd: place.cwd, env: place.env },
          }),
        place,
      );
    expect(await why("a.heic")).toBe(
      "a.heic is a HEIC picture, which models do not take; save it as PNG or JPEG",
    );
    expect(await why("b.bmp")).toBe(
      "b.bmp is a BMP picture, which models do not take; save it as PNG or JPEG",
    );
    expect(await why("loop")).toBe("loop is a link that leads back to itself; name the file itself");
  });

  it("leaves addresses of the web as they were written", () => {
    using place = scratch(files);
    const written = ["https://example.com/a,b?c=*", "a.md"];
    expect(expandAttachments(written, { io: place, maxBytes: 1_000 }).files).toEqual(written);
  });
});
