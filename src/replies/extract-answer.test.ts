import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { sameAnswer } from "./answer.ts";
import { extractAnswer } from "./extract-answer.ts";

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
  ])("reads %j as %s", (text, expected) => expect(short(text)).toBe(expected));

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
    "Long.\n\n**Final answer**",
    "Final answer:",
    "**Final Answer:**",
    "Long.\n\nFinal answer:\n",
    "Long.\n\n## Final answer:\n\n**Explanation**",
    "Final answer: that depends on how much you want to spend, on your team, and on what you already run today.",
  ])("guesses nothing in %j", (text) => expect(short(text)).toBeNull());

  it("reads a declared number whatever prose stands before it", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer(), (prose, integer) => {
        expect(short(`${prose}\n\nFinal answer: ${integer}`)).toBe(`number ${integer}`);
        expect(short(`${prose}\n\n$\\boxed{${integer}}$`)).toBe(`number ${integer}`);
      }),
    );
  });
  it("takes linear time on 1 MB of anything", () => {
    for (const piece of [
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
    ]) {
      const from = performance.now();
      extractAnswer(`${piece.repeat(Math.ceil(1_000_000 / piece.length))}.`);
      const tookMs = performance.now() - from;
      expect({ piece, tookMs, fast: tookMs < 1_000 }).toMatchObject({ fast: true });
    }
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

  it.each(["B. Franklin", "E. coli", "A. Lincoln"])(
    "reads a name with an initial as text, not as a choice: %s",
    (name) => {
      expect(extractAnswer(`Final answer: ${name}`)).toEqual({ kind: "text", value: name });
    },
  );

  it.each(["B", "B.", "(B)", "B) Paris", "B: Paris"])("reads a letter as a choice: %s", (letter) => {
    expect(extractAnswer(`Final answer: ${letter}`)).toEqual({ kind: "choice", value: "B" });
  });
});
