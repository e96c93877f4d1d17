import { describe, expect, it } from "vitest";
import { readFenced } from "../../prompts/material.ts";
import { readRevision, revisionPrompt } from "./revise.ts";
import { shippedDesk as desk } from "../../../test/support/templates.ts";

const prompt = {
  material: { question: "Why?", context: [{ name: "notes.md", text: "because" }] },
  persona: "PERSONA",
  answers: ["B", "A"].map((label) => ({ label, text: `answer ${label} {{labels}}` })),
};
const textOf = (messages: readonly { text: string }[]) => messages.map(({ text }) => text).join("\n");

describe("the prompt of a revision", () => {
  it("asks for one of fenced answers, in the order given", () => {
    const messages = revisionPrompt(desk, prompt);
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(readFenced(textOf(messages))).toEqual([
      { kind: "question", label: "", text: "Why?" },
      { kind: "context", label: "notes.md", text: "because" },
      { kind: "answer", label: "B", text: "answer B {{labels}}" },
      { kind: "answer", label: "A", text: "answer A {{labels}}" },
    ]);
    expect(textOf(messages)).toContain("PERSONA");
    expect(textOf(messages)).toContain("known only by their labels: A, B");
  });
});

describe("a revision", () => {
  const labels = ["A", "B"];

  it("is the answer under its heading, with the critiques that stand before it", () => {
    const reply =
      "## Answer A\nStep two is wrong.\n\n## Answer B\nFine.\n\n## My answer\n# Plan\nGo.\nFinal answer: 7";
    expect(readRevision(reply, labels)).toEqual({
      text: "# Plan\nGo.\nFinal answer: 7",
      critiques: [
        { label: "A", text: "Step two is wrong." },
        { label: "B", text: "Fine." },
      ],
    });
  });

  it.each([
    ["**bold** headings", "## **Answer A**\nno\n## **My answer**\nyes"],
    ["other levels and a colon", "# answer a:\nno\n### Final answer:\nyes"],
    ["a heading inside code", "## Answer A\n```\n## My answer\n```\nno\n## My answer\nyes"],
  ])("is read with %s", (_, reply) => {
    expect(readRevision(reply, labels)).toMatchObject({ text: "yes", critiques: [{ label: "A" }] });
  });

  it("is the whole reply where there is no such heading, or nothing under it", () => {
    expect(readRevision("Just 7.", labels)).toEqual({ text: "Just 7.", critiques: [] });
    expect(readRevision("## My answer\n\n", labels).text).toBe("## My answer");
  });

  it("takes no heading of an unknown or repeated label for one, nor any after the answer has begun", () => {
    const reply =
      "## Answer A\nno\n## Answer Z\nhm\n## Answer A\nagain\n## My answer\nyes\n## Answer B\nof mine";
    expect(readRevision(reply, labels)).toEqual({
      text: "yes\n## Answer B\nof mine",
      critiques: [{ label: "A", text: "no\n## Answer Z\nhm\n## Answer A\nagain" }],
    });
  });
});
