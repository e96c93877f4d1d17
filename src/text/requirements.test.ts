import { describe, expect, it } from "vitest";
import { extractRequirements } from "./requirements.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

const major = (problem: string) => extractRequirements(problem).major;

describe("requirementsOf", () => {
  it("reads list items and sentences, major and minor, in order, without their marks", () => {
    const problem = `# Build a grader

Students must be able to upload code. It runs at night. Grades shall be kept; **they** should load fast, and are *required* by law.

## Requirements
- The system **must** be auditable. See the annex.
  1. [ ] Logs need to be kept for 7 years
* Preferably one language.
2) It would be nice to have a \`__dark__\` mode
> Ideally it costs nothing
`;
    expect(extractRequirements(problem)).toEqual({
      major: [
        "Students must be able to upload code.",
        "Grades shall be kept; they should load fast, and are *required* by law.",
        "The system must be auditable. See the annex.",
        "Logs need to be kept for 7 years",
      ],
      minor: [
        "Preferably one language.",
        "It would be nice to have a `__dark__` mode",
        "Ideally it costs nothing",
      ],
    });
  });

  it.each([
    "It must work offline",
    "Data shall be encrypted",
    "A login is required",
    "It needs to scale",
    "Both need to agree",
    "Uptime is CRITICAL here",
    "An audit is essential",
    "It must not lose jobs",
    "Jobs mustn't be lost",
    "One _must_ sign in",
    "It should be fast, and must be safe",
    "2**10 users must fit",
  ])("takes for major: %s", (line) => {
    const said = line.replaceAll(/_(must)_/g, "$1");
    expect(extractRequirements(line)).toEqual({ major: [said], minor: [] });
  });

  it.each([
    ["a word within a word", "The mustard is shallow and criticality unessential"],
    ["what is not required", "A login is not required, and it doesn't need to scale"],
    ["what is non-critical", "Reports are non-critical for the client"],
    ["a question", "Which data must be kept for long?"],
    ["a heading", "## Required features of it"],
    ["a heading in bold", "**Critical requirements**"],
    ["a heading alone", "Requirements"],
    ["ten characters", "Must do it"],
    ["code", "```\nit must never be read\n```\n~~~js\n// must not either\n"],
    ["nothing", ""],
    ["signs", "--- *** ___\n|---|---|"],
  ])("takes %s for none", (_, problem) => {
    expect(extractRequirements(problem)).toEqual({ major: [], minor: [] });
  });

  it("lends the words before a colon to the items below it, as far as they reach", () => {
    const problem = `The system must not:

- store passwords
- should ideally log little
- allow:
  - guests

It should:
* be cheap
## Other
- sell cars to everybody
- It must:
  - take uploads
- or not at all, said somebody`;
    expect(extractRequirements(problem)).toEqual({
      major: [
        "The system must not: store passwords",
        "The system must not: allow:",
        "The system must not: guests",
        "It must: take uploads",
      ],
      minor: ["should ideally log little", "It should: be cheap"],
    });
  });

  it("joins a line that was wrapped, and no other", () => {
    expect(
      major("The service must answer within\nhalf a second, always\nUsers must sign in\nUsers must pay"),
    ).toEqual([
      "The service must answer within half a second, always",
      "Users must sign in",
      "Users must pay",
    ]);
    expect(major("- It must hold\n  the load\n- this must be tested")).toEqual([
      "It must hold the load",
      "this must be tested",
    ]);
    expect(major("It must be fast.\nit must be small")).toEqual(["It must be fast.", "it must be small"]);
    expect(major("It must be fast\n\nnot slow, must it")).toEqual(["It must be fast", "not slow, must it"]);
  });

  it("does not end a sentence at an abbreviation", () => {
    expect(major("It must read files, e.g. Word ones. Fine.")).toEqual([
      "It must read files, e.g. Word ones.",
    ]);
  });

  it("does not end a sentence before a small letter", () => {
    expect(major("It must obey U.S. law and Node.js. Fine.")).toEqual(["It must obey U.S. law and Node.js."]);
  });

  it("names each once, whatever its case", () => {
    expect(major("It must be fast.\n- it must be FAST.\nIt must be fast.")).toEqual(["It must be fast."]);
  });

  it("keeps 100 of a kind and 500 characters of each, and half a sign of none", () => {
    const many = Array.from({ length: 300 }, (_, index) => `- It must do ${index}\n- It should do ${index}`);
    const read = extractRequirements(many.join("\n"));
    expect([read.major.length, read.minor.length, read.major[99]]).toEqual([100, 100, "It must do 99"]);
    const [long = ""] = major(`It must ${"x".repeat(491)}😀${"y".repeat(600)}`);
    expect([long.length, long.isWellFormed()]).toEqual([500, true]);
  });

  it("takes linear time, and keeps no more than 500 characters of one", () => {
    const read = (text: string) => {
      expect(extractRequirements(text).major.every((one) => one.length <= 500)).toBe(true);
    };
    expectLinearReading(read, [
      ...["must need ", "`must ", "**", "_", "> - ", "- it must\n", ".!?", "not ", "```\n"],
    ]);
    expectLinearReading((spaces) => read(`must need${spaces}x nice${spaces}`), [" "]);
  });
});
