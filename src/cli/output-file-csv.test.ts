import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { refusalOf, scratch, type Scratch } from "../../test/support/scratch.ts";
import { appendCsv, checkCsv } from "./output-file.ts";
import type { Io } from "./command.ts";

const HEADER = "debate,Überblick";
const csv = { file: "scores.csv", header: HEADER };

const ioIn = (place: Scratch, notes: string[] = []): Io => {
  const face = { terminal: false, color: false, columns: 80 };
  return {
    protocols: [],
    output: {
      result: () => Promise.resolve(),
      note: (text) => void notes.push(text),
      stdout: face,
      stderr: face,
    },
    env: place.env,
    cwd: place.cwd,
  };
};

const contentOf = (place: Scratch): string => readFileSync(join(place.cwd, csv.file), "utf8");

it.each([
  ["no file", undefined, `${HEADER}\na,1\n`],
  ["an empty file", "", `${HEADER}\na,1\n`],
  ["a header alone", `${HEADER}\n`, `${HEADER}\na,1\n`],
  ["a header whose line is not ended", HEADER, `${HEADER}\na,1\n`],
  ["a last line that is not ended", `${HEADER}\nz,9`, `${HEADER}\nz,9\na,1\n`],
  ["lines that end as RFC 4180 has them", `${HEADER}\r\nz,9\r\n`, `${HEADER}\r\nz,9\r\na,1\r\n`],
  ["a byte order mark", `\ufeff${HEADER}\n`, `\ufeff${HEADER}\na,1\n`],
])("a record goes behind %s, under one header", (_, before, after) => {
  using place = scratch(before === undefined ? {} : { "project/scores.csv": before });
  const notes: string[] = [];
  checkCsv(csv, ioIn(place));
  appendCsv(csv, "a,1", ioIn(place, notes));
  expect(contentOf(place)).toBe(after);
  expect(notes).toEqual([`Added to ${join(place.cwd, "scores.csv")}`]);
  appendCsv(csv, "b,2", ioIn(place));
  expect(contentOf(place).split(HEADER)).toHaveLength(2);
});

it("a file of other columns is refused, and left as it is", async () => {
  const other = `${HEADER},More\nx,1,2\n`;
  using place = scratch({ "project/scores.csv": other });
  const refusal = await refusalOf(() => checkCsv(csv, ioIn(place)), place);
  expect(refusal).toMatch(/^scores\.csv has another header: debate,Überblick,More; name another file/);
  await refusalOf(() => appendCsv(csv, "a,1", ioIn(place)), place);
  expect(contentOf(place)).toBe(other);
});

it("what cannot be written is refused before anything is asked", async () => {
  using place = scratch();
  mkdirSync(join(place.cwd, "scores.csv"));
  expect(await refusalOf(() => checkCsv(csv, ioIn(place)), place)).toContain("EISDIR");
  const gone = { ...csv, file: "none/scores.csv" };
  expect(await refusalOf(() => checkCsv(gone, ioIn(place)), place)).toContain("ENOENT");
});
