import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBenchTasks } from "./tasks.ts";

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

describe("a file of another form", () => {
  const read = (name: string, text: string, columns: Parameters<typeof readBenchTasks>[2] = {}) => {
    writeFileSync(join(cwd, name), text);
    return readBenchTasks(name, { cwd, env: {} }, columns);
  };
  const foreign = JSON.stringify({
    id: 70,
    prompt: "Which?",
    choices: ["red", "blue"],
    gold: "B",
    subject: "law",
    outputs: {},
  });
  const columns = { question: "prompt", answer: "gold", options: "choices", kind: "subject" };

  it("is read by the columns that are named, and the rest of it is ignored", () => {
    expect(read("f.jsonl", foreign, columns)).toEqual([
      { id: "70", question: "Which?\n\n(A) red\n(B) blue", answer: "B", kind: "law" },
    ]);
  });
  it.each([
    ["f.csv", "question,answer\nHow much?,7\n", { question: "How much?", answer: "7", id: "line 2" }],
    [
      "f.csv",
      "\uFEFFid,question,answer,x\r\nq1,How much?,7,\r\n",
      { question: "How much?", answer: "7", id: "q1" },
    ],
    [
      "f.CSV",
      'answer,question,context\n7,"One, ""two""\nlines?",given\n',
      { question: 'One, "two"\nlines?', answer: "7", context: "given", id: "line 3" },
    ],
  ])("%s is read as CSV: %j", (name, text, task) => {
    expect(read(name, text)).toEqual([task]);
  });
  it.each([
    [
      "f.jsonl",
      foreign,
      { question: "promt" },
      /f\.jsonl:1: .*there is no column "promt"; the nearest is prompt/,
    ],
    ["f.jsonl", foreign, { question: "prompt" }, /there is no column "answer"/],
    ["f.csv", "question;answer\na;b\n", {}, /there is no column "question"/],
    ["f.csv", "question,answer\na,b,c\n", {}, /f\.csv: /],
    ["f.csv", 'question,answer\n"a,b\n', {}, /f\.csv: /],
    ["f.csv", "question,answer\n", {}, /has no line/],
    ["f.csv", "question,answer\na,1\na,1\n", {}, /f\.csv:3 has the same question as f\.csv:2/],
    ["f.csv", "question,answer\na,\n", {}, /f\.csv:2: answer must not be empty/],
  ])("%s is refused: %j", (...[name, text, named, why]) => {
    expect(() => read(name, text, named)).toThrow(why);
  });
});
