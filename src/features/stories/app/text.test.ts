import { expect, it } from "vitest";
import type { StoryReport } from "./checks.ts";
import { storiesLine, storyText } from "./text.ts";
import { widthOf } from "../../../reports/text-width.ts";

const check = (what: string, ok = true, found = "") => ({ what, ok, found });

const report = (changes: Partial<StoryReport> = {}): StoryReport => ({
  file: "s2.yaml",
  id: "S2",
  title: "A pronoun",
  ok: false,
  skipped: 0,
  simulated: true,
  user: "story-S2-x",
  turns: [
    {
      query: "Who wrote Emma?",
      deliberation: "d1",
      answer: "Jane Austen did.",
      checks: [check("there is an answer"), check('the answer contains "Austen"')],
    },
    {
      query: "When was she\u001b[2J born?",
      deliberation: "d2",
      answer: null,
      checks: [check("there is an answer", false, "failed: refused:\n\u001b[31mno")],
    },
  ],
  checks: [check("there is answer.dialog 2 times", false, "1 of answer.dialog")],
  ...changes,
});

it("shows each turn, each check, and what there is where one does not hold", () => {
  expect(storyText(report(), { color: false, width: 60 })).toMatchInlineSnapshot(`
    "S2: A pronoun
    simulated models
      Turn 1: Who wrote Emma?
        Jane Austen did.
        ok   there is an answer
        ok   the answer contains "Austen"
      Turn 2: When was she born?
        FAIL there is an answer; found: failed: refused: no
      Whole story
        FAIL there is answer.dialog 2 times; found: 1 of
             answer.dialog
      Memory owner: story-S2-x
      FAILED, 2 of 4 checks
    "
  `);
});

it("is short for one that passed", () => {
  const [turn] = report().turns;
  const passed = report({ ok: true, simulated: false, title: "", turns: turn ? [turn] : [], checks: [] });
  expect(storyText(passed, { color: false, width: 60 })).toMatchInlineSnapshot(`
    "S2
      Turn 1: Who wrote Emma?
        Jane Austen did.
        ok   there is an answer
        ok   the answer contains "Austen"
      Memory owner: story-S2-x
      passed, 2 checks
    "
  `);
});

it("keeps within its width, whatever was answered", () => {
  const [turn] = report().turns;
  if (!turn) throw new Error("there is no turn");
  const long = { ...turn, query: "日本 ".repeat(200), answer: "word ".repeat(500) };
  for (const width of [10, 40, 120]) {
    const text = storyText(report({ turns: [long], title: "日".repeat(100) }), { color: false, width });
    for (const line of text.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(20, width));
  }
});

it("is in colours only where that is wanted", () => {
  expect(storyText(report(), { color: true, width: 60 })).toContain("\u001b[31mFAIL\u001b[39m");
});

it("sums up", () => {
  const line = (...stories: StoryReport[]) => storiesLine({ ok: true, stories });
  expect(line(report({ ok: true }))).toBe("1 story passed");
  expect(line(report({ ok: true }), report({ ok: true }))).toBe("2 stories passed");
  expect(line(report(), report({ ok: true }), report({ id: "S\n7" }))).toBe("2 of 3 stories failed: S2, S 7");
});
