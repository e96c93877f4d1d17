import { describe, expect, it } from "vitest";
import { INSTRUCTION_PARTS } from "../../../../text/instruction-parts.ts";
import { readFeedbackSummary } from "./index.ts";
import { readPersonaParts } from "./index.ts";

const yaml = (parts: readonly string[] = INSTRUCTION_PARTS): string =>
  parts.map((part) => `${part}: |\n  You do ${part.replaceAll("-", " ")}.\n`).join("");

describe("a persona in a reply", () => {
  it.each([
    ["alone", yaml()],
    ["in a fence", `\`\`\`yaml\n${yaml()}\`\`\``],
    ["with underscores", yaml().replaceAll(/^[a-z-]+:/gm, (name) => name.replaceAll("-", "_"))],
    ["with other line ends", yaml().replaceAll("\n", "\r\n")],
    ["in another order", yaml([...INSTRUCTION_PARTS].reverse())],
  ])("is read %s", (_, reply) => {
    const read = readPersonaParts(reply);
    expect(read).toMatchObject({ ok: true });
    if (read.ok) expect(Object.keys(read.parts).toSorted()).toEqual([...INSTRUCTION_PARTS].toSorted());
  });

  it.each([
    ["a seventh part", `${yaml()}wisdom: |\n  More.\n`, /"wisdom" is none of the six parts/],
    ["a missing part", yaml(INSTRUCTION_PARTS.slice(1)), /identity-and-role is missing/],
    ["a part twice", `${yaml()}identity_and_role: again\n`, /stands there twice/],
    ["a part that is a list", yaml().replace(/tone: \|\n.*\n/, "tone: [a, b]\n"), /tone must be a text/],
    ["an empty part", yaml().replace(/tone: \|\n.*\n/, "tone: ''\n"), /tone must be a text/],
    ["a part without end", yaml().replace("You do tone", "x".repeat(5_000)), /longer than 4000/],
    ["prose around it", `Here it is:\n${yaml()}`, /none of the six parts|not YAML/],
    ["a tag", yaml().replace("tone: |", "tone: !!js/function |"), /not YAML/],
    ["an alias", `tone: &a x\nidentity-and-role: *a\n`, /not YAML|missing/],
    ["no mapping", "- a\n- b\n", /must be a mapping/],
    ["nothing", "", /must be a mapping/],
    ["a prototype", `__proto__: {a: 1}\n${yaml()}`, /none of the six parts|must be/],
    ["much", "x".repeat(70_000), /longer than/],
    ["depth", "[".repeat(50_000), /not YAML|mapping/],
  ])("is refused with %s", (_, reply, why) => {
    const read = readPersonaParts(reply);
    expect(read.ok ? "read" : read.reason).toMatch(why);
  });
});

describe("a summary of remarks", () => {
  const line = { text: "It checks.", sources: [1, 3] };
  const summary = { strengths: [line], weaknesses: [], unique: [] };

  it("is read with the remarks that each sentence rests on", () => {
    expect(readFeedbackSummary(`Here:\n${JSON.stringify(summary)}`, 3)).toEqual({ ok: true, summary });
  });

  it.each([
    ["a remark that there is not", { ...summary, unique: [{ text: "x", sources: [4] }] }, /no remark 4/],
    ["a sentence without a source", { ...summary, unique: [{ text: "x", sources: [] }] }, /unique/],
    ["another field", { ...summary, praise: [] }, /./],
    ["a missing list", { strengths: [] }, /weaknesses/],
  ])("is refused with %s", (_, value, why) => {
    const read = readFeedbackSummary(JSON.stringify(value), 3);
    expect(read.ok ? "read" : read.reason).toMatch(why);
  });

  it("is refused without an object", () => {
    expect(readFeedbackSummary("good work", 3)).toMatchObject({ ok: false });
  });
});
