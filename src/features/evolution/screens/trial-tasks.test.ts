import { expect, it } from "vitest";
import { readTasks } from "./trial.ts";

it("readTasks reads a question a line, with the answer after its last arrow", () => {
  expect(readTasks(" What is 2*3? => 6\n\nWhy?\r\na => b => c\n=> 7\nOpen =>\n")).toEqual([
    { question: "What is 2*3?", answer: "6" },
    { question: "Why?" },
    { question: "a => b", answer: "c" },
    { question: "Open" },
  ]);
  expect(readTasks("  \n")).toEqual([]);
});
