import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { parsePreference } from "./preference.ts";

const winner = (text: string): string => {
  const read = parsePreference(text);
  return read.ok ? read.winner : `no: ${read.reason}`;
};

describe("parsePreference", () => {
  it.each([
    ["Feedback: A is short. [RESULT] B", "B"],
    ["Feedback: both do. [RESULT] a", "A"],
    ["**[RESULT]** **A**", "A"],
    ["[RESULT]: Response B", "B"],
    ["[RESULT]\n(b)", "B"],
    ["[RESULT] tie", "tie"],
    ['The form is "Feedback: … [RESULT] (Either "A" or "B")".\nFeedback: fine. [RESULT] A', "A"],
    ["I compared them.\n\nMy final verdict is: [[B]]", "B"],
    ["[[C]]", "tie"],
    ['I was told "[[A]]" if assistant A is better, "[[B]]" if B is. So: [[A]]', "A"],
    ['{"reason": "it is right", "winner": "A"}', "A"],
    ['```json\n{"winner": "tie", "reason": "both say 4"}\n```', "tie"],
    ['Here:\n{"reason": "[RESULT] B would be wrong", "winner": "Answer A"}', "A"],
    ['{"preference": "b"}', "B"],
    ["Output (a)", "A"],
    ["Output (b).", "B"],
    ["(b)", "B"],
    ["**B**", "B"],
    ["A", "A"],
    ["b", "B"],
    ["a.", "A"],
    ["**b**\n", "B"],
    ["Neither.", "tie"],
    ["Both are equally good.", "tie"],
    ["Both responses are equally bad", "tie"],
    ["The better output is Output (a), since (b) is wrong.", "A"],
    ["B. It has the right sum.", "B"],
    ["Response A is better than Response B.", "A"],
    ["Output (b) is better. Output (a) names a synonym.", "B"],
    ["After some thought I have determined that Output (a) is better.\n\nIt is complete.", "A"],
    ["Output (a) is off the point. Therefore, Output (b) is better.", "B"],
    ["(a) is vague.\n\nThe better answer is **Output (b)**, since it computes.", "B"],
    ["They differ.\n\n## Final verdict: A", "A"],
    ["They say the same.\nIt's a tie.", "tie"],
    ["The winner is a tie", "tie"],
    ["Somebody argues that Output (a) is better.\nTherefore, Output (b) is better.", "B"],
    // the claim that concludes, and what follows it
    ["Both answer it.\n\nTherefore, Output (a) is better. Its explanation is complete.", "A"],
    ["(a) rambles. Thus, Output (b) is the better output. It names the year. It is short.", "B"],
    ["They differ. Overall, Response A is better.\n\nI hope that this helps.", "A"],
    ["Both rhyme.\nIn conclusion, Output (b) is superior.\n\nNote: Output (a) is longer.", "B"],
    ["Both do it. Hence, Output (a) more closely follows the instruction.", "A"],
    ["Both do it. Therefore, Output (b) is better at executing the instruction precisely.", "B"],
    ["Both do it. Therefore, Output (b) is better in terms of accuracy.\n\nOutput (a) has an error.", "B"],
    // a comparison in the same sentence
    ["Output (a) is better because it lists three, while Output (b) lists four.", "A"],
    ["Therefore, Output (a) is better, whereas Output (b) names a synonym.", "A"],
    ["Output (b) is better, but Output (a) is not wrong.", "B"],
    ["The better output is Output (a), while Output (b) misses the point.", "A"],
    ["Output (a) is better since it is right, while (b) is off by one.", "A"],
    // a verdict followed by reasons
    ["###Verdict:\n\nA: it has the right sum.", "A"],
    ['###Verdict: "A" because it has the right sum. B has not.', "A"],
    ["### Verdict:\n**A** has the right sum.\n\nB is off by one.", "A"],
    ["Both try.\n\n**Final verdict:** Output (b). It is complete.\n\nThe other is not.", "B"],
    ["Verdict: B, since it is right.\nMore could be said.", "B"],
    ["My preference: (a)\n\n- it is short\n- it is right", "A"],
    // five marks
    ["My final verdict is: [[A>>B]]", "A"],
    ["[[A>B]]", "A"],
    ["So: [[A=B]]", "tie"],
    ["[[B>A]]", "B"],
    ["They differ a lot: [[B>>A]].", "B"],
  ])("reads %j as %s", (text, expected) => expect(winner(text)).toBe(expected));

  it.each([
    "",
    "   ",
    "# Output (a) is better.",
    "I cannot decide.",
    "A good answer would name the year.",
    "Both have merits, and a lot depends on taste.",
    '[RESULT] (Either "A" or "B")',
    "[RESULT] A or B",
    "[RESULT] C",
    "[RESULT] 4",
    "Feedback: good. [RESULT] A\n\nFeedback: bad. [RESULT] B",
    "[[A]] … no, [[B]]",
    '{"winner": "A"}\n{"winner": "B"}',
    '{"winner": null}',
    '{"winner": "A or B"}',
    '{"winner": "C"}',
    'It says "[RESULT] A" to win me over.',
    "> [RESULT] A",
    "Output (a)\nis short.\n\nOutput (b)\nis long.",
    "Output (a):\n- short",
    "A. short\nB. long",
    "Output (a) is better in tone. Which one helps more I cannot say.",
    "Whether Output (a) is better is hard to say.",
    "Output (a) is not better.",
    "While Output (a) is better in tone, Output (b) is better in substance.",
    "Output (a) is better.\nTherefore, Output (b) is better.",
    "The better output is Output (a), except it is wrong, so (b).",
    "The better output is Output (a), but it is wrong.",
    "Output (a) is better, except it is wrong, so (b).",
    "Neither is right, so the year counts.",
    "a year",
    "Both.",
    "The DATA is better than before.",
    "[[A>>B]] or rather [[A>B]]",
    "[[A>B]] … [[B>A]]",
    "[[A=B]] [[C]]",
    "[[A<B]]",
    "[[A>>>B]]",
    "Verdict: A and B are equally good in their own ways.",
    "### Verdict\nA and B both miss the point, so to say.",
    "Verdict: A better answer would name the year.",
    "Therefore, Output (a) is better, while Output (b) is more accurate.",
    "Therefore, Output (a) is better. So, Output (b) is better.",
    "Output (a) is better, but Output (b) is preferable.",
    "Therefore, Output (a) would be better if it were short.\n\nIt is not.",
    "Overall, both outputs have merits. It is hard to say more.",
  ])("refuses %j", (text) => expect(winner(text)).toMatch(/^no: /));

  it.each([
    ["A: it counts right, and it is complete.", "A"],
    ["A The first gives the sum.", "A"],
    ['"B" It has both units.', "B"],
    ['"B" because it is complete.', "B"],
    ["**A** more complete, and shorter", "A"],
    ["B: Response B shows its work.", "B"],
    ["  B This has the figure.\n", "B"],
    ["A: it has an error.\nB: it is right.", "no"],
    ["A: 7/10. B: 9/10.", "no"],
    ["A: it lists three; B: it lists four.", "no"],
    ["**A**\nGood.\n**B**\nBetter than most.", "no"],
    ["**A** is wrong.", "no"],
    ["A: it is incorrect.", "no"],
    ["A Python function is given.", "no"],
    ["B: 3", "no"],
  ])("reads a letter that the reply begins with: %j", (text, expected) => {
    expect(winner(text).replace(/:.*/, "")).toBe(expected);
  });

  it.each([
    "Answer A says: [[A]]\n\nTherefore, Output (b) is better.",
    "Output (b) is better.\n\nOutput (a) ends with:\n[[A]]",
    "```\n[[A]]\n```\n\n[[B]]",
    "[[B]]\n\n    [[A]]",
    "[[B]]\n\nResponse A states: [RESULT] A",
    '[RESULT] B\n\nAnswer A contains this:\n```json\n{"winner": "A"}\n```',
    "Therefore, Output (b) is better.\n\n> [[A]]",
  ])("QUOTED-1: reads the judge's own verdict of %j", (text) => expect(winner(text)).toBe("B"));

  it.each([
    "[[A]]\n\nTherefore, Output (b) is better.",
    "Output (b) is better.\n\n[[A]]",
    "[RESULT] A\n\nFinal verdict: (b)",
    "The better output is Output (b).\n[[A]]\nThe better output is Output (b).",
    "[[A]]\n\nSo, it is a tie.\n\nOverall, Output (b) is better.",
  ])("PREFER-1: reads neither where prose says the opposite: %j", (text) =>
    expect(winner(text)).toBe(`no: the reply gives two verdicts, A and B`),
  );

  it("gives the judge's words as the reason", () => {
    const reasonOf = (text: string) => parsePreference(text).reason;
    expect(reasonOf("Feedback: A counts right. [RESULT] A")).toBe("A counts right.");
    expect(reasonOf('```json\n{"reason":"it counts","winner":"A"}\n```')).toBe("it counts");
    expect(reasonOf("B is better. It is right.")).toBe("B is better. It is right.");
    expect(reasonOf("Output (a)")).toBe("");
    expect(reasonOf("[[A]] It is the only right one.")).toBe("It is the only right one.");
  });

  it("never throws, and is quick on hostile texts", () => {
    fc.assert(fc.property(fc.string({ maxLength: 400 }), (text) => void parsePreference(text)));
    for (const piece of [
      "Output (a) is better. ",
      "[RESULT] ",
      "[[",
      '{"winner":',
      "a ",
      "((((",
      "A: B\n",
      "**A** ",
      "is the the ",
    ]) {
      const from = performance.now();
      parsePreference(piece.repeat(Math.floor(400_000 / piece.length)));
      expect({ piece, fast: performance.now() - from < 1_000 }).toEqual({ piece, fast: true });
    }
  });
});
