import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBenchTasks } from "./bench.ts";

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "parley-tasks-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const reading = (...lines: readonly string[]) => {
  writeFileSync(join(cwd, "t.jsonl"), lines.join("\n"));
  return readBenchTasks("t.jsonl", { cwd, env: {} });
};
const line = (question: string, more: object = {}) => JSON.stringify({ question, answer: "1", ...more });

describe("a file of tasks", () => {
  it("gives each task an id: its own, else its line", () => {
    expect(
      reading(
        line("a"),
        "",
        line("b", { id: "mine", kind: "k" }),
        line("c", { context: "c", answer: 0.5 }),
        "",
      ),
    ).toEqual([
      { question: "a", answer: "1", id: "line 1" },
      { question: "b", answer: "1", id: "mine", kind: "k" },
      { question: "c", answer: "0.5", id: "line 4", context: "c" },
    ]);
  });
  it("may ask the same of other material", () => {
    expect(reading(line("a", { context: "x" }), line("a", { context: "y" }))).toHaveLength(2);
  });
  it.each([
    [["{"], /t\.jsonl:1: this is not JSON/],
    [[line("a"), "[1]"], /t\.jsonl:2: /],
    [[line("a"), JSON.stringify({ question: "b" })], /t\.jsonl:2: answer is missing/],
    [
      [JSON.stringify({ question: "b", anwser: "1", answer: "1" })],
      /t\.jsonl:1: unknown key "anwser"; did you mean answer/,
    ],
    [[line("a", { answer: "" })], /t\.jsonl:1: answer must not be empty/],
    [[line("a", { id: "x" }), "", line("b", { id: "x" })], /t\.jsonl:3 has the same id as t\.jsonl:1/],
    [[line("a"), line("a", { id: "x" })], /t\.jsonl:2 has the same question as t\.jsonl:1/],
    [[line("a", { id: "line 2" }), line("b")], /t\.jsonl:2 has the same id as t\.jsonl:1/],
    [[""], /the file of tasks t\.jsonl has no line/],
  ])("is refused by its line: %j", (lines, why) => {
    expect(() => reading(...lines)).toThrow(why);
  });
  it("is refused where there is none", () => {
    expect(() => readBenchTasks("nowhere.jsonl", { cwd, env: {} })).toThrow(
      /the file of tasks .*nowhere\.jsonl does not exist/,
    );
    expect(() => readBenchTasks(".", { cwd, env: {} })).toThrow(/is a folder/);
  });
});
