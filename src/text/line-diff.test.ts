import { describe, expect, it } from "vitest";
import { diffLines, foldUnchanged, type DiffLine } from "./line-diff.ts";

const SIGNS = { same: " ", removed: "-", added: "+" } as const;
const written = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${SIGNS[kind]}${text}`);
const side = (lines: readonly DiffLine[], without: DiffLine["kind"]) =>
  lines.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join("\n");

describe("diffLines", () => {
  it("keeps what both texts have, and removes before it adds", () => {
    expect(written("a\nb\nc\n", "a\nx\nc\nd\n")).toEqual([" a", "-b", "+x", " c", "+d"]);
    expect(written("a\nb\nc\nd\ne", "b\nc\nx\ne")).toEqual(["-a", " b", " c", "-d", "+x", " e"]);
    expect(written("a\na\na", "a\na")).toEqual([" a", " a", "-a"]);
  });

  it("finds nothing in equal texts, and all in a new one", () => {
    expect(written("a\nb", "a\nb\n")).toEqual([" a", " b"]);
    expect(written("", "a\n\nb")).toEqual(["+a", "+", "+b"]);
    expect(written("a", "")).toEqual(["-a"]);
    expect(written("", "")).toEqual([]);
  });

  it("gives both texts back, with the fewest changes, for texts made by chance", () => {
    let seed = 7;
    const chance = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 200; round += 1) {
      const [before, after] = [0, 1].map(() =>
        Array.from({ length: 1 + chance(9) }, () => "abc"[chance(3)]).join("\n"),
      ) as [string, string]; // two of them
      const lines = diffLines(before, after);
      expect([side(lines, "added"), side(lines, "removed")]).toEqual([before, after]);
      const same = lines.filter(({ kind }) => kind === "same").length;
      expect(same).toBe(longestCommon(before.split("\n"), after.split("\n")));
    }
  });

  it("bears texts that are too long to compare", () => {
    const text = (mark: string) => Array.from({ length: 3_000 }, (_, nth) => `${mark}${nth}`).join("\n");
    const lines = diffLines(`${text("a")}\nlast`, `${text("b")}\nlast`);
    expect([lines.length, lines[0], lines[3_001], lines.at(-1)]).toEqual([
      6_002,
      { kind: "removed", text: "a0" },
      { kind: "added", text: "b0" },
      { kind: "added", text: "last" },
    ]);
  });
});

/** By trying all, for short lists. */
function longestCommon([first, ...more]: readonly string[], other: readonly string[]): number {
  if (first === undefined) return 0;
  const at = other.indexOf(first);
  const without = longestCommon(more, other);
  return at < 0 ? without : Math.max(without, 1 + longestCommon(more, other.slice(at + 1)));
}

it("foldUnchanged counts the lines that are far from any difference", () => {
  const before = Array.from({ length: 20 }, (_, nth) => String(nth)).join("\n");
  const folded = foldUnchanged(diffLines(before, before.replace("\n10\n", "\nten\n")), 2);
  expect(folded.map((line) => (line.kind === "folded" ? line.count : line.text))).toEqual([
    ...[8, "8", "9", "10", "ten", "11", "12", 7],
  ]);
  expect(foldUnchanged(diffLines("a\nb", "a\nb"))).toEqual([{ kind: "folded", count: 2 }]);
});
