import { describe, expect, it } from "vitest";
import { parseComparison } from "./comparison.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

const labels = ["A", "B", "C"];
const stances = [
  { claim: "wait", answers: ["A"] },
  { claim: "go", answers: ["B", "C"] },
];
const reply = (changes: object = {}) =>
  JSON.stringify({ agreements: [], contradictions: [{ topic: "when", stances }], unique: [], ...changes });

describe("a comparison", () => {
  it("is read, also fenced, amid prose, and with labels dressed up", () => {
    const dressed = stances.map(({ claim, answers }) => ({
      claim,
      answers: answers.map((label) => `Answer **${label.toLowerCase()}**`),
    }));
    const read = parseComparison(reply(), labels);
    expect(read).toEqual({
      ok: true,
      agreements: [],
      contradictions: [{ topic: "when", stances }],
      unique: [],
    });
    const contradictions = [{ topic: "when", stances: dressed }];
    expect(parseComparison(`Here:\n\`\`\`json\n${reply({ contradictions })}\n\`\`\`\nDone.`, labels)).toEqual(
      read,
    );
  });

  it("takes the last of several, so that a quoted one does not count", () => {
    const quoted = reply({ contradictions: [] });
    expect(parseComparison(`${quoted}\n${reply()}`, labels)).toMatchObject({
      contradictions: [{ topic: "when" }],
    });
  });

  it("leaves out what claims nothing, or names no known answer, and names each label once", () => {
    const agreements = [
      { claim: "", answers: ["A", "B"] },
      { claim: "who says that?", answers: ["Z"] },
      { claim: "kept", answers: ["A", "a", "Z"] },
      "nonsense",
    ];
    expect(parseComparison(reply({ agreements }), labels)).toMatchObject({
      agreements: [{ claim: "kept", answers: ["A"] }],
    });
  });

  it.each([
    ["no JSON", "they all agree"],
    ["an object of another form", '{"ranking": ["A"]}'],
    ["half of one", reply().slice(0, 60)],
    ["a contradiction with one side", reply({ contradictions: [{ topic: "when", stances: [stances[0]] }] })],
    [
      "a contradiction of an answer with itself",
      reply({ contradictions: [{ topic: "when", stances: [stances[0], { claim: "no", answers: ["A"] }] }] }),
    ],
    [
      "a contradiction of nobody known",
      reply({
        contradictions: [{ topic: "when", stances: stances.map((one) => ({ ...one, answers: ["Z"] })) }],
      }),
    ],
  ])("refuses %s, instead of reading it as no contradiction", (_, text) => {
    expect(parseComparison(text, labels)).toMatchObject({ ok: false, reason: expect.any(String) });
  });

  it("bounds what it keeps", () => {
    const claim = "x".repeat(5_000);
    const unique = Array.from({ length: 51 }, () => ({ claim, answers: ["A"] }));
    const read = parseComparison(reply({ unique }), labels);
    expect(read.ok && read.unique).toHaveLength(50);
    expect(read.ok && read.unique[0]?.claim).toHaveLength(1_000);
  });

  it("takes linear time on hostile text", () => {
    expectLinearReading((text) => parseComparison(text, labels), ['{"agreements":[{"claim":"', "{"]);
  });
});
