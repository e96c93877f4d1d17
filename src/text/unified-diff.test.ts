import { describe, expect, test } from "vitest";
import { readUnifiedDiff } from "./unified-diff.ts";

const HEAD = ["diff --git a/a.ts b/a.ts", "index 1111111..2222222 100644", "--- a/a.ts", "+++ b/a.ts"];
const diff = (...lines: readonly string[]): string => [...lines, ""].join("\n");
const filesOf = (text: string) => {
  const read = readUnifiedDiff(text);
  if (!read.ok) throw new Error(`unread: ${read.reason}`);
  return read.files.map(({ text: _, ...file }) => file);
};

describe("a diff is read", () => {
  test("with the lines that are new and those that are shown", () => {
    const text = diff(...HEAD, "@@ -3,4 +3,5 @@ function f() {", " a", "-b", "+c", "+d", " e", "+f", "-g");
    expect(filesOf(text)).toEqual([
      {
        ...{ path: "a.ts", change: "changed", isBinary: false },
        ...{ shown: [{ from: 3, to: 7 }] },
        added: [
          { from: 4, to: 5 },
          { from: 7, to: 7 },
        ],
      },
    ]);
  });

  test("where lines were only removed, by the lines around them", () => {
    expect(filesOf(diff(...HEAD, "@@ -8,2 +7,0 @@", "-a", "-b"))[0]).toMatchObject({
      ...{ shown: [{ from: 7, to: 7 }], added: [] },
    });
  });

  test("where a file is deleted, by its lines before", () => {
    const text = diff(
      "diff --git a/old.ts b/old.ts",
      "deleted file mode 100644",
      "index 1111111..0000000",
      ...["--- a/old.ts", "+++ /dev/null", "@@ -1,2 +0,0 @@", "-a", "-b"],
    );
    expect(filesOf(text)[0]).toMatchObject({
      path: "old.ts",
      change: "deleted",
      shown: [{ from: 1, to: 2 }],
    });
  });

  test("where files are renamed, binary, empty, or change their mode alone", () => {
    const text = diff(
      ...[
        "diff --git a/x b/y.ts b/z b/y.ts",
        "similarity index 100%",
        "rename from x b/y.ts",
        "rename to z b/y.ts",
      ],
      ...[
        "diff --git a/p.png b/p.png",
        "index 1111111..2222222 100644",
        "Binary files a/p.png and b/p.png differ",
      ],
      ...["diff --git a/run b/run", "old mode 100644", "new mode 100755"],
      ...["diff --git a/new b/new", "new file mode 100644", "index 0000000..e69de29"],
      ...["diff --git a/old b/old", "deleted file mode 100644", "index e69de29bb2d1..000000000000"],
      ...["diff --git a/m b/n", "old mode 100644", "new mode 100755", "similarity index 100%"],
      ...["copy from m", "copy to n"],
    );
    expect(filesOf(text)).toMatchObject([
      { path: "z b/y.ts", oldPath: "x b/y.ts", change: "renamed" },
      { path: "p.png", isBinary: true },
      { path: "run", change: "changed", shown: [] },
      { path: "new", change: "added" },
      { path: "old", change: "deleted" },
      { path: "n", change: "copied" },
    ]);
  });
});

test.each([
  ["prose before the first file", diff("From: somebody", ...HEAD, "@@ -1 +1 @@", "-a", "+b")],
  ["prose between files", diff(...HEAD, "@@ -1 +1 @@", "-a", "+b", "Look here:", ...HEAD)],
  [
    "an unknown line in a header",
    diff(...HEAD.slice(0, 2), "note to the reviewer", ...HEAD.slice(2), "@@ -1 +1 @@", "-a", "+b"),
  ],
  [
    "a new mode and an index, but no hunk",
    diff("diff --git a/a b/a", "old mode 100644", "new mode 100755", "index 1111111..2222222"),
  ],
  ["a hunk that is longer than it says", diff(...HEAD, "@@ -1 +1 @@", "-a", "+b", "+c")],
  ["a hunk that is shorter than it says", diff(...HEAD, "@@ -1 +1,2 @@", "-a", "+b")],
  ["a hunk header of another form", diff(...HEAD, "@@ what ever @@", "-a", "+b")],
  ["an empty line behind a hunk", diff(...HEAD, "@@ -1 +1 @@", "-a", "+b", "", "")],
  ["a file twice", diff(...HEAD, "@@ -1 +1 @@", "-a", "+b", ...HEAD, "@@ -9 +9 @@", "-a", "+b")],
  [
    "a path out of the tree",
    diff("diff --git a/../x b/../x", "--- a/../x", "+++ b/../x", "@@ -1 +1 @@", "-a", "+b"),
  ],
  ["a name that ends in a blank", diff(...HEAD.slice(0, 3), "+++ b/a.ts \t", "@@ -1 +1 @@", "-a", "+b")],
  ["a plain diff", diff("--- a.ts", "+++ a.ts", "@@ -1 +1 @@", "-a", "+b")],
  [
    "a combined diff of a merge",
    diff("diff --cc a.ts", "index 1,2..3", "--- a/a.ts", "+++ b/a.ts", "@@@ -1,1 -1,1 +1,1 @@@", "++b"),
  ],
])("a diff with %s is not read", (_, text) => {
  expect(readUnifiedDiff(text)).toMatchObject({ ok: false });
});

test.each([
  ["a change", [...HEAD, "@@ -1 +1 @@", "-a", "+b"]],
  [
    "a rename",
    [
      "diff --git a/a b/b",
      "similarity index 90%",
      "rename from a",
      "rename to b",
      ...HEAD.slice(1),
      "@@ -1 +1 @@",
      "-a",
      "+b",
    ],
  ],
  [
    "an addition",
    [
      "diff --git a/a b/a",
      "new file mode 100644",
      "index 0000000..1111111",
      "--- /dev/null",
      "+++ b/a",
      "@@ -0,0 +1 @@",
      "+b",
    ],
  ],
  [
    "a deletion",
    [
      "diff --git a/a b/a",
      "deleted file mode 100644",
      "index 1111111..0000000",
      "--- a/a",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-a",
    ],
  ],
  [
    "a binary file",
    ["diff --git a/a b/a", "index 1111111..2222222 100644", "Binary files a/a and b/a differ"],
  ],
])("the diff of %s that is cut off behind any of its lines is not read", (_, lines) => {
  expect(readUnifiedDiff(diff(...lines)).ok).toBe(true);
  const cuts = lines.slice(1).map((_line, at) => readUnifiedDiff(diff(...lines.slice(0, at + 1))).ok);
  expect(cuts).toEqual(cuts.map(() => false));
});
