import { describe, expect, it } from "vitest";
import { scratch } from "../../test/support/scratch.ts";
import { filesMatching, isPattern } from "./file-patterns.ts";

describe("filesMatching", () => {
  it.each([
    ["*.md", ["a.md", "b.md"]],
    ["?.md", ["a.md", "b.md"]],
    ["[ab].md", ["a.md", "b.md"]],
    ["[!a].md", ["b.md"]],
    ["{a,c}.{md,txt}", ["a.md", "c.txt"]],
    ["docs/*.md", ["docs/d.md"]],
    ["docs/**", ["docs/d.md", "docs/deep/e.md"]],
    ["./docs/**/*.md", ["./docs/d.md", "./docs/deep/e.md"]],
    ["**/*.md", ["a.md", "b.md", "docs/d.md", "docs/deep/e.md"]],
    ["*/deep/*", ["docs/deep/e.md"]],
    ["docs/**/deep/*.md", ["docs/deep/e.md"]],
    [".h*", [".hidden.md"]],
    ["(*", ["(1).txt"]],
    ["none/*", []],
    ["a.md/*", []],
    ["[z-a]*", []],
  ])("%s", (pattern, expected) => {
    const names =
      "a.md b.md c.txt .hidden.md (1).txt docs/d.md docs/deep/e.md docs/.git/f.md docs/node_modules/g.md";
    using place = scratch(Object.fromEntries(names.split(" ").map((name) => [`project/${name}`, ""])));
    expect(isPattern(pattern, place)).toBe(true);
    expect(filesMatching(pattern, place)).toEqual(expected);
  });

  it("takes a file's name as it is", () => {
    using place = scratch({ "project/odd*.md": "", "project/oddly.md": "" });
    expect(isPattern("odd*.md", place)).toBe(false);
    expect(isPattern("odd.md", place)).toBe(false);
  });
});
