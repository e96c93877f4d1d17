import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Io } from "./command.ts";
import { checkOutput, writeText } from "./output-file.ts";

let cwd = "";
let notes: string[] = [];
const stream = { terminal: false, color: false, columns: 80 };
const io = (): Io => ({
  protocols: [],
  cwd,
  env: { HOME: cwd },
  output: {
    result: () => Promise.resolve(),
    note: (text) => void notes.push(text),
    stdout: stream,
    stderr: stream,
  },
});

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "parley-output-"));
  notes = [];
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

it("writes a file whole, over what stood there, and leaves nothing beside it (OUTFILE-2)", () => {
  writeFileSync(join(cwd, "a.md"), "old and longer");
  writeText("a.md", "new", io());
  writeText("~/b.md", "home", io());
  expect([readFileSync(join(cwd, "a.md"), "utf8"), readFileSync(join(cwd, "b.md"), "utf8")]).toEqual([
    "new",
    "home",
  ]);
  expect(readdirSync(cwd).sort()).toEqual(["a.md", "b.md"]);
  expect(notes).toEqual([`Written: ${join(cwd, "a.md")}`, `Written: ${join(cwd, "b.md")}`]);
});

it("never writes into a file that somebody may be reading: the old one stays what it was", () => {
  writeFileSync(join(cwd, "a.md"), "old");
  linkSync(join(cwd, "a.md"), join(cwd, "read.md"));
  writeText("a.md", "new", io());
  expect(["a.md", "read.md"].map((name) => readFileSync(join(cwd, name), "utf8"))).toEqual(["new", "old"]);
});

it("leaves what stood there, and nothing beside it, where it cannot be replaced", () => {
  mkdirSync(join(cwd, "a.md"));
  expect(() => writeText("a.md", "new", io())).toThrow(/a\.md cannot be written \(E[A-Z]+\); name a file/);
  expect(() => writeText("nowhere/a.md", "new", io())).toThrow(/cannot be written \(ENOENT\)/);
  expect(readdirSync(cwd)).toEqual(["a.md"]);
  expect(notes).toEqual([]);
});

it("tells beforehand whether a file can be written", () => {
  mkdirSync(join(cwd, "folder.md"));
  expect(checkOutput("a.md", io())).toBe(join(cwd, "a.md"));
  expect(() => checkOutput("folder.md", io())).toThrow(/cannot be written \(EISDIR\)/);
  expect(() => checkOutput("nowhere/a.md", io())).toThrow(/cannot be written \(ENOENT\)/);
  expect(() => checkOutput("a\0b.md", io())).toThrow(/cannot be written \(ERR_INVALID_ARG_VALUE\)/);
  expect(readdirSync(cwd)).toEqual(["folder.md"]);
});
