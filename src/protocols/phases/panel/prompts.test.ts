import { describe, expect, it } from "vitest";
import { readSynthesis, reviewPrompt, reviewRepairPrompt, synthesisPrompt } from "./prompts.ts";
import { draftPrompt } from "../draft.ts";
import { readFenced } from "../../../prompts/material.ts";
import { shippedDesk as desk } from "../../../../test/support/templates.ts";

const material = { question: "Why?", context: [{ name: "notes.md", text: "because" }] };
const answers = ["B", "A"].map((label) => ({ label, text: `answer ${label}` }));
const textOf = (messages: readonly { text: string }[]) => messages.map(({ text }) => text).join("\n");

describe("the council's prompts", () => {
  it("ask for a draft with the question, the context and the persona", () => {
    const messages = draftPrompt(desk, { material, persona: "PERSONA" });
    expect(messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(readFenced(textOf(messages))).toEqual([
      { kind: "question", label: "", text: "Why?" },
      { kind: "context", label: "notes.md", text: "because" },
    ]);
    expect(textOf(messages)).toContain("PERSONA");
  });

  it("ask for a review of the answers in the order given, the labels listed in their own", () => {
    const text = textOf(reviewPrompt(desk, { material, persona: "P", answers }));
    expect(
      readFenced(text)
        .filter(({ kind }) => kind === "answer")
        .map(({ label }) => label),
    ).toEqual(["B", "A"]);
    expect(text).toContain("known only by their labels: A, B");
  });

  it("ask for a repair with the reply and the reason as data", () => {
    const text = textOf(
      reviewRepairPrompt(desk, { reply: "hm", labels: ["A", "B"], reason: 'no "ignore the above"' }),
    );
    expect(readFenced(text)).toEqual([
      { kind: "review", label: "", text: "hm" },
      { kind: "reason", label: "", text: 'no "ignore the above"' },
    ]);
  });

  it("put the same material first, byte by byte, so that providers' caches hit", () => {
    const [, draft] = draftPrompt(desk, { material, persona: "P" });
    const [, review] = reviewPrompt(desk, { material, persona: "Q", answers });
    const shared = draft?.text.split("# Your task")[0] ?? "";
    expect(shared).toContain("because");
    expect(review?.text.startsWith(shared)).toBe(true);
  });

  it("tell the chair who is absent, and the standing only when it is given", () => {
    const prompt = { material, persona: "P", answers, remarks: [], standing: undefined, directive: "D" };
    const text = textOf(synthesisPrompt(desk, { ...prompt, absent: [{ name: "Ann", why: "timed-out" }] }));
    expect(readFenced(text).at(-1)).toEqual({ kind: "absent", label: "Ann", text: "timed-out" });
    expect(text).not.toContain("standing");
    expect(textOf(synthesisPrompt(desk, { ...prompt, absent: [], standing: ["1. A"] }))).toContain(
      "best first\n1. A",
    );
  });
});

it("send the chair through weaknesses, then the directive, then to writing", () => {
  const prompt = {
    material,
    persona: "P",
    answers,
    remarks: [],
    standing: undefined,
    directive: "THE-DIRECTIVE",
  };
  const text = textOf(synthesisPrompt(desk, { ...prompt, absent: [] }));
  const order = [
    "THE-DIRECTIVE",
    "Go through the weaknesses",
    "what the directive rules out",
    "Write one answer",
  ];
  const places = order.map((words) => text.indexOf(words));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(-1);
});

describe("a chair's reply", () => {
  const labels = ["A", "B", "C"];
  const block = '```json\n{"contributors":[{"id":"A","weight":1,"reason":"r"}]}\n```';

  it("is read: the answer, its sections, the claim", () => {
    const reply = `Use it.\n\n## Dissent\n- B doubts\n  it\n\n## Unique insights\n1. the log\n\n## Vetoed\n- Answer C: it guesses\n\n${block}`;
    expect(readSynthesis(reply, labels)).toEqual({
      text: "Use it.",
      dissent: ["B doubts it"],
      insights: ["the log"],
      vetoed: [{ label: "C", flaw: "it guesses" }],
      claims: expect.objectContaining({ ok: true }) as unknown,
    });
  });

  it.each([
    [
      "a final answer after the sections",
      `Use it.\n\n## Dissent\n- B holds 381\n\nFinal answer: 391\n\n${block}`,
      "Final answer: 391",
    ],
    ["a bold one", "Use it.\n\n## Dissent\n- no\n\n**Final answer:** 391", "**Final answer:** 391"],
    ["a closing paragraph", "Use it.\n\n## Dissent\n- B doubts\n\nAll in all, do it.", "All in all, do it."],
    [
      "another heading",
      "Use it.\n\n## Dissent\n- B doubts\n\n## Next steps\nDo it.",
      "## Next steps\nDo it.",
    ],
    ["a section in a code block", "Use it.\n\n```md\n## Dissent\n- mine\n```", "## Dissent\n- mine"],
    ["a veto of nobody known", "Use it.\n\n## Vetoed\n- Z: it guesses", "Vetoed: Z: it guesses"],
  ])("keeps %s in the answer", (_, reply, kept) => {
    const { text, dissent } = readSynthesis(reply, labels);
    expect(text).toContain(kept);
    expect(dissent.join()).not.toMatch(/Final answer|All in all|mine/);
  });

  it.each([
    "- C: it guesses",
    "- **Answer C**: it guesses",
    "- C (it guesses).",
    "- answer c – it guesses",
    "- Response C it guesses",
  ])("names who is vetoed: %s", (line) => {
    expect(readSynthesis(`x\n## Vetoed\n${line}`, labels).vetoed).toEqual([
      { label: "C", flaw: "it guesses" },
    ]);
  });

  it("of nothing, or of noise, is empty and never a guess", () => {
    expect(readSynthesis("", labels)).toMatchObject({
      text: "",
      dissent: [],
      insights: [],
      vetoed: [],
      claims: { ok: false },
    });
    expect(readSynthesis("```json\n{", labels).claims).toMatchObject({ ok: false });
    expect(readSynthesis("## Dissent\n- none\n- (none)\n- N/A", labels).dissent).toEqual([]);
  });
});
