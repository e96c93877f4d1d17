import { describe, expect, it } from "vitest";
import { builtInFacts, recallFact } from "./belief.ts";
import { readFacts } from "./reference.ts";

const answerTo = (question: string): string | null => recallFact(question, builtInFacts)?.answer ?? null;

describe("facts", () => {
  it.each([
    ["What is the capital of Australia?", "Canberra"],
    ["what's the CAPITAL CITY of the Netherlands", "Amsterdam"],
    ["At what temperature does ethanol boil?", "78 °C"],
    ["What is the boiling point of water?", "100 °C"],
    ["Who wrote Pride and Prejudice?", "Jane Austen"],
    ["Who is the author of 1984?", "George Orwell"],
    ["In what year was Frankenstein published?", "1818"],
    ["When was Jane Austen born?", "1775"],
    ["What is García Márquez's year of birth?", "1927"],
  ])("are known: %s", (question, answer) => expect(answerTo(question)).toBe(answer));

  it.each([
    "What is the capital structure of a firm?",
    "Why is capital leaving China?",
    "When was Emma hired?",
    "When was she born?",
    "Where was Jane Austen born?",
    "Emma wrote a memo. What should I answer?",
    "",
  ])("are not taken for known: %s", (question) => expect(answerTo(question)).toBeNull());

  it("have mistakes that are not the answer", () => {
    for (const { about, answer } of builtInFacts) {
      const question = about.map((entry) => entry.split("|")[0]).join(" ");
      expect(answerTo(question), question).toBe(answer);
      expect(recallFact(question, builtInFacts)?.wrong, question).not.toContain(answer);
      expect(recallFact(question, builtInFacts)?.wrong.length, question).toBeGreaterThan(0);
    }
  });

  it("that no entry names are never recalled", () => {
    expect(recallFact("anything | at all", [{ about: ["|"], answer: "nothing" }])).toBeNull();
  });

  it.each([
    [null],
    [[]],
    [{ facts: {} }],
    [{ facts: [{ about: [], answer: "x" }] }],
    [{ facts: [], other: 1 }],
  ])("of a malformed file are refused: %j", (data) => {
    expect(readFacts(data)).toMatchObject({ ok: false, reason: expect.any(String) });
  });
});
