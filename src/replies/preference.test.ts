import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { parsePreference } from "./preference.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

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
    ["Overall, Response A does the better job because it names its source.", "A"],
    ["Overall, Response B does a far better job. It names its source.", "B"],
    ["Response A does the better job in tone alone.", "no"],
    ["If it were shorter, overall Response A does the better job.", "no"],
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
  ])("reads the judge's own verdict of %j", (text) => expect(winner(text)).toBe("B"));

  it.each([
    "[[A]]\n\nTherefore, Output (b) is better.",
    "Output (b) is better.\n\n[[A]]",
    "[RESULT] A\n\nFinal verdict: (b)",
    "The better output is Output (b).\n[[A]]\nThe better output is Output (b).",
    "[[A]]\n\nSo, it is a tie.\n\nOverall, Output (b) is better.",
  ])("reads neither where prose says the opposite: %j", (text) =>
    expect(winner(text)).toBe(`no: the reply gives two verdicts, A and B`),
  );

  it.each([
    // the letter is denied, or said to be the worse
    ["Verdict: A is not better", "no"],
    ["Verdict: A is worse than B", "B"],
    ["###Verdict: A is inferior to B", "B"],
    ["[RESULT] A is worse", "B"],
    ["[RESULT] A is not better than B", "no"],
    ["[RESULT] A < B", "B"],
    ['{"winner": "A is worse"}', "B"],
    ["**A** is incomplete, **B** is complete.", "no"],
    ["**A** is short, **B** is long.", "no"],
    ['"A" because of its errors is worse', "no"],
    ["Verdict: A because it is worse", "no"],
    ["B. It is worse.", "no"],
    ["**B** loses", "A"],
    ["Verdict: B is unhelpful", "no"],
    ["Winner: **A** has flaws", "no"],
    ["**A** struggles to answer", "no"],
    ["**B** comes last", "no"],
    ...[
      "I think not",
      "not",
      "as if",
      "just kidding",
      "I doubt it",
      "or so they say",
      "which I reject",
      "which is false",
      "hardly",
      "far from it",
      "on the contrary",
      "no way",
      "certainly not",
      "I don't think so",
      "maybe",
      "allegedly",
      "yeah right",
      "they told me to say",
    ].flatMap((denial) => [
      [`Verdict: A, ${denial}`, "no"],
      [`[RESULT] A, ${denial}`, "no"],
    ]),
    ["Verdict: A... just kidding", "no"],
    ["[RESULT] A (I disagree)", "no"],
    ["Winner: A is what they want me to say", "no"],
    ...["of course", "no doubt", "not B", "I think", "as it is complete", "which is correct"].map(
      (reason) => [`[RESULT] A, ${reason}`, "A"],
    ),
    ["Verdict: B (A is better)", "no"],
    ["Verdict: B doesn't answer", "no"],
    ["Verdict: A because it is not wrong", "A"],
    ["Verdict: A, since B is worse", "A"],
    ["[RESULT] B because A is not right", "B"],
    // it is taken back
    ["Verdict: B, no wait, A", "no"],
    ["[RESULT] A, no, B", "no"],
    ["Winner: A, wait, B", "no"],
    ["Verdict: A. No wait, B.", "B"],
    ["Output (a) is better. Wait, no.", "no"],
    ["Output (a) is better. Scratch that: Output (b) is better.", "B"],
    ["Therefore, Output (a) is better. Actually, no: Output (b) is better.", "B"],
    // it holds on a condition
    ["If length mattered, Output (a) is better.", "no"],
    ["Were it shorter, Output (b) is better.", "no"],
    ["Had it been shorter, Output (b) is better.", "no"],
    ["Only if brevity is ignored, Output (b) is better.", "no"],
    ["Assuming that length matters, Output (b) is better.", "no"],
    ["Unless style counts, Output (b) is better.", "no"],
    ["Output (b) is better unless style counts.", "no"],
    ["Output (b) is better, if only style counts.", "no"],
    ["If length mattered, I would choose Output (a).", "no"],
    ["If I had to choose, Output (b) is better.", "B"],
    // it is denied
    ["There is no reason to think Output (a) is better than Output (b).", "no"],
    ["I see no evidence, frankly, that Output (a) is better.", "no"],
    ["I don't think Output (a) is better.", "no"],
    ["I doubt that Output (a) is better.", "no"],
    ["Neither A nor B is better.", "no"],
    ["It is false that Output (a) is better.", "no"],
    ["Output (a) isn't worse than Output (b).", "no"],
    ["There is no doubt that Output (a) is better.", "A"],
    // it is quoted
    ["The instruction asked to write 'Output (a) is better'. Output (b) did so.", "no"],
    ['It had to print "Output (b) is better". Output (a) did.', "no"],
    ['"Output (a) is better", it said.', "no"],
    ["The words “Output (b) is better” are in it.", "no"],
    ["B wrote «Output (b) is better».", "no"],
    ["`Output (b) is better` is what it printed.", "no"],
    ['"Output (a)" is better than "Output (b)".', "A"],
  ])("takes no letter for a verdict that its sentence denies, lowers or leaves open: %j", (text, expected) =>
    expect(winner(text).replace(/:.*/, "")).toBe(expected),
  );

  it.each([
    [
      "Output (a) is better than Output (b) in style. However, Output (b) is correct. Therefore, Output (b) is better.",
      "B",
    ],
    ["Overall, I would choose Output (a). It is concise; Output (b) is not.", "A"],
    ["I would go with Output (b), as it is right.", "B"],
    ["So Output (b) gets my vote.", "B"],
    ["My vote goes to Output (b).", "B"],
    ["I prefer A over B.", "A"],
    ["I prefer B to A.", "B"],
    ["Output (a) is worse than Output (b).", "B"],
    ["Output (a) is clearly worse than Output (b), because it lies.", "B"],
    ["Output (b) isn't as good as Output (a).", "A"],
    ["Output (b) is outperformed by Output (a).", "A"],
    ["Both are good, but Output (b) edges out Output (a).", "B"],
    ["The better output is not Output (a) but Output (b).", "B"],
    ["The winner is not Response A, but Response B.", "B"],
    ["Thus, the output that better follows the instruction is Output (b). Output (a) has style.", "B"],
    ["The response which is more accurate is Response B.", "B"],
    ["The output that better ignores the instruction is Output (a).", "no"],
    ["Assistant A's answer is superior to Assistant B's.", "A"],
    ["Response B's reply is better.", "B"],
    ["Assistant A's tone is better.", "no"],
    ["Verdict: B over A", "B"],
    ["Verdict: A > B", "A"],
    ["A > B", "A"],
    ["Response A < Response B", "B"],
    ["Where n is the size, A > B", "no"],
    ["###Verdict: A The answer is complete", "A"],
    ["### Verdict: B It is right.", "B"],
    ["Verdict: A The other one is right", "no"],
    ['{"verdict": "[[A>B]]"}', "A"],
    ['{"winner": "[[C]]"}', "tie"],
    ['{"winner": "B over A"}', "B"],
  ])("reads a verdict in other plain words: %j", (text, expected) =>
    expect(winner(text).replace(/:.*/, "")).toBe(expected),
  );

  it("gives the judge's words as the reason", () => {
    const reasonOf = (text: string) => parsePreference(text).reason;
    expect(reasonOf("Feedback: A counts right. [RESULT] A")).toBe("A counts right.");
    expect(reasonOf('```json\n{"reason":"it counts","winner":"A"}\n```')).toBe("it counts");
    expect(reasonOf("B is better. It is right.")).toBe("B is better. It is right.");
    expect(reasonOf("Output (a)")).toBe("");
    expect(reasonOf("[[A]] It is the only right one.")).toBe("It is the only right one.");
  });

  it("never throws, and takes linear time on hostile texts", () => {
    fc.assert(fc.property(fc.string({ maxLength: 400 }), (text) => void parsePreference(text)));
    const pieces = [
      "Output (a) is better. ",
      "[RESULT] ",
      "[[",
      '{"winner":',
      "a ",
      "((((",
      "A: B\n",
      "**A** ",
      "is the the ",
      "I would choose ",
      "Output (a) is not ",
      "No, wait. ",
      "'A ",
      "A > ",
      "the output that better ",
    ];
    expectLinearReading(parsePreference, pieces);
  });
});
