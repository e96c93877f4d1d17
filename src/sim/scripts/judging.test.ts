import { describe, expect, it } from "vitest";
import { parseGrade } from "../../replies/grade.ts";
import { parsePreference } from "../../replies/preference.ts";
import { deskOf, say } from "../../../test/support/simulated.ts";
import {
  gradePrompt,
  judgeSchema,
  JudgeForm,
  preferencePrompt,
} from "../../protocols/phases/judge-prompts.ts";

const desk = deskOf("one");
const rubric = {
  name: "right",
  criteria: "Is it right?",
  anchors: { 1: "No.", 2: "Hardly.", 3: "In part.", 4: "Mostly.", 5: "Yes." },
};
const question = "What is 17 * 23?";
const right = "Seventeen times twenty-three.\n\nFinal answer: 391";
const wrong = "Seventeen times twenty-three.\n\nFinal answer: 381";
const wordy = `One goes step by step and keeps the units in view at every single step of it.\n\n${right}`;

const graded = (ref: string, form: JudgeForm, answer: string) =>
  parseGrade(say(ref, gradePrompt(desk, { form, question, answer, rubric }), judgeSchema("grade", form)));

const preferred = (ref: string, form: JudgeForm, [first, second]: readonly [string, string]) => {
  const messages = preferencePrompt(desk, { form, question, first, second, rubric });
  const read = parsePreference(say(ref, messages, judgeSchema("preference", form)));
  return read.ok ? read.winner : read.reason;
};

describe.each(JudgeForm.options)("a simulated judge, asked in the form %s", (form) => {
  it("grades what it can work out", () => {
    expect(graded("sim/eve?skill=1", form, right)).toMatchObject({ ok: true, score: 5 });
    const bad = graded("sim/eve?skill=1", form, wrong);
    expect(bad.ok && bad.score).toBeLessThanOrEqual(2);
    expect(graded("sim/eve?skill=1&malformed=1", form, right).ok).toBe(false);
  });

  it("prefers the right answer in both orders", () => {
    expect(preferred("sim/eve?skill=1", form, [right, wrong])).toBe("A");
    expect(preferred("sim/eve?skill=1", form, [wrong, right])).toBe("B");
  });

  it("prefers what comes first, or what is longer, when it leans that way", () => {
    for (const pair of [
      [right, wrong],
      [wrong, right],
    ] as const)
      expect(preferred("sim/eve?skill=1&position=0.9", form, pair)).toBe("A");
    expect(preferred("sim/eve?skill=1&length=0.8", form, [right, wordy])).toBe("B");
    expect(preferred("sim/eve?skill=1&length=0.8", form, [wordy, right])).toBe("A");
    expect(preferred("sim/eve?skill=1&length=0.2", form, [wordy.replace("391", "381"), right])).toBe("B");
  });
});

it("a simulated judge that may call a tie does so where two answers come to the same", () => {
  expect(preferred("sim/eve?skill=1", "json", [right, wordy])).toBe("tie");
  expect(preferred("sim/eve?skill=1", "json", [wrong, wrong])).toBe("tie");
  expect(["A", "B"]).toContain(preferred("sim/eve?skill=1", "prometheus", [right, wordy]));
});

it("a simulated judge prefers by a prompt of one's own, too", () => {
  const fenced = (label: string, text: string): string =>
    `[BEGIN answer ${label} #0123456789abcdef]\n${text}\n[END answer ${label} #0123456789abcdef]`;
  const asked = `[BEGIN question #0123456789abcdef]\n${question}\n[END question #0123456789abcdef]`;
  const text = [`Begin with its letter, "A" or "B".`, asked, fenced("A", wrong), fenced("B", right)];
  const reply = say("sim/eve?skill=1", [{ role: "user", text: text.join("\n\n") }]);
  expect(parsePreference(reply)).toMatchObject({ ok: true, winner: "B" });
});
