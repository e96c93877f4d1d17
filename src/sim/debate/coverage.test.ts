import { describe, expect, it } from "vitest";
import { hasCoverage } from "../../replies/coverage.ts";
import { readBody, writeCoverage, isUnanswered, findOpen, lineFinder } from "./checks.ts";

const upload = "Students must be able to upload their source code, which will be run and graded.";
const plagiarism = "There must be a plagiarism detection system.";

describe("a requirement", () => {
  it("is taken up by a line that has half of its content words", () => {
    const find = lineFinder("A queue.\n- Step 3. Students upload code, and it is graded.\nStudents study.");
    expect(find(upload)).toBe("- Step 3. Students upload code, and it is graded.");
    expect(find(plagiarism)).toBeNull();
    expect(find("of the")).toBeNull();
  });

  it("is left open where no text takes it up outside of the sections about itself", () => {
    const claimed = `A queue.\n\n## Requirements Coverage\n- ${plagiarism}\n\n## Later\nStudents upload code that is run.`;
    expect(findOpen([claimed, "Nothing."], [upload, plagiarism])).toEqual([plagiarism]);
    expect(findOpen([], [upload])).toEqual([upload]);
  });
});

it("a body has neither banner nor the sections in which a text speaks of itself", () => {
  expect(
    readBody(
      "[simulated 0123ab]\nOne.\n## Critiques\n1. No.\n### Requirements Coverage:\n- x\n## Plan\nTwo.",
    ),
  ).toBe("One.\n## Plan\nTwo.");
});

it("a coverage section points to the steps, and names assumptions", () => {
  const text = writeCoverage(`- Step 2. For “${upload}”: done.\n${plagiarism}`, {
    requirements: { major: ["Nobody mentions this one at all.", upload, plagiarism], minor: [] },
    clarifications: [
      { question: "How many?", answer: "300" },
      { question: "By when?", answer: "n/a" },
    ],
  });
  expect(hasCoverage(text)).toBe(true);
  expect(text.split("\n")).toEqual([
    "## Requirements Coverage",
    "- Major 2, “Students must be able to upload their source code, which wil…”: step 2, fully.",
    "- Major 3, “There must be a plagiarism detection system.”: in the text above, fully.",
    "- Assumption, from what was asked: “How many?” “300”",
    "- Assumption: “By when?” stays open, and the usual case is taken.",
    "- Assumption: nothing that the problem leaves out stands in the way.",
  ]);
});

it.each([
  ["NA", true],
  [" n/a.", true],
  ["Nairobi", false],
  ["", false],
])("the answer %j says that it stays open: %s", (answer, open) => {
  expect(isUnanswered(answer)).toBe(open);
});
