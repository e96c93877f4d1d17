import { describe, expect, it } from "vitest";
import { labelReader, normalizeLabel } from "./reply-fields.ts";

describe("normaliseLabel", () => {
  it.each([
    "A",
    "a",
    "**A**",
    "Answer A",
    "response a:",
    "`A`",
    "[A]",
    "**Response A**",
    "Option-A",
    "“A”",
    " A. ",
  ])("reads %s as A", (written) => expect(normalizeLabel(written)).toBe("A"));
  it("keeps a noun that stands alone, and words that only begin with one", () => {
    expect(normalizeLabel("Answer")).toBe("ANSWER");
    expect(normalizeLabel("Answers")).toBe("ANSWERS");
  });
});

describe("labelReader", () => {
  it("refuses labels that read alike", () => {
    expect(labelReader(["A", "Answer A"])).toBeNull();
    expect(labelReader(["A", "a"])).toBeNull();
    expect(labelReader(["A", " "])).toBeNull();
  });
  it("gives the label back as it was given", () => {
    expect(labelReader(["Answer A", "Answer B"])?.whole("**b**")).toBe("Answer B");
    expect(labelReader(["A", "B"])?.whole("Bob")).toBeNull();
  });
  it("tells a label from the start of a word", () => {
    const reader = labelReader(["A", "B", "AB", "B1"]);
    expect(reader?.at("Apple", 0)).toBeNull();
    expect(reader?.at("A's point", 0)).toBeNull();
    expect(reader?.at("B-grade", 0)).toBeNull();
    expect(reader?.at("AB, A", 0)).toMatchObject({ label: "AB", end: 2 });
    expect(reader?.at("B1: x", 0)).toMatchObject({ label: "B1", end: 2 });
  });
  it("sees what looks like a label and is not one of them", () => {
    const reader = labelReader(["A", "B"]);
    expect(reader?.at("Response Z", 0)).toMatchObject({ label: null, written: "Z", named: true });
    expect(reader?.at("Response is", 0)).toBeNull();
  });
});
