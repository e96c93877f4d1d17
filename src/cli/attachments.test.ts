import { describe, expect, it } from "vitest";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
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
    ["images", "images has no text file: skipped x.png (binary); check the path"],
    ["none/*.md", "none/*.md matches no text file; check the path"],
    ["*.rst", "*.rst matches no text file; check the path"],
  ])("refuses %s", async (written, expected) => {
    using place = scratch(files);
    expect(await refusalOf(() => expandAttachments([written], { io: place, maxBytes: 9 }), place)).toBe(
      expected,
    );
  });
});
