import { describe, expect, it } from "vitest";
import { nameContinued, readFollowUp } from "./question-words.ts";

describe("--continue", () => {
  it.each([
    [
      ["ask", "And now?", "--continue"],
      ["ask", "And now?", "--continue=last"],
    ],
    [
      ["ask", "--continue", "And on Windows?"],
      ["ask", "--continue=last", "And on Windows?"],
    ],
    [
      ["ask", "--continue", "@analyst", "Why?"],
      ["ask", "--continue=last", "@analyst", "Why?"],
    ],
    [
      ["ask", "--continue", "--json", "Why?"],
      ["ask", "--continue=last", "--json", "Why?"],
    ],
    [
      ["ask", "--continue", "whx3", "Why?"],
      ["ask", "--continue", "whx3", "Why?"],
    ],
    [
      ["ask", "--", "--continue", "Why?"],
      ["ask", "--", "--continue", "Why?"],
    ],
  ])("takes a run's id, and nothing else, from behind it: %j", (given, expected) => {
    expect(nameContinued(given)).toEqual(expected);
  });
});

describe("a question that begins with @", () => {
  it("is for one member of the newest run, or of the one that is continued", () => {
    expect(readFollowUp("@analyst Why?", undefined)).toEqual({
      ...{ question: "Why?", member: "analyst", previous: "last" },
    });
    expect(readFollowUp("@agent-kiss: why\nthis?", "whx3")).toEqual({
      ...{ question: "why\nthis?", member: "agent-kiss", previous: "whx3" },
    });
    expect(() => readFollowUp("@analyst ", undefined)).toThrow("there is no question for @analyst");
  });

  it("elsewhere is a question", () => {
    expect(readFollowUp("Who is @analyst?", undefined)).toEqual({ question: "Who is @analyst?" });
    expect(readFollowUp("Why?", "last")).toEqual({ question: "Why?", previous: "last" });
  });
});
