import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { writeAnswer } from "../text/format.ts";
import { sameAnswer } from "./answer.ts";
import { extractAnswer } from "./extract-answer.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

const short = (text: string): string | null => {
  const answer = extractAnswer(text);
  return answer === null ? null : `${answer.kind} ${answer.value}`;
};
const essay = `${"Cities grow where trade is cheap, as 40 ports show. ".repeat(40)}\n\nIn 1969 there were 400 of them.`;

describe("extractAnswer", () => {
  it.each([
    ["391", "number 391"],
    ["Paris.", "text Paris"],
    ["17 * 23 = 391", "number 391"],
    ["The capital of France is Paris.", "text Paris"],
    ["It is 7.", "number 7"],
    ["(b)", "choice B"],
    ["B) Paris", "choice B"],
    ["A dog", "text A dog"],
    ["The answer is (B).", "choice B"],
    ["Answer: C", "choice C"],
    ["**Answer:** C) Paris, since it is the capital", "choice C"],
    ["The correct answer is B because it rains.", "choice B"],
    ["Answer: A, C", "text A, C"],
    ["Answer: Yes, because water is wet.", "text Yes"],
    ["Answer:\n\n```\n12\n```", "number 12"],
    ["So $\\boxed{\\text{(B)}}$ is right, as said.", "choice B"],
    ["\\[\n\\boxed{\\dfrac{1}{2}}\n\\]", "number 1/2"],
    ["\\boxed{x^{2}+1}", "text x^{2}+1"],
    ["First \\boxed{1}, then \\boxed{2}.", "number 2"],
    ["The final answer is: $\\boxed{18}$", "number 18"],
    ["FINAL ANSWER: \\$295,000", "number 295000"],
    ["FINAL ANSWER: 70000 [/INST]", "number 70000"],
    ["Final answer (in dollars): $18", "number 18"],
    ["Final Answer: [195000]", "number 195000"],
    ["### Final Answer\n\n42", "number 42"],
    ["**Final answer: William Shakespeare**", "text William Shakespeare"],
    ["Final answer: $70,000\n\nThis is simpler than 3 other ways.", "number 70000"],
    ["\\boxed{41} was my guess.\n\nFinal answer: 42", "number 42"],
    ["Final answer: 41, I thought.\n\nNo: \\boxed{42}", "number 42"],
    ["**Answer:** Josh made a profit of $70,000.", "number 70000"],
    ["Answer: It takes 3 bolts in total to make the robe.", "number 3"],
    ["Answer: 1984 by George Orwell", "text 1984 by George Orwell"],
    ["FINAL ANSWER: Apollo 11", "text Apollo 11"],
    ["We multiply.\n\nx = 391", "number 391"],
    ["We multiply.\n\n17 × 23 = 391.", "number 391"],
    ["We multiply.\n\n**391**", "number 391"],
    ["We ask who wrote it.\n\n**Jane Austen**", "text Jane Austen"],
    ["We add.\n\nSo, Janet makes **$18** every day at the market from selling eggs.", "number 18"],
    ["We add.\n\nResult: 9", "number 9"],
    [`${essay}\n\nFinal answer: 12`, "number 12"],
    ["Final answer: minus 7", "number -7"],
    ["Answer: The temperature falls to negative 5.", "number -5"],
    ["Answer: The temperature is -7 degrees at night.", "number -7"],
    ["Answer: It is plus or minus 7.", "text It is plus or minus 7"],
    ["Final answer: >5", "text >5"],
    ["Final answer: x >= 5", "text x >= 5"],
    ["Final answer: total >= 5", "text total >= 5"],
    ["Final answer: x=4, y=6", "text x=4, y=6"],
    ["Final answer: x = 5 or x = -5", "text x = 5 or x = -5"],
    ["Final answer: x^2 = 16", "text x^2 = 16"],
    ["Final answer: -x = 5", "text -x = 5"],
    ["Final answer: A = 3 m × 4 m = 12 m²", "number 12"],
    ["Final answer: 2 x 3 = 6", "number 6"],
    ["Final answer: 5!", "text 5!"],
    ["The answer is 5!", "text 5!"],
    ["Answer: There are 5! ways.", "text There are 5! ways"],
    ["Answer: The train leaves at 3 pm.", "text The train leaves at 3 pm"],
    ["Answer: It is the square root of 5.", "text It is the square root of 5"],
    ["Answer: It was 7 degrees below zero.", "text It was 7 degrees below zero"],
    ["Answer: It needs at least 7.", "text It needs at least 7"],
    ["Final answer: $2\\frac{1}{2}$", "text 2 1/2"],
    ["Final answer: $\\frac{1+x}{2}$", "text (1+x)/2"],
    ["Final answer: A - B", "text A - B"],
    ["Answer: No solution", "text No solution"],
    ["Answer: No more than 7", "text No more than 7"],
    ["Answer: true if n is even", "text true if n is even"],
    ["Answer: True, if n is even", "text True, if n is even"],
    ["Answer: Yes, but only for odd n", "text Yes, but only for odd n"],
    ["Answer: No. 5", "text No. 5"],
    ["Answer: No - it never does.", "text No"],
    ["Answer: Yes because it must be so, whatever else one may say of it all", "text Yes"],
    ["Answer: Yes!", "text Yes"],
    // a sentence or a caption around the letter
    ["Final Answer: The answer is (F).", "choice F"],
    ["Working.\n\nFinal Answer:\nThe answer is **E. $74.44**.", "choice E"],
    ["Final Answer: The closest answer is **H. $1,982.34**.", "choice H"],
    ["Final answer: B. Paris", "choice B"],
    ["### Final Answer\n\\[\n\\text{The answer is (A)}\n\\]", "choice A"],
    ["Answer: I. Valid", "choice I"],
    ["Therefore, the correct answer is:\n\nJ. All of them are, as the text says.", "choice J"],
    ["**The correct answer is (D) 42.**", "choice D"],
    ["The answer is **option C**: it rains.", "choice C"],
    ["Therefore, (A) is the correct answer, as it fits best.\n\nThe others do not.", "choice A"],
    ["The answer is not listed, but it is closest to (A).", "choice A"],
    ["It comes to 43.6 °C, which is the answer (D).", "choice D"],
    [`${essay}\n\nSo the most likely explanation is (C).`, "choice C"],
    [`${essay} It is best to do it daily, i.e., (F).`, "choice F"],
    // letters beyond J
    ["The answer is (M).", "choice M"],
    ["Final answer: P", "choice P"],
    ["Answer: K) Kelvin", "choice K"],
    ["**Final answer: S. none of these**", "choice S"],
    ["\\boxed{Z}", "choice Z"],
    // a mark of the turn's end, and what follows it
    ["Final answer: I.<EOS_TOKEN>", "choice I"],
    ["The answer is H<EOS_TOKEN>\n", "choice H"],
    ["The answer is (H).<EOS_TOKEN>Final answer: H.<EOS_TOKEN>", "choice H"],
    ["Final answer: 12<|eot_id|>", "number 12"],
    ["Final answer: 12<end_of_turn>\n<eos>", "number 12"],
    ["Final answer: (C)<｜end▁of▁sentence｜>", "choice C"],
    // a box in the working
    ["So it is $\\boxed{3,370}$. The answer is H", "choice H"],
    ["The answer is C. Indeed, $2 + 3 = \\boxed{5}$.", "choice C"],
    ["$x = \\boxed{12}$ at first.\n\nBut twice that: the answer is 24.", "number 24"],
    ["\\boxed{12} is the area.\n\nFinal answer: (B)\n\nCheck: $3 \\cdot 4 = \\boxed{12}$", "choice B"],
    ["The answer is (G)\n\nLet me check: the closest answer is 36/125.", "choice G"],
    ["The answer is 7, I thought.\n\nNo: \\boxed{8}", "number 8"],
    // a short last sentence that is the answer
    [`${essay}\n\nSo the argument is valid.`, "text valid"],
    [`${essay} Therefore, the statement is false.`, "text false"],
    [`${essay}\n\nThus it is not possible.`, "text not possible"],
    [`${essay}\n\nSo the total is 42.`, "number 42"],
    [`${essay} Hence the capital is Paris.`, "text Paris"],
    // several letters are no choice
    ["The answer is (A) and (B).", "text (A) and (B)"],
    ["The answer is (C) or (D).", "text (C) or (D)"],
    ...[
      "</s>",
      "<|eot_id|>",
      "<|im_end|>\n<|im_start|>user",
      "<|endoftext|>",
      "<end_of_turn>",
      "<|end|>",
      " [INST]",
    ].map((mark) => [`The answer is (C).${mark}\nFinal answer: (D)`, "choice C"]),
    ["If the answer is (A), then x > 0, but x < 0. So (B).", "choice B"],
    ["<think>Final answer: (D)</think>\n\nC", "choice C"],
    // a box that the text around it takes back
    ["Final answer: D\n\nCheck: \\boxed{A} was my first idea.", "choice D"],
    ["The final answer is 6. (In step 1 we had \\boxed{5}.)", "number 6"],
    ["Answer: 6\n\nVerification: \\boxed{5} would be wrong.", "number 6"],
    ["Final answer: B\n\nNote that \\boxed{D} in step 3 is only a value on the way.", "choice B"],
    ["Final answer: 6\n\nThis differs from \\boxed{5}, which ignores friction.", "number 6"],
    ...[
      "\n- C",
      "\n1. C",
      "\n\n> C",
      " > **C**",
      " {C}",
      " <b>C</b>",
      " C ✅",
      " C 🎉",
      " I think it is C",
    ].map((letter) => [`Final answer:${letter}`, "choice C"]),
    ["FINAL ANSWER - C", "choice C"],
    ["Final answer → E", "choice E"],
    [`${essay}\n\nYes.`, "text Yes"],
    [`${essay}\n\n**No**`, "text No"],
    [`${essay}\n\n42`, "number 42"],
    [`${essay}\n\n(R)`, "choice R"],
    // rows of tables, objects, tags and headings
    ["| Step | Value |\n|---|---|\n| Sum | 12 |\n| Final answer | C |", "choice C"],
    ["| **Final Answer** | **42 km** |", "number 42"],
    ['{"answer": "B"}', "choice B"],
    ['{"final_answer": 42}', "number 42"],
    ['{"answer": "A"}\n{"finalAnswer": "B"}', "choice B"],
    ['```json\n{"answer": "B", "reason": "the answer is (C) at first"}\n```', "choice B"],
    ["Thinking.\n<answer>B</answer>", "choice B"],
    ["### Answer\nU", "choice U"],
    ["# Answer\nParis", "text Paris"],
    ["**O. Oxygen**", "choice O"],
    // captions
    ["Réponse finale : B", "choice B"],
    ["Die Antwort ist 42.", "number 42"],
    ["答案：B", "choice B"],
    ["Ответ: 42", "number 42"],
    ["Correct option: D", "choice D"],
    ["ANSWER — 42", "number 42"],
    ["final answer - 42 km", "number 42"],
    ["Hence the answer: 42", "number 42"],
    ["I'd go with (C).", "choice C"],
    ["It's 42.", "number 42"],
    ["Therefore, 42.", "number 42"],
    ["\\boxed 5", "number 5"],
    ["\\framebox{B}", "choice B"],
    // an item of a list, an aside, and how sure it is
    ["Final answer:\n- 12", "number 12"],
    ["Final answer:\n1. 12", "number 12"],
    ["1. Answer: 42", "number 42"],
    ["1) **Answer:** B\n2) It says so.", "choice B"],
    ["1. Reasoning: 6 * 7\n2. Answer: 42", "number 42"],
    ["42 (not 43)", "number 42"],
    ["Final answer: B (not C)", "choice B"],
    ["The answer is B and not C.", "choice B"],
    ["42. I am 90% sure.", "number 42"],
    [`${essay}\n\nThe answer is no.`, "text no"],
    ["Approximately 5 people said no.", "text Approximately 5 people said no"],
    ["Final answer: No, it is not.", "text No"],
    ["So \\boxed{3} and \\boxed{4}.", "text So 3 and 4"],
    ["The answer is not (B).", "text not (B)"],
    // a question before its answer
    ["Q: What is 6 * 7?\nA: 42", "number 42"],
    ["**Question:** Who wrote it?\n\n**A:** Jane Austen", "text Jane Austen"],
    ["Q: Which one?\nA: B", "choice B"],
    // names
    ["Final answer: E. coli", "text E. coli"],
    ["Final answer: J. K. Rowling", "text J. K. Rowling"],
    ["An incorrect answer is (B).", "text An incorrect answer is (B)"],
    ["One of the wrong answers is (C).", "text One of the wrong answers is (C)"],
  ])("reads %j as %s", (text = "", expected = "") => expect(short(text)).toBe(expected));

  it.each(
    String.raw`\sqrt 2|ln 2|\ln 2|\log 100|log 2|sin 30|\sin 30|\cos 30|\arcsin 1|\exp 2|\zeta 2|\det 2|\max 3|\lim 3|\int 3|\sum 3|\partial 3|\nabla 3|\overline 3|\unknown 3|It is ln 2|The value is \sinh 2|\pm 3|\mp 3|\neg 3|x \le 3|x \ge 3|x\ne 3|\geq 5|\approx 3|\sim 3|It is ± 3|\frac{1}{2}3|\frac{3}{4}5|\frac{3}{4} 5|up to 5|almost 5|nearly 5|roughly 7|It is nearly 7|a loss of $5|a rise of 7|a fall of 7|a decrease of 5%|an increase of 5%|They made a loss of $5|debt of 7|short of 7|They are short of 7|number 3 is false|Statement number 3 is false`.split(
      "|",
    ),
  )("reads %j as a text, not as its number", (text) => {
    expect(extractAnswer(`Final answer: ${text}`)).toMatchObject({ kind: "text" });
  });

  it.each([
    ["FINAL ANSWER: \\$295,000", "$295000"],
    ["Final answer: 5 km", "5 km"],
    ["The answer is 20 °C.", "20°C"],
    ["Answer: Josh made a profit of $70,000.", "$70000"],
    ["Answer: The train is 5 km away.", "5 km"],
    ["Answer: The speed is 5 km per hour at noon.", "5 km per hour"],
    ["Answer: The team had 7 losses.", "7 losses"],
    ["Answer: It is 7 as said.", "7"],
    ["Final answer: \\mu = 7 kg", "7 kg"],
  ])("keeps the unit of %j: %s", (text, expected) => {
    const answer = extractAnswer(text);
    expect(answer && writeAnswer(answer)).toBe(expected);
  });

  it.each([
    "",
    "  \n",
    essay,
    `${essay}\n\n**Think twice**`,
    `${essay}\n\nThe answer is complicated.`,
    "The answer is complicated.\n\nBut it has many sides.",
    "I will give my final answer below.\n\nFirst, some thoughts on 3 things.",
    "We should hire people.\n\nTherefore, we should hire 3 engineers by 2030.",
    "There are many sides.\n\nSome cost 5 and some cost 7.",
    "I don't know.",
    "What do you mean?",
    "\\boxed{3",
    '{"answer": null}',
    "A: 42",
    "**A:** Paris",
    "Q: Which?\nA: 41\nB: 42",
    "Q: One?\nA: 41\nQ: And two?\nA: 42",
    "1. Answer: 42\n2. Answer: 43",
    '{"answer": ["A", "B"]}',
    "Final answer: ___",
    "Final answer: [your answer]",
    "Final answer: X where X is the letter",
    "Final answer: 41. Wait, no, 42.",
    "Final answer: B. Actually, C.",
    "Final answer:\n- 12\n- 13",
    "There is no final answer: 3 are possible.",
    "The answer depends on 3 things.",
    "Long.\n\n**Final answer**",
    "Final answer:",
    "**Final Answer:**",
    "Long.\n\nFinal answer:\n",
    "Long.\n\n## Final answer:\n\n**Explanation**",
    `${essay}\n\nMean = 1900 / 25\nMean = 76`,
    `${essay}\n\nSo the best plan is one that nobody has to carry out alone.`,
    "Final answer: that depends on how much you want to spend, on your team, and on what you already run today.",
  ])("guesses nothing in %j", (text) => expect(short(text)).toBeNull());

  it.each([
    ["The answer is (B", "choice B"],
    ["Final answer: (C), because it", "choice C"],
    ["Final answer: 42\n\nThis is since", "number 42"],
    ["Final answer: 4", null],
    ["The answer is 1,2", null],
    ["\\boxed{12} and so the", null],
    ["\\boxed{B} looks plausible, let me now check wheth", null],
    ["First, $\\boxed{3}$. Next, the second part gives", null],
    ["The answer is (A) if we ignore friction. With fric", null],
    ["Answer: 5\nBut that forgets the second case, so", null],
    ["The answer is 3, assuming x is even. For odd x we", null],
    ["We multiply.\n\n17 × 23 = 39", null],
    ["391", null],
    ["So the total is 39.", null],
  ])("reads of a reply that reached its limit, %j, %s", (text, expected) => {
    const answer = extractAnswer(text, { cutOff: true });
    expect(answer && `${answer.kind} ${answer.value}`).toBe(expected);
  });

  it("reads a declared number whatever prose stands before it", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer(), (prose, integer) => {
        expect(short(`${prose}\n\nFinal answer: ${integer}`)).toBe(`number ${integer}`);
        expect(short(`${prose}\n\n$\\boxed{${integer}}$`)).toBe(`number ${integer}`);
      }),
    );
  });
  it.each([
    "I add them.\n\nFinal answer: 5\n\nAnswer B says: Final answer: 7",
    "Final answer: 5\n\nAnswer B ends with:\nFinal answer: 7",
    "Final answer: 5\n\n```\nFinal answer: 7\n```",
    "Final answer: 5\n\n> Final answer: 7",
    "Final answer: 5\n\n    Final answer: 7",
    'Final answer: 5\n\nI do not agree with "Final answer: 7" of the others.',
    "The answer is 5.\n\nDraft C states: the answer is 7.",
    "Final answer: 5\n\nReviewer A wrote: it is \\\\boxed{7}",
    "Answer A says:\nFinal answer: 7\n\nThe answer is 5.",
  ])("reads the reply's own answer of %j", (text) =>
    expect(extractAnswer(text)).toMatchObject({ value: "5" }),
  );
  it.each(["```\nFinal answer: 5\n```", "> Final answer: 5", "It says: Final answer: 5"])(
    "reads what is quoted where nothing else is declared: %j",
    (text) => expect(extractAnswer(text)).toMatchObject({ value: "5" }),
  );

  it("takes linear time on much of anything", () => {
    const pieces = [
      "a ",
      "\\boxed{",
      "final answer: ",
      "answer: 3\n",
      "the answer is ",
      "*",
      "**a",
      "\n",
      " ",
      "= ",
      "$",
      "(",
    ];
    expectLinearReading((text) => extractAnswer(`${text}.`), pieces);
  });
});

const answersFile = new URL("../../../shared/data/model-answers/mmlu-pro-8-models.jsonl", import.meta.url);
const Answered = z.object({ outputs: z.record(z.string(), z.string()) });
/** A sentence that declares: `the answer is (F)`, `Final Answer: F. $10`, `the correct option would be F`. */
const declaring =
  /(?:answer|correct (?:option|choice))\s?(?:is|would be|[:：])[^.\n]{0,80}?(?:\(([A-P])\)|[*:]\s?([A-P])\b|is ([B-HJ-P])\b)[^\n]{0,40}/gi;

describe("extractAnswer on recorded outputs of eight models", () => {
  it("reads the letter of every output that declares one letter", (test) => {
    test.skip(!existsSync(answersFile), "the recorded outputs are not on this machine");
    const outputs = readFileSync(answersFile, "utf8")
      .trim()
      .split("\n")
      .flatMap((line) => Object.values(Answered.parse(JSON.parse(line)).outputs));
    const rows = outputs.flatMap((text) => {
      const said = [...text.matchAll(declaring)];
      const letters = new Set(said.map((match) => (match[1] ?? match[2] ?? match[3] ?? "").toUpperCase()));
      const several = said.some(([all]) => /[A-P]\W{0,3}(?:,|and|or)\W{1,3}[A-P]\b|closest/.test(all));
      return letters.size === 1 && !several ? [{ text, letter: [...letters].join("") }] : [];
    });
    const read = rows.map((row) => ({ ...row, answer: extractAnswer(row.text) }));
    const equal = read.filter(({ answer, letter }) => answer?.kind === "choice" && answer.value === letter);
    const wrong = read.filter((row) => row.answer !== null && !equal.includes(row));
    process.stdout.write(
      `model outputs: ${equal.length} of ${rows.length} that declare one letter are read as it, ${wrong.length} as something else\n`,
    );
    expect(rows.length).toBeGreaterThan(1_700);
    expect(equal.length / rows.length).toBeGreaterThanOrEqual(0.997);
    expect(wrong.length / rows.length).toBeLessThanOrEqual(0.001);
  });
});

const trialsFile = new URL("../../../shared/data/council-trials/trials.json", import.meta.url);
const Trials = z.array(
  z.object({
    predicted: z.string(),
    stage1_responses: z.record(z.string(), z.string()),
    stage2_data: z.object({
      deliberation_responses: z.record(z.string(), z.string()).optional(),
      extracted_answers: z.record(z.string(), z.string().nullable()).optional(),
    }),
    stage3_data: z.object({ synthesis: z.string().optional() }),
  }),
);
type Recorded = { readonly text: string; readonly recorded: string | null };

const recordedIn = (trials: z.infer<typeof Trials>): Recorded[] =>
  trials.flatMap((trial) => {
    const { deliberation_responses: revised, extracted_answers: extracted } = trial.stage2_data;
    const replies = Object.entries(extracted ?? {}).map(([member, recorded]) => ({
      text: (revised ?? trial.stage1_responses)[member] ?? "",
      // Some recorded extractions kept Markdown or the model's end mark.
      recorded: recorded === null ? null : recorded.replace(/[\\$*]|\s*\[\/\w+\]/g, ""),
    }));
    const { synthesis } = trial.stage3_data;
    return synthesis === undefined ? replies : [...replies, { text: synthesis, recorded: trial.predicted }];
  });

describe("extractAnswer on recorded council trials", () => {
  it("reads every recorded answer, and none where none was recorded", (test) => {
    test.skip(!existsSync(trialsFile), "the recorded trials are not on this machine");
    const rows = recordedIn(Trials.parse(JSON.parse(readFileSync(trialsFile, "utf8"))));
    const agree = rows.filter(({ text, recorded }) => {
      const answer = extractAnswer(text);
      if (answer === null || recorded === null) return answer === recorded;
      return sameAnswer(answer, { kind: "number", value: recorded });
    });
    process.stdout.write(
      `council trials: ${agree.length} of ${rows.length} recorded answers read the same\n`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(30);
    expect(rows.filter((row) => !agree.includes(row))).toEqual([]);
  });

  it.each(["A. A. Milne", "E. coli", "J. R. R. Tolkien"])(
    "reads a name with initials as text, not as a choice: %s",
    (name) => {
      expect(extractAnswer(`Final answer: ${name}`)).toEqual({ kind: "text", value: name });
    },
  );

  it.each(["B", "B.", "(B)", "B) Paris", "B: Paris", "B. Paris", "**B.** Paris", "(B) Paris"])(
    "reads a letter as a choice: %s",
    (letter) => {
      expect(extractAnswer(`Final answer: ${letter}`)).toEqual({ kind: "choice", value: "B" });
    },
  );
});
