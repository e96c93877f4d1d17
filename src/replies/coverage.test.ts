import { describe, expect, it } from "vitest";
import { extractCoverage, hasCoverage } from "./coverage.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

describe("coverageOf", () => {
  it("is the section under the heading, with its own deeper headings, up to the next of its level", () => {
    const text =
      "# Plan\nGo.\n## Requirements Coverage\n- R1: queue\n### Assumptions\n**Load**\n100\n## Next\nno";
    expect(extractCoverage(text)).toBe("- R1: queue\n### Assumptions\n**Load**\n100");
    expect(extractCoverage(text.replace("## Next", "# Next"))).toBe(
      "- R1: queue\n### Assumptions\n**Load**\n100",
    );
  });

  it.each([
    "# Requirements Coverage",
    "###### requirements coverage:",
    "## 7. Requirements Coverage",
    "## **REQUIREMENTS  COVERAGE**",
    "## ✅ Requirement Coverage ##",
    "## Updated Requirements Coverage (round 2)",
    "**Requirements Coverage**",
    "**Requirements Coverage:**",
    "__7) Requirements Coverage__:",
    "Requirements Coverage:",
    "Requirements Coverage\n---",
    "**Requirements Coverage**\n===",
  ])("finds it under %j", (heading) => {
    expect(extractCoverage(`Text.\r\n\r\n${heading}\r\nR1: yes`)).toBe("R1: yes");
    expect(hasCoverage(`Text.\n\n${heading}\nR1: yes`)).toBe(true);
  });

  it("under a bold line ends at the next one, and at any heading", () => {
    expect(extractCoverage("**Requirements Coverage**\nR1\n**Risks**\nno")).toBe("R1");
    expect(extractCoverage("**Requirements Coverage**\nR1\n###### Risks\nno")).toBe("R1");
    expect(extractCoverage("**Requirements Coverage**\nR1\nRisks\n---\nno")).toBe("R1");
  });

  it.each([
    ["no heading", "We looked at requirements coverage."],
    ["another heading", "## Requirements\nR1\n## Test Coverage\nall"],
    ["a heading that says more", "## How requirements coverage is measured\nno"],
    ["a word within a word", "## Nonrequirements coverages\nno"],
    ["code", "```md\n## Requirements Coverage\nR1\n```"],
    ["code without an end", "~~~\n## Requirements Coverage\nR1"],
    ["no text under it", "## Requirements Coverage\n\n## Next\nno"],
    ["a line too long", `## Requirements Coverage${" ".repeat(300)}\nR1`],
    ["nothing", ""],
  ])("finds none in %s", (_, text) => {
    expect(extractCoverage(text)).toBeNull();
    expect(hasCoverage(text)).toBe(false);
  });

  it("takes the last of several that says something, and goes on behind code", () => {
    const text =
      "## Requirements Coverage\nold\n## x\n```\n## y\n```\n## Requirements Coverage\nnew\n```\n# no\n```";
    expect(extractCoverage(text)).toBe("new\n```\n# no\n```");
    expect(extractCoverage(`${text}\n## Requirements Coverage\n`)).toBe("new\n```\n# no\n```");
  });

  it("stays linear on hostile text", () => {
    expectLinearReading(extractCoverage, [
      "#",
      "**",
      "## Requirements Coverage\n",
      "```\n",
      "requirements coverage (",
      "-\n",
      "x\n==\n",
    ]);
  });
});
