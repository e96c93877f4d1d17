import { join } from "node:path";
import { expect, test } from "vitest";
import { readUnifiedDiff } from "../../../text/unified-diff.ts";
import { makeCases } from "./bench.ts";
import { makeChanges } from "./plant.ts";

const file = {
  path: "src/a.ts",
  text: `export async function take(items, limit, find) {
  if (limit < 0) throw new RangeError(limit);
  let count = 0;
  for (const item of items) if (item.ok && !item.old) count += item.size;
  const found = await find(items);
  return Math.min(count, found.length - 1);
}
`,
};

test("the same files and seed make the same changes, each a diff of one file that is read whole", () => {
  const made = makeChanges([file], { count: 4, seed: "s" });
  expect(makeChanges([file], { count: 4, seed: "s" })).toEqual(made);
  expect(makeChanges([file], { count: 4, seed: "t" })).not.toEqual(made);
  for (const { diff, line, after } of made) {
    const read = readUnifiedDiff(diff);
    expect(read).toMatchObject({ ok: true, files: [{ path: "src/a.ts", change: "changed" }] });
    const [shown] = (read.ok && read.files[0]?.shown) || [];
    expect(shown && shown.from <= line && line <= shown.to).toBe(true);
    expect(after).not.toBe(file.text);
  }
});

test("faults change what a program does, each in its way, and clean changes do not", () => {
  const made = makeChanges([file], { count: 20, seed: "s" });
  const linesOf = (isFault: boolean) =>
    made
      .filter((one) => one.isFault === isFault)
      .map(({ edit, diff }) =>
        [edit, ...diff.split("\n").filter((line) => /^[+-](?![+-])/.test(line))].join("\n"),
      )
      .sort();
  expect(linesOf(true)).toMatchInlineSnapshot(`
    [
      "a lost await
    -  const found = await find(items);
    +  const found = find(items);",
      "a lost guard
    -  if (limit < 0) throw new RangeError(limit);",
      "a lost negation
    -  for (const item of items) if (item.ok && !item.old) count += item.size;
    +  for (const item of items) if (item.ok && item.old) count += item.size;",
      "another boundary
    -  if (limit < 0) throw new RangeError(limit);
    +  if (limit <= 0) throw new RangeError(limit);",
      "conditions joined otherwise
    -  for (const item of items) if (item.ok && !item.old) count += item.size;
    +  for (const item of items) if (item.ok || !item.old) count += item.size;",
      "off by one
    -  return Math.min(count, found.length - 1);
    +  return Math.min(count, found.length);",
      "the other bound
    -  return Math.min(count, found.length - 1);
    +  return Math.max(count, found.length - 1);",
    ]
  `);
  expect(linesOf(false)).toMatchInlineSnapshot(`
    [
      "a blank line
    +",
      "a blank line
    +",
      "a comment
    +  // See the note above.",
      "a comment
    +  // See the note above.",
      "a comment
    +  // See the note above.",
      "a comparison turned round
    -  if (limit < 0) throw new RangeError(limit);
    +  if (0 > limit) throw new RangeError(limit);",
      "a name for a result
    -  return Math.min(count, found.length - 1);
    +  const result = Math.min(count, found.length - 1);
    +  return result;",
      "an operator written out
    -  for (const item of items) if (item.ok && !item.old) count += item.size;
    +  for (const item of items) if (item.ok && !item.old) count = count + item.size;",
      "braces around one statement
    -  if (limit < 0) throw new RangeError(limit);
    +  if (limit < 0) {
    +    throw new RangeError(limit);
    +  }",
    ]
  `);
});

test("the files of this repository have room for 60 of each, in many files and of every kind", async () => {
  const cases = await makeCases(join(import.meta.dirname, "../../.."), { count: 60, seed: "review-bench" });
  const faults = cases.filter(({ isFault }) => isFault);
  expect([faults.length, cases.length]).toEqual([60, 120]);
  expect(new Set(cases.map(({ diff }) => diff)).size).toBe(120);
  expect(new Set(faults.map(({ edit }) => edit)).size).toBe(10);
  expect(new Set(cases.map(({ file: path }) => path)).size).toBeGreaterThan(60);
});

test("a folder without code enough is refused with what there is room for", async () => {
  await expect(makeCases(import.meta.dirname, { count: 500, seed: "s" })).rejects.toThrow(
    /has room for \d+ faults/,
  );
});
